use std::fmt;

/// The newest revision that starts with a handshake.
pub const LATEST_HANDSHAKE: &str = "2025-11-25";
/// The revision without a handshake: each request carries what it needs.
pub const STATELESS: &str = "2026-07-28";

/// Which of the two lifecycles a peer follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize`, then a session: 2024-11-05 to 2025-11-25.
    Handshake,
    /// Every request names its revision: 2026-07-28.
    Stateless,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handshake => "handshake",
            Self::Stateless => "stateless",
        })
    }
}

/// Whether a server that names `revision` in its `initialize` result can be spoken to: any date up to the newest
/// handshake revision, drafts before the first release included.
#[must_use]
pub fn is_handshake_revision(revision: &str) -> bool {
    let digits = |range| {
        revision.get(range).is_some_and(|part: &str| part.bytes().all(|b| b.is_ascii_digit()))
    };
    revision.len() == 10
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && revision.get(4..5) == Some("-")
        && revision.get(7..8) == Some("-")
        && ("2024-01-01"..=LATEST_HANDSHAKE).contains(&revision)
}

/// Whether the revision asks for the header `MCP-Protocol-Version` (from 2025-06-18 on).
#[must_use]
pub fn sends_version_header(revision: &str) -> bool {
    revision >= "2025-06-18"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_up_to_the_newest_handshake_revision() {
        for known in ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert!(is_handshake_revision(known), "{known}");
        }
        for other in
            ["2026-07-28", "2025-11-26", "1.0", "", "2025/06/18", "2025-06-1x", "DRAFT-2025"]
        {
            assert!(!is_handshake_revision(other), "{other}");
        }
    }
}
