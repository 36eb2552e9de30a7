//! Where callsign keeps what it remembers, by the custom of each system.
//!
//! | system | state (answers to consent) | cache (catalogues, eras) |
//! |---|---|---|
//! | Linux and others | `$XDG_STATE_HOME/callsign`, else `~/.local/state/callsign` | `$XDG_CACHE_HOME/callsign`, else `~/.cache/callsign` |
//! | macOS | `~/Library/Application Support/callsign` | `~/Library/Caches/callsign` |
//! | Windows | `%LOCALAPPDATA%\callsign\state` | `%LOCALAPPDATA%\callsign\cache` |

use std::path::PathBuf;

/// The user's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

/// The folder for what must not be lost; `None` where there is no home.
pub(crate) fn state() -> Option<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state", "Library/Application Support", "state")
}

/// The folder for what can be had again.
pub(crate) fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache", "Library/Caches", "cache")
}

fn folder(xdg: &str, unix: &str, mac: &str, windows: &str) -> Option<PathBuf> {
    if cfg!(windows) {
        Some(variable("LOCALAPPDATA")?.join("callsign").join(windows))
    } else if cfg!(target_os = "macos") {
        Some(home()?.join(mac).join("callsign"))
    } else {
        let base = variable(xdg).or_else(|| Some(home()?.join(unix)))?;
        Some(base.join("callsign"))
    }
}

/// Relative paths in these variables are void by the XDG base directory specification, and a trap everywhere.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
