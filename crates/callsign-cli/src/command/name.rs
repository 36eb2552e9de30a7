//! `callsign name`: names identities by a scheme. Reads no configuration.

use callsign::scheme::{self, Minimal, NameError, NameProblem, Part, Scheme};
use callsign::{ServerKey, ToolId, WireName};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::json_lines::{self, Line};
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The naming scheme.
    #[arg(long, value_name = "SCHEME", value_parser = scheme::IDS, default_value = "qualified")]
    scheme: String,
    /// With `prefixed` and `prefixed-safe`: the longest name, in characters.
    #[arg(long, value_name = "CHARACTERS", value_parser = clap::value_parser!(u8).range(11..=64))]
    budget: Option<u8>,
    /// Read `{"server":…,"tool":…}` from standard input, one a line, and write `{"name":…}` or `{"error":…}` for each; with
    /// `provider-safe` also `{"raw":"any text"}`.
    #[arg(long, conflicts_with_all = ["server", "tool"])]
    jsonl: bool,
    /// With `--jsonl` and `provider-safe`: `raw` is a name in a stored conversation, left alone unless it begins with `mcp__`.
    #[arg(long, requires = "jsonl")]
    history: bool,
    /// The server's key.
    #[arg(required_unless_present = "jsonl")]
    server: Option<String>,
    /// The tool's wire name.
    #[arg(required_unless_present = "jsonl")]
    tool: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    if arguments.history && arguments.scheme != "provider-safe" {
        return Err(Failure::with_remedy(
            "--history belongs to `provider-safe`",
            "add --scheme provider-safe",
        ));
    }
    if arguments.jsonl {
        return lines(arguments);
    }
    let (Some(server), Some(tool)) = (&arguments.server, &arguments.tool) else {
        return Err(Failure::new("a server key and a tool name are needed"));
    };
    let id = ToolId::parse(server, tool).map_err(|error| Failure::new(error.to_string()))?;
    let scheme = chosen(arguments, std::iter::once(&id))?;
    match scheme.name(id.server(), id.wire()) {
        Ok(name) => {
            output::print(&format!("{name}\n"))?;
            Ok(exit::SUCCESS)
        }
        Err(error) => {
            Failure::with_remedy(error.to_string(), error.remedy()).print();
            Ok(exit::FINDINGS)
        }
    }
}

fn chosen<'a>(
    arguments: &Arguments,
    fleet: impl Iterator<Item = &'a ToolId>,
) -> Result<Box<dyn Scheme>, Failure> {
    let budget = arguments.budget.map(usize::from);
    match (arguments.scheme.as_str(), budget) {
        ("prefixed", Some(budget)) => {
            Ok(Box::new(scheme::Prefixed { budget, ..scheme::Prefixed::default() }))
        }
        ("prefixed-safe", Some(budget)) => scheme::PrefixedSafe::new(budget, scheme::Fold::None)
            .map(|scheme| Box::new(scheme) as Box<dyn Scheme>)
            .ok_or_else(|| Failure::new("the budget is too small")),
        (other, Some(_)) => Err(Failure::with_remedy(
            format!("`{other}` has no budget"),
            "--budget goes with prefixed and prefixed-safe",
        )),
        ("minimal", None) => Ok(Box::new(Minimal::over(fleet.map(|id| (id.server(), id.wire()))))),
        (other, None) => {
            scheme::by_id(other, []).ok_or_else(|| Failure::new(format!("no scheme `{other}`")))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    server: Option<String>,
    tool: Option<String>,
    raw: Option<String>,
}

enum Asked {
    Identity(ToolId),
    Raw(String),
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Name(String),
    Error(Error),
}

#[derive(Serialize)]
struct Error {
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(flatten)]
    facts: Option<Facts>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Facts {
    Character { part: &'static str, position: usize, code_point: String },
    Length { length: usize, limit: usize, longest_key: Option<usize> },
}

fn lines(arguments: &Arguments) -> Result<Status, Failure> {
    let asked = |line: Line<'_>| read(&line, &arguments.scheme);
    if arguments.scheme == "minimal" {
        // It must have seen the whole fleet before it can name the first of it.
        let asked = json_lines::read(asked)?;
        let identities = asked.iter().filter_map(|asked| match asked {
            Ok(Asked::Identity(id)) => Some(id),
            _ => None,
        });
        let scheme = chosen(arguments, identities)?;
        json_lines::write(asked.into_iter().map(|asked| answer(asked, &*scheme, false)))?;
    } else {
        let scheme = chosen(arguments, std::iter::empty())?;
        json_lines::answer(|line| answer(asked(line), &*scheme, arguments.history))?;
    }
    Ok(exit::SUCCESS)
}

fn answer(asked: Result<Asked, Error>, scheme: &dyn Scheme, history: bool) -> Answer {
    match asked {
        Ok(Asked::Identity(id)) => match scheme.name(id.server(), id.wire()) {
            Ok(name) => Answer::Name(name.to_string()),
            Err(error) => Answer::Error(described(&error)),
        },
        Ok(Asked::Raw(text)) if history => Answer::Name(scheme::history_name(&text)),
        Ok(Asked::Raw(text)) => Answer::Name(scheme::provider_name(&text)),
        Err(error) => Answer::Error(error),
    }
}

fn read(Line { number, text }: &Line<'_>, scheme: &str) -> Result<Asked, Error> {
    let plain = |kind, message: String, help: &str| Error {
        kind,
        message,
        help: (!help.is_empty()).then(|| help.to_owned()),
        facts: None,
    };
    let shape = r#"a line is {"server":"…","tool":"…"}, or with provider-safe {"raw":"…"}"#;
    let text =
        text.map_err(|what| plain("invalid-input", format!("line {number}: {what}"), shape))?;
    let input: Input = serde_json::from_str(text)
        .map_err(|error| plain("invalid-input", json_lines::unreadable(*number, &error), shape))?;
    match (input.server, input.tool, input.raw) {
        (Some(server), Some(tool), None) => {
            let server = ServerKey::new(server);
            let server = server.map_err(|e| plain("empty-server-key", e.to_string(), ""))?;
            let wire = WireName::new(tool);
            let wire = wire.map_err(|e| plain("empty-wire-name", e.to_string(), ""))?;
            Ok(Asked::Identity(ToolId::new(server, wire)))
        }
        (None, None, Some(raw)) if scheme == "provider-safe" => Ok(Asked::Raw(raw)),
        (None, None, Some(_)) => Err(plain(
            "invalid-input",
            format!("`raw` has no meaning under `{scheme}`"),
            "use --scheme provider-safe",
        )),
        _ => Err(plain("invalid-input", "neither an identity nor a raw name".into(), shape)),
    }
}

fn described(error: &NameError) -> Error {
    let (kind, facts) = match &error.problem {
        NameProblem::IllegalCharacter { part, position, character } => (
            "illegal-character",
            Some(Facts::Character {
                part: if *part == Part::ServerKey { "server" } else { "tool" },
                position: *position,
                code_point: format!("U+{:04X}", u32::from(*character)),
            }),
        ),
        NameProblem::TooLong { length, limit, longest_key, .. } => (
            "too-long",
            Some(Facts::Length { length: *length, limit: *limit, longest_key: *longest_key }),
        ),
        NameProblem::Ambiguous { .. } => ("ambiguous", None),
        NameProblem::Taken { .. } => ("taken", None),
        NameProblem::NoRoomForSuffix { .. } => ("no-room-for-suffix", None),
        _ => ("unnameable", None),
    };
    Error { kind, message: error.to_string(), help: Some(error.remedy()), facts }
}
