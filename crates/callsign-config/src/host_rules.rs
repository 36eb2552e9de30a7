//! The rules that a host has in force, held against a fleet: what decides each call, and what each entry comes to.
//!
//! ```
//! use callsign::ToolId;
//! use callsign::audit::{Fleet as Audited, audit};
//! use callsign::scheme::Qualified;
//! use callsign_config::HostRules;
//! use callsign_config::dialect::{self, Fleet};
//!
//! let text = br#"{"permissions": {"deny": ["mcp__github__delete_repo"]}}"#;
//! let files = [dialect::parse(".claude/settings.json".as_ref(), text, None)?];
//! let fleet = Fleet::new([ToolId::parse("gh", "delete_repo")?]);
//! let in_force = HostRules::of(&files, &fleet);
//!
//! let scheme = Qualified::default();
//! let audited = Audited::new(&scheme, vec![]).with_rules(vec![in_force[0].judged(&[])]);
//! assert_eq!(
//!     audit(&audited)[0].message(),
//!     "deny rule `mcp__github__delete_repo` matches no tool: no server has the key `github`; `delete_repo` is a tool of server `gh`"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use callsign::audit::{
    self, Decided, JudgedRule, JudgedRules, Matches, Reached, RuleAct, RuleLanguage,
};
use callsign::rules::{Policy, Rule, Unreadable};
use callsign::scheme::HostSpelling;
use callsign::{ServerKey, ToolId, rules};
use serde_json::Value as Json;

use crate::dialect::{
    Decision, Dialect, Effect, Fleet, Reach, RuleEntry, RuleFile, Rules, Tool, Verdict,
};
use crate::place::Place;

/// All that one host reads in one dialect, held against a fleet.
#[derive(Debug)]
pub struct HostRules<'f> {
    fleet: &'f Fleet,
    /// Those of all files together, in the order in which the host looks at them; without the files it ignores.
    rules: Rules,
    /// For each entry the file that it stands in.
    origins: Vec<&'f RuleFile>,
    /// What the host ignores as a whole.
    dropped: Vec<(&'f RuleFile, &'f Rules)>,
    decisions: OnceCell<Vec<Decision>>,
    sharing: OnceCell<HashMap<&'f str, u32>>,
    /// The names of all tools, with their places.
    sorted: OnceCell<Vec<(&'f str, usize)>>,
    /// Entries that were proposed for whole servers.
    server_entries: RefCell<HashMap<Asked, Option<String>>>,
}

/// For which server, in which list, to do what, and whether with a wildcard an entry is wanted.
type Asked = (ServerKey, String, RuleAct, bool);

impl<'f> HostRules<'f> {
    /// The rules of these files, by dialect, in the order of [`dialect::ALL`](crate::dialect::ALL).
    #[must_use]
    pub fn of(files: &'f [RuleFile], fleet: &'f Fleet) -> Vec<Self> {
        let mut in_force: Vec<Self> = Vec::new();
        for dialect in crate::dialect::ALL {
            let sets = sets_of(dialect, files);
            let (alone, mut together): (Vec<_>, Vec<_>) =
                sets.into_iter().partition(|(file, _)| stands_alone(dialect, file));
            if LAST_MATCH.contains(&dialect.profile().id) {
                together.reverse();
            }
            let groups = alone.into_iter().map(|set| vec![set]).chain([together]);
            let groups = groups.filter(|group| !group.is_empty());
            in_force.extend(groups.map(|sets| Self::together(&sets, fleet)));
        }
        in_force
    }

    fn together(sets: &[(&'f RuleFile, &'f Rules)], fleet: &'f Fleet) -> Self {
        let mut rules = Rules::new(sets[0].1.dialect);
        let (mut origins, mut dropped) = (Vec::new(), Vec::new());
        for (file, set) in sets {
            if set.dropped.is_some() {
                dropped.push((*file, *set));
                continue;
            }
            let first_list = rules.lists.len();
            rules.lists.extend(set.lists.iter().cloned());
            rules.switches.extend(set.switches.iter().cloned());
            for entry in &set.entries {
                rules.entries.push(RuleEntry { list: entry.list + first_list, ..entry.clone() });
                origins.push(*file);
            }
        }
        Self {
            fleet,
            rules,
            origins,
            dropped,
            decisions: OnceCell::new(),
            sharing: OnceCell::new(),
            sorted: OnceCell::new(),
            server_entries: RefCell::default(),
        }
    }

