use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::judged_rules::{Decided, JudgedRule, JudgedRules, Reached, RuleAct, RuleLanguage};
use crate::name::{ServerKey, ToolId};
use crate::rules::{
    Answer, Claimant, Effect, Pattern, Place, Policy, Pool, Rule, Spelled, Verdict,
};
use crate::scheme;

/// A policy held against the tools of a pool, for the audit.
///
/// ```
/// use callsign::ToolId;
/// use callsign::audit::{Fleet, PolicyRules, audit};
/// use callsign::rules::{Effect, Policy, Rule};
/// use callsign::scheme::Qualified;
///
/// let policy = Policy::compile(Rule::spelled(Effect::Deny, "mcp__mail__send").into_iter().collect());
/// let rules = PolicyRules::new("callsign", policy, vec![ToolId::parse("post", "send")?]);
///
/// let scheme = Qualified::default();
/// let findings = audit(&Fleet::new(&scheme, vec![]).with_rules(vec![rules.judged(&[])]));
/// assert!(findings[0].message().contains("no server has the key `mail`"));
/// assert_eq!(findings[0].help(), Some("write `mcp__post__send`"));
/// # Ok::<(), callsign::name::EmptyName>(())
/// ```
#[derive(Debug)]
pub struct PolicyRules {
    host: String,
    policy: Policy,
    tools: Vec<ToolId>,
    pool: Pool,
    /// How many tools go by each text that rules may name one by.
    names: OnceCell<HashMap<String, u32>>,
}

impl PolicyRules {
    /// The policy of `host` (as a sentence names it), and all tools it is about.
    #[must_use]
    pub fn new(host: impl Into<String>, policy: Policy, tools: Vec<ToolId>) -> Self {
        let pool = tools.iter().collect();
        Self { host: host.into(), policy, tools, pool, names: OnceCell::new() }
    }

    /// The rules as the audit looks at them. `unseen` are servers whose tools are not known, sorted. A rule without a place
    /// gets its position in the policy for a line.
    #[must_use]
    pub fn judged(&self, unseen: &[ServerKey]) -> JudgedRules<'_> {
        let (mut decided, mut matches) =
            (Vec::new(), vec![Matches::default(); self.policy.rules().len()]);
        // Without a rule nothing is decided, and nobody has to be asked.
        let asked = if self.policy.rules().is_empty() { &[][..] } else { &self.tools };
        for (at, tool) in (0..).zip(asked) {
            let decision = self.policy.decide(&self.pool, tool);
            let by = decision.by.and_then(|by| u32::try_from(by).ok());
            decided.push(Decided { effect: effect(decision.verdict), by });
            for (rule, answer) in self.policy.bearing_on(&self.pool, tool) {
                if let Some(matches) = matches.get_mut(rule) {
                    matches.note(at, tool, answer);
                }
            }
        }
        let entries = (1..).zip(self.policy.rules()).zip(matches);
        let entries = entries.map(|((number, rule), matches)| self.entry(number, rule, matches));
        JudgedRules {
            language: self,
            tools: self.tools.clone(),
            withheld: Vec::new(),
            decided,
            unseen: unseen.to_vec(),
            entries: entries.collect(),
            dropped: Vec::new(),
        }
    }

    fn entry(&self, number: u32, rule: &Rule, matches: Matches) -> JudgedRule {
        let without = || Place { file: Arc::from("rules"), line: number, column: 1 };
        JudgedRule {
            text: rule.text().to_owned(),
            compared: rule.text().split('(').next().unwrap_or_default().trim().to_owned(),
            does: RuleAct::from(rule.effect()),
            list: rule.effect().to_string(),
            place: rule.place().cloned().unwrap_or_else(without),
            server: None,
            reached: reached(rule, matches),
            withheld: Vec::new(),
            is_aside: false,
        }
    }

    /// Whether exactly one tool goes by this text.
    fn is_of_one(&self, text: &str) -> bool {
        let names = self.names.get_or_init(|| {
            let mut names = HashMap::new();
            for tool in &self.tools {
                let own: BTreeSet<String> =
                    scheme::renderings(tool.server(), tool.wire()).into_iter().collect();
                own.into_iter().for_each(|name| *names.entry(name).or_default() += 1);
            }
            names
        });
        names.get(text) == Some(&1)
    }

    fn servers(&self) -> BTreeSet<&ServerKey> {
        self.tools.iter().map(ToolId::server).collect()
    }

    /// Whether a text stands for all tools of a server other than this one.
    fn is_another_server(&self, text: &str, server: &ServerKey) -> bool {
        let others = self.servers().into_iter().filter(|other| *other != server);
        let mut parts = others.flat_map(|other| scheme::boundaries(other));
        parts.any(|boundary| scheme::server_part(&boundary) == text)
    }
}

