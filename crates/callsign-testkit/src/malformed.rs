//! Tools that are wrong in one way each, and lists that are.

use crate::FlagError;
use crate::choice::choice;

/// A malformed tool: its kind, as written after `--malformed`, and its text in the list.
pub struct MalformedTool {
    /// The kind's name.
    pub kind: &'static str,
    /// What stands in the list.
    pub json: &'static str,
}

macro_rules! malformed {
    ($($kind:literal => $json:expr),+ $(,)?) => {
        &[$(MalformedTool { kind: $kind, json: $json }),+]
    };
}

/// Every kind of malformed tool.
pub const MALFORMED_TOOLS: &[MalformedTool] = malformed! {
    "no-name" => r#"{"description":"has no name","inputSchema":{"type":"object"}}"#,
    "null-name" => r#"{"name":null,"inputSchema":{"type":"object"}}"#,
    "name-number" => r#"{"name":42,"inputSchema":{"type":"object"}}"#,
    "name-object" => r#"{"name":{"text":"x"},"inputSchema":{"type":"object"}}"#,
    "empty-name" => r#"{"name":"","inputSchema":{"type":"object"}}"#,
    "blank-name" => r#"{"name":"  ","inputSchema":{"type":"object"}}"#,
    "control-name" => r#"{"name":"line\nbreak\u001b[31m","inputSchema":{"type":"object"}}"#,
    "lone-surrogate-name" => r#"{"name":"half\ud83d","inputSchema":{"type":"object"}}"#,
    "name-twice" => r#"{"name":"first_name","name":"second_name","inputSchema":{"type":"object"}}"#,
    "not-an-object" => r#""just text""#,
    "null-tool" => "null",
    "array-tool" => r#"["name","listed"]"#,
    "no-schema" => r#"{"name":"no_schema","description":"has no inputSchema"}"#,
    "schema-null" => r#"{"name":"schema_null","inputSchema":null}"#,
    "schema-string" => r#"{"name":"schema_string","inputSchema":"object"}"#,
    "schema-array" => r#"{"name":"schema_array","inputSchema":[]}"#,
    "schema-true" => r#"{"name":"schema_true","inputSchema":true}"#,
    "schema-not-object-type" => r#"{"name":"schema_not_object_type","inputSchema":{"type":"string"}}"#,
    "schema-without-type" => r#"{"name":"schema_without_type","inputSchema":{"properties":{}}}"#,
    "description-number" => r#"{"name":"description_number","description":7,"inputSchema":{"type":"object"}}"#,
    "annotations-list" => r#"{"name":"annotations_list","annotations":[],"inputSchema":{"type":"object"}}"#,
    "header-not-a-token" => r#"{"name":"header_not_a_token","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"no token"}}}}"#,
    "deep-schema" => DEEP_SCHEMA,
};

/// 160 levels: more than the 128 at which common readers give up on a whole message.
const DEEP_SCHEMA: &str = include_str!("deep_schema.json");

/// A malformed list: its kind, as written after `--malformed-list`, and the whole result.
pub const MALFORMED_LISTS: &[(&str, &str)] = &[
    ("no-tools", "{}"),
    ("tools-null", r#"{"tools":null}"#),
    ("tools-object", r#"{"tools":{"name":"a"}}"#),
    ("result-null", "null"),
    ("result-list", "[]"),
    ("cursor-number", r#"{"tools":[],"nextCursor":7}"#),
];

/// The text of a malformed tool.
///
/// # Errors
/// [`FlagError::Unknown`] lists the kinds.
pub fn malformed_tool(kind: &str) -> Result<&'static str, FlagError> {
    let table: Vec<_> = MALFORMED_TOOLS.iter().map(|tool| (tool.kind, tool.json)).collect();
    choice("malformed tool", kind, &table)
}

/// The result that is a malformed list.
///
/// # Errors
/// [`FlagError::Unknown`] lists the kinds.
pub fn malformed_list(kind: &str) -> Result<&'static str, FlagError> {
    choice("malformed list", kind, MALFORMED_LISTS)
}
