//! Writing to standard output and standard error: colours where the terminal and the user allow them.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

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
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
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

/// As [`escaped`], for text of several lines.
pub(crate) fn escaped_lines(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

/// `1 server`, `2 servers`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
