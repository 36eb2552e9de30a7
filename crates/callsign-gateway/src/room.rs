//! How much of a tool's name a host leaves to the gateway, which hosts put a prefix of their own in front of.

use callsign::scheme::{Fold, PrefixedSafe};

/// What one host does to the names of a server's tools.
#[derive(Debug, Clone, Copy)]
struct Room {
    host: &'static str,
    /// The longest name that it, or the provider behind it, takes.
    limit: usize,
    /// What it adds to a name besides the key under which it knows the gateway.
    added: usize,
    /// Whether it makes one of names that differ.
    fold: Fold,
}

/// As measured against the versions that the documentation names.
const ROOMS: [Room; 9] = [
    // `mcp__{key}__{tool}`
    Room { host: "claude-code", limit: 64, added: 7, fold: Fold::None },
    // The namespace `mcp__{key}`, the name, and two characters that the host counts between them; `-` becomes `_`.
    Room { host: "codex", limit: 64, added: 7, fold: Fold::Hyphens },
    // `mcp_{key}_{tool}`
    Room { host: "gemini-cli", limit: 63, added: 5, fold: Fold::None },
    // `mcp__{key}__{tool}`
    Room { host: "qwen-code", limit: 63, added: 7, fold: Fold::None },
    // `{key}_{tool}`
    Room { host: "opencode", limit: 64, added: 1, fold: Fold::None },
    // `{key}-{tool}`
    Room { host: "copilot-cli", limit: 64, added: 1, fold: Fold::None },
    // `mcp_{13 characters of the key}_{tool}`: see below.
    Room { host: "vscode", limit: 64, added: 5, fold: Fold::None },
    // Key and name together.
    Room { host: "cursor", limit: 59, added: 0, fold: Fold::None },
    // `{key}__{tool}`
    Room { host: "cline", limit: 64, added: 2, fold: Fold::None },
];

/// As much of a key as VS Code puts in front of a name.
const VSCODE_KEY: usize = 13;

/// The hosts that are known.
#[must_use]
pub fn known_hosts() -> Vec<&'static str> {
    ROOMS.iter().map(|room| room.host).collect()
}

/// The default scheme with the room that a host leaves which knows the gateway under `key`; `None` if the host is not known,
/// or the key leaves too little.
///
/// ```
/// use callsign::scheme::Scheme;
/// let scheme = callsign_gateway::scheme_for_host("gemini-cli", "callsign").unwrap();
/// assert_eq!(scheme.limit(), 63 - "mcp_callsign_".len());
/// assert!(callsign_gateway::scheme_for_host("claude-code", &"k".repeat(60)).is_none());
/// ```
#[must_use]
pub fn scheme_for_host(host: &str, key: &str) -> Option<PrefixedSafe> {
    let room = ROOMS.iter().find(|room| room.host == host)?;
    let key = match host {
        "vscode" => key.chars().count().min(VSCODE_KEY),
        _ => key.len(),
    };
    PrefixedSafe::new(room.limit.checked_sub(room.added + key)?, room.fold)
}
