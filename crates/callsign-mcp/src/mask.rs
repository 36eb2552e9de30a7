use std::fmt;

use callsign_wire::text::printable;

use crate::spec::{Launch, ServerSpec};

/// How much of a text is shown, in characters.
const SHOWN: usize = 4000;
/// Shorter values are in every text by chance.
const SHORTEST_SECRET: usize = 4;
/// What tokens of well-known services begin with.
const TOKEN_STARTS: [&str; 24] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
];
/// What a secret's name ends with, before `=` or `:`.
const SECRET_NAMES: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "credential",
    "access_key",
];
/// A run of this many letters and digits, with both among them, is taken for a token.
const LONG_RUN: usize = 40;

/// Hides the secrets of one server's entry, and what looks like a token, in text that the server wrote.
#[derive(Clone)]
pub(crate) struct Mask {
    /// Longest first, so that a secret within another does not leave half of it.
    values: Vec<Box<str>>,
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Mask {
    pub(crate) fn of(spec: &ServerSpec) -> Self {
        let mut values: Vec<Box<str>> = match &spec.launch {
            Launch::Stdio { env, args, .. } => env
                .iter()
                .flat_map(|(_, value)| parts(value.expose()))
                .chain(secret_arguments(args))
                .collect(),
            Launch::Http { url, headers } => headers
                .iter()
                .flat_map(|(_, value)| parts(value.expose()))
                .chain(secrets_of_url(url))
                .collect(),
        };
        values.retain(|value| value.chars().count() >= SHORTEST_SECRET && !is_harmless(value));
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values }
    }

    /// Whether one of the entry's secrets is in the text, as it is or as JSON writes it.
    pub(crate) fn finds_in(&self, text: &str) -> bool {
        self.values.iter().any(|value| {
            let json = serde_json::Value::from(&**value).to_string();
            text.contains(&**value) || text.contains(json.trim_matches('"'))
        })
    }

    /// As [`apply`](Self::apply), in one line of bounded length.
    pub(crate) fn line(&self, text: &str) -> String {
        printable(&self.apply(text), 600)
    }

    /// The text with secrets hidden, other control characters than line breaks escaped, and cut to its end.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for value in &self.values {
            masked = masked.replace(&**value, "***");
        }
        if let Some(start) = self.start_of_one_that_is_cut(&masked) {
            masked.replace_range(start.., "***…");
        }
        let lines: Vec<String> = masked.lines().map(|line| shown(&mask_words(line))).collect();
        let shown = lines.join("\n");
        let cut = shown.chars().count().saturating_sub(SHOWN);
        if cut == 0 {
            return shown;
        }
        let rest: String = shown.chars().skip(cut).collect();
        format!("…{}", rest.split_once('\n').map_or(rest.as_str(), |(_, whole)| whole))
    }

    /// Where a secret begins that a limit of length has cut, leaving only its beginning.
    fn start_of_one_that_is_cut(&self, text: &str) -> Option<usize> {
        let whole = text.strip_suffix('…')?;
        let starts = |value: &str| {
            let cuts = value.char_indices().map(|(at, _)| &value[..at]).skip(SHORTEST_SECRET);
            cuts.filter(|beginning| whole.ends_with(beginning)).map(str::len).max()
        };
        self.values
            .iter()
            .filter_map(|value| starts(value))
            .max()
            .map(|length| whole.len() - length)
    }
}

fn shown(line: &str) -> String {
    printable(line.trim_end(), 1000)
}

/// A value and what programs print of it: itself, its lines (a key in PEM), and what follows `Bearer `.
fn parts(value: &str) -> Vec<Box<str>> {
    let mut parts: Vec<Box<str>> = vec![value.into()];
    parts.extend(value.lines().map(str::trim).filter(|line| line.len() >= 8).map(Into::into));
    if let Some((scheme, token)) = value.split_once(' ')
        && ["bearer", "basic", "token"].contains(&scheme.to_ascii_lowercase().as_str())
    {
        parts.push(token.trim().into());
    }
    parts
}

/// The values of arguments such as `--token=x` and `--api-key x`.
fn secret_arguments(args: &[String]) -> Vec<Box<str>> {
    let mut values = Vec::new();
    for (position, arg) in args.iter().enumerate() {
        match arg.split_once('=') {
            Some((name, value)) if names_secret(name) => values.push(value.into()),
            None if arg.starts_with('-') && names_secret(arg) => {
                values.extend(args.get(position + 1).map(|next| next.as_str().into()));
            }
            _ => {}
        }
    }
    values
}

/// Password and query values of an address.
fn secrets_of_url(url: &str) -> Vec<Box<str>> {
    let authority = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next());
    let password = authority
        .and_then(|authority| authority.rsplit_once('@'))
        .and_then(|(user, _)| user.split_once(':').map(|(_, password)| password.into()));
    let query = url.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let values = query.split('&').filter_map(|pair| pair.split_once('='));
    values.map(|(_, value)| value.into()).chain(password).collect()
}

/// Values that stand in every text and protect nothing: switches, numbers, levels, places.
fn is_harmless(value: &str) -> bool {
    const WORDS: [&str; 14] = [
        "true",
        "false",
        "none",
        "null",
        "info",
        "debug",
        "warn",
        "warning",
        "error",
        "production",
        "development",
        "test",
        "stdio",
        "http",
    ];
    WORDS.contains(&value.to_ascii_lowercase().as_str())
        || (value.len() < 8 && value.bytes().all(|byte| byte.is_ascii_digit()))
        || value.starts_with("http://localhost")
        || value.starts_with("http://127.0.0.1")
}

