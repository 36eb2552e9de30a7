use sha1::{Digest, Sha1};

use super::{is_provider_char, legacy_spelling, provider_name, raw_name};
use crate::name::{ServerKey, WireName};

/// How one host writes the name of a tool: what its model sees, or what its rules and settings call the tool.
///
/// A spelling is text for reading and writing other programs' files. It is no [`ExposedName`](crate::ExposedName): it may
/// be illegal for a provider, and several tools may share one. It never looks at other tools; where a host does (Codex
/// hashes a name that is claimed twice, Zed puts the server before it), this is the name of a tool that has no rival.
///
/// ```
/// use callsign::{ServerKey, WireName, scheme::HostSpelling};
///
/// let (server, wire) = (ServerKey::new("my server")?, WireName::new("list.files")?);
/// assert_eq!(HostSpelling::GeminiCli.spell(&server, &wire), "mcp_my_server_list.files");
/// assert_eq!(HostSpelling::by_id("amazon-q"), Some(HostSpelling::AmazonQ));
/// # Ok::<(), callsign::name::EmptyName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HostSpelling {
    /// `{tool}`: the wire name alone. Lists of Codex, Gemini CLI, Cline, Roo Code, Goose and the Agents SDK; shown by
    /// Continue's CLI, Zed and most frameworks.
    Bare,
    /// `mcp__{server}__{tool}`, byte for byte, legal or not.
    Raw,
    /// `mcp__{server}__{tool}`, other than `A-Z a-z 0-9 _ -` to `_`, never cut. Claude Code 2.1.332 and 2.1.197 as run
    /// against a recording endpoint; code.claude.com/docs/en/mcp for the key.
    ClaudeCode,
    /// [`provider_name`] of the raw name. Qwen Code 0.24.4, executed.
    QwenCode,
    /// [`legacy_spelling`] of the raw name: dots stay, over 63 the middle becomes `___`. Qwen Code 0.15, and Gemini CLI of
    /// that time.
    Legacy,
    /// `mcp__{server}__{tool}`, other than letters, digits and `_` to `_`; over 64 bytes cut, with 12 digits of a hash.
    /// openai/codex 00a35b1, codex-rs/codex-mcp/src/tools.rs. Namespace and name are two fields there and one text here.
    CodexCli,
    /// `mcp_{server}_{tool}`, the prefix not doubled, other than `A-Z a-z 0-9 _ . : -` to `_`; over 63 the first and last
    /// 30 around `...`. google-gemini/gemini-cli 5411f11, packages/core/src/tools/mcp-tool.ts, executed.
    GeminiCli,
    /// `{server}_{tool}`, other than `A-Z a-z 0-9 _ -` to `_`. anomalyco/opencode 0ded052,
    /// packages/opencode/src/mcp/catalog.ts; Kilo Code's CLI carries the same code.
    OpenCode,
    /// `{server}__{tool}`, white space of the key removed, its other characters to `_`, lower case; the tool as it is.
    /// block/goose, crates/goose/src/agents/extension_manager, 2026.
    Goose,
    /// `mcp_{server}_{tool}`, byte for byte. charmbracelet/crush 37f36e9, internal/agent/tools/mcp-tools.go.
    Crush,
    /// `mcp--{server}--{tool}`, white space to `_`, other illegal characters dropped, cut at 64. RooCodeInc/Roo-Code
    /// cb83656, src/utils/mcp-name.ts, executed.
    RooCode,
    /// `{server}__{tool}`, runs of illegal characters to one `_`; where that changed anything or is over 64, cut at 55 and
    /// 8 digits of a hash. cline/cline 21cb8d2, sdk/packages/core/src/extensions/mcp/name-transform.ts, executed.
    Cline,
    /// `{server}_{tool}`, the server in lower case with runs of other characters to `_`; without it where the tool's name
    /// begins with it. Continue's editor: continuedev/continue d0a3c0b, core/tools/mcpToolName.ts, executed.
    Continue,
    /// `{tool}_mcp_{server}`, illegal characters of the server to `_`, as agents' tool lists have it. LibreChat, data
    /// provider 0.8.524, executed; the newer removal of a tool's own server prefix depends on its siblings and is left out.
    LibreChat,
    /// `mcp:{server}:{tool}`, byte for byte: the id in `agent.tool_permissions`. zed-industries/zed 00b6ce1,
    /// crates/agent/src/tool_permissions.rs.
    Zed,
    /// `@{server}/{tool}`, byte for byte: agent files. aws/amazon-q-developer-cli 15cc8f3,
    /// crates/chat-cli/src/util/tool_permission_checker.rs; Kiro CLI before 3 too.
    AmazonQ,
    /// `{server}/{tool}`, byte for byte: permissions.yaml. kiro.dev/docs/cli/v3/permissions.
    Kiro,
    /// `{server}:{tool}`, byte for byte: `mcpAllowlist`. cursor.com/docs/reference/permissions.
    Cursor,
    /// `Mcp({server}:{tool})`, byte for byte. cursor.com/docs/cli/reference/permissions.
    CursorCli,
    /// `{server}({tool})`, byte for byte: `--allow-tool` and `--deny-tool`. github/docs 128719b, allowing-tools.
    CopilotCliRule,
    /// `{server}-{tool}`, other than `A-Z a-z 0-9 _ -` to `-`, cut at 64. What the model sees: GitHub Copilot CLI 1.0.102
    /// as run against a recording endpoint. It writes letters beyond ASCII in Punycode, which this does not.
    CopilotCli,
    /// `{server}:{tool}`, byte for byte: `--tools`. docker/mcp-gateway 2bd20fe, pkg/gateway/capabilitites.go.
    DockerGateway,
    /// `{server}_{tool}`, byte for byte. docker/cagent 0d76412, pkg/tools/mcp/mcp.go; the prefix options of LangChain,
    /// PydanticAI and Google's ADK; agentgateway and FastMCP with several servers.
    Joined,
}

