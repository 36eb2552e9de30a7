//! Which of the known words somebody may have meant.

use callsign::name::nearest;

/// The candidates nearest to `written`, at most two: first those a few edits away, then those of which one is the
/// beginning of the other.
pub(crate) fn near(written: &str, candidates: &[&'static str]) -> Vec<&'static str> {
    // A key this long is near none of ours, and comparing it would cost more than it tells.
    const LONGEST: usize = 64;
    if written.chars().count() > LONGEST {
        return Vec::new();
    }
    let mut found = nearest(written, candidates.iter().copied());
    let begins = |candidate: &&str| {
        candidate.len() >= 3 && written.starts_with(*candidate)
            || written.len() >= 4 && candidate.starts_with(written)
    };
    for candidate in candidates.iter().copied().filter(begins) {
        if !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    found.truncate(2);
    found
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn typos_and_other_spellings_are_near_and_other_words_are_not() {
        let known = ["mcpServers", "servers", "include", "exclude"];
        assert_eq!(near("mcp_servers", &known)[0], "mcpServers");
        assert_eq!(near("mcpServer", &known)[0], "mcpServers");
        assert_eq!(near("includ", &known), ["include"]);
        assert_eq!(near("sevrers", &known)[0], "servers");
        assert_eq!(near("exclude_tools", &known), ["exclude"]);
        assert!(near("mcp", &known).is_empty(), "other clients' key");
        assert!(near("editor", &known).is_empty());
    }
}
