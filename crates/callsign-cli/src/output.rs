//! Writing to standard output and standard error: colours where the terminal and the user allow them.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

pub(crate) const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::BrightYellow.on_default().bold();
pub(crate) const INFO: Style = AnsiColor::BrightBlue.on_default().bold();
pub(crate) const HELP: Style = AnsiColor::BrightCyan.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::BrightGreen.on_default().bold();
pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();

/// When to colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR` says otherwise; `CLICOLOR_FORCE` colours everywhere.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

pub(crate) fn set_color(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Whether standard output is to be coloured. What is made without colours in the first place, nobody has to take out.
pub(crate) fn is_colored() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Prints text to standard output; its colours go where they are not wanted.
pub(crate) fn print(text: &str) -> io::Result<()> {
    if !text.contains('\u{1b}') {
        return print_raw(text);
    }
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints text for machines to standard output, byte for byte.
pub(crate) fn print_raw(text: &str) -> io::Result<()> {
    print_bytes(text.as_bytes())
}

/// As [`print_raw`], for what may not be UTF-8.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Prints JSON to standard output: byte for byte, but on a terminal with escapes for what could steer it, which changes no
/// value.
pub(crate) fn print_json(text: &str) -> io::Result<()> {
    if io::IsTerminal::is_terminal(&io::stdout()) {
        print_raw(&tame_json(text))
    } else {
        print_raw(text)
    }
}

/// A value as indented JSON with a line end.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::new(format!("can't write the result as JSON: {error}")))?;
    Ok(text + "\n")
}

/// Outside of strings valid JSON has none of these characters but white space, and inside of them no line ends and tabs.
fn tame_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\r' {
            // It would let what follows stand over what stands there.
        } else if matches!(c, '\n' | '\t') || is_visible(c) {
            out.push(c);
        } else {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            out.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

/// Prints text to standard error. If that can't be written there is nowhere left to say so.
pub(crate) fn print_error(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes());
}

/// Whether somebody sits in front of standard error and can see progress.
pub(crate) fn is_watched() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
}

/// Whether somebody can be asked.
pub(crate) fn can_ask() -> bool {
    io::IsTerminal::is_terminal(&io::stdin()) && is_watched()
}

/// Text from outside on its way to a terminal: whatever could steer it or can't be seen is escaped, everything else stays.
pub(crate) fn escaped(text: &str) -> String {
    // Nearly all texts are plain.
    if text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '"' || c == '\'' || c == '\\' {
            out.push(c);
        } else {
            out.extend(c.escape_debug());
        }
    }
    out
}

/// Whether a character shows itself, or changes the one before it as accents and vowel signs do.
pub(crate) fn is_visible(c: char) -> bool {
    const TAGS: std::ops::RangeInclusive<char> = '\u{e0000}'..='\u{e0fff}';
    let mut after_another = String::from("a");
    after_another.push(c);
    let escaped = after_another.escape_debug().count() > 2;
    !TAGS.contains(&c) && (!escaped || matches!(c, '"' | '\'' | '\\'))
}

/// As [`escaped`], for text of several lines.
pub(crate) fn escaped_lines(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

/// `1 server`, `2 servers`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_in_json_change_no_value() {
        let text = "{\r\n \t\"a\u{9b}\u{202e}\": \"\u{7f}é\u{e0041} e\u{301}\"\n}\n";
        let tame = tame_json(text);
        assert!(tame.chars().all(|c| matches!(c, '\n' | '\t') || is_visible(c)), "{tame}");
        assert!(tame.contains("é") && tame.contains("e\u{301}"), "{tame}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        assert!(value(text).is_some());
        assert_eq!(value(&tame), value(text));
    }
}
