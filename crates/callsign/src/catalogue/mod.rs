//! Everything one server advertised, in its order, each definition byte for byte as it was sent.
//!
//! ```
//! use callsign::catalogue::Catalogue;
//!
//! let mut catalogue = Catalogue::default();
//! catalogue.push_tool(r#"{"name":"request","x-vendor":1e999,"inputSchema":{"type":"object"}}"#);
//! catalogue.push_tool(r#"{"description":"a tool without a name"}"#);
//!
//! assert_eq!(catalogue.tools()[0].wire().as_str(), "request");
//! assert!(catalogue.tools()[0].definition().unwrap().contains("1e999"), "unknown fields survive");
//! assert_eq!(catalogue.malformed()[0].position, 1, "one bad tool does not cost the others");
//! ```

mod definition;
mod filter;
mod listed;

pub use definition::{Fields, changed_fields, fields};
pub use filter::{Filter, UnknownFilterEntry};
pub use listed::{MalformedReason, Prompt, Resource, Tool};

use std::sync::Arc;

use crate::name::WireName;

/// What one server advertised, complete and in its order.
///
/// A catalogue is what was *said*: it may hold a name twice or tools that could not be read. Whether it can be served is
/// for the [registry](crate::registry) to decide, and what is wrong with it for the [audit](crate::audit) to report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// Shared, so that a catalogue of thousands of tools can be handed on without copying them.
    tools: Arc<Vec<Tool>>,
    malformed: Vec<Malformed>,
    /// Where the entries stood that are not among the tools: those that could not be read, and those that were taken out
    /// since. Ascending.
    gaps: Vec<usize>,
    /// The names of the tools that were taken out since.
    withheld: Vec<WireName>,
    prompts: Vec<Prompt>,
    resources: Vec<Resource>,
    server_info: Option<Box<str>>,
    instructions: Option<Box<str>>,
}

/// A tool in a listing that could not be read. The rest of the listing stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where it stood in the listing, counted from 0 over all pages.
    pub position: usize,
    /// Its name, where that much could be read.
    pub name: Option<WireName>,
    /// What is wrong with it.
    pub reason: MalformedReason,
}

impl Catalogue {
    /// A catalogue of these tools and nothing else.
    #[must_use]
    pub fn of(tools: Vec<Tool>) -> Self {
        Self { tools: Arc::new(tools), ..Self::default() }
    }

    /// Makes room for so many more tools: a listing whose length is known need not grow tool by tool.
    pub fn reserve(&mut self, tools: usize) {
        Arc::make_mut(&mut self.tools).reserve(tools);
    }

    /// Adds the next tool of a listing from its raw JSON text, which is kept as it is; what can't be read as a tool is
    /// kept as [`Malformed`] with its position.
    pub fn push_tool(&mut self, raw: &str) {
        match Tool::from_json(raw) {
            Ok(tool) => Arc::make_mut(&mut self.tools).push(tool),
            Err((name, reason)) => self.push_malformed(name, reason),
        }
    }

    /// Adds the next tool of a listing that is known by its name only (a static list of names).
    pub fn push_named(&mut self, wire: WireName) {
        Arc::make_mut(&mut self.tools).push(Tool::named(wire));
    }

    /// Records that the next entry of the listing could not be read.
    pub fn push_malformed(&mut self, name: Option<WireName>, reason: MalformedReason) {
        let position = self.tools.len() + self.gaps.len();
        self.gaps.push(position);
        self.malformed.push(Malformed { position, name, reason });
    }

    /// Adds a prompt from its raw JSON text.
    ///
    /// # Errors
    /// The reason it can't be read as a prompt; the catalogue is unchanged then.
    pub fn push_prompt(&mut self, raw: &str) -> Result<(), MalformedReason> {
        self.prompts.push(Prompt::from_json(raw).map_err(|(_, reason)| reason)?);
        Ok(())
    }

    /// Adds a prompt that is known by its name only.
    pub fn push_named_prompt(&mut self, name: WireName) {
        self.prompts.push(Prompt::named(name));
    }

    /// Adds a resource from its raw JSON text.
    ///
    /// # Errors
    /// The reason it can't be read as a resource; the catalogue is unchanged then.
    pub fn push_resource(&mut self, raw: &str) -> Result<(), MalformedReason> {
        self.resources.push(Resource::from_json(raw).map_err(|(_, reason)| reason)?);
        Ok(())
    }

    /// Adds a resource that is known by its URI only.
    pub fn push_named_resource(&mut self, uri: WireName) {
        self.resources.push(Resource::named(uri));
    }

    /// Keeps the raw JSON of `serverInfo`. Display only: it never decides a name.
    pub fn set_server_info(&mut self, raw: &str) {
        self.server_info = Some(raw.into());
    }

    /// Keeps the server's `instructions` text.
    pub fn set_instructions(&mut self, text: &str) {
        self.instructions = Some(text.into());
    }

    /// The tools that could be read, in advertised order; a name may occur twice.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tools that could not be read, in advertised order.
    #[must_use]
    pub fn malformed(&self) -> &[Malformed] {
        &self.malformed
    }

    /// The prompts, in advertised order.
    #[must_use]
    pub fn prompts(&self) -> &[Prompt] {
        &self.prompts
    }

