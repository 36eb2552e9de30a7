//! Environment files: `NAME=value` lines, as VS Code and Cursor read for `envFile`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::secret::Secret;

/// In bytes. Nobody writes a larger one, but anybody can name one.
const LARGEST: u64 = 1024 * 1024;

/// Reads `path`: a `NAME=value` a line, `export ` before it allowed, the value bare or in single or double quotes, `#`
/// starting a comment. Other lines say nothing and are skipped; nothing in a value is expanded or executed.
///
/// # Errors
/// What the operating system says if the file can't be read as text; or that it is no file, which might never end, or
/// larger than 1 MiB.
pub(crate) fn read(path: &Path) -> io::Result<Vec<(String, Secret)>> {
    // Asked before it is opened: to open a pipe waits for whoever writes into it.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(parse(&text))
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
    use super::{LARGEST, parse, read};

    #[test]
    fn only_files_are_read_and_only_small_ones() {
        let folder = std::env::temp_dir();
        assert!(read(&folder).is_err());
        let file = folder.join(format!("callsign-large-{}.env", std::process::id()));
        let size = usize::try_from(LARGEST).unwrap();
        std::fs::write(&file, "A".repeat(size)).unwrap();
        assert!(read(&file).is_ok());
        std::fs::write(&file, "A".repeat(size + 1)).unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("1 MiB"));
        std::fs::remove_file(&file).unwrap();
        #[cfg(unix)]
        assert!(read(std::path::Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn lines_are_read_as_they_stand() {
        let text =
            "\u{feff}# c\nA=1\r\nexport B = 'x # y'\nC=\"$(rm) ${A}\" # c\nD=a # c\n\nno\n=x\nE=";
        let read: Vec<String> =
            parse(text).iter().map(|(name, value)| format!("{name}={}", value.expose())).collect();
        assert_eq!(read, ["A=1", "B=x # y", "C=$(rm) ${A}", "D=a", "E="]);
    }
}
