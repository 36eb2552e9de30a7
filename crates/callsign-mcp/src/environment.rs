//! The clean environment: the little a program needs to run, and what its entry sets.
//!
//! A server gets nothing else of the caller's environment, so a token in one shell does not reach every server.
//!
//! | kept | why |
//! |---|---|
//! | `PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TERM`, `TMPDIR`, `LANG`, `LANGUAGE`, `LC_*`, `TZ` | programs, caches, texts and times are found by them |
//! | `XDG_*_HOME`, `XDG_RUNTIME_DIR` | the same, on Linux |
//! | on Windows also `SystemRoot`, `SystemDrive`, `windir`, `ComSpec`, `PATHEXT`, `TEMP`, `TMP`, `APPDATA`, `LOCALAPPDATA`, `ProgramData`, `ProgramFiles`, `ProgramFiles(x86)`, `USERPROFILE`, `USERNAME`, `HOMEDRIVE`, `HOMEPATH`, `PROCESSOR_ARCHITECTURE`, `NUMBER_OF_PROCESSORS` | most programs do not start without them |

use std::ffi::OsString;

use crate::spec::Secret;

const EVERYWHERE: [&str; 11] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TMPDIR",
    "LANG",
    "LANGUAGE",
    "TZ",
    "XDG_RUNTIME_DIR",
];
const ON_WINDOWS: [&str; 18] = [
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "USERPROFILE",
    "USERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
];

/// Whether a variable of the caller's environment is part of the clean one.
#[must_use]
pub fn is_kept(name: &str) -> bool {
    // Windows does not tell names apart by case, and spells them in many ways.
    let name = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    EVERYWHERE.contains(&&*name)
        || name.starts_with("LC_")
        || (name.starts_with("XDG_") && name.ends_with("_HOME"))
        || (cfg!(windows) && ON_WINDOWS.contains(&&*name))
}

/// The clean part of `inherited`, overlaid by what an entry sets.
pub(crate) fn clean(
    inherited: impl Iterator<Item = (OsString, OsString)>,
    entry: &[(String, Secret)],
) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = inherited
        .filter(|(name, _)| name.to_str().is_some_and(is_kept))
        .filter(|(name, _)| !entry.iter().any(|(set, _)| is_same(set, name)))
        .collect();
    environment.extend(entry.iter().map(|(name, value)| (name.into(), value.expose().into())));
    environment
}

fn is_same(set: &str, inherited: &std::ffi::OsStr) -> bool {
    inherited.to_str().is_some_and(|name| {
        if cfg!(windows) { name.eq_ignore_ascii_case(set) } else { name == set }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_the_shell_stays_there_and_an_entry_wins() {
        let inherited = [("PATH", "/bin"), ("GITHUB_TOKEN", "t"), ("LC_ALL", "C"), ("HOME", "/h")];
        let inherited = inherited.into_iter().map(|(name, value)| (name.into(), value.into()));
        let entry =
            [("HOME".to_owned(), Secret::new("/other")), ("K".to_owned(), Secret::new("v"))];
        let expected = [("PATH", "/bin"), ("LC_ALL", "C"), ("HOME", "/other"), ("K", "v")];
        let expected = expected.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        assert_eq!(clean(inherited, &entry), expected);
    }
}
