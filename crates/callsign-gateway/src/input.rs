//! A server of the stateless era asks for more input by its result. A host of the handshake era is asked in its own way,
//! within the same request, and the request is sent again with the answers: the protocol has no other way between the two.

use std::sync::Arc;
use std::time::Duration;

use callsign_wire::message::write_request;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::downstream::Asker;
use crate::errand::Errand;
use crate::params::{Members, quoted, raw, text};

/// How often one request may ask for more.
pub(crate) const ROUNDS: usize = 8;
/// How long to wait before a request is sent again that asked for nothing but that.
const PAUSE: Duration = Duration::from_millis(250);

/// Where a request of the stateless era says which log messages its host wants.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Where a request of the stateless era says what its host offers.
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Why there is no answer to what a server asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoInput {
    #[error("the client answered `{method}` with an error: {message}")]
    Refused { method: String, message: String },
    #[error("the client does not offer `{0}`, which the server needs to go on")]
    NotOffered(String),
    #[error("the server asked for more input {ROUNDS} times and did not come to an end")]
    NoEnd,
    #[error("what the server asks for can't be read")]
    Unreadable,
}

/// What a result asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Raw key, method and raw parameters of each request to the host.
    requests: Vec<(String, String, Option<String>)>,
    /// What is to come back with the answers, raw.
    state: Option<String>,
}

impl Wanted {
    /// What a result asks for; `None` if it is a result that asks for nothing.
    pub(crate) fn of(result: &RawValue) -> Option<Result<Self, NoInput>> {
        // Looked for in the text at first: results are large, and few ask.
        if !result.get().contains("input_required") {
            return None;
        }
        let members = Members::read(result.get())?;
        if text(members.get("resultType")?)? != "input_required" {
            return None;
        }
        let state = members.get("requestState").map(str::to_owned);
        let Some(requests) = members.get("inputRequests") else {
            return Some(Ok(Self { requests: Vec::new(), state }));
        };
        let requests = Members::read(requests).and_then(|requests| {
            requests.iter().map(|(key, raw)| request(key, raw)).collect::<Option<Vec<_>>>()
        });
        Some(requests.map(|requests| Self { requests, state }).ok_or(NoInput::Unreadable))
    }

    /// Asks the host everything at once, and gives the parameters with which the request is sent again.
    ///
    /// # Errors
    /// The host has no answer, so the request is not sent again.
    pub(crate) async fn asked(
        &self,
        original: &RawValue,
        errand: &Arc<Errand>,
    ) -> Result<Box<RawValue>, NoInput> {
        if self.requests.is_empty() {
            tokio::time::sleep(PAUSE).await;
        }
        let mut waiting = Vec::new();
        for (key, method, params) in &self.requests {
            if !errand.host.can_be_asked(method) {
                return Err(NoInput::NotOffered(method.clone()));
            }
            let (answer, answered) = oneshot::channel();
            let id = errand.host.questions.ask(Asker::Gateway(answer));
            let params = params.as_ref().map(|params| raw(params.clone()));
            errand.push(write_request(&id, method, params.as_deref()));
            waiting.push((key, method, answered));
        }
        let mut answers = Vec::new();
        for (key, method, answered) in waiting {
            let refused = |message: String| NoInput::Refused { method: method.clone(), message };
            match answered.await {
                Ok(Ok(result)) => answers.push(format!("{key}:{}", result.get())),
                Ok(Err(error)) => return Err(refused(error.to_string())),
                Err(_) => return Err(refused("the client is gone".to_owned())),
            }
        }
        let answers = format!("{{{}}}", answers.join(","));
        let mut edits = Vec::new();
        if !self.requests.is_empty() {
            edits.push(("inputResponses", answers.as_str()));
        }
        // None received, none sent.
        edits.extend(self.state.as_deref().map(|state| ("requestState", state)));
        let original = Members::read(original.get()).ok_or(NoInput::Unreadable)?;
        Ok(raw(original.with(&edits)))
    }
}

fn request(key: &str, raw: &str) -> Option<(String, String, Option<String>)> {
    let members = Members::read(raw)?;
    let method = text(members.get("method")?)?.into_owned();
    Some((key.to_owned(), method, members.get("params").map(str::to_owned)))
}

/// The parameters of a host of the handshake era for a server of the other: what this host offers and which log messages it
/// wants stands in each request there.
pub(crate) fn with_session(params: Option<&RawValue>, errand: &Errand) -> Option<Box<RawValue>> {
    let params = Members::read(params.map_or("{}", RawValue::get))?;
    let meta = Members::read(params.get("_meta").unwrap_or("{}"))?;
    let level = errand.host.log_level().map(quoted);
    let mut edits = Vec::new();
    if let Some(capabilities) = errand.host.capabilities() {
        edits.push((CAPABILITIES, capabilities.get()));
    }
    edits.extend(level.as_deref().map(|level| (LOG_LEVEL, level)));
    edits.retain(|(name, _)| meta.get(name).is_none());
    (!edits.is_empty()).then(|| raw(params.with(&[("_meta", &meta.with(&edits))])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_result_asks_for_is_read_and_other_results_ask_for_nothing() {
        let of = |text: &str| Wanted::of(&raw(text.to_owned()));
        assert_eq!(of(r#"{"content":[{"text":"input_required"}]}"#), None);
        assert_eq!(of(r#"{"resultType":"complete","x":"input_required"}"#), None);
        let asks = r#"{"resultType":"input_required","requestState":"a\u0062","inputRequests":{"k":{"method":"roots/list","params":{"x":1.0}}}}"#;
        let wanted = of(asks).unwrap().unwrap();
        assert_eq!(wanted.state.as_deref(), Some(r#""a\u0062""#));
        assert_eq!(
            wanted.requests,
            [("\"k\"".to_owned(), "roots/list".to_owned(), Some(r#"{"x":1.0}"#.to_owned()))]
        );
        let bad = r#"{"resultType":"input_required","inputRequests":{"k":7}}"#;
        assert_eq!(of(bad), Some(Err(NoInput::Unreadable)));
    }
}