    /// The dialect.
    #[must_use]
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.rules.dialect
    }

    /// The rules of all files together.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The file of an entry of [`rules`](Self::rules), and its place there.
    #[must_use]
    pub fn place(&self, entry: usize) -> Option<(&'f RuleFile, Place)> {
        let (file, span) = (self.origins.get(entry)?, self.rules.entries.get(entry)?.span);
        Some((file, file.place(span)))
    }

    /// The place of an entry of [`rules`](Self::rules), as findings name it.
    #[must_use]
    pub fn rule_place(&self, entry: usize) -> Option<rules::Place> {
        self.place(entry).map(|(file, place)| place_of(file, place))
    }

    /// The entries that can't be read, whatever tools they are taken to cover.
    pub fn unreadable(&self) -> impl Iterator<Item = (usize, &RuleEntry, &Unreadable)> {
        let entries = self.rules.entries.iter().enumerate();
        entries.filter_map(|(at, entry)| Some((at, entry, entry.unreadable()?)))
    }

    /// Every place that [`judged`](Self::judged) rules speak of, with its file and span.
    pub fn places(&self) -> impl Iterator<Item = (rules::Place, &'f RuleFile, Place)> {
        let in_force = self.rules.entries.iter().zip(&self.origins);
        let in_force = in_force.map(|(entry, file)| (*file, entry.span));
        let ignored = self.dropped.iter().flat_map(|(file, set)| {
            let causes = set.dropped.iter().map(|(_, span)| *span);
            causes.map(move |span| (*file, span))
        });
        in_force.chain(ignored).map(|(file, span)| {
            let place = file.place(span);
            (place_of(file, place), file, place)
        })
    }

    /// What becomes of a call of this tool.
    #[must_use]
    pub fn decision(&self, tool: Tool<'_>) -> Option<&Decision> {
        self.decisions().get(tool.index())
    }

    fn decisions(&self) -> &[Decision] {
        self.decisions.get_or_init(|| {
            if self.dialect().decides_by_matches() {
                return self.decided_by_matches();
            }
            self.fleet.tools().map(|tool| self.rules.decide(self.fleet, tool)).collect()
        })
    }

    /// Each tool decided by the entries alone that have to do with it.
    fn decided_by_matches(&self) -> Vec<Decision> {
        let mut of_tool: Vec<Vec<usize>> = vec![Vec::new(); self.fleet.len()];
        for (at, entry) in self.rules.entries.iter().enumerate() {
            for tool in self.may_reach(entry) {
                if self.rules.reach(entry, tool) == Reach::Matches {
                    of_tool[tool.index()].push(at);
                }
            }
        }
        let mut few = Rules::new(self.dialect());
        few.lists.clone_from(&self.rules.lists);
        few.switches.clone_from(&self.rules.switches);
        let tools = self.fleet.tools().zip(of_tool);
        tools
            .map(|(tool, own)| {
                let entries = own.iter().filter_map(|&at| self.rules.entries.get(at));
                few.entries = entries.cloned().collect();
                let decision = few.decide(self.fleet, tool);
                let in_all = |entry: usize| own.get(entry).copied();
                let by = decision.by.and_then(in_all);
                let unreadable = decision.unreadable.iter().copied().filter_map(in_all).collect();
                Decision { by, unreadable, ..decision }
            })
            .collect()
    }

    /// The tools that an entry may have to do with, in their order.
    fn may_reach(&self, entry: &RuleEntry) -> impl Iterator<Item = Tool<'f>> {
        let beginning = self.dialect().beginning(entry).filter(|beginning| !beginning.is_empty());
        let some = beginning.map(|beginning| self.begun_with(&beginning));
        let all = if some.is_none() { 0..self.fleet.len() } else { 0..0 };
        some.into_iter().flatten().chain(all).filter_map(|at| self.fleet.tool(at))
    }

    /// The places of the tools whose names begin so, ascending.
    fn begun_with(&self, beginning: &str) -> Vec<usize> {
        let sorted = self.sorted.get_or_init(|| {
            let spelling = self.dialect().compared();
            let mut names: Vec<(&str, usize)> =
                self.fleet.tools().map(|tool| (tool.name(spelling), tool.index())).collect();
            names.sort_unstable();
            names
        });
        let first = sorted.partition_point(|(name, _)| *name < beginning);
        let begun = sorted[first..].iter().take_while(|(name, _)| name.starts_with(beginning));
        let mut places: Vec<usize> = begun.map(|(_, at)| *at).collect();
        places.sort_unstable();
        places
    }

    /// The rules as the audit looks at them. `unseen` are servers whose tools are not in the fleet because they are not
    /// known, sorted.
    #[must_use]
    pub fn judged(&self, unseen: &[ServerKey]) -> JudgedRules<'_> {
        let decided = self.decisions().iter().map(|decision| Decided {
            effect: effect(decision.verdict),
            by: decision.by.and_then(|by| u32::try_from(by).ok()),
        });
        let in_force = self.rules.entries.iter().zip(&self.origins).zip(self.all_reached());
        let in_force = in_force
            .map(|((entry, file), reached)| self.judged_entry(&self.rules, entry, file, reached));
        let ignored = self.dropped.iter().flat_map(|(file, set)| {
            let entries = set.entries.iter();
            entries.map(|entry| self.judged_entry(set, entry, file, Reached::Dropped))
        });
        let dropped = self.dropped.iter().filter_map(|(file, set)| {
            let (why, span) = set.dropped.as_ref()?;
            Some((place_of(file, file.place(*span)), why.clone()))
        });
        JudgedRules {
            language: self,
            tools: self.fleet.tools().map(|tool| tool.id().clone()).collect(),
            withheld: self.fleet.withheld().map(|tool| tool.id().clone()).collect(),
            decided: decided.collect(),
            unseen: unseen.to_vec(),
            entries: in_force.chain(ignored).collect(),
            dropped: dropped.collect(),
        }
    }

    fn judged_entry(
        &self,
        rules: &Rules,
        entry: &RuleEntry,
        file: &RuleFile,
        reached: Reached,
    ) -> JudgedRule {
        let server =
            rules.list_of(entry).and_then(|list| ServerKey::new(list.server.as_ref()?).ok());
        let withheld = self.withheld(rules, entry, &reached);
        JudgedRule {
            text: entry.text.clone(),
            compared: match entry.is_elsewhere() {
                true => String::new(),
                false => compared(self.dialect().compared(), &entry.text).to_owned(),
            },
            does: act(entry.effect),
            list: rules.list_of(entry).map_or_else(String::new, |list| list.name.clone()),
            place: place_of(file, file.place(entry.span)),
            server,
            is_aside: withheld.iter().any(|tool| tool.is_aside()),
            withheld: withheld.into_iter().map(|tool| tool.id().clone()).collect(),
            reached,
        }
    }

    /// What an entry would reach of the tools that are not offered.
    fn withheld(&self, rules: &Rules, entry: &RuleEntry, reached: &Reached) -> Vec<Tool<'f>> {
        if !matches!(reached, Reached::Tools(_) | Reached::Refused { .. }) {
            return Vec::new();
        }
        let tools = self.fleet.withheld();
        tools.filter(|tool| rules.reach(entry, *tool) == Reach::Matches).collect()
    }

    /// What each entry reaches, in their order.
    fn all_reached(&self) -> Vec<Reached> {
        let mut judged = self.judged_by_identity().into_iter().peekable();
        let entries = self.rules.entries.iter().enumerate();
        entries
            .map(|(at, entry)| match judged.next_if(|(of, _)| *of == at) {
                Some((_, reached)) => reached,
                None => self.reached(entry),
            })
            .collect()
    }

    /// Those of the entries that the core judges, by their places, ascending. All tools are held against all of them at
    /// once, as the core does best.
    fn judged_by_identity(&self) -> Vec<(usize, Reached)> {
        let judged = self.rules.entries.iter().enumerate();
        let judged: Vec<(usize, &Rule)> =
            judged.filter_map(|(at, entry)| Some((at, entry.judged()?))).collect();
        if judged.is_empty() {
            return Vec::new();
        }
        let policy = Policy::compile(judged.iter().map(|(_, rule)| (*rule).clone()).collect());
        let mut matches = vec![Matches::default(); judged.len()];
        let tools: Vec<ToolId> = self.fleet.tools().map(|tool| tool.id().clone()).collect();
        let pool = self.rules.pool(self.fleet);
        for (at, tool) in (0..).zip(&tools) {
            for (rule, answer) in policy.bearing_on(&pool, tool) {
                if let Some(matches) = matches.get_mut(rule) {
                    matches.note(at, tool, answer);
                }
            }
        }
        let judged = judged.into_iter().zip(matches);
        judged.map(|((at, rule), matches)| (at, audit::reached(rule, matches))).collect()
    }

    fn reached(&self, entry: &RuleEntry) -> Reached {
        let mut tools = Vec::new();
        let (mut never, mut unknown) = (entry.never().map(str::to_owned), None);
        for tool in self.may_reach(entry) {
            match self.rules.reach(entry, tool) {
                Reach::Matches => tools.extend(u32::try_from(tool.index())),
                Reach::No | Reach::Ambiguous(_) => {}
                Reach::Never(why) => {
                    never.get_or_insert_with(|| why.into_owned());
                }
                Reach::Unknown(what) => {
                    unknown.get_or_insert_with(|| what.into_owned());
                }
            }
        }
        match (never, unknown) {
            _ if !tools.is_empty() => Reached::Tools(tools),
            (Some(why), _) => Reached::Never(why),
            (None, Some(what)) => Reached::Unknown(what),
            (None, None) if !entry.concerns_mcp() => Reached::Foreign,
            (None, None) => Reached::Tools(tools),
        }
    }

    /// How many tools are spelled so.
    fn sharing(&self, name: &str) -> u32 {
        let counts = self.sharing.get_or_init(|| {
            let mut counts = HashMap::new();
            for tool in self.fleet.tools().chain(self.fleet.withheld()) {
                *counts.entry(tool.name(self.dialect().compared())).or_default() += 1;
            }
            counts
        });
        counts.get(name).copied().unwrap_or(0)
    }
}