use HostSpelling as Host;

/// Each spelling's identifier, and the text between server and tool where its names have one.
const TABLE: [(Host, &str, &str, &str); 23] = [
    (Host::Bare, "bare", "", ""),
    (Host::Raw, "raw", "mcp__", "__"),
    (Host::ClaudeCode, "claude-code", "mcp__", "__"),
    (Host::QwenCode, "qwen-code", "mcp__", "__"),
    (Host::Legacy, "legacy", "mcp__", "__"),
    (Host::CodexCli, "codex-cli", "mcp__", "__"),
    (Host::GeminiCli, "gemini-cli", "mcp_", "_"),
    (Host::OpenCode, "opencode", "", "_"),
    (Host::Goose, "goose", "", "__"),
    (Host::Crush, "crush", "mcp_", "_"),
    (Host::RooCode, "roo-code", "mcp--", "--"),
    (Host::Cline, "cline", "", "__"),
    (Host::Continue, "continue", "", "_"),
    (Host::LibreChat, "librechat", "", "_mcp_"),
    (Host::Zed, "zed", "mcp:", ":"),
    (Host::AmazonQ, "amazon-q", "@", "/"),
    (Host::Kiro, "kiro", "", "/"),
    (Host::Cursor, "cursor", "", ":"),
    (Host::CursorCli, "cursor-cli", "Mcp(", ":"),
    (Host::CopilotCliRule, "copilot-cli-rule", "", "("),
    (Host::CopilotCli, "copilot-cli", "", "-"),
    (Host::DockerGateway, "docker-gateway", "", ":"),
    (Host::Joined, "joined", "", "_"),
];

impl HostSpelling {
    /// Every spelling, in the order in which documents list them.
    pub const ALL: [Self; TABLE.len()] = {
        let mut all = [Self::Bare; TABLE.len()];
        let mut index = 0;
        while index < TABLE.len() {
            all[index] = TABLE[index].0;
            index += 1;
        }
        all
    };

