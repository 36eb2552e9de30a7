//! Arguments that a server wants repeated as HTTP headers (`x-mcp-header`, 2026-07-28, Streamable HTTP).
//!
//! ```
//! use callsign_mcp::header_params::HeaderParams;
//!
//! let tool = r#"{"name":"query","inputSchema":{"type":"object","properties":{
//!     "region":{"type":"string","x-mcp-header":"Region"},"limit":{"type":"integer"}}}}"#;
//! let params = HeaderParams::of(tool).unwrap();
//! assert_eq!(
//!     params.headers(r#"{"limit":3,"region":"eu"}"#),
//!     [("Mcp-Param-Region".to_owned(), "eu".to_owned())],
//! );
//! assert!(params.headers(r#"{"region":null}"#).is_empty());
//! assert_eq!(params.repeated(r#"{"region":"eu"}"#), [("Region", Some(r#""eu""#))]);
//! ```

use callsign::catalogue::fields;
use serde_json::{Map, Value};

/// What the names of such headers begin with.
const PREFIX: &str = "Mcp-Param-";
const ANNOTATION: &str = "x-mcp-header";
/// Members of a schema that hold values, not schemas.
const HOLDS_VALUES: [&str; 5] = ["default", "const", "enum", "examples", "example"];

/// The arguments of one tool that travel as headers too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderParams(Vec<HeaderParam>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct HeaderParam {
    header: String,
    path: Vec<String>,
}

/// Why a tool's annotations can't be used. A client of 2026-07-28 must not offer such a tool over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadAnnotation {
    /// The name is empty or no HTTP token.
    #[error("`x-mcp-header` is not a header name: `{0}`")]
    NotAToken(String),
    /// Two properties ask for one header.
    #[error("two properties ask for the header `{0}`")]
    Twice(String),
    /// The property is neither string nor integer nor boolean.
    #[error("`{0}` is neither string nor integer nor boolean, and asks for a header")]
    WrongType(String),
    /// The annotation stands where no single argument can be meant.
    #[error("`x-mcp-header` stands outside the properties of the schema")]
    Unreachable,
}

impl HeaderParams {
    /// Reads the annotations out of a tool's raw definition. A schema that can't be read has none.
    ///
    /// # Errors
    /// An annotation is not valid.
    pub fn of(definition: &str) -> Result<Self, BadAnnotation> {
        let mut params = Self::default();
        let schema =
            fields(definition).ok().and_then(|tool| tool.get("inputSchema").map(str::to_owned));
        // Most tools have none: no need to look closer.
        if let Some(schema) = schema.filter(|schema| schema.contains(ANNOTATION))
            && let Ok(Value::Object(schema)) = serde_json::from_str(&schema)
        {
            params.read(&schema, Some(&mut Vec::new()))?;
        }
        Ok(params)
    }

