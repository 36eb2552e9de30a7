use super::definition::{changed_fields, fields};
use crate::name::WireName;

/// Why an entry of a listing can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedReason {
    /// The entry is no JSON object.
    #[error("it is not an object: {0}")]
    NotAnObject(String),
    /// The naming field is absent.
    #[error("it has no `{0}`")]
    Missing(&'static str),
    /// The naming field is there but no string.
    #[error("its `{0}` is not a string")]
    NotAString(&'static str),
    /// The naming field is an empty string.
    #[error("its `{0}` is empty")]
    Empty(&'static str),
    /// The naming field occurs twice in one entry, so two readers may see two names.
    #[error("it has `{0}` twice")]
    Twice(&'static str),
    /// Objects and arrays lie deeper in one another than readers of JSON go.
    ///
    /// Never of this crate, which reads the top level only: of whoever hands the definition on to readers that do less.
    #[error("it nests deeper than {limit} levels")]
    TooDeep {
        /// How many levels would have been read.
        limit: usize,
    },
}

/// Reads the name out of a definition and checks only what naming needs: everything else may be unknown to us and still
/// be right.
fn name_of(
    raw: &str,
    field: &'static str,
) -> Result<WireName, (Option<WireName>, MalformedReason)> {
    let object = fields(raw).map_err(|error| (None, MalformedReason::NotAnObject(error)))?;
    let Some(value) = object.get(field) else {
        return Err((None, MalformedReason::Missing(field)));
    };
    let Ok(text) = serde_json::from_str::<String>(value) else {
        return Err((None, MalformedReason::NotAString(field)));
    };
    let Ok(name) = WireName::new(text) else {
        return Err((None, MalformedReason::Empty(field)));
    };
    if object.count(field) > 1 {
        return Err((Some(name), MalformedReason::Twice(field)));
    }
    Ok(name)
}

macro_rules! listed {
    ($(#[$doc:meta])* $type:ident, $accessor:ident, $field:literal) => {
        $(#[$doc])*
        ///
        /// The definition is kept whole, byte for byte, unknown fields included.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $type {
            name: WireName,
            definition: Option<Box<str>>,
        }

        impl $type {
            /// One that is known by name only.
            #[must_use]
            pub fn named(name: WireName) -> Self {
                Self { name, definition: None }
            }

            /// Reads the name out of a raw JSON definition and keeps the text as it is.
            ///
            /// # Errors
            /// Why it can't be read, with the name where that much could be.
            pub fn from_json(raw: &str) -> Result<Self, (Option<WireName>, MalformedReason)> {
                Ok(Self { name: name_of(raw, $field)?, definition: Some(raw.into()) })
            }

            #[doc = concat!("The definition's `", $field, "`.")]
            #[must_use]
            pub fn $accessor(&self) -> &WireName {
                &self.name
            }

            /// The raw JSON as it was sent; `None` if only the name is known.
            #[must_use]
            pub fn definition(&self) -> Option<&str> {
                self.definition.as_deref()
            }

            /// The definition's `description`, where it has one that is a string.
            #[must_use]
            pub fn description(&self) -> Option<String> {
                fields(self.definition()?).ok()?.string("description")
            }

            /// The top-level fields in which two definitions differ, sorted.
            #[must_use]
            pub fn changed_fields(&self, after: &Self) -> Vec<String> {
                changed_fields(self.definition(), after.definition())
            }
        }
    };
}

listed!(
    /// A tool as its server advertises it.
    Tool, wire, "name"
);
listed!(
    /// A prompt as its server advertises it.
    Prompt, name, "name"
);
listed!(
    /// A resource as its server advertises it; what names it is its URI.
    Resource, uri, "uri"
);

impl Tool {
    /// Why the tool's `inputSchema` can't be used, if it can't: the tool is served all the same, without a schema.
    ///
    /// MCP wants an object there (every revision, `Tool`). A tool known by name only has nothing to complain about.
    #[must_use]
    pub fn schema_problem(&self) -> Option<&'static str> {
        match fields(self.definition()?).ok()?.get("inputSchema") {
            None => Some("it has no `inputSchema`"),
            Some(schema) if schema.starts_with('{') => None,
            Some(_) => Some("its `inputSchema` is not an object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_be_malformed_says_what_it_is() {
        let reason = |raw: &str| Tool::from_json(raw).unwrap_err().1.to_string();
        assert!(reason("[]").starts_with("it is not an object"));
        assert_eq!(reason("{}"), "it has no `name`");
        assert_eq!(reason(r#"{"name":7}"#), "its `name` is not a string");
        assert_eq!(reason(r#"{"name":""}"#), "its `name` is empty");
        assert_eq!(reason(r#"{"name":"a","name":"b"}"#), "it has `name` twice");
        let deep = MalformedReason::TooDeep { limit: 127 };
        assert_eq!(deep.to_string(), "it nests deeper than 127 levels");
    }

    #[test]
    fn t38_a_schema_that_cannot_be_read_costs_the_schema_only() {
        let tool = Tool::from_json(r#"{"name":"a","inputSchema":null}"#).unwrap();
        assert_eq!(tool.schema_problem(), Some("its `inputSchema` is not an object"));
        assert_eq!(Tool::named(WireName::new("a").unwrap()).schema_problem(), None);
    }

    #[test]
    fn the_definition_is_byte_exact() {
        let raw = "{ \"z\":1, \"name\" : \"a\\u0062\", \"n\":123456789012345678901234567890 }";
        let tool = Tool::from_json(raw).unwrap();
        assert_eq!(tool.definition(), Some(raw));
        assert_eq!(tool.wire().as_str(), "ab");
    }
}
