use super::Scheme;
use crate::name::{ServerKey, WireName};

/// The wire name unchanged: for one server alone, and for predicting hosts with one flat table. Two servers that have one
/// name collide, which is what this project exists for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bare;

impl Scheme for Bare {
    fn id(&self) -> &'static str {
        "bare"
    }

    fn spell(&self, _server: &ServerKey, wire: &WireName, out: &mut String) {
        out.push_str(wire);
    }

    fn spells_key(&self) -> bool {
        false
    }
}
