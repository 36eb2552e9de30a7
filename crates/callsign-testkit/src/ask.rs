//! What the server asks the client before it answers a call.

use std::str::FromStr;

use tokio::sync::oneshot;

use crate::FlagError;
use crate::behaviour::Behaviour;
use crate::choice::choice;
use crate::incoming::Request;
use crate::json_text::{self, Object};
use crate::outlet::Outlet;
use crate::rpc_error::RpcError;
use crate::server::Server;

/// A request of the server to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `ping` (legacy only)
    Ping,
    /// `roots/list`
    Roots,
    /// `sampling/createMessage`
    Sampling,
    /// `elicitation/create`
    Elicitation,
}

impl FromStr for Ask {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        choice(
            "question",
            text,
            &[
                ("ping", Ask::Ping),
                ("roots", Ask::Roots),
                ("sampling", Ask::Sampling),
                ("elicitation", Ask::Elicitation),
            ],
        )
    }
}

impl Ask {
    fn method(self) -> &'static str {
        match self {
            Self::Ping => "ping",
            Self::Roots => "roots/list",
            Self::Sampling => "sampling/createMessage",
            Self::Elicitation => "elicitation/create",
        }
    }

    fn params(self) -> &'static str {
        match self {
            Self::Ping | Self::Roots => "{}",
            Self::Sampling => {
                r#"{"messages":[{"role":"user","content":{"type":"text","text":"Say yes."}}],"maxTokens":8}"#
            }
            Self::Elicitation => {
                r#"{"message":"Go on?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}"#
            }
        }
    }

    /// 2026-07-28 has no ping.
    pub(crate) fn in_modern(self) -> bool {
        self != Self::Ping
    }
}

impl Server {
    /// Asks, and waits for the answer as long as it takes; gives the whole message that came.
    pub(crate) async fn ask(&self, ask: Ask, outlet: &Outlet) -> Option<String> {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut state = self.state();
            state.asked_so_far += 1;
            let id = json_text::quoted(&format!("testkit-asks-{}", state.asked_so_far));
            state.asked.insert(id.clone(), sender);
            id
        };
        let message = Object::new()
            .text("jsonrpc", "2.0")
            .raw("id", &id)
            .text("method", ask.method())
            .raw("params", ask.params());
        outlet.aside(message.json());
        answer.await.ok()
    }

    pub(crate) fn take_answer(&self, id: &str, message: String) {
        if let Some(waiting) = self.state().asked.remove(id) {
            // The call may have been given up; then the answer interests nobody.
            let _ = waiting.send(message);
        }
    }
}

impl Behaviour {
    /// The modern way to ask: the call ends, and is to be sent again with the answer.
    pub(crate) fn input_required(&self, ask: Ask, tool: &str) -> String {
        let request = Object::new().text("method", ask.method()).raw("params", ask.params()).json();
        Object::new()
            .text("resultType", "input_required")
            .raw("inputRequests", &Object::new().raw("asked", &request).json())
            .text("requestState", &request_state(tool))
            .fields(&self.extras())
            .json()
    }
}

/// Checks that a call sent again brings the state of the call it repeats.
pub(crate) fn check_state(request: &Request, tool: &str) -> Result<(), RpcError> {
    if request.text_param("requestState") == Some(request_state(tool)) {
        return Ok(());
    }
    Err(RpcError::invalid_params("requestState is not the one of this call".into()))
}

/// Binds the state to the name the server was called by: a retry under another name shows.
fn request_state(tool: &str) -> String {
    format!("state of {tool}")
}
