//! The rules of `callsign.toml`, as the gateway asks for them.

use std::sync::{PoisonError, RwLock};

use callsign::ToolId;
use callsign::registry::Snapshot;
use callsign::rules::{self, Effect, Verdict};
use callsign_config::RuleSettings;
use callsign_gateway::{Judgement, Policy};

use crate::configuration::Configuration;

/// What the rules say of a tool, by identity. A changed configuration puts others in their place.
#[derive(Debug)]
pub(crate) struct RulePolicy(RwLock<Written>);

/// The rules of all files together: a restriction counts whichever of them it stands in.
#[derive(Debug)]
struct Written {
    settings: Vec<RuleSettings>,
    policy: rules::Policy,
}

impl RulePolicy {
    pub(crate) fn of(configuration: &Configuration) -> Self {
        Self(RwLock::new(Written::of(configuration)))
    }

    /// From now on the rules of this configuration hold.
    pub(crate) fn follow(&self, configuration: &Configuration) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Written::of(configuration);
    }
}

impl Policy for RulePolicy {
    fn judge(&self, tools: &Snapshot, tool: &ToolId) -> Judgement {
        self.0.read().unwrap_or_else(PoisonError::into_inner).judge(tools, tool)
    }
}

impl Written {
    fn of(configuration: &Configuration) -> Self {
        let files = configuration.files.iter();
        let settings: Vec<RuleSettings> = files.map(|file| file.settings.rules.clone()).collect();
        let rules = settings.iter().flat_map(|settings| &settings.rules);
        let policy = rules::Policy::compile(rules.map(|placed| placed.rule.clone()).collect());
        policy.rules().iter().for_each(say_unreadable);
        Self { settings, policy }
    }

    fn judge(&self, tools: &Snapshot, tool: &ToolId) -> Judgement {
        if self.settings.iter().any(|settings| settings.is_disabled(tool)) {
            return Judgement::Deny("it is disabled in the configuration".to_owned());
        }
        let decision = self.policy.decide(tools.pool(), tool);
        let because = || decision.sentence(&self.policy);
        match decision.verdict {
            Verdict::Deny | Verdict::Disabled => Judgement::Deny(because()),
            Verdict::Ask => Judgement::Ask(because()),
            Verdict::Allow => Judgement::Allow,
            Verdict::Default => self.by_default(),
        }
    }

    /// Where no rule decides and no default is set, it is left to the host, which has rules of its own.
    fn by_default(&self) -> Judgement {
        let set = |effect| {
            let defaults = self.settings.iter().filter_map(|settings| settings.default.as_ref());
            defaults.into_iter().any(|default| default.value == effect)
        };
        match (set(Effect::Deny), set(Effect::Ask)) {
            (true, _) => Judgement::Deny("no rule allows it".to_owned()),
            (false, true) => Judgement::Ask("no rule allows it".to_owned()),
            (false, false) => Judgement::Allow,
        }
    }
}

/// A rule that can't be read restricts more than its author meant, or grants nothing: that is said loudly.
fn say_unreadable(rule: &rules::Rule) {
    let Err(unreadable) = rule.pattern() else { return };
    let place = rule.place().map(ToString::to_string).unwrap_or_default();
    let (effect, cause, remedy) = (rule.effect().as_str(), &unreadable.cause, unreadable.remedy());
    tracing::warn!(%place, effect, %cause, remedy, "a rule can't be read");
}