    /// The resources, in advertised order.
    #[must_use]
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The raw JSON of `serverInfo`.
    #[must_use]
    pub fn server_info(&self) -> Option<&str> {
        self.server_info.as_deref()
    }

    /// The server's `instructions`.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// How many tools the server advertised, readable or not.
    #[must_use]
    pub fn advertised(&self) -> usize {
        self.tools.len() + self.malformed.len()
    }

    /// Where the tool at `index` of [`tools`](Self::tools) stood in the listing as it was sent: unreadable entries are
    /// counted, and so are those that a filter took out since. Logarithmic in their number.
    #[must_use]
    pub fn position(&self, index: usize) -> usize {
        // As many tools stand in front of a gap as its position less the gaps in front of it, which is never less than for
        // the gap before: those with at most `index` in front are the ones that the tool comes after.
        let (mut low, mut high) = (0, self.gaps.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.gaps[middle] - middle <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        index + low
    }

    /// The opposite of [`position`](Self::position): which of [`tools`](Self::tools) stood at `position` of the listing;
    /// `None` if what stood there is not among them. Logarithmic too.
    #[must_use]
    pub fn index_at(&self, position: usize) -> Option<usize> {
        let in_front = self.gaps.binary_search(&position).err()?;
        Some(position - in_front).filter(|&index| index < self.tools.len())
    }

    /// The positions of all tools, ascending.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        let mut gaps = self.gaps.iter().copied().peekable();
        let taken = (0..).filter(move |position| gaps.next_if_eq(position).is_none());
        taken.take(self.tools.len())
    }

    pub(crate) fn into_tools(self) -> Vec<Tool> {
        Arc::unwrap_or_clone(self.tools)
    }

    /// How many readable tools were taken out since it was listed, as a [`Filter`] does.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.gaps.len().saturating_sub(self.malformed.len())
    }

    /// The names of the tools that filters took out. The server has them all the same: a name may be meant for one.
    #[must_use]
    pub fn withheld(&self) -> &[WireName] {
        &self.withheld
    }

    /// Keeps what `keep` says yes to; an unreadable entry without a name is asked about as `None`.
    pub(crate) fn retain_tools(&mut self, keep: impl Fn(Option<&WireName>) -> bool) {
        let tools = self.positions().zip(&*self.tools);
        let left_out = tools.filter(|(_, tool)| !keep(Some(tool.wire())));
        let left_out: Vec<usize> = left_out.map(|(position, _)| position).collect();
        self.gaps.extend(left_out);
        self.gaps.sort_unstable();
        let tools = Arc::make_mut(&mut self.tools);
        self.withheld.extend(
            tools.extract_if(.., |tool| !keep(Some(tool.wire()))).map(|tool| tool.wire().clone()),
        );
        self.malformed.retain(|malformed| keep(malformed.name.as_ref()));
    }

    /// Takes the entries that could not be read out of the catalogue and gives them; what was sent keeps its positions.
    pub(crate) fn leave_out_malformed(&mut self) -> Vec<Malformed> {
        std::mem::take(&mut self.malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_unreadable_tools() {
        let mut catalogue = Catalogue::default();
        catalogue.push_tool("{}");
        catalogue.push_tool(r#"{"name":"a"}"#);
        catalogue.push_tool("1");
        catalogue.push_tool(r#"{"name":"b"}"#);
        assert_eq!([catalogue.position(0), catalogue.position(1)], [1, 3]);
        assert_eq!(catalogue.malformed().iter().map(|m| m.position).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(catalogue.advertised(), 4);
    }

    #[test]
    fn positions_count_what_a_filter_took_out() {
        let mut catalogue = Catalogue::default();
        for raw in [r#"{"name":"a"}"#, "{}", r#"{"name":"b"}"#, r#"{"name":"c"}"#] {
            catalogue.push_tool(raw);
        }
        catalogue.retain_tools(|wire| wire.is_none_or(|wire| wire.as_str() != "a"));
        assert_eq!([catalogue.position(0), catalogue.position(1)], [2, 3]);
        catalogue.retain_tools(|wire| wire.is_none_or(|wire| wire.as_str() != "b"));
        catalogue.push_tool("[]");
        assert_eq!((catalogue.position(0), catalogue.malformed()[1].position), (3, 4));
        assert_eq!(catalogue.leave_out_malformed().len(), 2);
        assert_eq!((catalogue.position(0), catalogue.advertised()), (3, 1));
    }

    #[test]
    fn one_position_is_that_of_all_positions() {
        for pattern in 0u32..1 << 10 {
            let mut catalogue = Catalogue::default();
            for entry in 0..10 {
                catalogue.push_tool(if pattern >> entry & 1 == 0 {
                    "{}"
                } else {
                    r#"{"name":"a"}"#
                });
            }
            let positions: Vec<usize> = catalogue.positions().collect();
            let expected: Vec<usize> = (0..10).filter(|entry| pattern >> entry & 1 == 1).collect();
            assert_eq!(positions, expected);
            let one_by_one = (0..positions.len()).map(|index| catalogue.position(index));
            assert!(one_by_one.eq(positions.iter().copied()), "{pattern:b}");
            for position in 0..12 {
                let index = positions.iter().position(|&of_tool| of_tool == position);
                assert_eq!(catalogue.index_at(position), index, "{pattern:b}");
            }
        }
    }
}
