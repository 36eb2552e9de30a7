//! Whether a URI is one that a template makes (RFC 6570), as far as routing needs to know it.

/// A URI template, taken apart into the texts between its expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    /// The text in front of the first expression.
    start: String,
    /// Each expression, and the text behind it.
    rest: Vec<(Expression, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expression {
    /// `{name}`: something without reserved characters.
    Simple,
    /// `{+name}`, `{#name}`, `{?name}` and so on: anything, nothing included.
    Anything,
}

impl Template {
    /// Reads a template; `None` if a brace is not closed.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('{');
        let start = parts.next().unwrap_or_default().to_owned();
        let rest = parts
            .map(|part| {
                let (name, literal) = part.split_once('}')?;
                let is_simple = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                let kind = if is_simple { Expression::Simple } else { Expression::Anything };
                Some((kind, literal.to_owned()))
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self { start, rest })
    }

    /// How much of it is said literally: of two templates that match, the one that says more is meant.
    pub(crate) fn literal(&self) -> usize {
        self.start.len() + self.rest.iter().map(|(_, literal)| literal.len()).sum::<usize>()
    }

    /// Whether the URI can be made by it. Takes time in proportion to the length of both, whatever they are.
    pub(crate) fn matches(&self, uri: &str) -> bool {
        let uri = uri.as_bytes();
        if !uri.starts_with(self.start.as_bytes()) {
            return false;
        }
        // The places of the URI that a value of the next expression can begin at.
        let mut begins = vec![false; uri.len() + 1];
        begins[self.start.len()] = true;
        for (expression, literal) in &self.rest {
            begins = expression.behind(literal.as_bytes(), uri, &begins);
        }
        begins[uri.len()]
    }
}

impl Expression {
    /// The places behind a value of this expression and the text that follows it.
    fn behind(self, literal: &[u8], uri: &[u8], begins: &[bool]) -> Vec<bool> {
        let mut behind = vec![false; begins.len()];
        let mut has_begun = false;
        for at in 0..begins.len() {
            let may_end = has_begun || (self == Self::Anything && begins[at]);
            if may_end && uri[at..].starts_with(literal) {
                behind[at + literal.len()] = true;
            }
            let is_reserved = uri.get(at).is_some_and(|byte| b"/?#".contains(byte));
            has_begun = (has_begun || begins[at]) && !(self == Self::Simple && is_reserved);
        }
        behind
    }
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn expressions_take_what_the_standard_lets_them() {
        let fits = |template: &str, uri: &str| Template::read(template).unwrap().matches(uri);
        assert!(fits("file:///{path}", "file:///a%20b"));
        assert!(!fits("file:///{path}", "file:///a/b"));
        assert!(!fits("file:///{path}", "file:///"));
        assert!(fits("file:///{+path}", "file:///a/b"));
        assert!(fits("db://{table}/{id}.json", "db://users/7.json"));
        assert!(!fits("db://{table}/{id}.json", "db://users/7.xml"));
        assert!(fits("x://s{?q,limit}", "x://s?q=1") && fits("x://s{?q,limit}", "x://s"));
        assert!(fits("a{+b}c{+d}e", "a-c-c-e") && !fits("a{+b}c{+d}e", "a-e"));
        assert!(fits("x://{n}", "x://é") && !fits("x://{n}", "y://é"));
        assert!(Template::read("x://{n").is_none());
    }

    #[test]
    fn a_hostile_template_costs_no_time() {
        // By trying each place for each expression this would never end.
        let template = Template::read(&"{+a}a".repeat(40)).unwrap();
        assert!(!template.matches(&("a".repeat(400) + "b")));
        assert!(template.matches(&"a".repeat(400)));
    }
}
