//! Environment files: `NAME=value` lines, as VS Code and Cursor read for `envFile`.

use std::path::Path;

use crate::secret::Secret;

/// Reads `path`: a `NAME=value` a line, `export ` before it allowed, the value bare or in single or double quotes, `#`
/// starting a comment. Other lines say nothing and are skipped; nothing in a value is expanded or executed.
///
/// # Errors
/// What the operating system says if the file can't be read as text.
pub(crate) fn read(path: &Path) -> std::io::Result<Vec<(String, Secret)>> {
    Ok(parse(&std::fs::read_to_string(path)?))
}

fn parse(text: &str) -> Vec<(String, Secret)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().filter_map(assignment).collect()
}

fn assignment(line: &str) -> Option<(String, Secret)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(|c: char| c == '#' || c.is_whitespace());
    is_name.then(|| (name.to_owned(), Secret::new(unquoted(value.trim()))))
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote));
        if let Some((inside, _)) = inside {
            return inside;
        }
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn lines_are_read_as_they_stand() {
        let text =
            "\u{feff}# c\nA=1\r\nexport B = 'x # y'\nC=\"$(rm) ${A}\" # c\nD=a # c\n\nno\n=x\nE=";
        let read: Vec<String> =
            parse(text).iter().map(|(name, value)| format!("{name}={}", value.expose())).collect();
        assert_eq!(read, ["A=1", "B=x # y", "C=$(rm) ${A}", "D=a", "E="]);
    }
}
