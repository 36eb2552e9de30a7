use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::depth::bytes_nest_deeper;
use super::id::is_id;
use super::splice::{Members, Name};
use super::{Id, MAX_DEPTH, Message, Notification, Request, Response, RpcError};

/// Why a text is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// No JSON object, JSON with a member twice, or no JSON at all.
    #[error("it is not a JSON object: {0}")]
    NotAnObject(String),
    /// It nests too deep to be read safely.
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// JSON, but not JSON-RPC 2.0.
    #[error("it has no `\"jsonrpc\":\"2.0\"`")]
    NotJsonRpc,
    /// The id is something else than a string or a number.
    #[error("its `id` is neither a string nor a number")]
    BadId,
    /// The method is not a string.
    #[error("its `method` is not a string")]
    BadMethod,
    /// Neither a method nor an answer, or several at once.
    #[error("it is neither a request nor an answer")]
    NoKind,
    /// An empty batch.
    #[error("it is an empty array")]
    EmptyBatch,
}

/// The members of the envelope; the rest is ignored, as JSON-RPC asks for nothing else. One that is `null` is there.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    fn member(&mut self, name: &Name<'_>) -> Option<&mut Option<&'a RawValue>> {
        let known = [
            ("jsonrpc", &mut self.jsonrpc),
            ("id", &mut self.id),
            ("method", &mut self.method),
            ("params", &mut self.params),
            ("result", &mut self.result),
            ("error", &mut self.error),
        ];
        known.into_iter().find(|(known, _)| name.is(known)).map(|(_, member)| member)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Envelope<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    let place = envelope.member(&Name::of(name));
                    if place.is_some_and(|place| place.replace(value).is_some()) {
                        return Err(A::Error::custom(format_args!("it has {} twice", name.get())));
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Reads one message from its UTF-8 text. Pure, and total: any bytes give a message or a reason.
///
/// # Errors
/// Why the text is no message.
pub fn parse(text: &[u8]) -> Result<Message, Malformed> {
    Ok(view(text)?.into_message())
}

/// A message whose payload still stands in the text that was read.
#[derive(Debug)]
pub(crate) enum View<'a> {
    Call(Call<'a>),
    Answer(Answer<'a>),
}

/// A request, or without an id a notification.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    id: Option<Id>,
    method: String,
    params: Option<&'a RawValue>,
}

#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The raw id, a string or a number.
    pub(crate) id: Option<&'a str>,
    pub(crate) outcome: Result<&'a RawValue, &'a RawValue>,
}

impl View<'_> {
    pub(crate) fn into_message(self) -> Message {
        match self {
            Self::Call(call) => call.into_message(),
            Self::Answer(answer) => Message::Response(Response {
                id: answer.id.map(Id::spelled),
                outcome: answer.outcome(),
            }),
        }
    }
}

impl Call<'_> {
    fn into_message(self) -> Message {
        let (method, params) = (self.method, self.params.map(ToOwned::to_owned));
        match self.id {
            None => Message::Notification(Notification { method, params }),
            Some(id) => Message::Request(Request { id, method, params }),
        }
    }
}

impl Answer<'_> {
    pub(crate) fn outcome(&self) -> Result<Box<RawValue>, RpcError> {
        match self.outcome {
            Ok(result) => Ok(result.to_owned()),
            Err(error) => Err(RpcError::from_raw(error.to_owned())),
        }
    }
}

/// Reads one message and copies nothing of its payload.
pub(crate) fn view(text: &[u8]) -> Result<View<'_>, Malformed> {
    if bytes_nest_deeper(text, MAX_DEPTH) {
        return Err(Malformed::TooDeep);
    }
    let envelope: Envelope<'_> =
        serde_json::from_slice(text).map_err(|error| Malformed::NotAnObject(error.to_string()))?;
    let version = envelope.jsonrpc.and_then(|raw| serde_json::from_str::<&str>(raw.get()).ok());
    if version != Some("2.0") {
        return Err(Malformed::NotJsonRpc);
    }
    match (envelope.method, envelope.result, envelope.error) {
        (Some(method), None, None) => call(method, envelope.id, envelope.params),
        (None, Some(result), None) => {
            let id = id(envelope.id)?.ok_or(Malformed::BadId)?;
            Ok(View::Answer(Answer { id: Some(id), outcome: Ok(result) }))
        }
        // Some servers send `"result":null` beside an error.
        (None, result, Some(error)) if result.is_none_or(|result| result.get() == "null") => {
            Ok(View::Answer(Answer { id: id(envelope.id)?, outcome: Err(error) }))
        }
        _ => Err(Malformed::NoKind),
    }
}