    /// The identifier, as written on the command line: `gemini-cli`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().1
    }

    /// What every name of it begins with: `mcp__`, or nothing.
    #[must_use]
    pub fn marker(self) -> &'static str {
        self.row().2
    }

    /// What stands between the two parts: `__`. Empty for [`Bare`](Self::Bare).
    #[must_use]
    pub fn separator(self) -> &'static str {
        self.row().3
    }

    /// Its position in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        // One row for each variant, in the same order; the test walks them all.
        TABLE.get(self.index()).unwrap_or(&TABLE[0])
    }

    /// The spelling of that identifier.
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == id).map(|row| row.0)
    }

    /// The tool as this host writes it. Total: never empty, but as long and as illegal as the host leaves it.
    #[must_use]
    pub fn spell(self, server: &ServerKey, wire: &WireName) -> String {
        let (key, tool) = (self.spell_key(server), self.spell_tool(wire));
        match self {
            Self::Bare => tool,
            Self::QwenCode => provider_name(&raw_name(server, wire)),
            Self::Legacy => legacy_spelling(&raw_name(server, wire)),
            Self::CodexCli => codex(server, wire, &key, &tool),
            Self::GeminiCli => middle_cut(unprefixed_once(self.join(&key, &tool))),
            Self::RooCode | Self::CopilotCli => cut(self.join(&key, &tool)),
            Self::Cline => cline(server, wire),
            Self::Continue => match key.is_empty() || tool.starts_with(&key) {
                true => tool,
                false => self.join(&key, &tool),
            },
            Self::LibreChat => [&tool, self.separator(), &key].concat(),
            Self::CursorCli | Self::CopilotCliRule => self.join(&key, &tool) + ")",
            _ => self.join(&key, &tool),
        }
    }

    /// What the names of a server's tools begin with, separator included: `mcp__github__`. `None` where names do not begin
    /// with their server.
    ///
    /// A name that the host cuts, or hashes, may lack it.
    #[must_use]
    pub fn server_prefix(self, server: &ServerKey) -> Option<String> {
        match self {
            Self::Bare | Self::LibreChat => None,
            Self::GeminiCli => Some(unprefixed_once(self.join(&self.spell_key(server), ""))),
            _ => Some(self.join(&self.spell_key(server), "")),
        }
    }

    /// The server's part of a name: `github`, `my_server`.
    #[must_use]
    pub fn spell_key(self, server: &ServerKey) -> String {
        match self {
            Self::ClaudeCode | Self::QwenCode | Self::OpenCode => by_unit(server, '_', ""),
            Self::Legacy => by_unit(server, '_', "."),
            Self::GeminiCli => by_unit(server, '_', ".:"),
            Self::CopilotCli => by_unit(server, '-', ""),
            Self::CodexCli => codex_part(server),
            Self::Goose => goose_key(server),
            Self::RooCode => roo_part(server),
            Self::Cline => cline_part(server),
            Self::Continue => continue_key(server),
            Self::LibreChat => librechat_key(server),
            _ => server.to_string(),
        }
    }

    /// The tool's part of a name.
    #[must_use]
    pub fn spell_tool(self, wire: &WireName) -> String {
        match self {
            Self::ClaudeCode | Self::QwenCode | Self::OpenCode => by_unit(wire, '_', ""),
            Self::Legacy => by_unit(wire, '_', "."),
            Self::GeminiCli => by_unit(wire, '_', ".:"),
            Self::CopilotCli => by_unit(wire, '-', ""),
            Self::CodexCli => codex_part(wire),
            Self::RooCode => roo_part(wire),
            Self::Cline => cline_part(wire),
            _ => wire.to_string(),
        }
    }

    fn join(self, key: &str, tool: &str) -> String {
        [self.marker(), key, self.separator(), tool].concat()
    }
}

/// The key under which Claude Code runs a plugin's server: `plugin_{plugin}_{server}`, other than `A-Z a-z 0-9 _ -` to `_`.
/// code.claude.com/docs/en/mcp.
#[must_use]
pub fn claude_code_plugin_key(plugin: &str, server: &str) -> String {
    by_unit(&["plugin", plugin, server].join("_"), '_', "")
}

/// What the keys of claude.ai's connectors begin with in Claude Code. code.claude.com/docs/en/permissions.
pub const CLAUDE_AI_CONNECTOR: &str = "claude_ai_";