    /// `path` is how the schema is reached through properties alone; `None` where it is reached in another way.
    fn read(
        &mut self,
        schema: &Map<String, Value>,
        mut path: Option<&mut Vec<String>>,
    ) -> Result<(), BadAnnotation> {
        if let Some(name) = schema.get(ANNOTATION) {
            self.add(name, schema, path.as_deref().ok_or(BadAnnotation::Unreachable)?)?;
        }
        for (member, value) in schema {
            match (member.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let Value::Object(property) = property else { continue };
                        if let Some(path) = path.as_deref_mut() {
                            path.push(name.clone());
                        }
                        self.read(property, path.as_deref_mut())?;
                        path.as_deref_mut().map(Vec::pop);
                    }
                }
                (member, value) if !HOLDS_VALUES.contains(&member) => self.read_elsewhere(value)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_elsewhere(&mut self, value: &Value) -> Result<(), BadAnnotation> {
        match value {
            Value::Object(schema) => self.read(schema, None),
            Value::Array(values) => values.iter().try_for_each(|value| self.read_elsewhere(value)),
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        name: &Value,
        schema: &Map<String, Value>,
        path: &[String],
    ) -> Result<(), BadAnnotation> {
        let Some(name) = name.as_str().filter(|name| is_token(name)) else {
            return Err(BadAnnotation::NotAToken(callsign_wire::text::printable(
                &name.to_string(),
                80,
            )));
        };
        if !is_plain(schema.get("type")) || path.is_empty() {
            return Err(BadAnnotation::WrongType(path.join(".")));
        }
        let header = format!("{PREFIX}{name}");
        if self.0.iter().any(|known| known.header.eq_ignore_ascii_case(&header)) {
            return Err(BadAnnotation::Twice(name.to_owned()));
        }
        self.0.push(HeaderParam { header, path: path.to_vec() });
        Ok(())
    }

    /// The headers for one call's raw arguments: name and plain value. Absent and `null` arguments have none.
    #[must_use]
    pub fn headers(&self, arguments: &str) -> Vec<(String, String)> {
        let value =
            |param: &HeaderParam| Some((param.header.clone(), plain(arguments, &param.path)?));
        self.0.iter().filter_map(value).collect()
    }

    /// What each header repeats: the part of its name behind `Mcp-Param-`, and the raw argument in one call's raw arguments,
    /// if it is there.
    #[must_use]
    pub fn repeated<'a>(&'a self, arguments: &'a str) -> Vec<(&'a str, Option<&'a str>)> {
        let suffix = |param: &'a HeaderParam| param.header.get(PREFIX.len()..).unwrap_or_default();
        self.0.iter().map(|param| (suffix(param), raw_at(arguments, &param.path))).collect()
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_plain(kind: Option<&Value>) -> bool {
    let is_plain = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Some(Value::Array(kinds)) => {
            kinds.iter().any(is_plain) && kinds.iter().all(|kind| is_plain(kind) || kind == "null")
        }
        Some(kind) => is_plain(kind),
        None => false,
    }
}

/// The raw value at `path`.
fn raw_at<'a>(object: &'a str, path: &[String]) -> Option<&'a str> {
    let (first, rest) = path.split_first()?;
    let value = fields(object).ok()?.get(first)?;
    if rest.is_empty() { Some(value) } else { raw_at(value, rest) }
}

/// The value at `path` as a header carries it: a string's text, a number or boolean as it is written.
fn plain(object: &str, path: &[String]) -> Option<String> {
    let value = raw_at(object, path)?;
    match value.chars().next()? {
        '"' => serde_json::from_str(value).ok(),
        't' | 'f' | '-' | '0'..='9' => Some(value.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(properties: &str) -> Result<HeaderParams, BadAnnotation> {
        HeaderParams::of(&format!(
            r#"{{"name":"t","inputSchema":{{"type":"object",{properties}}}}}"#
        ))
    }

    #[test]
    fn values_go_as_they_are_written() {
        let params = of(r#""properties":{
            "s":{"type":"string","x-mcp-header":"S"},"i":{"type":["integer","null"],"x-mcp-header":"I"},
            "o":{"type":"object","properties":{"b":{"type":"boolean","x-mcp-header":"B"}}},
            "x-mcp-header":{"type":"string"},"d":{"type":"object","default":{"x-mcp-header":7}}}"#)
        .unwrap();
        let headers =
            params.headers(r#"{"s":"\u00e9","i":12345678901234567890123,"o":{"b":false}}"#);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let mut expected = vec![
            ("Mcp-Param-S", "é"),
            ("Mcp-Param-I", "12345678901234567890123"),
            ("Mcp-Param-B", "false"),
        ];
        expected.sort_unstable();
        let mut headers = headers;
        headers.sort_unstable();
        assert_eq!(headers, expected);
        assert!(params.headers(r#"{"i":null,"o":{}}"#).is_empty());
    }

    #[test]
    fn each_invalid_annotation_is_refused() {
        let one =
            |annotated: &str| of(&format!(r#""properties":{{"p":{{{annotated}}}}}"#)).unwrap_err();
        assert_eq!(
            one(r#""type":"string","x-mcp-header":"a b""#),
            BadAnnotation::NotAToken("\"a b\"".to_owned())
        );
        assert_eq!(
            one(r#""type":"string","x-mcp-header":"""#),
            BadAnnotation::NotAToken("\"\"".to_owned())
        );
        assert_eq!(
            one(r#""type":"number","x-mcp-header":"a""#),
            BadAnnotation::WrongType("p".to_owned())
        );
        assert_eq!(
            one(r#""type":"array","items":{"type":"string","x-mcp-header":"a"}"#),
            BadAnnotation::Unreachable
        );
        let twice = of(
            r#""properties":{"p":{"type":"string","x-mcp-header":"A"},"q":{"type":"string","x-mcp-header":"a"}}"#,
        );
        assert_eq!(twice.unwrap_err(), BadAnnotation::Twice("a".to_owned()));
    }
}
