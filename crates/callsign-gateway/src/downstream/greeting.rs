//! How the gateway introduces itself: `initialize` and `server/discover`.

use callsign_wire::lifecycle::LATEST_HANDSHAKE;
use serde_json::value::RawValue;

use super::Host;
use crate::directory::{Offer, with_hints};
use crate::params::{BadParams, Members, quoted, raw};

/// The revisions with a handshake that a host may ask for.
const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What the gateway offers, whatever its servers do now: one that comes later may offer it.
const CAPABILITIES: &str = r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{},"logging":{}}"#;

/// The same where each request stands for itself.
const STATELESS_CAPABILITIES: &str =
    r#"{"tools":{},"prompts":{},"resources":{},"completions":{},"logging":{}}"#;

/// What a host says with `initialize`.
pub(crate) struct Introduction<'a> {
    revision: &'static str,
    capabilities: &'a str,
}

impl<'a> Introduction<'a> {
    /// Reads the parameters. The revision asked for is taken if it is one with a handshake, else our newest one.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, BadParams> {
        let params = Members::of(params)?;
        let asked = params.string("protocolVersion")?;
        let known = HANDSHAKES.into_iter().find(|known| *known == asked);
        let capabilities = params.get("capabilities").filter(|raw| raw.starts_with('{'));
        Ok(Self {
            revision: known.unwrap_or(LATEST_HANDSHAKE),
            capabilities: capabilities.unwrap_or("{}"),
        })
    }
}

/// Shakes hands with a host: remembers what it offers, and what is said from then on.
///
/// # Errors
/// The parameters name no revision.
pub(crate) fn shake_hands(
    host: &Host,
    params: Option<&RawValue>,
) -> Result<&'static str, BadParams> {
    let introduction = Introduction::read(params)?;
    host.greet(&raw(introduction.capabilities.to_owned()));
    Ok(introduction.revision)
}

/// The result of `initialize` in a revision.
pub(crate) fn greeting(revision: &str, offer: &Offer) -> Box<RawValue> {
    let instructions = member_of_instructions(offer);
    let info = server_info();
    raw(format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{CAPABILITIES},"serverInfo":{info}{instructions}}}"#
    ))
}

/// The result of `server/discover`.
pub(crate) fn discovery(offer: &Offer) -> Box<RawValue> {
    let instructions = member_of_instructions(offer);
    let info = server_info();
    let revisions: Vec<String> = [callsign_wire::lifecycle::STATELESS]
        .into_iter()
        .chain(HANDSHAKES.into_iter().rev())
        .map(quoted)
        .collect();
    let revisions = revisions.join(",");
    let result = format!(
        r#"{{"supportedVersions":[{revisions}],"capabilities":{STATELESS_CAPABILITIES},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}{instructions}}}"#
    );
    with_hints(&raw(result))
}

fn member_of_instructions(offer: &Offer) -> String {
    offer.instructions.as_ref().map_or_else(String::new, |text| format!(",\"instructions\":{text}"))
}

fn server_info() -> String {
    format!(r#"{{"name":"callsign","version":"{}"}}"#, env!("CARGO_PKG_VERSION"))
}
