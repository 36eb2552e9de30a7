use callsign::Catalogue;
use callsign::WireName;
use callsign::catalogue::{MalformedReason, fields};
use callsign_wire::message::nests_deeper;
use callsign_wire::{Era, Opening};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The deepest JSON that `serde_json` reads into types.
const TYPED_DEPTH: usize = 127;

/// What a server said about itself and its lists, raw, as it is kept and read again: the catalogue is made from it, so
/// that a remembered one equals a fresh one, unreadable tools included.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub(crate) server_info: Option<Box<RawValue>>,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Box<RawValue>>,
    pub(crate) prompts: Vec<Box<RawValue>>,
    pub(crate) resources: Vec<Box<RawValue>>,
    #[serde(default)]
    pub(crate) templates: Vec<Box<RawValue>>,
}

impl Listed {
    /// What the first answer of a server says about it.
    pub(crate) fn of(opening: &Opening) -> Self {
        let Ok(result) = fields(opening.result.get()) else { return Self::default() };
        let server_info = match opening.spoken.era {
            Era::Handshake => result.get("serverInfo").map(str::to_owned),
            Era::Stateless => result
                .get("_meta")
                .and_then(|meta| fields(meta).ok())
                .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo").map(str::to_owned)),
        };
        let server_info = server_info.and_then(|raw| RawValue::from_string(raw).ok());
        Self { server_info, instructions: result.string("instructions"), ..Self::default() }
    }

    /// The catalogue, and the entries of other lists that can't be read (list, position, reason).
    pub(crate) fn catalogue(&self) -> (Catalogue, Vec<(&'static str, usize, String)>) {
        let mut catalogue = Catalogue::default();
        let mut unreadable = Vec::new();
        for tool in &self.tools {
            push_tool(&mut catalogue, tool.get());
        }
        for (position, prompt) in self.prompts.iter().enumerate() {
            if let Err(reason) = catalogue.push_prompt(prompt.get()) {
                unreadable.push(("prompts", position, reason.to_string()));
            }
        }
        for (position, resource) in self.resources.iter().enumerate() {
            if let Err(reason) = catalogue.push_resource(resource.get()) {
                unreadable.push(("resources", position, reason.to_string()));
            }
        }
        if let Some(info) = &self.server_info {
            catalogue.set_server_info(info.get());
        }
        if let Some(text) = &self.instructions {
            catalogue.set_instructions(text);
        }
        (catalogue, unreadable)
    }
}

/// Adds a tool; one that nests too deep for typed readers is unreadable to them, and so is named as such here.
fn push_tool(catalogue: &mut Catalogue, raw: &str) {
    if nests_deeper(raw, TYPED_DEPTH) {
        let name = fields(raw).ok().and_then(|tool| WireName::new(tool.string("name")?).ok());
        catalogue.push_malformed(name, MalformedReason::TooDeep { limit: TYPED_DEPTH });
    } else {
        catalogue.push_tool(raw);
    }
}

/// Whether the first answer declares a capability.
pub(crate) fn declares(opening: &Opening, capability: &str) -> bool {
    fields(opening.result.get())
        .ok()
        .and_then(|result| {
            fields(result.get("capabilities")?).ok()?.get(capability).map(|raw| raw != "null")
        })
        .unwrap_or(false)
}
