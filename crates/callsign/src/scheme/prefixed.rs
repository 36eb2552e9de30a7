use super::qualified::refuse_ambiguous;
use super::{NameProblem, PROVIDER_LIMIT, Reading, Scheme, other_reading};
use crate::name::{ServerKey, WireName};

/// `{server}__{tool}`, or an error; for hosts that put a prefix of their own in front.
#[derive(Debug, Clone, Copy)]
pub struct Prefixed {
    /// The longest name in characters: what the host's own prefix leaves of its limit. At most 64.
    pub budget: usize,
    /// Refuse a name that another split at `__` would read as another identity.
    pub unambiguous: bool,
}

impl Default for Prefixed {
    fn default() -> Self {
        Self { budget: PROVIDER_LIMIT, unambiguous: false }
    }
}

impl Scheme for Prefixed {
    fn id(&self) -> &'static str {
        "prefixed"
    }

    fn limit(&self) -> usize {
        self.budget.min(PROVIDER_LIMIT)
    }

    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String) {
        for part in [&**server, "__", wire] {
            out.push_str(part);
        }
    }

    fn objection(&self, server: &ServerKey, wire: &WireName) -> Option<NameProblem> {
        refuse_ambiguous(self.unambiguous, server, wire)
    }

    fn other_reading(&self, server: &ServerKey, wire: &WireName) -> Option<Reading> {
        other_reading(server, wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_the_limit() {
        let (server, wire) = (ServerKey::new("docs").unwrap(), WireName::new("search").unwrap());
        let scheme = Prefixed { budget: 12, ..Prefixed::default() };
        assert_eq!(scheme.name(&server, &wire).unwrap().as_str(), "docs__search");
        let error = Prefixed { budget: 11, ..scheme }.name(&server, &wire).unwrap_err();
        assert_eq!(error.remedy(), "load the server under a key of at most 3 characters");
    }
}