fn call<'a>(
    method: &RawValue,
    raw_id: Option<&RawValue>,
    params: Option<&'a RawValue>,
) -> Result<View<'a>, Malformed> {
    let method: String = serde_json::from_str(method.get()).map_err(|_| Malformed::BadMethod)?;
    let id = raw_id.map(|raw| Id::from_raw(raw).ok_or(Malformed::BadId)).transpose()?;
    Ok(View::Call(Call { id, method, params }))
}

/// The id of an answer, in which `null` stands for "could not be read".
fn id(raw: Option<&RawValue>) -> Result<Option<&str>, Malformed> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(None),
        Some(raw) if is_id(raw) => Ok(Some(raw)),
        Some(_) => Err(Malformed::BadId),
    }
}

/// Reads a frame that may be a batch: revision 2025-03-26 allows an array of messages, and asks receivers to accept it.
/// Each member is read on its own, so one bad member does not cost the others.
///
/// ```
/// use callsign_wire::message::parse_frame;
/// let frame = br#"[{"jsonrpc":"2.0","method":"a"}, 7, {"jsonrpc":"2.0","method":"b"}]"#;
/// assert_eq!(parse_frame(frame).iter().filter(|member| member.is_ok()).count(), 2);
/// ```
#[must_use]
pub fn parse_frame(text: &[u8]) -> Vec<Result<Message, Malformed>> {
    let text = without_mark(text);
    if !is_batch(text) {
        return vec![parse(text)];
    }
    if bytes_nest_deeper(text, MAX_DEPTH) {
        return vec![Err(Malformed::TooDeep)];
    }
    match serde_json::from_slice::<Vec<&RawValue>>(text) {
        Ok(members) if members.is_empty() => vec![Err(Malformed::EmptyBatch)],
        Ok(members) => members.iter().map(|member| parse(member.get().as_bytes())).collect(),
        Err(error) => vec![Err(Malformed::NotAnObject(error.to_string()))],
    }
}

/// Whether a frame is an array of messages, or would be.
pub(crate) fn is_batch(text: &[u8]) -> bool {
    without_mark(text).trim_ascii_start().first() == Some(&b'[')
}

/// Some runtimes begin their output with a byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Which request a text that is no message was perhaps meant to answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MeantFor {
    /// The one with this id.
    Id(Id),
    /// One that can't be told: it is an answer without a usable id.
    Somebody,
    /// None: it is something else that happens to stand there.
    Nobody,
}

