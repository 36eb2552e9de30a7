//! The client under test for the protocol's official conformance suite, which appends the address of its server:
//!
//!     conformance client --command "target/debug/examples/conformance" --scenario http-custom-headers
//!
//! It lists the server, then makes the calls of `MCP_CONFORMANCE_CONTEXT`, or else calls what the scenario is about.

use std::error::Error;

use callsign::Catalogue;
use callsign::catalogue::fields;
use callsign_mcp::header_params::HeaderParams;
use callsign_mcp::{Launch, Limits, Memory, ServerSpec, Session};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Default, Deserialize)]
struct Context {
    #[serde(rename = "toolCalls", default)]
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Box<RawValue>,
}

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().next_back().ok_or("the address is missing")?;
    let spec = ServerSpec {
        key: "suite".parse()?,
        launch: Launch::Http { url, headers: Vec::new() },
        secrets: Vec::new(),
    };
    let session = Session::open(&spec, &Limits::default(), &Memory::none()).await?;
    let catalogue = session.list().await?.catalogue;
    for call in calls(&catalogue)? {
        // A server may refuse a call; the suite judges what it was sent.
        let _ = session.call(&call.name.parse()?, &call.arguments).await;
    }
    session.close().await;
    Ok(())
}

fn calls(catalogue: &Catalogue) -> Result<Vec<ToolCall>, Box<dyn Error>> {
    if let Ok(context) = std::env::var("MCP_CONFORMANCE_CONTEXT") {
        let context: Context = serde_json::from_str(&context)?;
        if !context.tool_calls.is_empty() {
            return Ok(context.tool_calls);
        }
    }
    let callable = catalogue
        .tools()
        .iter()
        .filter(|tool| tool.definition().is_some_and(|raw| HeaderParams::of(raw).is_ok()));
    callable
        .map(|tool| {
            let arguments = match tool.wire().as_str() {
                "add_numbers" => r#"{"a":5,"b":3}"#.to_owned(),
                "json_schema_echo" => format!("{{\"schema\":{}}}", focal_schema(catalogue)),
                _ => "{}".to_owned(),
            };
            let arguments = RawValue::from_string(arguments)?;
            Ok(ToolCall { name: tool.wire().to_string(), arguments })
        })
        .collect()
}

/// The schema that `json_schema_echo` wants to see again.
fn focal_schema(catalogue: &Catalogue) -> String {
    let focal = catalogue.tools().iter().find(|tool| tool.wire().starts_with("json_schema_2020"));
    focal
        .and_then(|tool| fields(tool.definition()?).ok()?.get("inputSchema").map(str::to_owned))
        .unwrap_or_else(|| "null".to_owned())
}
