//! Entries that go by how a server is started or reached, and not by its key.

use regex_lite::Regex;

use super::fleet::{Address, Tool};
use super::glob::{Glob, Wild};
use super::pattern::Reach;

/// What an entry asks of a server's address.
#[derive(Debug, Clone)]
pub(crate) enum AddressPattern {
    /// The program and, where they are compared, its arguments.
    Command(TextPattern, Option<Vec<TextPattern>>),
    /// The address.
    Url(TextPattern),
    /// The address, `*` for any run of characters: see [`fits_url`].
    UrlGlob(String),
}

/// One text, compared in the way the host offers.
#[derive(Debug, Clone)]
pub(crate) enum TextPattern {
    Exact(String),
    Prefix(String),
    /// Anchored at both ends.
    Regex(Regex),
}

impl TextPattern {
    /// A regular expression for the whole text; `None` if it is none.
    pub(crate) fn regex(text: &str) -> Option<Self> {
        Regex::new(&format!("^(?:{text})$")).ok().map(Self::Regex)
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == text,
            Self::Prefix(prefix) => text.starts_with(prefix.as_str()),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

impl AddressPattern {
    pub(crate) fn reach(&self, tool: Tool<'_>) -> Reach {
        match tool.address() {
            Some(address) => Reach::of(self.fits(address)),
            None => Reach::Unknown("how the server is started or reached was not given".into()),
        }
    }

    fn fits(&self, address: &Address) -> bool {
        match self {
            Self::Command(program, arguments) => {
                let Some((started, given)) = address.command.split_first() else { return false };
                let fits = |wanted: &Vec<TextPattern>| {
                    wanted.len() == given.len()
                        && wanted.iter().zip(given).all(|(wanted, given)| wanted.fits(given))
                };
                program.fits(started) && arguments.as_ref().is_none_or(fits)
            }
            Self::Url(text) => address.url.as_deref().is_some_and(|url| text.fits(url)),
            Self::UrlGlob(glob) => address.url.as_deref().is_some_and(|url| fits_url(glob, url)),
        }
    }
}

/// Claude Code's address patterns: `*` anywhere, the host without case and the path with it; a pattern without a path fits
/// every path. code.claude.com/docs/en/managed-mcp.
fn fits_url(pattern: &str, url: &str) -> bool {
    let ((wanted_host, wanted_path), (host, path)) = (parts(pattern), parts(url));
    Glob::folded(wanted_host, Wild::Star).matches(host)
        && (wanted_path.is_empty() || Glob::new(wanted_path, Wild::Star).matches(path))
}

/// Scheme and host, and the rest from the first slash after them.
fn parts(url: &str) -> (&str, &str) {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    url.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_no_case_and_the_path_does() {
        assert!(fits_url("https://*.Example.com/*", "https://mcp.EXAMPLE.com/a/b"));
        assert!(fits_url("https://example.com", "https://example.com/any/path"));
        assert!(fits_url("*://example.com/*", "HTTPS://example.com/x"));
        assert!(!fits_url("https://example.com/A", "https://example.com/a"));
        assert!(!fits_url("https://example.com/*", "https://example.com.evil.org/x"));
    }

    #[test]
    fn commands_are_compared_argument_by_argument() {
        let exact = |text: &str| TextPattern::Exact(text.into());
        let address = |command: &[&str]| Address {
            command: command.iter().map(|a| (*a).into()).collect(),
            url: None,
        };
        let whole = AddressPattern::Command(exact("npx"), Some(vec![exact("-y"), exact("server")]));
        assert!(whole.fits(&address(&["npx", "-y", "server"])));
        assert!(!whole.fits(&address(&["npx", "-y", "server", "more"])));
        let regex =
            AddressPattern::Command(exact("npx"), Some(vec![TextPattern::regex("a|b").unwrap()]));
        assert!(regex.fits(&address(&["npx", "b"])) && !regex.fits(&address(&["npx", "xb"])));
        assert!(AddressPattern::Command(exact("npx"), None).fits(&address(&["npx", "any"])));
        assert!(TextPattern::regex("(").is_none());
    }
}