/// Looks for a sign that a text which is no message was meant as an answer. Text that is no JSON object is not: servers
/// print pieces of messages among their logs.
pub(crate) fn meant_for(text: &[u8], reason: &Malformed) -> MeantFor {
    let members = match serde_json::from_slice::<Members<'_>>(text) {
        Ok(Members(members)) if *reason != Malformed::NotJsonRpc => members,
        _ => return MeantFor::Nobody,
    };
    let member = |name: &str| members.iter().find(|(found, _)| found.is(name));
    match member("id").map(|(_, raw)| Id::from_raw(raw)) {
        _ if member("method").is_some() => MeantFor::Nobody,
        Some(Some(id)) => MeantFor::Id(id),
        _ if member("result").or(member("error")).is_some() => MeantFor::Somebody,
        _ => MeantFor::Nobody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_apart_and_null_is_not_absent() {
        let kind = |text: &str| parse(text.as_bytes());
        assert!(matches!(
            kind(r#"{"jsonrpc":"2.0","id":1,"result":null}"#),
            Ok(Message::Response(Response { outcome: Ok(raw), .. })) if raw.get() == "null"
        ));
        assert!(matches!(
            kind(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#),
            Ok(Message::Response(Response { id: None, outcome: Err(error) })) if error.code() == Some(-32700)
        ));
        assert!(matches!(
            kind(r#"{"method":"m","params":null,"id":"x","jsonrpc":"2.0"}"#),
            Ok(Message::Request(Request { params: Some(_), .. }))
        ));
        assert!(matches!(kind(r#"{"jsonrpc":"2.0","method":"m"}"#), Ok(Message::Notification(_))));
    }

    #[test]
    fn names_that_say_nothing_are_names_of_others() {
        let odd = r#"{"\udc00":1,"jsonrpc":"2.0","m\u0065thod":"m","\ud800":{},"\ud800":2}"#;
        assert!(matches!(parse(odd.as_bytes()), Ok(Message::Notification(_))));
        let twice = r#"{"jsonrpc":"2.0","method":"m","m\u0065thod":"m"}"#;
        assert!(matches!(parse(twice.as_bytes()), Err(Malformed::NotAnObject(_))));
    }

    #[test]
    fn what_is_no_message_says_why() {
        let why = |text: &str| parse(text.as_bytes()).unwrap_err();
        assert_eq!(why(r#"{"level":"info","method":"m"}"#), Malformed::NotJsonRpc);
        assert_eq!(why(r#"{"jsonrpc":"2.0","method":"m","id":null}"#), Malformed::BadId);
        assert_eq!(why(r#"{"jsonrpc":"2.0","result":1}"#), Malformed::BadId);
        assert_eq!(why(r#"{"jsonrpc":"2.0","method":7}"#), Malformed::BadMethod);
        assert_eq!(why(r#"{"jsonrpc":"2.0","id":1}"#), Malformed::NoKind);
        assert_eq!(why(r#"{"jsonrpc":"2.0","id":1,"result":1,"method":"m"}"#), Malformed::NoKind);
        assert_eq!(why(&format!("{{\"a\":{}", "[".repeat(100_000))), Malformed::TooDeep);
        assert!(matches!(why("Server running on stdio"), Malformed::NotAnObject(_)));
        assert!(matches!(
            parse(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"),
            Err(Malformed::NotAnObject(_))
        ));
        assert!(matches!(
            why(r#"{"jsonrpc":"2.0","id":1,"id":2,"result":1}"#),
            Malformed::NotAnObject(_)
        ));
    }

    #[test]
    fn what_was_meant_as_an_answer_is_known_by_its_id_or_its_form() {
        let meant = |text: &str| meant_for(text.as_bytes(), &parse(text.as_bytes()).unwrap_err());
        assert_eq!(meant(r#"{"jsonrpc":"2.0","id":7}"#), MeantFor::Id(Id::number(7)));
        assert_eq!(
            meant(r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#),
            MeantFor::Id(Id::number(7))
        );
        assert_eq!(meant(r#"{"jsonrpc":"2.0","id":7,"result":{"a":"#), MeantFor::Nobody);
        assert_eq!(meant(r#"{"jsonrpc":"2.0","id":null}"#), MeantFor::Nobody);
        assert_eq!(meant(r#"{"jsonrpc":"2.0","id":null,"result":1}"#), MeantFor::Somebody);
        assert_eq!(meant(r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#), MeantFor::Nobody);
        assert_eq!(meant(r#"{"id":7,"result":1}"#), MeantFor::Nobody);
        assert_eq!(meant(r#"sent {"jsonrpc""#), MeantFor::Nobody);
    }

    #[test]
    fn a_byte_order_mark_costs_no_message() {
        let frame = "\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"m\"}";
        assert!(matches!(parse_frame(frame.as_bytes())[..], [Ok(Message::Notification(_))]));
    }

    #[test]
    fn an_error_that_is_not_an_object_is_an_error_all_the_same() {
        let Ok(Message::Response(response)) = parse(br#"{"jsonrpc":"2.0","id":1,"error":"no"}"#)
        else {
            panic!("not a response")
        };
        assert_eq!(response.outcome.unwrap_err().code(), None);
    }
}
