//! Answers that break JSON-RPC.

use std::str::FromStr;

use crate::FlagError;
use crate::choice::choice;
use crate::json_text::Object;
use crate::outlet::Outlet;

/// A way in which answers to lists and calls break JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenAnswer {
    /// The answer is cut in the middle.
    Cut,
    /// The id is another one, nobody asked for.
    WrongId,
    /// The id is null.
    NullId,
    /// The answer comes twice.
    Twice,
    /// Neither a result nor an error.
    NoResult,
    /// Both a result and an error.
    ResultAndError,
    /// The answer is the only element of a list.
    InAList,
}

impl FromStr for BrokenAnswer {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        choice(
            "broken answer",
            text,
            &[
                ("cut", BrokenAnswer::Cut),
                ("wrong-id", BrokenAnswer::WrongId),
                ("null-id", BrokenAnswer::NullId),
                ("twice", BrokenAnswer::Twice),
                ("no-result", BrokenAnswer::NoResult),
                ("result-and-error", BrokenAnswer::ResultAndError),
                ("in-a-list", BrokenAnswer::InAList),
            ],
        )
    }
}

impl BrokenAnswer {
    /// Emits `message` broken.
    pub(crate) fn emit(self, id: &str, message: String, outlet: &Outlet) {
        let error = r#"{"code":-32603,"message":"both"}"#;
        let bare = Object::new().text("jsonrpc", "2.0");
        match self {
            Self::Cut => outlet.answer(message.chars().take(message.len() / 2).collect()),
            Self::WrongId => outlet.answer(bare.text("id", "nobody").raw("result", "{}").json()),
            Self::NullId => outlet.answer(bare.raw("id", "null").raw("result", "{}").json()),
            Self::Twice => {
                outlet.answer(message.clone());
                outlet.answer(message);
            }
            Self::NoResult => outlet.answer(bare.raw("id", id).json()),
            Self::ResultAndError => {
                outlet.answer(bare.raw("id", id).raw("result", "{}").raw("error", error).json());
            }
            Self::InAList => outlet.answer(format!("[{message}]")),
        }
    }
}
