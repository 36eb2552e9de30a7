//! Values that must not be seen: what is kept, and what is shown in their place.

use std::borrow::Cow;
use std::fmt;

/// What is printed instead of a secret.
const HIDDEN: &str = "***";

/// A value that may be a secret. `Debug` and `Display` print `***`; only [`expose`](Self::expose) gives it.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Secret(String);

impl Secret {
    /// Takes the value in.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the server it is meant for and for nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Words that say that what follows them is a secret.
const TELLING: [&str; 9] =
    ["token", "secret", "passw", "apikey", "accesskey", "credential", "auth", "bearer", "cookie"];

/// Whether what goes by this name is likely to be a secret.
pub(crate) fn tells(name: &str) -> bool {
    let folded: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    TELLING.iter().any(|word| folded.contains(word)) || folded.ends_with("key")
}

/// Arguments as they may be shown: the values of telling options and of telling `NAME=value` or `Name: value` pairs, and
/// whatever an address holds before `@` or after `?`, are replaced by `***`. References to variables stay.
pub(crate) fn shown_arguments(arguments: &[String]) -> Vec<Cow<'_, str>> {
    let mut value_is_secret = false;
    let mut shown = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let option = argument.starts_with('-');
        shown.push(match value_is_secret && !option && !is_reference(argument) {
            true => Cow::Borrowed(HIDDEN),
            false => shown_argument(argument),
        });
        value_is_secret = option && !argument.contains('=') && tells(argument);
    }
    shown
}

fn shown_argument(argument: &str) -> Cow<'_, str> {
    let address = argument.find("://");
    let pair = argument.find(['=', ':']).filter(|&at| Some(at) != address);
    if let Some((name, value)) = pair.and_then(|at| argument.split_at_checked(at + 1))
        && tells(name)
        && !value.is_empty()
        && !is_reference(value)
    {
        return Cow::Owned(format!("{name}{HIDDEN}"));
    }
    shown_address(argument)
}

/// An address without what it may hold of secrets: user information and the query.
pub(crate) fn shown_address(address: &str) -> Cow<'_, str> {
    let Some(scheme_end) = address.find("://").map(|at| at + 3) else {
        return Cow::Borrowed(address);
    };
    let (before, rest) = address.split_at(scheme_end);
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..authority_end].rfind('@').map_or(0, |at| at + 1);
    let query = rest.find('?').filter(|&at| !is_reference(&rest[at + 1..]));
    if host == 0 && query.is_none() {
        return Cow::Borrowed(address);
    }
    let user = if host == 0 { "" } else { "***@" };
    let path = &rest[host..query.unwrap_or(rest.len())];
    let hidden = if query.is_some() { "?***" } else { "" };
    Cow::Owned(format!("{before}{user}{path}{hidden}"))
}

/// Whether the text is one variable reference and nothing else: it names a secret and is none.
fn is_reference(text: &str) -> bool {
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| !inner.contains([':', '}', '$']) || inner.starts_with("env:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_debug_nor_display_shows_a_secret() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?} {secret} {:?}", vec![secret.clone()]), "*** *** [***]");
        assert_eq!(secret.expose(), "hunter2");
    }

    #[test]
    fn telling_arguments_are_masked_and_others_are_not() {
        let arguments: Vec<String> = [
            "-y",
            "server",
            "--api-key",
            "k1",
            "--token=t1",
            "--header",
            "Authorization:Bearer b1",
            "--port",
            "80",
            "API_TOKEN=t2",
            "--token",
            "${TOKEN}",
            "C:\\x",
            "https://u:p@h/x?k=v",
        ]
        .map(String::from)
        .into();
        assert_eq!(
            shown_arguments(&arguments).join(" "),
            "-y server --api-key *** --token=*** --header Authorization:*** --port 80 API_TOKEN=*** \
             --token ${TOKEN} C:\\x https://***@h/x?***"
        );
    }

    #[test]
    fn an_address_keeps_host_and_path() {
        assert_eq!(shown_address("https://h.example/p?key=s"), "https://h.example/p?***");
        assert_eq!(shown_address("https://h.example/a@b"), "https://h.example/a@b");
    }
}
