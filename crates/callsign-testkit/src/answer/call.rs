//! `tools/call`: the arguments come back byte for byte, with the name the server was called by.

use super::{arguments, echo, text_block};
use crate::ask;
use crate::era::Spoken;
use crate::huge_line::{HugeLine, HugePlace};
use crate::incoming::Request;
use crate::json_text::{self, Object};
use crate::outlet::Outlet;
use crate::rpc_error::RpcError;
use crate::server::Server;

impl Server {
    pub(crate) async fn call(
        &self,
        request: &Request,
        spoken: Spoken,
        outlet: &Outlet,
    ) -> Result<String, RpcError> {
        if spoken == Spoken::Legacy && !self.state().initialized {
            return Err(RpcError::too_early("tools/call"));
        }
        let name = request.text_param("name").unwrap_or_default();
        if !self.behaviour.has_tool(&name) {
            return Err(RpcError::invalid_params(format!("unknown tool: {name}")));
        }
        self.report_progress(request, outlet);
        let answered = match (self.behaviour.answers.asks, spoken) {
            (Some(ask), Spoken::Legacy) => self.ask(ask, outlet).await,
            (Some(ask), Spoken::Modern) if ask.in_modern() => {
                let Some(answers) = request.param("inputResponses") else {
                    return Ok(self.behaviour.input_required(ask, &name));
                };
                ask::check_state(request, &name)?;
                Some(answers)
            }
            _ => None,
        };
        if let Some(error) = &self.behaviour.answers.error {
            return Err(RpcError::as_written(error));
        }
        if let Some(result) = &self.behaviour.answers.result {
            return Ok(json_text::one_line(result));
        }
        Ok(self.call_result(&name, &arguments(request), answered.as_deref(), spoken))
    }

    fn call_result(
        &self,
        name: &str,
        arguments: &str,
        answered: Option<&str>,
        spoken: Spoken,
    ) -> String {
        let behaviour = &self.behaviour;
        let mut text = echo(behaviour, name, arguments);
        if let Some(padding) = HugeLine::padding(behaviour.noise.huge_line, HugePlace::Call) {
            text.push_str(&padding);
        }
        let answered = answered.map(|answer| text_block(behaviour, &format!("answered {answer}")));
        let content: Vec<_> = [text_block(behaviour, &text)].into_iter().chain(answered).collect();
        let result = Object::new()
            .raw("content", &json_text::list(&content))
            .raw("structuredContent", arguments);
        behaviour.dressed(result, spoken).json()
    }

    fn report_progress(&self, request: &Request, outlet: &Outlet) {
        let Some(token) = request.meta("progressToken") else {
            return;
        };
        let total = self.behaviour.answers.progress;
        for step in 1..=total {
            let params = Object::new()
                .raw("progressToken", &token)
                .raw("progress", &step.to_string())
                .raw("total", &total.to_string())
                .json();
            let message =
                Object::new().text("jsonrpc", "2.0").text("method", "notifications/progress");
            outlet.aside(message.raw("params", &params).json());
        }
    }
}