/// Hides the words of a line that look like tokens.
fn mask_words(line: &str) -> String {
    let is_inside =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=' | '~');
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let mut after_secret_name = false;
    while !rest.is_empty() {
        let word = rest.find(|c| !is_inside(c)).map_or(rest, |end| &rest[..end]);
        if let Some((value, after)) = quoted(rest).filter(|_| after_secret_name) {
            let quote = &rest[..1];
            out.extend([quote, if value.is_empty() { "" } else { "***" }, quote]);
            rest = after;
            after_secret_name = false;
            continue;
        }
        if let Some(first) = rest.chars().next().filter(|_| word.is_empty()) {
            // `password: "x"`: what separates a name from its value does not end the suspicion.
            after_secret_name &= matches!(first, ' ' | ':' | '"' | '\'');
            out.push(first);
            rest = &rest[first.len_utf8()..];
            after_secret_name |= first == ':' && ends_in_secret_name(&out);
            continue;
        }
        rest = &rest[word.len()..];
        let is_scheme = matches!(word.to_ascii_lowercase().as_str(), "bearer" | "basic");
        // `Bearer realm="x"` is a server's challenge, not a credential.
        let is_parameter = word.ends_with('=') && rest.starts_with('"');
        out.push_str(&mask_word(word, after_secret_name && !is_scheme && !is_parameter));
        after_secret_name = is_scheme || word.strip_suffix('=').is_some_and(names_secret);
    }
    out
}

/// What stands in the quotes that a text begins with, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    text[1..].split_once(quote)
}

fn mask_word(word: &str, is_value: bool) -> String {
    if is_value || is_token(word) {
        return "***".to_owned();
    }
    match word.split_once('=') {
        Some((name, value)) if !value.is_empty() && (names_secret(name) || is_token(value)) => {
            format!("{name}=***")
        }
        _ => word.to_owned(),
    }
}

fn ends_in_secret_name(text: &str) -> bool {
    let name = text.trim_end_matches([':', '"', '\'', ' ']);
    names_secret(name)
}

fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|ending| name.ends_with(ending))
}

fn is_token(word: &str) -> bool {
    let starts =
        TOKEN_STARTS.iter().any(|start| word.starts_with(start) && word.len() >= start.len() + 12);
    let is_run = word.len() >= LONG_RUN
        && !word.contains(['/', '.'])
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    starts || is_run
}

#[cfg(test)]
mod tests {
    use callsign::ServerKey;

    use super::*;
    use crate::spec::Secret;

    fn mask(env: &[(&str, &str)], args: &[&str]) -> Mask {
        Mask::of(&ServerSpec {
            key: ServerKey::new("s").unwrap(),
            launch: Launch::Stdio {
                command: "c".to_owned(),
                args: args.iter().map(|arg| (*arg).to_owned()).collect(),
                env: env.iter().map(|(n, v)| ((*n).to_owned(), Secret::new(*v))).collect(),
                cwd: None,
            },
        })
    }

    #[test]
    fn the_entry_s_values_are_hidden_and_switches_are_not() {
        let mask = mask(
            &[
                ("A", "swordfish"),
                ("B", "swordfish-long"),
                ("D", "true"),
                ("E", "-----BEGIN\nabcdefghij\n-----END"),
            ],
            &["--api-key", "hush-hush", "--token=psst1"],
        );
        assert_eq!(
            mask.apply("got swordfish-long and swordfish, true\nabcdefghij hush-hush psst1\n"),
            "got *** and ***, true\n*** *** ***"
        );
        assert!(mask.finds_in("xswordfishx") && !mask.finds_in("true"));
        assert!(mask.finds_in(r"-----BEGIN\nabcdefghij\n-----END"), "as it stands in JSON");
    }

    #[test]
    fn what_looks_like_a_token_is_hidden() {
        let none = mask(&[], &[]);
        for (text, shown) in [
            ("Authorization: Bearer abc123", "Authorization: Bearer ***"),
            ("Bearer realm=\"r\"", "Bearer realm=\"r\""),
            ("Bearer dG9rZW4=", "Bearer ***"),
            ("using ghp_abcdefghijklmnop now", "using *** now"),
            ("PASSWORD=x next", "PASSWORD=*** next"),
            ("password=\"x y\" next", "password=\"***\" next"),
            ("'secret': 'a, b' \"n\"", "'secret': '***' \"n\""),
            ("token=***", "token=***"),
            (r#"{"api_key": "zz9", "n": "ok"}"#, r#"{"api_key": "***", "n": "ok"}"#),
            ("a0123456789012345678901234567890123456789b", "***"),
            (
                "file /usr/lib/node_modules/@scope/pkg-1.2.3/dist/index.js:10",
                "file /usr/lib/node_modules/@scope/pkg-1.2.3/dist/index.js:10",
            ),
            ("Error: token expired", "Error: token expired"),
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
        ] {
            assert_eq!(none.apply(text), shown);
        }
    }

    #[test]
    fn a_secret_that_a_limit_cut_is_hidden_too() {
        let mask = mask(&[("A", "swordfish"), ("B", "swordplay")], &[]);
        assert_eq!(mask.apply("got swordf…"), "got ***…");
        assert_eq!(mask.apply("got swo…"), "got swo…", "too short to be one");
        assert_eq!(mask.apply("got swordf"), "got swordf", "not cut");
    }

    #[test]
    fn a_long_text_is_cut_to_whole_lines_at_its_end() {
        let text = (0..1000).map(|n| format!("line number {n}\n")).collect::<String>();
        let shown = mask(&[], &[]).apply(&text);
        assert!(shown.starts_with("…line number ") && shown.ends_with("line number 999"));
        assert!(shown.chars().count() <= SHOWN + 1);
    }
}
