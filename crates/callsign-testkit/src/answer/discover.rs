//! `server/discover` of 2026-07-28.

use crate::behaviour::Behaviour;
use crate::era::{Era, LEGACY_VERSIONS, MODERN_VERSION, Spoken};
use crate::json_text::{self, Object};

pub(super) fn result(behaviour: &Behaviour) -> String {
    let mut versions = vec![MODERN_VERSION];
    if behaviour.era == Era::Dual {
        versions.extend(LEGACY_VERSIONS);
    }
    let result = Object::new()
        .raw("supportedVersions", &json_text::strings(&versions))
        .raw("capabilities", &behaviour.capabilities());
    let result =
        behaviour.instructions.iter().fold(result, |it, text| it.text("instructions", text));
    let result = behaviour.cacheable(result, Spoken::Modern);
    behaviour.dressed(result, Spoken::Modern).json()
}
