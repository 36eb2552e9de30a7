use std::sync::Arc;

use callsign::name::nearest;
use callsign::scheme::{self, HostSpelling, Scheme};
use callsign::{ServerKey, ToolId, WireName};

use crate::reason::Reason;

/// A way to write tools' names: one of callsign's schemes, or what another program does.
#[derive(Debug, Clone)]
pub struct Spelling(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Scheme(Arc<dyn Scheme>),
    Host(HostSpelling),
}

/// There is no spelling of that identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no spelling `{asked}`")]
pub struct UnknownSpelling {
    /// What was asked for.
    pub asked: String,
    /// Identifiers that may have been meant, best first.
    pub near: Vec<&'static str>,
}

impl UnknownSpelling {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match &self.near[..] {
            [] => format!("spellings are {}", Spelling::ids().join(", ")),
            near => format!(
                "did you mean {}? All spellings: {}",
                near.join(" or "),
                Spelling::ids().join(", ")
            ),
        }
    }
}

impl Spelling {
    /// Every identifier: schemes first, then other programs.
    #[must_use]
    pub fn ids() -> Vec<&'static str> {
        let hosts = HostSpelling::ALL.into_iter().map(HostSpelling::id);
        scheme::IDS.into_iter().chain(hosts.filter(|id| !scheme::IDS.contains(id))).collect()
    }

    /// The spelling of that identifier. `fleet` is every tool there is; only `minimal` looks at it.
    ///
    /// # Errors
    /// [`UnknownSpelling`], with near misses.
    pub fn by_id(id: &str, fleet: &[ToolId]) -> Result<Self, UnknownSpelling> {
        let fleet = fleet.iter().map(|id| (id.server(), id.wire()));
        if let Some(scheme) = scheme::by_id(id, fleet) {
            return Ok(Self(Kind::Scheme(Arc::from(scheme))));
        }
        HostSpelling::by_id(id).map(|host| Self(Kind::Host(host))).ok_or_else(|| unknown(id))
    }

    /// The identifier.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match &self.0 {
            Kind::Scheme(scheme) => scheme.id(),
            Kind::Host(host) => host.id(),
        }
    }

    /// Whether every name says which server it belongs to. Without that, a name may be any server's, known or not.
    #[must_use]
    pub fn spells_key(&self) -> bool {
        match &self.0 {
            Kind::Scheme(scheme) => scheme.spells_key(),
            Kind::Host(host) => *host != HostSpelling::Bare,
        }
    }

    /// The tool as it is found in files, legal or not: people wrote it down before anybody checked.
    #[must_use]
    pub fn spell(&self, id: &ToolId) -> String {
        match &self.0 {
            Kind::Scheme(scheme) => {
                let mut text = String::new();
                scheme.spell(id.server(), id.wire(), &mut text);
                text
            }
            Kind::Host(host) => host.spell(id.server(), id.wire()),
        }
    }

    /// The tool as it may be written into files.
    pub(crate) fn write(&self, id: &ToolId) -> Result<String, Reason> {
        let unwritable = |spelling, problem| Reason::Unwritable {
            tool: id.clone(),
            spelling,
            to: self.id(),
            problem,
        };
        let spelling = match &self.0 {
            Kind::Scheme(scheme) => match scheme.name(id.server(), id.wire()) {
                Ok(name) => return Ok(name.to_string()),
                Err(error) => return Err(unwritable(error.spelling, error.problem.to_string())),
            },
            Kind::Host(_) => self.spell(id),
        };
        match breaks_out(&spelling) {
            None => Ok(spelling),
            Some(c) => {
                let problem = format!(
                    "has {} (U+{:04X}), which ends or splits a name in many files",
                    c.escape_debug(),
                    u32::from(c)
                );
                Err(unwritable(spelling, problem))
            }
        }
    }

    /// What the names of a server's tools begin with, separator included, where there is such a thing.
    pub(crate) fn server_prefix(&self, server: &ServerKey) -> Option<String> {
        if let Some(host) = self.host() {
            return host.server_prefix(server);
        }
        // A scheme without a marker: what stands before any tool's name.
        let probe = |wire: &str| {
            let id = ToolId::new(server.clone(), WireName::new(wire).ok()?);
            self.spell(&id).strip_suffix(wire).map(str::to_owned)
        };
        probe("x").filter(|prefix| !prefix.is_empty() && probe("y").as_ref() == Some(prefix))
    }

    /// A server as a whole, without separator: `mcp__github`. `None` where that would be nothing but its key, which is a
    /// word like any other.
    pub(crate) fn server_name(&self, server: &ServerKey) -> Option<String> {
        let host = self.host().filter(|host| !host.marker().is_empty())?;
        let whole = host.server_prefix(server)?.strip_suffix(host.separator())?.to_owned();
        (self.suffix().is_empty() && whole != host.marker()).then_some(whole)
    }

    /// What every name begins with, or nothing.
    pub(crate) fn marker(&self) -> &'static str {
        self.host().map_or("", HostSpelling::marker)
    }

    /// What stands behind the tool's name, or nothing.
    pub(crate) fn suffix(&self) -> String {
        let probe = ToolId::parse("k", "x").ok();
        let end = probe.and_then(|id| {
            let prefix = self.server_prefix(id.server())?;
            self.spell(&id).strip_prefix(&prefix)?.strip_prefix('x').map(str::to_owned)
        });
        end.unwrap_or_default()
    }

    /// The program that joins marker, server and tool as this does, where there is one.
    fn host(&self) -> Option<HostSpelling> {
        match &self.0 {
            Kind::Host(host) => Some(*host),
            Kind::Scheme(scheme) => match scheme.id() {
                "qualified" => Some(HostSpelling::Raw),
                "provider-safe" => Some(HostSpelling::QwenCode),
                _ => None,
            },
        }
    }
}