/// Every UTF-16 unit that is neither a provider's character nor one of `more` becomes `with`.
fn by_unit(text: &str, with: char, more: &str) -> String {
    let legal = |c: &char| is_provider_char(*c) || more.contains(*c);
    let unit = |unit| u8::try_from(unit).ok().map(char::from).filter(legal).unwrap_or(with);
    text.encode_utf16().map(unit).collect()
}

/// Gemini puts its marker before a joined name unless that begins with it.
fn unprefixed_once(name: String) -> String {
    let marker = Host::GeminiCli.marker();
    match name.strip_prefix(marker) {
        Some(rest) if rest.starts_with(marker) => rest.to_owned(),
        _ => name,
    }
}

/// All ASCII, so bytes are characters.
fn middle_cut(name: String) -> String {
    if name.len() <= 63 {
        return name;
    }
    [&name[..30], "...", &name[name.len() - 30..]].concat()
}

/// All ASCII.
fn cut(mut name: String) -> String {
    name.truncate(super::PROVIDER_LIMIT);
    name
}

/// One `_` for each scalar, and hyphens count as illegal.
fn codex_part(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The namespace is not given the marker twice; the limit counts the two fields and two bytes between them.
fn codex(server: &str, wire: &str, key: &str, tool: &str) -> String {
    const SUFFIX: usize = 13;
    let spelling = Host::CodexCli;
    let marker = spelling.marker();
    let mut namespace = if key.starts_with(marker) { key.into() } else { [marker, key].concat() };
    let limit = super::PROVIDER_LIMIT - spelling.separator().len();
    let mut name = tool.to_owned();
    if namespace.len() + name.len() > limit {
        // The empty field is a connector's id, which servers of a configuration do not have.
        let identity = [server, server, "", wire, wire].join("\0");
        let suffix = ["_", &hex(&Sha1::digest(identity), SUFFIX - 1)].concat();
        let left = limit.saturating_sub(namespace.len());
        name.truncate(left.saturating_sub(SUFFIX));
        if left < SUFFIX {
            namespace.truncate(limit - SUFFIX);
        }
        name.push_str(&suffix);
    }
    [&namespace, spelling.separator(), &name].concat()
}

fn hex(digest: &[u8], digits: usize) -> String {
    let mut text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    text.truncate(digits);
    text
}

fn goose_key(server: &str) -> String {
    let kept = server.chars().filter(|c| !c.is_whitespace());
    kept.map(|c| if is_provider_char(c) { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// White space runs to `_`, what is illegal dropped, runs of hyphens to one, and a first character that may begin a name.
fn roo_part(text: &str) -> String {
    let mut part = String::new();
    let mut in_space = false;
    for c in text.chars() {
        let space = c.is_whitespace();
        match c {
            _ if space && !in_space => part.push('_'),
            '-' if part.ends_with('-') => {}
            c if is_provider_char(c) => part.push(c),
            _ => {}
        }
        in_space = space;
    }
    match part.chars().next() {
        None if text.is_empty() => part.push('_'),
        None => part.push_str("_unnamed"),
        Some(c) if !c.is_ascii_alphabetic() && c != '_' => part.insert(0, '_'),
        Some(_) => {}
    }
    part
}

fn cline_part(text: &str) -> String {
    let mut part = String::new();
    let mut replaced = false;
    for c in text.chars() {
        match is_provider_char(c) {
            true => part.push(c),
            false if !replaced => part.push('_'),
            false => {}
        }
        replaced = !is_provider_char(c);
    }
    part
}

fn cline(server: &str, wire: &str) -> String {
    const KEPT: usize = 55;
    let raw = [server, Host::Cline.separator(), wire].concat();
    let mut name = cline_part(&raw);
    if name != raw || name.len() > super::PROVIDER_LIMIT {
        name.truncate(KEPT);
        name.push('_');
        name.push_str(&hex(&Sha1::digest(raw), 8));
    }
    name
}

fn continue_key(server: &str) -> String {
    let lower = server.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

fn librechat_key(server: &str) -> String {
    let legal = |c: char| is_provider_char(c) || c == '.';
    if server.chars().all(legal) {
        return server.to_owned();
    }
    by_unit(server, '_', ".").trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(spelling: HostSpelling, server: &str, wire: &str) -> String {
        spelling.spell(&ServerKey::new(server).unwrap(), &WireName::new(wire).unwrap())
    }

    #[test]
    fn every_spelling_has_its_row_and_its_own_identifier() {
        for (index, spelling) in HostSpelling::ALL.into_iter().enumerate() {
            assert_eq!((spelling.index(), spelling.row().0), (index, spelling));
            assert_eq!(HostSpelling::by_id(spelling.id()), Some(spelling));
            assert!(!HostSpelling::ALL[..index].contains(&spelling), "{spelling:?} stands twice");
        }
        assert_eq!(HostSpelling::by_id("nobody"), None);
    }

    #[test]
    fn rules_are_spelled_as_their_hosts_write_them() {
        for (id, spelled) in [
            ("bare", "create.issue"),
            ("raw", "mcp__Git Hub__create.issue"),
            ("claude-code", "mcp__Git_Hub__create_issue"),
            ("legacy", "mcp__Git_Hub__create.issue"),
            ("opencode", "Git_Hub_create_issue"),
            ("crush", "mcp_Git Hub_create.issue"),
            ("zed", "mcp:Git Hub:create.issue"),
            ("amazon-q", "@Git Hub/create.issue"),
            ("kiro", "Git Hub/create.issue"),
            ("cursor", "Git Hub:create.issue"),
            ("cursor-cli", "Mcp(Git Hub:create.issue)"),
            ("copilot-cli-rule", "Git Hub(create.issue)"),
            ("copilot-cli", "Git-Hub-create-issue"),
            ("docker-gateway", "Git Hub:create.issue"),
            ("joined", "Git Hub_create.issue"),
        ] {
            let spelling = HostSpelling::by_id(id).unwrap();
            assert_eq!(spell(spelling, "Git Hub", "create.issue"), spelled, "{id}");
        }
        // Seen in a run of Qwen Code 0.24.4.
        assert_eq!(spell(HostSpelling::QwenCode, "a b.c", "x"), "mcp__a_b_c__x_1atgxsl");
    }

    /// data/vectors/hosts.jsonl: what the hosts' own functions gave, for tools without a neighbour.
    #[test]
    fn names_are_those_the_hosts_gave() {
        let vectors = include_str!("../../../../data/vectors/hosts.jsonl");
        let mut compared = 0;
        for line in vectors.lines() {
            let vector: serde_json::Value = serde_json::from_str(line).unwrap();
            let Some(spelling) = HostSpelling::by_id(vector["host"].as_str().unwrap()) else {
                continue;
            };
            let (fleet, shown) = (vector["fleet"].as_array().unwrap(), &vector["shown"][0]);
            let (Some(shown), [tool]) = (shown.as_str(), &fleet[..]) else { continue };
            let [server, wire] = ["server", "tool"].map(|part| tool[part].as_str().unwrap());
            // Zed's model sees the wire name; LibreChat strips the key it finds in front.
            if spelling == HostSpelling::Zed || wire.starts_with(&format!("{server}_")) {
                continue;
            }
            assert_eq!(spell(spelling, server, wire), shown, "{}", vector["id"]);
            compared += 1;
        }
        assert!(compared >= 80, "only {compared} vectors compared");
    }

    #[test]
    fn names_begin_with_their_servers_prefix_where_there_is_one() {
        let (server, wire) = (ServerKey::new("my server").unwrap(), WireName::new("x").unwrap());
        for spelling in HostSpelling::ALL {
            let Some(prefix) = spelling.server_prefix(&server) else { continue };
            assert!(spelling.spell(&server, &wire).starts_with(&prefix), "{spelling:?}");
        }
        assert_eq!(HostSpelling::Bare.server_prefix(&server), None);
    }

    #[test]
    fn plugin_servers_have_keys_of_their_own() {
        assert_eq!(claude_code_plugin_key("my.plugin", "db"), "plugin_my_plugin_db");
    }
}
