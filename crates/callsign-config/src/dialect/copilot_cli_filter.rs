//! GitHub Copilot CLI: `--available-tools` and `--excluded-tools`.
//!
//! Evidence: github/docs 128719b `content/copilot/how-tos/.../allowing-tools.md` and `cli-command-reference.md` (2026). The
//! model's names were seen in a run of 1.0.102.
//!
//! - Tool names; no wildcard is stated. If both lists are given, the first is applied and *the second ignored*.
//! - A tool outside cannot be used, whatever `--allow-tool` says.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct CopilotCliFilter;

static PROFILE: Profile = Profile {
    id: "copilot-cli-filter",
    host: "GitHub Copilot CLI",
    acts: Acts::OnVisibility,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the tool's name, which the model sees as SERVER-TOOL"),
    wildcards: Fact::Unknown("whether there are any"),
    precedence: Fact::Established("where both lists are given, --excluded-tools is ignored"),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Unknown("what becomes of a name that no tool has"),
    evidence: &["github/docs 128719b allowing-tools.md, cli-command-reference.md (2026)"],
};

const FLAGS: [(&str, Effect); 4] = [
    ("available-tools", Effect::Show),
    ("--available-tools", Effect::Show),
    ("excluded-tools", Effect::Hide),
    ("--excluded-tools", Effect::Hide),
];

impl Dialect for CopilotCliFilter {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::CopilotCli
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (flag, effect) in FLAGS.into_iter().filter(|_| !source.whole_file) {
            reader.texts_or_commas(source.root(), flag, effect, pattern)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, rules: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        if entry.effect == Effect::Hide && rules.has_list(Effect::Show, tool) {
            return Reach::Never("ignored, since there is a list of available tools".into());
        }
        match entry.pattern.reach(tool, self.compared()) {
            Reach::No if entry.text == tool.wire() => {
                Reach::Unknown("whether the name without its server counts is not established".into())
            }
            reach => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let unsettled = |entry: &RuleEntry| matches!(rules.reach(entry, call), Reach::Unknown(_));
        if rules.entries.is_empty() || rules.entries.iter().any(unsettled) {
            return Decision::default();
        }
        match (rules.has_list(Effect::Show, call), rules.first(&[Effect::Show], call)) {
            (true, Some(entry)) => Decision::by(Verdict::Allow, entry, "among the available tools"),
            (true, None) => Decision::new(Verdict::Deny, "not among the available tools"),
            (false, _) => rules.by_class(&[Effect::Hide], call),
        }
    }
}

fn pattern(text: &str) -> Pattern {
    match text.contains('*') {
        true => Pattern::Unknown("whether there are wildcards is not documented".into()),
        false => Pattern::Exact(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/grep", "docs/search"];

    #[test]
    fn the_list_of_available_tools_puts_the_other_out_of_force() {
        let rules = r#"{"available-tools": ["github-grep"], "excluded-tools": ["github-grep"]}"#;
        assert_eq!(verdict(&CopilotCliFilter, rules, TOOLS, "github/grep"), "allow");
        assert_eq!(verdict(&CopilotCliFilter, rules, TOOLS, "docs/search"), "deny");
        assert!(matches!(reaches(&CopilotCliFilter, rules, TOOLS)[1], Reach::Never(_)));
        let rules = r#"{"excluded-tools": "github-grep"}"#;
        assert_eq!(verdict(&CopilotCliFilter, rules, TOOLS, "github/grep"), "deny");
        assert_eq!(verdict(&CopilotCliFilter, rules, TOOLS, "docs/search"), "default");
    }

    #[test]
    fn what_is_not_stated_decides_nothing() {
        for rules in [r#"{"available-tools": []}"#, r#"{"excluded-tools": ["grep"]}"#, r#"{"excluded-tools": ["*"]}"#] {
            assert_eq!(verdict(&CopilotCliFilter, rules, TOOLS, "github/grep"), "default", "{rules}");
        }
    }
}
