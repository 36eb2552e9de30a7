use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use sha1::{Digest, Sha1};

use super::{NameProblem, PROVIDER_LIMIT, Scheme};
use crate::name::{ServerKey, ToolId, WireName};

/// The wire name where only one server has it, `{short server}_{tool}` where several do.
///
/// The only scheme whose names depend on the whole fleet, which is its documented point: what does not collide keeps the
/// name everyone knows. It is computed once, over the fleet given; the same fleet gives the same names in any order of
/// servers and tools. The tool's own name is never cut.
#[derive(Debug, Clone, Default)]
pub struct Minimal {
    /// Identities whose wire name several servers have, with the alias or why there is none.
    aliases: HashMap<ToolId, Result<String, (String, NameProblem)>>,
    /// Who has each name: all wire names, and the aliases given so far.
    taken: BTreeMap<String, BTreeSet<ToolId>>,
}

impl Minimal {
    /// The names of this fleet. Identities may come in any order and more than once.
    #[must_use]
    pub fn over<'a>(fleet: impl IntoIterator<Item = (&'a ServerKey, &'a WireName)>) -> Self {
        let mut scheme = Self::default();
        let mut claimants = BTreeMap::<&WireName, BTreeSet<&ServerKey>>::new();
        for (server, wire) in fleet {
            claimants.entry(wire).or_default().insert(server);
        }
        for (wire, servers) in &claimants {
            let ids = servers.iter().map(|server| ToolId::new((*server).clone(), (*wire).clone()));
            scheme.taken.insert(wire.to_string(), ids.collect());
        }
        let mut contested: Vec<ToolId> = claimants
            .into_iter()
            .filter(|(_, servers)| servers.len() > 1)
            .flat_map(|(wire, servers)| {
                servers.into_iter().map(|server| ToolId::new(server.clone(), wire.clone()))
            })
            .collect();
        contested.sort_unstable();
        for id in contested {
            let alias = scheme.alias(id.server(), id.wire());
            if let Ok(alias) = &alias {
                scheme.taken.entry(alias.clone()).or_default().insert(id.clone());
            }
            scheme.aliases.insert(id, alias);
        }
        scheme
    }

    /// `{short server}_{tool}`, with a hash of the identity behind it if that is taken.
    fn alias(&self, server: &str, wire: &str) -> Result<String, (String, NameProblem)> {
        let length = wire.chars().count();
        let candidate = format!("{}_{wire}", short(server, room(length)));
        let total = candidate.chars().count();
        if total > PROVIDER_LIMIT {
            let longest_key = usize::try_from(room(length)).ok().filter(|&fits| fits > 0);
            let (length, limit) = (total, PROVIDER_LIMIT);
            let problem = NameProblem::TooLong { length, limit, longest_key, spells_key: true };
            return Err((candidate, problem));
        }
        let Some(holders) = self.holders(&candidate) else { return Ok(candidate) };
        if total > PROVIDER_LIMIT - 5 {
            return Err((candidate, NameProblem::NoRoomForSuffix { holders }));
        }
        let suffixed = format!("{candidate}_{}", sha1_hex4(&format!("{server}/{wire}")));
        match self.holders(&suffixed) {
            None => Ok(suffixed),
            Some(holders) => Err((suffixed, NameProblem::Taken { holders })),
        }
    }

    fn holders(&self, name: &str) -> Option<Vec<ToolId>> {
        self.taken.get(name).map(|ids| ids.iter().cloned().collect())
    }

    /// The alias of an identity, or nothing if it keeps its wire name. An identity outside the fleet is named as a
    /// newcomer: it never takes a name that is in use.
    fn alias_of(&self, server: &ServerKey, wire: &WireName) -> Option<AliasResult> {
        let id = ToolId::new(server.clone(), wire.clone());
        if let Some(alias) = self.aliases.get(&id) {
            return Some(alias.clone());
        }
        let known = self.taken.get(wire.as_str())?;
        (!known.contains(&id)).then(|| self.alias(server, wire))
    }
}

type AliasResult = Result<String, (String, NameProblem)>;

impl Scheme for Minimal {
    fn id(&self) -> &'static str {
        "minimal"
    }

    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String) {
        match self.alias_of(server, wire) {
            None => out.push_str(wire),
            Some(Ok(alias) | Err((alias, _))) => out.push_str(&alias),
        }
    }

    fn spells_key(&self) -> bool {
        false
    }

    fn objection(&self, server: &ServerKey, wire: &WireName) -> Option<NameProblem> {
        self.alias_of(server, wire)?.err().map(|(_, problem)| problem)
    }
}

