//! What the tests of all dialects need.

use callsign::ToolId;

use super::{Dialect, Fleet, Reach, of_value};

/// A fleet of `server/tool`s; the first slash divides.
pub(crate) fn fleet(tools: &[&str]) -> Fleet {
    let id = |tool: &&str| {
        let (server, wire) = tool.split_once('/').unwrap();
        ToolId::parse(server, wire).unwrap()
    };
    Fleet::new(tools.iter().map(id))
}

/// The verdict on a call, in its word.
pub(crate) fn verdict(
    dialect: &'static dyn Dialect,
    rules: &str,
    tools: &[&str],
    call: &str,
) -> &'static str {
    let fleet = fleet(tools);
    let (server, wire) = call.split_once('/').unwrap();
    let call = fleet.find(&ToolId::parse(server, wire).unwrap()).unwrap();
    of_value(dialect, rules).unwrap().decide(&fleet, call).verdict.as_str()
}

/// What each entry does to the first tool.
pub(crate) fn reaches(dialect: &'static dyn Dialect, rules: &str, tools: &[&str]) -> Vec<Reach> {
    let fleet = fleet(tools);
    let rules = of_value(dialect, rules).unwrap();
    let tool = fleet.tools().next().unwrap();
    rules.entries.iter().map(|entry| rules.reach(entry, tool)).collect()
}
