//! The answers to well-formed requests, one method a file.

mod call;
mod discover;
mod initialize;
mod lists;

use crate::behaviour::Behaviour;
use crate::era::{Era, Spoken};
use crate::incoming::Request;
use crate::json_text::{self, Object};
use crate::rpc_error::RpcError;
use crate::server::Server;
use crate::unusual;

/// The answer to a request that needs nothing from anybody else.
pub(crate) fn at_once(
    server: &Server,
    request: &Request,
    spoken: Spoken,
) -> Result<String, RpcError> {
    let behaviour = &server.behaviour;
    match (request.method.as_str(), spoken) {
        ("initialize", Spoken::Legacy) => Ok(initialize::result(server, request)),
        ("ping", Spoken::Legacy) => Ok("{}".into()),
        ("server/discover", Spoken::Modern) => Ok(discover::result(behaviour)),
        _ => {
            let result = catalogue_method(server, request, spoken)?;
            if spoken == Spoken::Legacy && !server.state().initialized {
                return Err(RpcError::too_early(&request.method));
            }
            Ok(result)
        }
    }
}

fn catalogue_method(
    server: &Server,
    request: &Request,
    spoken: Spoken,
) -> Result<String, RpcError> {
    let behaviour = &server.behaviour;
    match (request.method.as_str(), spoken) {
        ("tools/list", _) => lists::tools(behaviour, request, spoken),
        ("prompts/list", _) => Ok(lists::prompts(behaviour, spoken)),
        ("prompts/get", _) => lists::prompt(behaviour, request, spoken),
        ("resources/list", _) => Ok(lists::resources(behaviour, spoken)),
        ("resources/templates/list", _) => Ok(lists::templates(behaviour, spoken)),
        ("resources/read", _) => lists::resource(behaviour, request, spoken),
        ("logging/setLevel" | "resources/subscribe" | "resources/unsubscribe", Spoken::Legacy) => {
            Ok("{}".into())
        }
        (method, _) => Err(RpcError::method_not_found(method)),
    }
}

impl Behaviour {
    /// The unknown fields and big numbers that go wherever a field can go; empty for a server that has none.
    pub(crate) fn extras(&self) -> String {
        let unknown = self.catalogue.unknown_fields.then_some(unusual::UNKNOWN_FIELDS);
        let numbers = self.catalogue.big_numbers.then_some(unusual::BIG_NUMBERS);
        unknown.into_iter().chain(numbers).collect::<Vec<_>>().join(",")
    }

    /// Completes a result: extras, and what every modern result carries.
    pub(crate) fn dressed(&self, result: Object, spoken: Spoken) -> Object {
        let result = result.fields(&self.extras());
        match spoken {
            Spoken::Legacy => result,
            Spoken::Modern => {
                let key = "io.modelcontextprotocol/serverInfo";
                let meta = Object::new().raw(key, &self.server_info()).json();
                result.text("resultType", "complete").raw("_meta", &meta)
            }
        }
    }

    /// Adds how long a modern result stays good, and for whom.
    pub(crate) fn cacheable(&self, result: Object, spoken: Spoken) -> Object {
        let scope = self.answers.cache_scope.as_deref().unwrap_or("private");
        match spoken {
            Spoken::Legacy => result,
            Spoken::Modern => {
                result.raw("ttlMs", &self.answers.ttl_ms.to_string()).text("cacheScope", scope)
            }
        }
    }

    pub(crate) fn server_info(&self) -> String {
        Object::new()
            .text("name", &self.name)
            .text("version", env!("CARGO_PKG_VERSION"))
            .fields(&self.extras())
            .json()
    }

    pub(crate) fn capabilities(&self) -> String {
        let changing = r#"{"listChanged":true}"#;
        let mut capabilities = Object::new().raw("tools", changing);
        if self.era != Era::Modern {
            capabilities = capabilities.raw("logging", "{}");
        }
        if !self.catalogue.prompts.is_empty() {
            capabilities = capabilities.raw("prompts", changing);
        }
        if !self.catalogue.resources.is_empty() {
            capabilities =
                capabilities.raw("resources", r#"{"subscribe":true,"listChanged":true}"#);
        }
        capabilities.fields(&self.extras()).json()
    }
}

/// A text block.
fn text_block(behaviour: &Behaviour, text: &str) -> String {
    Object::new().text("type", "text").text("text", text).fields(&behaviour.extras()).json()
}

/// What a tool or prompt answers with: who was asked, by which name, with which arguments.
fn echo(behaviour: &Behaviour, name: &str, arguments: &str) -> String {
    format!("{}:{name} {arguments}", behaviour.name)
}

fn arguments(request: &Request) -> String {
    request.param("arguments").map_or_else(|| "{}".into(), |json| json_text::one_line(&json))
}
