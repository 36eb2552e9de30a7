use super::{NameProblem, Reading, Scheme, other_reading};
use crate::name::{ServerKey, WireName};

/// `mcp__{server}__{tool}`, or an error: nothing is ever cut or substituted. The default of library and `check`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Qualified {
    /// Refuse a name that another split at `__` would read as another identity, before any second server exists.
    pub unambiguous: bool,
}

/// The raw name `mcp__{server}__{tool}` of any texts, legal or not. It is not injective: `a` + `b__c` and `a__b` + `c`
/// share one.
#[must_use]
pub fn raw_name(server: &str, wire: &str) -> String {
    ["mcp__", server, "__", wire].concat()
}

impl Scheme for Qualified {
    fn id(&self) -> &'static str {
        "qualified"
    }

    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String) {
        for part in ["mcp__", server, "__", wire] {
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

pub(super) fn refuse_ambiguous(refuse: bool, server: &str, wire: &str) -> Option<NameProblem> {
    if !refuse {
        return None;
    }
    let Reading { server, wire } = other_reading(server, wire)?;
    Some(NameProblem::Ambiguous { server, wire })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::NameError;

    fn name(server: &str, wire: &str) -> Result<String, NameError> {
        let (server, wire) = (ServerKey::new(server).unwrap(), WireName::new(wire).unwrap());
        Qualified::default().name(&server, &wire).map(|name| name.to_string())
    }

    #[test]
    fn t07_64_is_accepted_and_65_refused_with_the_longest_key_that_fits() {
        let server = "contoso-enterprise-directory-service";
        assert_eq!(name(server, "list_members_of_group").unwrap().len(), 64);
        let error = name(&format!("{server}x"), "list_members_of_group").unwrap_err();
        let text = error.to_string();
        assert!(text.contains("has 65 characters, 64 are allowed"), "{text}");
        assert!(text.contains(server) && text.contains("list_members_of_group"), "{text}");
        assert_eq!(error.remedy(), "load the server under a key of at most 36 characters");
    }

    #[test]
    fn t08_when_no_key_can_fit_a_shorter_one_is_not_recommended() {
        assert!(name("s", &"t".repeat(56)).is_ok());
        let error = name("s", &"t".repeat(57)).unwrap_err();
        assert!(error.remedy().starts_with("no server key can make it fit"), "{}", error.remedy());
    }

    #[test]
    fn t13_unambiguous_refuses_before_any_second_server_exists() {
        let strict = Qualified { unambiguous: true };
        let name = |server, wire| {
            strict.name(&ServerKey::new(server).unwrap(), &WireName::new(wire).unwrap())
        };
        let error = name("a__b", "c").unwrap_err();
        assert!(
            error.to_string().contains("can also be read as tool `b__c` of server `a`"),
            "{error}"
        );
        let error = name("a\u{1b}__b", "c").unwrap_err().to_string();
        assert!(!error.contains(char::is_control), "{error}");
        assert!(name("foo_", "x").is_err() && name("foo", "_x").is_err());
        assert!(name("foo", "x_y").is_ok());
    }
}