/// Dialects in which the last matching entry counts, and a project's files are read after the user's.
const LAST_MATCH: [&str; 2] = ["opencode", "kilo"];

/// Whether a file is one agent's, beside others of its kind: what stands in it holds for that agent alone. Policies in
/// TOML are read together.
fn stands_alone(dialect: &dyn Dialect, file: &RuleFile) -> bool {
    let profile = dialect.profile();
    let extension = file.path.extension().unwrap_or_default().to_string_lossy();
    let patterns = profile.project_files.iter().chain(profile.user_files);
    let mut patterns = patterns.filter_map(|own| own.split_once("*."));
    extension != "toml" && patterns.any(|(_, own)| *own == *extension)
}

fn sets_of<'f>(dialect: &dyn Dialect, files: &'f [RuleFile]) -> Vec<(&'f RuleFile, &'f Rules)> {
    let sets = files.iter().flat_map(|file| file.sets.iter().map(move |set| (file, set)));
    sets.filter(|(_, set)| set.dialect.profile().id == dialect.profile().id).collect()
}

fn place_of(file: &RuleFile, place: Place) -> rules::Place {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    rules::Place {
        file: Arc::from(file.path.to_string_lossy()),
        line: number(place.line),
        column: number(place.column),
    }
}

fn effect(verdict: Verdict) -> Option<rules::Effect> {
    match verdict {
        Verdict::Allow => Some(rules::Effect::Allow),
        Verdict::Ask => Some(rules::Effect::Ask),
        Verdict::Deny => Some(rules::Effect::Deny),
        Verdict::Default => None,
    }
}

