use super::pool::Pool;
use crate::name::ToolId;
use crate::scheme;

/// The tool that is called, by identity. Any two texts: what can't be registered can still be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call<'a> {
    /// The server's key.
    pub server: &'a str,
    /// The tool's wire name.
    pub tool: &'a str,
}

impl<'a> From<&'a ToolId> for Call<'a> {
    fn from(id: &'a ToolId) -> Self {
        Self { server: id.server(), tool: id.wire() }
    }
}

impl<'a> From<(&'a str, &'a str)> for Call<'a> {
    fn from((server, tool): (&'a str, &'a str)) -> Self {
        Self { server, tool }
    }
}

/// A called tool in all spellings that a rule may name it by, made once for a decision.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) call: Call<'a>,
    /// Raw, provider-safe (its *name*), legacy.
    pub(super) renderings: [String; 3],
    /// The legacy spelling before it is cut.
    pub(super) legacy_whole: String,
    /// What its name begins with, for each spelling of the key: raw, provider-safe, legacy.
    pub(super) boundaries: [String; 3],
    /// The wire name: raw, provider-safe, legacy.
    pub(super) tools: [String; 3],
    /// Whether the legacy spelling is one that a grant may use.
    pub(super) publishes_legacy: bool,
    /// Its exposed name under the registry's scheme, if that is not its provider-safe name.
    pub(super) exposed: Option<&'a str>,
    /// Its wire name, if the registry's scheme may expose a tool by that alone.
    pub(super) bare: Option<&'a str>,
}

impl<'a> Target<'a> {
    pub(super) fn of(call: Call<'a>, pool: &'a Pool) -> Self {
        let renderings = scheme::renderings(call.server, call.tool);
        let [raw, name, legacy] = &renderings;
        let whole = legacy.len() == raw.encode_utf16().count();
        let publishes_legacy =
            legacy != name && legacy != raw && (whole || scheme::key_vouches(call.server));
        Self {
            legacy_whole: scheme::legacy_whole(raw),
            boundaries: scheme::boundaries(call.server),
            tools: scheme::segment_spellings(call.tool),
            exposed: pool.exposed(call, raw).filter(|exposed| *exposed != name),
            bare: pool.exposes_wire_names().then_some(call.tool),
            publishes_legacy,
            renderings,
            call,
        }
    }

    pub(super) fn raw(&self) -> &str {
        &self.renderings[0]
    }

    pub(super) fn name(&self) -> &str {
        &self.renderings[1]
    }

    pub(super) fn legacy(&self) -> &str {
        &self.renderings[2]
    }

    /// The provider-safe spelling of what its name begins with.
    pub(super) fn safe_boundary(&self) -> &str {
        &self.boundaries[1]
    }

    /// The texts that name its whole server.
    pub(super) fn servers(&self) -> impl Iterator<Item = &str> {
        self.boundaries.iter().map(|boundary| scheme::server_part(boundary))
    }

    /// The legacy spelling of its server's key.
    pub(super) fn legacy_key(&self) -> &str {
        scheme::key_part(&self.boundaries[2])
    }

    /// Every text that can name it, or its server, as a whole.
    pub(super) fn whole_names(&self) -> impl Iterator<Item = &str> {
        let [raw, name, legacy] = &self.renderings;
        let names = [raw.as_str(), name, legacy].into_iter();
        let names = names.take(if self.is_plain() { 1 } else { 3 });
        let servers = self.servers().take(if self.is_plain() { 1 } else { 3 });
        names.chain(servers).chain(self.exposed).chain(self.bare)
    }

    /// Every text of which each matching wildcard is a beginning.
    pub(super) fn each_spelling(&self, mut with: impl FnMut(&str)) {
        self.exposed.into_iter().chain(self.bare).for_each(&mut with);
        with(self.name());
        if self.is_plain() {
            return;
        }
        let registered = self.name().strip_prefix(self.safe_boundary());
        let mut whole = String::new();
        for boundary in &self.boundaries {
            for tool in self.tools.iter().map(String::as_str).chain(registered) {
                whole.clear();
                whole.push_str(boundary);
                whole.push_str(tool);
                with(&whole);
            }
        }
    }

    /// Whether all its spellings are one: legal and short.
    fn is_plain(&self) -> bool {
        self.name() == self.raw()
    }

    /// Whether a text is what its provider-safe name was made of, before the hash was added.
    pub(super) fn is_safe_without_hash(&self, text: &str) -> bool {
        self.name() != self.raw()
            && text.strip_prefix(self.safe_boundary()).is_some_and(|tool| tool == self.tools[1])
    }

    /// Whether a text would name it or its server, were case not to count.
    pub(super) fn is_but_for_case(&self, text: &str) -> bool {
        let names = self.renderings.iter().map(String::as_str);
        names.chain(self.servers()).any(|name| name.eq_ignore_ascii_case(text))
    }
}