/// What one rule of a policy matches, collected tool by tool.
#[derive(Debug, Clone, Default)]
pub struct Matches {
    matched: Vec<u32>,
    ambiguous: Vec<u32>,
    claimants: BTreeSet<ToolId>,
    servers: BTreeSet<String>,
}

impl Matches {
    /// Notes what the rule says of the tool at this place.
    pub fn note(&mut self, at: u32, tool: &ToolId, answer: Answer) {
        match answer {
            Answer::Matches | Answer::FailsClosed => self.matched.push(at),
            Answer::Ambiguous(others) => {
                self.ambiguous.push(at);
                self.claimants.insert(tool.clone());
                others.into_iter().for_each(|other| self.claimed(other));
            }
            Answer::No(_) => {}
        }
    }

    fn claimed(&mut self, other: Claimant) {
        match other {
            Claimant::Tool { server, tool } => {
                self.claimants.extend(ToolId::parse(&server, &tool));
            }
            Claimant::Server(key) => {
                self.servers.insert(key);
            }
        }
    }
}

/// What the rule reaches, of which `matches` was collected.
#[must_use]
pub fn reached(rule: &Rule, matches: Matches) -> Reached {
    let nothing = matches.matched.is_empty() && matches.ambiguous.is_empty();
    match rule.pattern() {
        Err(unreadable) => return Reached::Unreadable(unreadable.cause.to_string()),
        Ok(Pattern::Spelled(Spelled::Never(never))) => return Reached::Never(never.to_string()),
        Ok(Pattern::Spelled(Spelled::Exact(text))) if text.contains('*') && nothing => {
            return Reached::Never("only a `*` at its end is a wildcard".into());
        }
        Ok(_) => {}
    }
    if nothing || !matches.matched.is_empty() {
        return Reached::Tools(matches.matched);
    }
    Reached::Refused {
        tools: matches.ambiguous,
        claimants: matches.claimants.into_iter().collect(),
        servers: matches.servers.iter().flat_map(ServerKey::new).collect(),
    }
}

fn effect(verdict: Verdict) -> Option<Effect> {
    match verdict {
        Verdict::Deny | Verdict::Disabled => Some(Effect::Deny),
        Verdict::Ask => Some(Effect::Ask),
        Verdict::Allow => Some(Effect::Allow),
        Verdict::Default => None,
    }
}

impl RuleLanguage for PolicyRules {
    fn host(&self) -> &str {
        &self.host
    }

    fn beginnings(&self, server: &ServerKey) -> Vec<String> {
        let mut beginnings = scheme::boundaries(server).to_vec();
        beginnings.dedup();
        beginnings
    }

    fn entry_for(&self, tool: &ToolId, _: &JudgedRule) -> Option<String> {
        let [raw, name, _] = scheme::renderings(tool.server(), tool.wire());
        [raw, name].into_iter().find(|text| {
            self.is_of_one(text)
                && !text.contains('(')
                && !self.is_another_server(text, tool.server())
        })
    }

    fn entry_for_server(&self, server: &ServerKey, _: &JudgedRule) -> Option<String> {
        let [raw, ..] = scheme::boundaries(server);
        let text = scheme::server_part(&raw);
        let is_clear = !text.contains('(') && !self.is_another_server(text, server);
        let is_a_tool = self.tools.iter().any(|tool| {
            scheme::renderings(tool.server(), tool.wire()).iter().any(|name| name == text)
        });
        (is_clear && !is_a_tool).then(|| text.to_owned())
    }
}
