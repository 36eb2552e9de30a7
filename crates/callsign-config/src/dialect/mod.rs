//! Hosts' own rule languages: who may be called, asked for or shown, in the words of each program.
//!
//! ```
//! use callsign::ToolId;
//! use callsign_config::dialect::{self, Fleet, Reach, Verdict};
//!
//! let text = br#"{"permissions": {"allow": ["mcp__git*__push"], "deny": ["mcp__github"]}}"#;
//! let file = dialect::parse(".claude/settings.json".as_ref(), text, None)?;
//! let rules = &file.sets[0];
//! let fleet = Fleet::new([ToolId::parse("github", "push")?, ToolId::parse("git", "push")?]);
//! let (github, git) = (fleet.tools().next().unwrap(), fleet.tools().last().unwrap());
//!
//! assert_eq!(rules.dialect.profile().id, "claude-code");
//! assert_eq!(rules.decide(&fleet, github).verdict, Verdict::Deny);
//! assert_eq!(rules.decide(&fleet, git).verdict, Verdict::Default, "an allow with a wildcard in the server is skipped");
//! assert!(matches!(rules.reach(&rules.entries[1], git), Reach::Never(_)));
//! assert_eq!(rules.dialect.spelling(git).unwrap(), "mcp__git__push");
//! assert_eq!(file.place(rules.entries[0].span).to_string(), "1:57");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A dialect
//! One file in this folder and one line in the table below. The file's type implements [`Dialect`]:
//! - `profile`: what is known, with its evidence; what is not established is [`Fact::Unknown`] and decides nothing.
//! - `read`: walks the tree with a `Reader`. Each list becomes a [`RuleList`], each entry a
//!   [`RuleEntry`] with a `Pattern`, parsed once. One function serves a host's file and the bare
//!   `rules` of a `decide` line: `Source::table` and `Source::server_tables` know the difference.
//! - `compared`: the [`HostSpelling`] that entries are held against. `reach` only where an entry means something else.
//! - `decide`: which entry counts. `Rules::by_class` and `Rules::first` do it for most.
//!
//! Its cases stand in `data/cases/dialects.jsonl`, and those made from a sentence of its documentation at the end of its
//! file; tests/dialects.rs runs the former.

mod address;
mod cel;
mod file;
mod fleet;
mod glob;
mod js_regex;
mod keys;
mod pattern;
mod profile;
mod rules;
mod source;
mod wild_regex;

#[cfg(test)]
mod testing;

use std::borrow::Cow;
use std::fmt;

use callsign::scheme::HostSpelling;

pub use file::{RuleFile, of_value, parse, read, rule_files};
pub use fleet::{Address, Fleet, Tool};
pub use pattern::Reach;
pub use profile::{Acts, Fact, Profile};
pub use rules::{Decision, Effect, RuleEntry, RuleList, Rules, Switch, Verdict};
pub use source::Source;

use crate::error::ConfigError;
use crate::tree::Node;

/// Declares the modules and their rows.
macro_rules! dialects {
    ($($file:ident: $($dialect:ident)+;)*) => {
        $(mod $file;)*

        /// Every dialect, in the order in which documents list them.
        pub static ALL: [&dyn Dialect; [$($(stringify!($dialect)),+),*].len()] =
            [$($(&$file::$dialect),+),*];
    };
}

dialects! {
    own: Callsign;
    claude_code: ClaudeCode;
    claude_code_subagent: ClaudeCodeSubagent;
    claude_code_managed: ClaudeCodeManaged;
    claude_code_hook: ClaudeCodeHook;
    codex: Codex;
    codex_requirements: CodexRequirements;
    gemini_server: GeminiServer;
    gemini_policy: GeminiPolicy;
    gemini_settings: GeminiSettings;
    qwen_code: QwenCode;
    opencode: OPENCODE KILO;
    vscode_tools: VsCodeTools;
    vscode_eligibility: VsCodeEligibility;
    copilot_cli: CopilotCli;
    copilot_cli_filter: CopilotCliFilter;
    copilot_cli_config: CopilotCliConfig;
    cursor: Cursor;
    cursor_cli: CursorCli;
    cline: Cline;
    cline_sdk: ClineSdk;
    roo: Roo;
    continue_cli: ContinueCli;
    amazon_q: AmazonQ;
    amazon_q_tools: AmazonQTools;
    kiro_3: Kiro3;
    kiro_mcp: KiroMcp;
    goose: Goose;
    zed: Zed;
    zed_profile: ZedProfile;
    crush: Crush;
    droid: Droid;
    droid_agent: DroidAgent;
    droid_policy: DroidPolicy;
    hook_matchers: DROID_HOOK CRUSH_HOOK;
    docker_gateway: DockerGateway;
    docker_agent: DockerAgent;
    agents_sdk: AgentsSdk;
    responses_api: ResponsesApi;
    deep_agents: DeepAgents;
    librechat: LibreChat;
    junie: Junie;
    windsurf: Windsurf;
    amp: Amp;
    amp_servers: AmpServers;
    fastmcp: FastMcp;
    agentgateway: AgentGateway;
}

/// One host's rule language.
pub trait Dialect: fmt::Debug + Sync {
    /// What is known of it.
    fn profile(&self) -> &'static Profile;

    /// Reads its rules; [empty](Rules::is_empty) ones, if there are none.
    ///
    /// # Errors
    /// What stands there can't be rules: a list that is no list, an entry that is no text.
    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError>;

    /// The spelling that its entries are compared with.
    fn compared(&self) -> HostSpelling;

    /// What an entry does to one tool. Which server its list belongs to is looked at by [`Rules::reach`], which is the
    /// one to call.
    fn reach(&self, _rules: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        entry.pattern.reach(tool, self.compared())
    }

    /// What becomes of a call.
    fn decide(&self, rules: &Rules, fleet: &Fleet, call: Tool<'_>) -> Decision;

    /// The entry that would name this tool, if one can: none, where a character of the tool has a meaning of its own in an
    /// entry. Whether it names others too, [`reach`](Self::reach) says.
    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.name(self.compared()).to_owned())
    }

    /// What the names of all tools begin with that the entry has to do with, where that can be told without a tool. With it,
    /// long lists need not be held against every tool.
    #[doc(hidden)]
    fn beginning<'e>(&self, _entry: &'e RuleEntry) -> Option<Cow<'e, str>> {
        None
    }

    /// Whether entries that don't cover a tool have no part in what becomes of it: no list is told from the others by
    /// having an entry.
    #[doc(hidden)]
    fn decides_by_matches(&self) -> bool {
        false
    }

    /// Whether a file whose name says nothing is written in it.
    #[doc(hidden)]
    fn recognises(&self, _found: Found<'_>) -> bool {
        false
    }
}

/// The top of a file whose dialect is looked for.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Found<'d>(pub(crate) &'d Node<'d>);

/// The dialect of that identifier.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn Dialect> {
    ALL.into_iter().find(|dialect| dialect.profile().id == id)
}
