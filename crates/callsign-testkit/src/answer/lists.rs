//! Lists of tools, prompts and resources, and the latter two themselves.

use super::{arguments, echo, text_block};
use crate::behaviour::Behaviour;
use crate::era::Spoken;
use crate::incoming::Request;
use crate::json_text::{self, Object};
use crate::rpc_error::RpcError;

pub(super) fn tools(
    behaviour: &Behaviour,
    request: &Request,
    spoken: Spoken,
) -> Result<String, RpcError> {
    if let Some(malformed) = &behaviour.catalogue.malformed_list {
        return Ok(malformed.clone());
    }
    let page = behaviour.tool_page(request.text_param("cursor").as_deref())?;
    let result = Object::new().raw("tools", &json_text::list(&page.items));
    let result = page.next.iter().fold(result, |it, cursor| it.text("nextCursor", cursor));
    Ok(listed(behaviour, result, spoken))
}

pub(super) fn prompts(behaviour: &Behaviour, spoken: Spoken) -> String {
    let prompt = |name: &String| {
        Object::new()
            .text("name", name)
            .text("description", "Answers with its server, its name and its arguments.")
            .raw("arguments", r#"[{"name":"topic","required":false}]"#)
            .fields(&behaviour.extras())
            .json()
    };
    let prompts: Vec<_> = behaviour.catalogue.prompts.iter().map(prompt).collect();
    listed(behaviour, Object::new().raw("prompts", &json_text::list(&prompts)), spoken)
}

pub(super) fn prompt(
    behaviour: &Behaviour,
    request: &Request,
    spoken: Spoken,
) -> Result<String, RpcError> {
    let name = request.text_param("name").unwrap_or_default();
    if !behaviour.catalogue.prompts.contains(&name) {
        return Err(RpcError::invalid_params(format!("unknown prompt: {name}")));
    }
    let content = text_block(behaviour, &echo(behaviour, &name, &arguments(request)));
    let message = Object::new().text("role", "user").raw("content", &content).json();
    let result = Object::new().raw("messages", &json_text::list(&[message]));
    Ok(behaviour.dressed(result, spoken).json())
}

pub(super) fn resources(behaviour: &Behaviour, spoken: Spoken) -> String {
    let resource = |uri: &String| {
        let object =
            Object::new().text("uri", uri).text("name", uri).text("mimeType", "text/plain");
        object.fields(&behaviour.extras()).json()
    };
    let resources: Vec<_> = behaviour.catalogue.resources.iter().map(resource).collect();
    listed(behaviour, Object::new().raw("resources", &json_text::list(&resources)), spoken)
}

pub(super) fn templates(behaviour: &Behaviour, spoken: Spoken) -> String {
    listed(behaviour, Object::new().raw("resourceTemplates", "[]"), spoken)
}

pub(super) fn resource(
    behaviour: &Behaviour,
    request: &Request,
    spoken: Spoken,
) -> Result<String, RpcError> {
    let uri = request.text_param("uri").unwrap_or_default();
    if !behaviour.catalogue.resources.contains(&uri) {
        return Err(RpcError::resource_not_found(&uri, spoken));
    }
    let text = format!("{}:{uri}", behaviour.name);
    let contents =
        Object::new().text("uri", &uri).text("mimeType", "text/plain").text("text", &text);
    let contents = contents.fields(&behaviour.extras()).json();
    let result = Object::new().raw("contents", &json_text::list(&[contents]));
    Ok(listed(behaviour, result, spoken))
}

fn listed(behaviour: &Behaviour, result: Object, spoken: Spoken) -> String {
    behaviour.dressed(behaviour.cacheable(result, spoken), spoken).json()
}