fn act(effect: Effect) -> RuleAct {
    match effect {
        Effect::Allow => RuleAct::Allow,
        Effect::Ask | Effect::AskUnlessReadOnly => RuleAct::Ask,
        Effect::Deny => RuleAct::Deny,
        Effect::Show => RuleAct::Show,
        Effect::Hide => RuleAct::Hide,
        Effect::Auto => RuleAct::Auto,
        Effect::Hook => RuleAct::Hook,
    }
}

/// What of an entry's text is a name: where the spelling has a parenthesis of its own, all but that; elsewhere what stands
/// before one.
fn compared(spelling: HostSpelling, text: &str) -> &str {
    let text = text.trim();
    match spelling {
        HostSpelling::CursorCli | HostSpelling::CopilotCliRule => {
            text.strip_suffix(')').unwrap_or(text)
        }
        _ => text.split('(').next().unwrap_or_default().trim_end(),
    }
}

impl RuleLanguage for HostRules<'_> {
    fn host(&self) -> &str {
        self.dialect().profile().host
    }

    fn beginnings(&self, server: &ServerKey) -> Vec<String> {
        let spelling = self.dialect().compared();
        let own = self
            .is_own()
            .then(|| Rule::identity(rules::Effect::Deny, server, "").text().to_owned());
        // Rules that are decided by identity may name a server in each of three spellings.
        let spelled = match spelling {
            HostSpelling::QwenCode => [HostSpelling::Raw, spelling, HostSpelling::Legacy]
                .map(|it| it.server_prefix(server)),
            _ => [spelling.server_prefix(server), None, None],
        };
        let mut beginnings: Vec<String> =
            own.into_iter().chain(spelled.into_iter().flatten()).collect();
        beginnings.dedup();
        beginnings
    }

    fn entry_for(&self, tool: &ToolId, entry: &JudgedRule) -> Option<String> {
        let tool = self.fleet.find_configured(tool)?;
        // Two fields are no other tool's, whatever names are spelled alike.
        let alone = self.is_own()
            || entry.server.is_some()
            || self.sharing(tool.name(self.dialect().compared())) == 1;
        let text =
            self.dialect().spelling(tool).filter(|text| alone && !text.contains(['*', '?']))?;
        (!self.may_be_of_unknown(&text, tool)).then_some(text)
    }

    fn entry_for_server(&self, server: &ServerKey, entry: &JudgedRule) -> Option<String> {
        let open = entry.compared.contains('*');
        let asked = (server.clone(), entry.list.clone(), entry.does, open);
        let known = self.server_entries.borrow().get(&asked).cloned();
        known.unwrap_or_else(|| {
            let found = self.tried_entry(server, entry, open);
            self.server_entries.borrow_mut().insert(asked, found.clone());
            found
        })
    }
}

