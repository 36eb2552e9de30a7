//! One message from the client, read no further than the server needs.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json_text;

/// What arrived.
#[derive(Clone, Debug)]
pub(crate) enum Incoming {
    Request(Request),
    Notification {
        method: String,
        params: Option<String>,
    },
    /// An answer to a request of the server; the text is the whole message.
    Answer {
        id: String,
        message: String,
    },
    /// Not a JSON-RPC message.
    Unreadable,
}

/// A request; `id` and `params` are the text the client wrote.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) params: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
}

impl Incoming {
    pub(crate) fn read(message: &str) -> Self {
        let Ok(envelope) = serde_json::from_str::<Envelope>(message) else {
            return Self::Unreadable;
        };
        let id = envelope.id.map(|id| id.get().to_owned());
        let params = envelope.params.map(|params| params.get().to_owned());
        match (id, envelope.method) {
            (Some(id), Some(method)) => Self::Request(Request { id, method, params }),
            (None, Some(method)) => Self::Notification { method, params },
            (Some(id), None) => Self::Answer { id, message: message.to_owned() },
            (None, None) => Self::Unreadable,
        }
    }
}

impl Request {
    /// A parameter as the client wrote it.
    pub(crate) fn param(&self, key: &str) -> Option<String> {
        json_text::field(self.params.as_deref()?, key)
    }

    /// A parameter, if it is a string.
    pub(crate) fn text_param(&self, key: &str) -> Option<String> {
        json_text::text_field(self.params.as_deref()?, key)
    }

    /// A key of `params._meta` as the client wrote it.
    pub(crate) fn meta(&self, key: &str) -> Option<String> {
        json_text::field(&self.param("_meta")?, key)
    }
}
