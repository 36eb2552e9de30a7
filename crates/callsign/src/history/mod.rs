//! Makes the tool names in stored requests and conversations legal again.
//!
//! A conversation is stored with the names that its tools had then. A provider that is sent one illegal name refuses the
//! whole request, so a session that began before names were made safe can't be continued.
//!
//! ```
//! let stored = r#"{"messages":[{"role":"assistant","tool_calls":[
//!   {"id":"1","type":"function","function":{"name":"mcp__docs.v2__get/all","arguments":"{}"}}]}]}"#;
//!
//! let repair = callsign::history::fix(stored, None)?;
//! assert_eq!(repair.edits[0].place.field, "messages[0].tool_calls[0].function.name");
//! assert_eq!(repair.apply(), stored.replace("mcp__docs.v2__get/all", "mcp__docs_v2__get_all_1j2jwki"));
//! # Ok::<(), callsign::history::HistoryError>(())
//! ```
//!
//! A name becomes what [`history_name`](crate::scheme::history_name) makes of it, a function of the name alone: a call and
//! its result, a definition and the choice of it stay together. A definition that is, byte for byte, an earlier one of its
//! list is taken out: providers refuse a request that has it twice. What only a change of name would make the same stays as
//! it is and is told of ([`Remark::MaybeTwice`]), since it may be another tool. Everything else stays byte for byte: escapes,
//! white space, the order of keys, keys that occur twice, big numbers. What was fixed once stays as it is.
//!
//! The text is one JSON document, an array of them, or one on each line. Where each provider keeps names is a table in
//! a file of its own: `openai.rs`, `anthropic.rs`, `gemini.rs`.

mod anthropic;
mod definitions;
mod documents;
mod elsewhere;
mod error;
mod gemini;
mod json;
mod ledger;
mod note;
mod openai;
mod path;
mod places;
mod provider;
mod repair;
mod walk;

pub use error::HistoryError;
pub use note::{Note, Remark};
pub use provider::Provider;
pub use repair::{Change, Edit, Place, Repair};

/// Finds the tool names in a stored request or conversation, and what has to change for all of them to be legal.
///
/// `provider` is whose places are looked at; without it, those of all of them. Takes time linear in the length of the
/// text, and no more of the stack for deep nesting.
///
/// # Errors
/// [`HistoryError`] if the text is no JSON and no JSON Lines either. A shape that is not known is no error but a [`Note`].
pub fn fix(text: &str, provider: Option<Provider>) -> Result<Repair<'_>, HistoryError> {
    let documents = documents::split(text)?;
    let places = places::of(provider);
    let mut walk = walk::Walk::new(text);
    for document in &documents {
        walk.document(document, places);
    }
    Ok(repair::made(text, documents.len(), walk))
}