/// The first character that would end the name, or the quotes around it, in common files: a `:` before a space and a `#`
/// behind one do in YAML, also between quotes that stand in a longer text.
pub(crate) fn breaks_out(name: &str) -> Option<char> {
    let always = |c: char| {
        c.is_control()
            || matches!(c, '"' | '\'' | '`' | '\\' | ',' | '*' | '[' | ']' | '{' | '}')
            || matches!(c, '\u{2028}' | '\u{2029}')
            || (c.is_whitespace() && c != ' ')
    };
    let in_yaml = || [(": ", ':'), (" #", '#')].into_iter().find(|(pair, _)| name.contains(pair));
    name.chars().find(|c| always(*c)).or_else(|| in_yaml().map(|(_, c)| c))
}

fn unknown(asked: &str) -> UnknownSpelling {
    let ids = Spelling::ids();
    let mut near: Vec<&str> = nearest(asked, ids.iter().copied());
    let begins = |id: &&str| !asked.is_empty() && (id.starts_with(asked) || asked.starts_with(*id));
    for id in ids.iter().copied().filter(begins) {
        if !near.contains(&id) {
            near.push(id);
        }
    }
    // The identifiers live as long as the program; `nearest` can't know.
    let near = ids.into_iter().filter(|id| near.contains(id)).collect();
    UnknownSpelling { asked: asked.to_owned(), near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_identifier_is_answered_with_near_misses() {
        let near = |asked| Spelling::by_id(asked, &[]).unwrap_err().near;
        assert_eq!(near("qualifid"), ["qualified"]);
        assert_eq!(near("roo"), ["roo-code"]);
        assert!(near("gemini").contains(&"gemini-cli"));
        assert!(near("zzzzzzzz").is_empty());
        assert!(Spelling::by_id("zzzzzzzz", &[]).unwrap_err().remedy().contains("opencode"));
    }

    #[test]
    fn every_identifier_is_a_spelling_and_there_are_no_others() {
        let ids = Spelling::ids();
        for id in &ids {
            assert_eq!(Spelling::by_id(id, &[]).unwrap().id(), *id);
        }
        assert_eq!(ids.iter().filter(|id| **id == "bare").count(), 1);
    }

    #[test]
    fn servers_are_spelled_where_names_begin_with_them() {
        let server = ServerKey::new("git hub").unwrap();
        for (id, prefix, name) in [
            ("qualified", Some("mcp__git hub__"), Some("mcp__git hub")),
            ("provider-safe", Some("mcp__git_hub__"), Some("mcp__git_hub")),
            ("prefixed", Some("git hub__"), None),
            ("bare", None, None),
            ("minimal", None, None),
            ("opencode", Some("git_hub_"), None),
            ("roo-code", Some("mcp--git_hub--"), Some("mcp--git_hub")),
            ("amazon-q", Some("@git hub/"), Some("@git hub")),
            ("cursor-cli", Some("Mcp(git hub:"), None),
        ] {
            let spelling = Spelling::by_id(id, &[]).unwrap();
            assert_eq!(spelling.server_prefix(&server).as_deref(), prefix, "{id}");
            assert_eq!(spelling.server_name(&server).as_deref(), name, "{id}");
        }
        assert_eq!(Spelling::by_id("cursor-cli", &[]).unwrap().suffix(), ")");
        assert_eq!(Spelling::by_id("prefixed", &[]).unwrap().suffix(), "");
    }
}