/// How many characters a tool name of this length leaves for the short key and what stands between; may be negative.
fn room(tool: usize) -> isize {
    PROVIDER_LIMIT.cast_signed() - tool.cast_signed() - 1
}

/// The server key as a short prefix: runs of other characters than `[A-Za-z0-9]` become `_`, outer `_` go, lower case,
/// `srv` if nothing is left; if that is longer than `budget`, its first `max(1, budget - 5)` characters, `_` and four
/// hexadecimal digits of SHA-1 of the key.
fn short(server: &str, budget: isize) -> String {
    let words: Vec<String> = server
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let slug = if words.is_empty() { "srv".to_owned() } else { words.join("_") };
    if slug.len().cast_signed() <= budget {
        return slug;
    }
    let kept = usize::try_from((budget - 5).max(1)).unwrap_or(1).min(slug.len());
    format!("{}_{}", &slug[..kept], sha1_hex4(server))
}

fn sha1_hex4(text: &str) -> String {
    Sha1::digest(text).iter().take(2).fold(String::with_capacity(4), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(fleet: &[(&str, &[&str])]) -> Vec<Result<String, String>> {
        let ids: Vec<ToolId> = fleet
            .iter()
            .flat_map(|(server, tools)| {
                tools.iter().map(|tool| ToolId::parse(server, tool).unwrap())
            })
            .collect();
        let scheme = Minimal::over(ids.iter().map(|id| (id.server(), id.wire())));
        ids.iter()
            .map(|id| scheme.name(id.server(), id.wire()))
            .map(|name| name.map(|n| n.to_string()).map_err(|error| error.to_string()))
            .collect()
    }

    fn ok(fleet: &[(&str, &[&str])]) -> Vec<String> {
        names(fleet).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn only_what_collides_is_renamed() {
        assert_eq!(ok(&[("a", &["x"]), ("b", &["x", "y"])]), ["a_x", "b_x", "y"]);
    }

    #[test]
    fn a_taken_alias_gets_a_suffix_and_a_taken_suffix_is_an_error_with_both_claimants() {
        assert_eq!(ok(&[("a", &["x"]), ("b", &["x", "a_x"])]), ["a_x_425e", "b_x", "a_x"]);
        assert_eq!(ok(&[("a-b", &["x"]), ("a_b", &["x"])]), ["a_b_x", "a_b_x_74d4"]);
        let both = names(&[("a", &["x"]), ("b", &["x", "a_x", "a_x_425e"])]);
        let error = both[0].as_ref().unwrap_err();
        assert!(error.contains("`x` of server `a`") && error.contains("`b/a_x_425e`"), "{error}");
    }

    #[test]
    fn the_tools_own_name_is_never_cut() {
        let long = "a".repeat(57);
        assert_eq!(
            ok(&[("alpha-server-long-name", &[&long]), ("b", &[&long])])[0],
            format!("a_8e1b_{long}")
        );
        for length in [58, 59] {
            let long = "a".repeat(length);
            let got = names(&[("alpha-server-long-name", &[&long]), ("b", &[&long])]);
            assert!(got[0].as_ref().unwrap_err().contains("64 are allowed"), "{got:?}");
            assert_eq!(got[1].as_ref().unwrap(), &format!("b_{long}"), "the other rows are given");
        }
    }

    #[test]
    fn keys_without_a_usable_character_stay_apart() {
        assert_eq!(
            ok(&[("日本", &["x"]), ("中国", &["x"])]).iter().collect::<BTreeSet<_>>().len(),
            2
        );
    }

    #[test]
    fn a_newcomer_never_takes_a_name_in_use() {
        let fleet = [ToolId::parse("a", "x").unwrap()];
        let scheme = Minimal::over(fleet.iter().map(|id| (id.server(), id.wire())));
        let name = |server: &str, wire: &str| {
            scheme.name(&ServerKey::new(server).unwrap(), &WireName::new(wire).unwrap()).unwrap()
        };
        assert_eq!(name("a", "x").as_str(), "x");
        assert_eq!(name("b", "x").as_str(), "b_x");
        assert_eq!(name("b", "y").as_str(), "y");
    }
}
