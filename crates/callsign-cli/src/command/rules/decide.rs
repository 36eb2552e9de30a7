//! `callsign rules decide --jsonl`: one registry, its rules and a call a line; what becomes of the call. Reads no
//! configuration.

use callsign::rules::{self, Answer, Disabled, Effect, Policy, Pool, Rule};
use callsign::{ServerKey, ToolId, WireName};
use callsign_config::dialect::{self, Fleet, Rules};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::json_lines::{self, Line, LineError};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Read `{"registry":[…],"rules":{…},"call":{…}}` from standard input, one a line, and write `{"decision":…}` or
    /// `{"error":…}` for each; with `"dialect"` in a line, `rules` holds that host's own keys.
    #[arg(long, required = true)]
    jsonl: bool,
}

pub(crate) fn run(_: &Arguments) -> Result<Status, Failure> {
    json_lines::answer(|line| match decided(&line) {
        Ok(answer) => answer,
        Err(error) => Answered::Error(error),
    })?;
    Ok(exit::SUCCESS)
}

const SHAPE: &str = r#"a line is {"registry":[{"server":"…","tool":"…"}],"rules":{"allow":[],"ask":[],"deny":[]},"call":{"server":"…","tool":"…"}}"#;

/// Other fields (an id, a note, what is expected) may stand in a line and are not read.
#[derive(Deserialize)]
struct Input<'l> {
    registry: Vec<Registered>,
    #[serde(borrow)]
    rules: &'l RawValue,
    call: Registered,
    dialect: Option<String>,
}

#[derive(Deserialize)]
struct Registered {
    server: String,
    tool: String,
}

/// A key that is not known could be a restriction that is misspelt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    ask: Vec<String>,
    #[serde(default)]
    deny: Vec<String>,
    disabled_tools: Option<Vec<String>>,
    disallowed_tools: Option<Vec<String>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answered {
    ByPolicy {
        decision: &'static str,
        detail: Detail,
        #[serde(skip_serializing_if = "Option::is_none")]
        blocked: Option<bool>,
    },
    ByDialect {
        decision: &'static str,
        /// The text of the entry that decided.
        by: Option<String>,
        because: String,
    },
    Error(#[serde(serialize_with = "json_lines::as_error")] LineError),
}

/// What each rule that is not blank says, in order.
#[derive(Serialize)]
struct Detail {
    deny: Vec<bool>,
    ask: Vec<bool>,
    allow: Vec<&'static str>,
}

fn decided(line: &Line<'_>) -> Result<Answered, LineError> {
    let input: Input<'_> = json_lines::parse(line, SHAPE)?;
    match &input.dialect {
        None => by_policy(line, &input),
        Some(id) => by_dialect(id, &input),
    }
}

fn by_policy(line: &Line<'_>, input: &Input<'_>) -> Result<Answered, LineError> {
    let Lists { allow, ask, deny, disabled_tools, disallowed_tools } =
        serde_json::from_str(input.rules.get()).map_err(|error| {
            // The place would be one in the part alone.
            let said = json_lines::without_place(&error);
            LineError::new("invalid-rules", format!("line {}: `rules`: {said}", line.number), SHAPE)
        })?;
    let spelled = |effect, texts: &[String]| -> Vec<Rule> {
        texts.iter().filter_map(|text| Rule::spelled(effect, text)).collect()
    };
    let (deny, ask, allow) =
        (spelled(Effect::Deny, &deny), spelled(Effect::Ask, &ask), spelled(Effect::Allow, &allow));
    let (denied, asked) = (deny.len(), deny.len() + ask.len());
    let policy = Policy::compile([deny, ask, allow].concat());
    let disabled = disabled_tools.unwrap_or_default();
    let disabled = Disabled::of(disabled.iter().map(String::as_str));
    let tools = input.registry.iter().map(Registered::as_call);
    let pool = Pool::without(tools, disabled);
    let explained = policy.explain(&pool, input.call.as_call());
    let (denying, rest) = explained.answers.split_at(denied);
    let (asking, allowing) = rest.split_at(asked - denied);
    let blocked = disallowed_tools.map(|texts| {
        rules::is_blocked(&spelled(Effect::Deny, &texts), &pool, input.call.as_call())
    });
    Ok(Answered::ByPolicy {
        decision: explained.decision.verdict.as_str(),
        detail: Detail {
            deny: denying.iter().map(restricts).collect(),
            ask: asking.iter().map(restricts).collect(),
            allow: allowing.iter().map(grants).collect(),
        },
        blocked,
    })
}

fn restricts(answer: &Answer) -> bool {
    // These rules are read as Qwen Code reads them, where no entry fails closed.
    matches!(answer, Answer::Matches)
}

fn grants(answer: &Answer) -> &'static str {
    match answer {
        Answer::Matches => "yes",
        Answer::Ambiguous(_) => "ambiguous",
        Answer::No(_) | Answer::FailsClosed => "no",
    }
}

fn by_dialect(id: &str, input: &Input<'_>) -> Result<Answered, LineError> {
    let dialect = dialect::by_id(id).ok_or_else(|| {
        let known: Vec<&str> = dialect::ALL.iter().map(|known| known.profile().id).collect();
        let help = format!("dialects are {}", known.join(", "));
        LineError::new("unknown-dialect", format!("there is no dialect `{id}`"), help)
    })?;
    let rules: Rules = dialect::of_value(dialect, input.rules.get())
        .map_err(|error| LineError::new("invalid-rules", error.to_string(), error.remedy()))?;
    let call = input.call.id()?;
    let tools: Result<Vec<ToolId>, LineError> = input.registry.iter().map(Registered::id).collect();
    let mut tools = tools?;
    if !tools.contains(&call) {
        tools.push(call.clone());
    }
    let fleet = Fleet::new(tools);
    let called = fleet.find(&call).ok_or_else(|| {
        LineError::new("invalid-input", "the call is of no tool".to_owned(), SHAPE)
    })?;
    let decision = rules.decide(&fleet, called);
    let by = decision.by.and_then(|by| rules.entries.get(by));
    Ok(Answered::ByDialect {
        decision: decision.verdict.as_str(),
        by: by.map(|entry| entry.text.clone()),
        because: decision.because.into_owned(),
    })
}

impl Registered {
    fn as_call(&self) -> (&str, &str) {
        (&self.server, &self.tool)
    }

    fn id(&self) -> Result<ToolId, LineError> {
        let server = ServerKey::new(&self.server);
        let server = server.map_err(|e| LineError::new("empty-server-key", e.to_string(), ""))?;
        let wire = WireName::new(&self.tool);
        let wire = wire.map_err(|e| LineError::new("empty-wire-name", e.to_string(), ""))?;
        Ok(ToolId::new(server, wire))
    }
}
