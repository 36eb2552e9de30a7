//! A small MCP server over stdio, so that the demonstration has something real to start.

use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The revision it speaks.
const REVISION: &str = "2025-11-25";

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    params: Option<Value>,
}

/// Serves `tools` under the name `key` until standard input ends.
pub(crate) fn serve(key: &str, tools: &[&str]) -> io::Result<()> {
    let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
    for line in input.lines() {
        let line = line?;
        let Ok(Message { id: Some(id), method: Some(method), params }) =
            serde_json::from_str(&line)
        else {
            continue;
        };
        let answer = match answer(key, tools, &method, params.as_ref()) {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            Err((code, message)) => {
                let error = json!({"code": code, "message": message});
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
            }
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(
    key: &str,
    tools: &[&str],
    method: &str,
    params: Option<&Value>,
) -> Result<Value, (i32, String)> {
    match method {
        "initialize" => Ok(json!({
            "protocolVersion": REVISION,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": format!("demo-{key}"), "version": env!("CARGO_PKG_VERSION")},
        })),
        "ping" => Ok(json!({})),
        "tools/list" => {
            let tools: Vec<Value> = tools.iter().map(|tool| definition(key, tool)).collect();
            Ok(json!({"tools": tools}))
        }
        "tools/call" => {
            let name = params.and_then(|params| params["name"].as_str()).unwrap_or_default();
            if !tools.contains(&name) {
                return Err((-32602, format!("{key} has no tool {name}")));
            }
            Ok(
                json!({"content": [{"type": "text", "text": format!("{key} was asked for `{name}`")}]}),
            )
        }
        _ => Err((-32601, "method not found".into())),
    }
}

fn definition(key: &str, tool: &str) -> Value {
    let words = tool.replace('_', " ");
    json!({
        "name": tool,
        "description": format!("{words} ({key})"),
        "inputSchema": {"type": "object", "properties": {"input": {"type": "string"}}},
    })
}
