//! `initialize` of the handshake revisions.

use crate::era::LEGACY_VERSIONS;
use crate::incoming::Request;
use crate::json_text::Object;
use crate::server::Server;
use crate::{behaviour::Behaviour, era::Spoken};

/// The version asked for if the server knows it, else its newest legacy one; a pinned version overrides both.
pub(super) fn result(server: &Server, request: &Request) -> String {
    server.state().initialized = true;
    let behaviour = &server.behaviour;
    let result = Object::new()
        .text("protocolVersion", &version(behaviour, request))
        .raw("capabilities", &behaviour.capabilities())
        .raw("serverInfo", &behaviour.server_info());
    let result =
        behaviour.instructions.iter().fold(result, |it, text| it.text("instructions", text));
    behaviour.dressed(result, Spoken::Legacy).json()
}

fn version(behaviour: &Behaviour, request: &Request) -> String {
    if let Some(pinned) = &behaviour.protocol {
        return pinned.clone();
    }
    let asked = request.text_param("protocolVersion").unwrap_or_default();
    let newest = LEGACY_VERSIONS[LEGACY_VERSIONS.len() - 1];
    if LEGACY_VERSIONS.contains(&asked.as_str()) { asked } else { newest.into() }
}