/// Proposals are tried before they are made: written into a list of the same name, and read as the host reads it.
impl HostRules<'_> {
    /// callsign's own language names server and tool apart.
    fn is_own(&self) -> bool {
        self.dialect().profile().id == "callsign"
    }

    /// Whether a server whose tools are not known may have one that is spelled as this tool is.
    fn may_be_of_unknown(&self, text: &str, tool: Tool<'_>) -> bool {
        let others = self.fleet.unknown().iter().filter(|key| *key != tool.id().server());
        let mut beginnings = others.flat_map(|key| self.beginnings(key));
        beginnings.any(|beginning| !beginning.is_empty() && text.starts_with(&beginning))
    }

    fn tried_entry(&self, server: &ServerKey, entry: &JudgedRule, open: bool) -> Option<String> {
        if self.is_own() {
            let key = Json::from(server.as_str());
            return (!server.contains('*')).then(|| format!("{{ server = {key} }}"));
        }
        let spelling = self.dialect().compared();
        let beginning = spelling.server_prefix(server)?;
        let bare = beginning.strip_suffix(spelling.separator()).unwrap_or(&beginning).to_owned();
        let starred = match spelling {
            HostSpelling::CursorCli | HostSpelling::CopilotCliRule => beginning + "*)",
            _ => beginning + "*",
        };
        let own: Vec<usize> = self
            .fleet
            .tools()
            .chain(self.fleet.withheld())
            .filter(|tool| tool.id().server() == server)
            .map(Tool::index)
            .collect();
        let forms = if open { [starred, bare] } else { [bare, starred] };
        forms.into_iter().find(|text| self.tried(text, entry).as_ref() == Some(&own))
    }

    /// What an entry of this text would reach in the list of `entry`; `None` if it can't be read there.
    fn tried(&self, text: &str, entry: &JudgedRule) -> Option<Vec<usize>> {
        let as_list = Json::from([text]);
        let as_table = serde_json::json!({ text: entry.does.as_str() });
        [as_list, as_table].into_iter().find_map(|list| {
            let json =
                entry.list.rsplit('.').fold(list, |inner, key| serde_json::json!({ key: inner }));
            let rules = crate::dialect::of_value(self.dialect(), &json.to_string()).ok()?;
            let [read] = &rules.entries[..] else { return None };
            let all = self.fleet.tools().chain(self.fleet.withheld());
            let reached = all.filter(|tool| rules.reach(read, *tool) == Reach::Matches);
            (act(read.effect) == entry.does).then(|| reached.map(Tool::index).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use callsign::audit::Severity;
    use callsign::scheme::Qualified;
    use proptest::prelude::*;

    use super::*;

    /// Names whose parts run into each other, keys that are spelled alike, wildcards everywhere.
    fn text() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a", "b", "a_b", "_", "__", ".", "mcp__", "*", "?", "c", "(",
        ]);
        prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
    }

    fn tools() -> impl Strategy<Value = Vec<(String, String)>> {
        let name =
            || prop::sample::select(vec!["a", "b", "a_b", "a.b", "a__b", "a_", "mcp__a", "c"]);
        let tool = (name(), name()).prop_map(|(key, wire)| (key.to_owned(), wire.to_owned()));
        prop::collection::btree_set(tool, 1..8).prop_map(|tools| tools.into_iter().collect())
    }

    /// What becomes of each tool, and by which entry.
    type Outcomes = Vec<(Verdict, Option<usize>)>;

    /// What each entry reaches and what decides, tool by tool and entry by entry.
    fn slowly(host: &HostRules<'_>) -> (Vec<Vec<usize>>, Outcomes) {
        let covers = |entry| {
            let tools = host.fleet.tools();
            let tools = tools.filter(|tool| host.rules.reach(entry, *tool) == Reach::Matches);
            tools.map(Tool::index).collect()
        };
        let decided = host.fleet.tools().map(|tool| host.rules.decide(host.fleet, tool));
        (
            host.rules.entries.iter().map(covers).collect(),
            decided.map(|decision| (decision.verdict, decision.by)).collect(),
        )
    }

    proptest! {
        #[test]
        fn what_is_looked_up_is_what_is_there(
            tools in tools(),
            rules in prop::collection::vec((0..3usize, text()), 0..8),
        ) {
            let ids = tools.iter().map(|(server, wire)| ToolId::parse(server, wire).unwrap());
            let fleet = Fleet::new(ids);
            let words = ["allow", "ask", "deny"];
            let of = |class: usize| -> Vec<&str> {
                rules.iter().filter(|(of, _)| *of == class).map(|(_, text)| text.as_str()).collect()
            };
            let settings = serde_json::json!({
                "permissions": {"allow": of(0), "ask": of(1), "deny": of(2)}
            });
            let mut table = serde_json::Map::new();
            for (class, text) in &rules {
                table.insert(text.clone(), words[*class].into());
            }
            let permission = serde_json::json!({ "permission": table });
            for (path, text) in [(".claude/settings.json", settings), ("opencode.json", permission)] {
                let file = crate::dialect::parse(Path::new(path), text.to_string().as_bytes(), None);
                let files = [file.unwrap()];
                for host in HostRules::of(&files, &fleet) {
                    let (reached, decided) = slowly(&host);
                    let looked_up = host.all_reached();
                    for (slow, quick) in reached.iter().zip(&looked_up) {
                        let quick = match quick {
                            Reached::Tools(tools) => tools.iter().map(|at| *at as usize).collect(),
                            _ => Vec::new(),
                        };
                        prop_assert_eq!(slow, &quick, "{:?}", looked_up);
                    }
                    let quick: Outcomes = host
                        .decisions()
                        .iter()
                        .map(|decision| (decision.verdict, decision.by))
                        .collect();
                    prop_assert_eq!(decided, quick);
                }
            }
        }
    }
    const SETTINGS: &str = ".claude/settings.json";

    /// What the audit says of the rules of one file: each finding's severity, message and help.
    fn found(
        path: &str,
        text: &str,
        tools: &[(&str, &str)],
        unseen: &[&str],
    ) -> Vec<(Severity, String, String)> {
        let fleet = Fleet::new(tools.iter().map(|(key, wire)| ToolId::parse(key, wire).unwrap()));
        let files = [crate::dialect::parse(Path::new(path), text.as_bytes(), None).unwrap()];
        let in_force = HostRules::of(&files, &fleet);
        let unseen: Vec<ServerKey> =
            unseen.iter().map(|key| ServerKey::new(*key).unwrap()).collect();
        let rules = in_force.iter().map(|host| host.judged(&unseen)).collect();
        let scheme = Qualified::default();
        let mut keys: Vec<&str> = tools.iter().map(|(key, _)| *key).collect();
        keys.dedup();
        let servers = keys.into_iter().map(|key| audit::Server {
            key: ServerKey::new(key).unwrap(),
            launch: None,
            catalogue: Err(audit::Unchecked { reason: "not asked".into(), remedy: None }),
        });
        let audited = audit::Fleet::new(&scheme, servers.collect()).with_rules(rules);
        let findings = audit::audit_for(&audited, |code| matches!(code.code, "CS014" | "CS015"));
        let said = |finding: &audit::Finding| {
            (
                finding.severity(),
                finding.message().to_owned(),
                finding.help().unwrap_or_default().to_owned(),
            )
        };
        findings.iter().map(said).collect()
    }

    fn denied(text: &str) -> String {
        serde_json::json!({"permissions": {"deny": [text]}}).to_string()
    }

    const GITHUB: &[(&str, &str)] = &[("github", "delete_repo"), ("github", "get")];

    #[test]
    fn a_restriction_in_another_hosts_spelling_is_an_error() {
        let foreign = [
            "github_delete_repo",
            "mcp_github__delete_repo",
            "MCP__github__delete_repo",
            "Mcp__GitHub__delete_repo",
            "github/delete_repo",
            "@github/delete_repo",
            "github:delete_repo",
            "mcp:github:delete_repo",
            "mcp.github.delete_repo",
            "mcp-github-delete_repo",
            "mcp--github--delete_repo",
            "Mcp(github:delete_repo)",
            "github(delete_repo)",
            "delete_repo_mcp_github",
        ];
        for path in [SETTINGS, ".qwen/settings.json"] {
            for text in foreign {
                let found = found(path, &denied(text), GITHUB, &[]);
                let [(severity, message, help)] = &found[..] else {
                    panic!("{path}: {text}: {found:?}")
                };
                assert_eq!(*severity, Severity::Error, "{text}: {message}");
                assert_eq!(help, "write `mcp__github__delete_repo`", "{text}: {message}");
            }
            for text in ["Mcp__github", "MCP__github__*", "mcp.github", "github_*", "github/*"] {
                let found = found(path, &denied(text), GITHUB, &[]);
                let [(Severity::Error, message, help)] = &found[..] else {
                    panic!("{path}: {text}: {found:?}")
                };
                assert!(message.contains("it seems to mean server `github`"), "{message}");
                assert!(help.starts_with("write `mcp__github"), "{text}: {help}");
            }
        }
    }

    #[test]
    fn a_restriction_that_only_begins_as_names_do_is_an_error() {
        for (text, help) in [
            ("mcp_github_remove_repo", "perhaps server `github` is meant"),
            ("Mcp__nobody__x", "correct the entry, or take it out: it only looks like a rule"),
        ] {
            let found = found(SETTINGS, &denied(text), GITHUB, &[]);
            let [(Severity::Error, message, said)] = &found[..] else {
                panic!("{text}: {found:?}")
            };
            assert!(message.contains("Claude Code spells no tool"), "{message}");
            assert_eq!(said, help);
        }
    }

    #[test]
    fn rules_for_built_in_tools_are_none_of_a_server() {
        let tools = &[("web", "fetch"), ("bash", "ls"), ("read", "x"), ("github", "get")];
        for text in [
            "WebFetch",
            "WebFetch(domain:x)",
            "Bash(ls)",
            "Bash(ls *)",
            "Bash(github get)",
            "Bash(mcp github get)",
            "Read(./github/get)",
            "Read(github/**)",
            "Bash*",
            "Bash(*)",
            "ListMcpResourcesTool",
            "Github",
        ] {
            let found = found(SETTINGS, &denied(text), tools, &["unseen"]);
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn what_says_that_it_is_about_something_else_is_believed() {
        for (text, findings) in [("fs_read", 0), ("mcp", 1)] {
            let rule = format!(
                "rules:\n  - capability: {text}\n    effect: deny\n    match: [github/gone]\n"
            );
            let found = found(".kiro/settings/permissions.yaml", &rule, GITHUB, &["github-2"]);
            assert_eq!(found.len(), findings, "{text}: {found:?}");
        }
        let rule = "rules:\n  - capability: fs_read\n    effect: deny\n    match: [github/get, 'github/*']\n";
        assert_eq!(found(".kiro/settings/permissions.yaml", rule, GITHUB, &[]), []);
    }

    #[test]
    fn what_may_be_of_a_server_whose_tools_are_not_known_is_noted() {
        let found = found(SETTINGS, &denied("far_off_get"), GITHUB, &["far-off"]);
        let [(Severity::Info, message, _)] = &found[..] else { panic!("{found:?}") };
        assert!(message.contains("the tools of server `far-off` are not known"), "{message}");
    }

    #[test]
    fn hosts_that_compare_other_forms_report_the_rest_too() {
        for (path, text) in [
            (".cursor/cli.json", denied("github_delete_repo")),
            ("opencode.json", r#"{"permission": {"mcp:github:delete-repo": "deny"}}"#.into()),
        ] {
            let found = found(path, &text, GITHUB, &[]);
            assert!(
                found.iter().any(|(severity, ..)| *severity == Severity::Error),
                "{path}: {found:?}"
            );
        }
    }

    #[test]
    fn a_restriction_over_many_servers_is_proposed_whole_or_not_at_all() {
        const KEYS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let text = r#"{"tools": {"exclude": ["search"]}, "mcpServers": {}}"#;
        let help = |servers: usize| {
            let tools: Vec<(&str, &str)> =
                KEYS[..servers].iter().map(|key| (*key, "search")).collect();
            let found = found(".gemini/settings.json", text, &tools, &[]);
            let [(_, message, help)] = &found[..] else { panic!("{found:?}") };
            assert!(message.contains("means tools of servers"), "{message}");
            help.clone()
        };
        let six = help(6);
        for key in &KEYS[..6] {
            assert!(six.contains(&format!("`mcp_{key}_search`")), "{six}");
        }
        assert_eq!(help(10), "write one entry for each of the 10 that may be meant");
    }

    #[test]
    fn the_key_of_an_own_entry_may_be_open() {
        let tools =
            &[("github", "get"), ("github_enterprise", "get"), ("github_enterprise", "put")];
        let said = |entry: &str| {
            let text = format!("[rules]\nallow = [{entry}]\n");
            found("callsign.toml", &text, tools, &[])
        };
        let found = said(r#"{ server = "git*" }"#);
        let [(Severity::Warning, message, help)] = &found[..] else { panic!("{found:?}") };
        assert!(
            message.contains(
                "covers servers `github` and `github_enterprise`, and any whose key begins so"
            ),
            "{message}"
        );
        assert_eq!(
            help,
            "name each server that is meant: `{ server = \"github\" }` and `{ server = \"github_enterprise\" }`"
        );
        // Only what it reaches: a proposal for the whole server would grant `put` as well.
        let found = said(r#"{ server = "github*", tool = "get" }"#);
        let [(Severity::Warning, message, help)] = &found[..] else { panic!("{found:?}") };
        assert!(message.contains("is written for server `github` and also covers"), "{message}");
        assert_eq!(
            help,
            r#"to reach server `github` alone, write `{ server = "github", tool = "get" }`"#
        );
        let found = said(r#"{ server = "gith*", tool = "g*" }"#);
        let [(Severity::Warning, _, help)] = &found[..] else { panic!("{found:?}") };
        assert!(help.contains(r#"`{ server = "github_enterprise", tool = "get" }`"#), "{help}");
        assert!(said(r#"{ server = "*" }"#).is_empty());
        assert!(said(r#"{ server = "github" }"#).is_empty());
    }

    #[test]
    fn own_entries_are_proposed_where_names_are_spelled_alike() {
        let tools = &[("a/b", "x"), ("a:b", "x")];
        let text = "[rules]\nallow = [\"mcp__a_b__x\"]\n";
        let found = found("callsign.toml", text, tools, &[]);
        let [(Severity::Warning, message, help)] = &found[..] else { panic!("{found:?}") };
        assert!(message.contains("is refused as ambiguous"), "{message}");
        assert_eq!(
            help,
            "write `{ server = \"a/b\", tool = \"x\" }` and `{ server = \"a:b\", tool = \"x\" }`"
        );
    }

    /// What is looked for in an entry does not grow with the square of its length.
    #[test]
    fn long_entries_are_looked_through_once() {
        let text = denied(&["mcp__x", &"-".repeat(400_000)].concat());
        let begun = Instant::now();
        assert_eq!(found(SETTINGS, &text, GITHUB, &[]).len(), 1);
        // With every tail hashed it took minutes.
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
