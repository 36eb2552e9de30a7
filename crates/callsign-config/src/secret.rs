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

/// Arguments as they may be shown: the values of telling options and of telling `NAME=value` or `Name: value` pairs, the
/// values of headers, and what an address holds of secrets are replaced by `***`. References to variables stay.
pub(crate) fn shown_arguments(arguments: &[String]) -> Vec<Cow<'_, str>> {
    hidden_values(arguments)
        .into_iter()
        .map(|(argument, hidden)| without(argument, hidden))
        .collect()
}

/// What [`shown_arguments`] leaves out.
pub(crate) fn secret_parts(arguments: &[String]) -> Vec<&str> {
    let parts = hidden_values(arguments).into_iter().flat_map(|(argument, hidden)| match hidden {
        Some(value) => vec![value.trim_start()],
        None => secrets_of_address(argument),
    });
    parts.collect()
}

/// Each argument and the end of it that is a secret's value, if there is one.
fn hidden_values(arguments: &[String]) -> Vec<(&str, Option<&str>)> {
    let (mut value_is_secret, mut value_is_header) = (false, false);
    let hidden = arguments.iter().map(|argument| {
        let is_option = argument.starts_with('-');
        let hidden = match value_is_secret && !is_option {
            true => Some(argument.as_str()),
            false => value_of_pair(argument, value_is_header),
        };
        let takes_value = is_option && !argument.contains('=');
        value_is_header =
            takes_value && matches!(argument.as_str(), "-H" | "--header" | "--headers");
        value_is_secret = takes_value && !value_is_header && tells(argument);
        (argument.as_str(), hidden.filter(|value| !value.is_empty() && !is_reference(value)))
    });
    hidden.collect()
}

/// The value of `NAME=value` or `Name: value`, if the name tells that it is a secret.
fn value_of_pair(argument: &str, is_header: bool) -> Option<&str> {
    let address = argument.find("://");
    let at = argument.find(['=', ':']).filter(|&at| Some(at) != address)?;
    let (name, value) = argument.split_at_checked(at + 1)?;
    let is_header = is_header || name.starts_with("--header=");
    let value = match is_header.then(|| value.split_once(':')).flatten() {
        Some((_, value)) if name.ends_with('=') => value,
        _ => value,
    };
    (is_header || tells(name)).then_some(value)
}

fn without<'a>(argument: &'a str, hidden: Option<&str>) -> Cow<'a, str> {
    match hidden.and_then(|hidden| argument.strip_suffix(hidden)) {
        Some("") => Cow::Borrowed(HIDDEN),
        Some(name) => Cow::Owned(format!("{name}{HIDDEN}")),
        None => shown_address(argument),
    }
}

/// An address without what it may hold of secrets: user information, tokens in the path, and the query.
pub(crate) fn shown_address(address: &str) -> Cow<'_, str> {
    let Some(Parts { scheme, user, host, path, query }) = parts(address) else {
        return Cow::Borrowed(address);
    };
    let query = query.filter(|query| !is_reference(query));
    if user.is_none() && query.is_none() && !path.split('/').any(is_token) {
        return Cow::Borrowed(address);
    }
    let user = if user.is_some() { "***@" } else { "" };
    let hide = |segment| if is_token(segment) { HIDDEN } else { segment };
    let path = path.split('/').map(hide).collect::<Vec<_>>().join("/");
    let rest = match query {
        Some(_) => "?***",
        None => address.find('?').map_or("", |at| &address[at..]),
    };
    Cow::Owned(format!("{scheme}{user}{host}{path}{rest}"))
}

/// What [`shown_address`] leaves out: user and password, tokens of the path, and the values of the query.
pub(crate) fn secrets_of_address(address: &str) -> Vec<&str> {
    let Some(Parts { user, path, query, .. }) = parts(address) else { return Vec::new() };
    let user = user.into_iter().flat_map(|user| user.splitn(2, ':'));
    let values = query.into_iter().flat_map(|query| query.split('&'));
    let values = values.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value));
    let tokens = path.split('/').filter(|segment| is_token(segment));
    user.chain(tokens)
        .chain(values)
        .filter(|part| !part.is_empty() && !is_reference(part))
        .collect()
}

/// An address, taken apart as far as secrets matter.
struct Parts<'a> {
    /// With `://`.
    scheme: &'a str,
    user: Option<&'a str>,
    host: &'a str,
    path: &'a str,
    query: Option<&'a str>,
}

fn parts(address: &str) -> Option<Parts<'_>> {
    let (scheme, rest) = address.split_at(address.find("://")? + 3);
    let (before, query) = match rest.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = before.split_at(before.find(['/', '#']).unwrap_or(before.len()));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    Some(Parts { scheme, user, host, path, query })
}

/// Whether a part of a path is too long and too mixed to be a word: at least 20 letters and digits with both among them.
fn is_token(segment: &str) -> bool {
    segment.len() >= 20
        && !segment.contains(['$', '.', '@'])
        && segment.bytes().any(|byte| byte.is_ascii_digit())
        && segment.bytes().any(|byte| byte.is_ascii_alphabetic())
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
        let token = "https://u@h.example/s/b7e23ec29af22b0b4e41da31e868d572/mcp?${Q}";
        assert_eq!(shown_address(token), "https://***@h.example/s/***/mcp?${Q}");
    }
}
