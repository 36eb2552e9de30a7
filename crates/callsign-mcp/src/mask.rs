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
const SECRET_NAMES: [&str; 12] = [
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "credential",
    "credentials",
    "access_key",
    "access-key",
];
/// What the name of an option ends with beside those: in running text these words name other things.
const SECRET_OPTIONS: [&str; 8] =
    ["key", "auth", "pat", "pass", "pwd", "bearer", "cookie", "session"];
/// A part of an address or an argument of this many characters may be a token.
const LONG_PART: usize = 20;
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
        let (named, mut values) = match &spec.launch {
            Launch::Stdio { env, args, .. } => (env, secret_arguments(args)),
            Launch::Http { url, headers } => (headers, secrets_of_url(url)),
        };
        let named = named.iter().map(|(_, value)| value);
        values.extend(named.chain(&spec.secrets).flat_map(|value| parts(value.expose())));
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

/// A value and what programs print of it: itself, its lines (a key in PEM), what follows `Bearer `, and the password of
/// an address.
fn parts(value: &str) -> Vec<Box<str>> {
    let mut parts: Vec<Box<str>> = vec![value.into()];
    parts.extend(value.lines().map(str::trim).filter(|line| line.len() >= 8).map(Into::into));
    if let Some((scheme, token)) = value.split_once(' ')
        && ["bearer", "basic", "token"].contains(&scheme.to_ascii_lowercase().as_str())
    {
        parts.push(token.trim().into());
    }
    parts.extend(secrets_of_url(value));
    parts
}

/// The values of arguments such as `--token=x`, `--api-key x` and `--header 'Authorization: x'`, and what is secret by
/// its own look: a token, or an address that holds one.
fn secret_arguments(args: &[String]) -> Vec<Box<str>> {
    let mut values = Vec::new();
    let mut is_value = false;
    for arg in args {
        let is_option = arg.starts_with('-');
        if is_value && !is_option {
            values.extend(parts(arg));
        }
        is_value = is_option && names_secret_option(arg);
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) if !name.contains("://") => (name, value),
            _ => ("", arg.as_str()),
        };
        if names_secret_option(name) {
            values.extend(parts(value));
        }
        if let Some((header, value)) = value.split_once(':')
            && names_secret(header)
        {
            values.extend(parts(value.trim()));
        }
        if is_token(value) || is_token_like_part(value) {
            values.push(value.into());
        }
        values.extend(secrets_of_url(value));
    }
    values
}

fn names_secret_option(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let last_word = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    names_secret(&name) || SECRET_OPTIONS.iter().any(|ending| last_word.ends_with(ending))
}

/// What may be secret in an address: the password (or a token in place of the user, as addresses of the web have it),
/// the values of its query, and parts of its path that look like tokens. As they stand, and decoded.
fn secrets_of_url(url: &str) -> Vec<Box<str>> {
    let Some((scheme, rest)) = url.split_once("://") else { return Vec::new() };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    let is_web = scheme.ends_with("http") || scheme.ends_with("https");
    let credential = user.and_then(|user| match user.split_once(':') {
        Some((token, "")) if is_web => Some(token),
        Some((_, password)) => Some(password),
        None => Some(user).filter(|_| is_web),
    });
    let named_token = user.and_then(|user| user.split(':').next()).filter(|name| is_token(name));
    let pairs = query.split('&').chain(fragment.split('&'));
    let values = pairs.filter_map(|pair| pair.split_once('=').map(|(_, value)| value));
    let tokens = path.split('/').filter(|part| is_token(part) || is_token_like_part(part));
    let found = values.chain(credential).chain(named_token).chain(tokens);
    found.flat_map(|value| [value.into(), decoded(value)]).collect()
}

/// With `%XX` read.
fn decoded(text: &str) -> Box<str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            digits.filter(|_| first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into()
}

/// Whether a part of a path or an argument looks made by chance: long, and letters and digits alternate in it. Names
/// with a date or a version in them (`mcp-server-2025-11-25`) keep those apart.
fn is_token_like_part(part: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~=.%".contains(&byte);
    if part.len() < LONG_PART || !part.bytes().all(is_inside) {
        return false;
    }
    let changes = part.as_bytes().windows(2).filter(|pair| {
        pair.iter().all(u8::is_ascii_alphanumeric)
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    });
    changes.count() >= 2 || part.bytes().all(|byte| byte.is_ascii_digit())
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
            secrets: Vec::new(),
        })
    }

    #[test]
    fn what_variables_put_into_arguments_is_hidden_and_found() {
        let mut spec = ServerSpec {
            key: ServerKey::new("s").unwrap(),
            launch: Launch::Stdio {
                command: "/opt/swordfish/c".to_owned(),
                args: vec!["swordfish".to_owned()],
                env: Vec::new(),
                cwd: Some("/at/swordfish".into()),
            },
            secrets: vec![Secret::new("swordfish")],
        };
        let mask = Mask::of(&spec);
        assert_eq!(mask.apply("argv: swordfish"), "argv: ***");
        assert!(mask.finds_in("uses swordfish"));
        assert!(!format!("{spec:?} {spec:#?}").contains("swordfish"));
        spec.secrets = vec![Secret::new("true"), Secret::new("8080"), Secret::new("abc")];
        assert!(!Mask::of(&spec).finds_in("true 8080 abc"), "they are in every text");
    }

    #[test]
    fn arguments_that_are_secret_by_their_place_or_their_look_are_hidden() {
        let mask = mask(
            &[("DATABASE", "postgres://me:pa55w%40rd@db/x")],
            &[
                "--key",
                "hush-1",
                "--auth=hush-2",
                "--client-secret",
                "hush-3",
                "--key",
                "--verbose",
                "mysql://root:hush-4@db/x",
                "--header",
                "Authorization: Bearer hush-5",
                "550e8400-e29b-41d4-a716-446655440000",
                "--port",
                "serves",
                "monkey-business",
                "@scope/server@2025.11.25",
                "--url=https://hush-6@h/mcp",
            ],
        );
        for secret in ["hush-1", "hush-2", "hush-3", "hush-4", "hush-5", "hush-6", "pa55w@rd"] {
            assert_eq!(mask.apply(&format!("got {secret}.")), "got ***.", "{secret}");
        }
        assert!(mask.finds_in("550e8400-e29b-41d4-a716-446655440000"));
        for open in
            ["--verbose", "serves", "monkey-business", "@scope/server@2025.11.25", "root", "mysql"]
        {
            assert_eq!(mask.apply(open), open);
        }
    }

    #[test]
    fn the_secret_parts_of_an_address_are_hidden() {
        let of = |url: &str| {
            Mask::of(&ServerSpec {
                key: ServerKey::new("s").unwrap(),
                launch: Launch::Http { url: url.to_owned(), headers: Vec::new() },
                secrets: Vec::new(),
            })
        };
        for url in [
            "https://hunter22@h/mcp",
            "https://hunter22:@h/mcp",
            "https://me:hunter22@h:8080/mcp",
            "https://h/mcp?key=hunter22&x=1",
            "https://h/mcp#key=hunter22",
            "https://h/mcp?key=%68unter22",
        ] {
            assert_eq!(of(url).apply("got hunter22"), "got ***", "{url}");
        }
        let token = "MjQ0YzQ5NzMtNGE2Ny00";
        let mask = of(&format!("https://h/api/mcp-server-2025-11-25/s/{token}/mcp"));
        assert_eq!(mask.apply(&format!("404 for {token}")), "404 for ***");
        let name = "mcp-server-2025-11-25";
        assert_eq!(mask.apply(name), name);
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
