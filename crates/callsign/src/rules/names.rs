use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::disabled::Disabled;
use super::pool::Server;
use super::target::Call;
use crate::scheme;

/// The names of many tools, sorted, without the texts: they are made anew where two have to be compared. So it is known after
/// a few dozen comparisons whether anything else is spelled as a rule is, and a tool takes a few bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Sorted {
    /// By text; among equal texts those that are a tool's provider-safe name come first.
    names: Vec<Name>,
    /// The places at which another server's names begin.
    runs: Vec<u32>,
}

/// One name of one tool: eight times the tool's number and which name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name(u32);

/// Which name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The raw name, which is the provider-safe one as well.
    Plain,
    Safe,
    Raw,
    Legacy,
    Exposed,
}

impl Name {
    const KINDS: u32 = 8;

    fn of(tool: u32, kind: Kind) -> Self {
        Self(tool * Self::KINDS + kind as u32)
    }

    fn kind(self) -> Kind {
        match self.0 % Self::KINDS {
            0 => Kind::Plain,
            1 => Kind::Safe,
            2 => Kind::Raw,
            3 => Kind::Legacy,
            _ => Kind::Exposed,
        }
    }

    fn tool(self) -> u32 {
        self.0 / Self::KINDS
    }

    fn server(self, servers: &[Server]) -> usize {
        servers.partition_point(|server| server.first <= self.tool()).saturating_sub(1)
    }

    fn call(self, servers: &[Server]) -> Call<'_> {
        let server = &servers[self.server(servers)];
        let row = (self.tool() - server.first) as usize;
        Call { server: server.key(), tool: server.listing.wire(row) }
    }

    fn is_safe(self) -> bool {
        matches!(self.kind(), Kind::Plain | Kind::Safe)
    }

    /// How the name compares with a text. Nearly all names are raw ones, and these need not be put together for it.
    fn compared(self, text: &str, servers: &[Server]) -> Ordering {
        match self.kind() {
            Kind::Plain | Kind::Raw => {
                let Call { server, tool } = self.call(servers);
                scheme::compare_raw_name(server, tool, text)
            }
            Kind::Safe | Kind::Legacy | Kind::Exposed => (*self.text(servers)).cmp(text),
        }
    }

    fn text(self, servers: &[Server]) -> Cow<'_, str> {
        let Call { server, tool } = self.call(servers);
        let raw = || scheme::raw_name(server, tool);
        match self.kind() {
            Kind::Safe => scheme::provider_name(&raw()).into(),
            Kind::Plain | Kind::Raw => raw().into(),
            Kind::Legacy => scheme::legacy_spelling(&raw()).into(),
            Kind::Exposed => self.exposed(servers).unwrap_or_default().into(),
        }
    }

    fn exposed(self, servers: &[Server]) -> Option<&str> {
        let server = &servers[self.server(servers)];
        server.listing.exposed((self.tool() - server.first) as usize)
    }
}

/// A name with its text in a buffer, only while they are sorted.
struct Written {
    name: Name,
    at: Range<usize>,
}

/// Every name of the tools of a pool.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// What each tool is rendered as; a text that is several renderings of one tool comes once.
    pub(super) renderings: Sorted,
    /// The exposed names that are not their tool's provider-safe name.
    pub(super) exposed: Sorted,
    pub(super) tools: usize,
}

impl Names {
    pub(super) fn of(servers: &[Server], disabled: &Disabled) -> Self {
        let mut buffer = String::new();
        let (mut renderings, mut exposed, mut tools) = (Vec::new(), Vec::new(), 0);
        for server in servers {
            for (number, row) in (server.first..).zip(0..server.listing.len()) {
                let (key, wire) = (server.key(), server.listing.wire(row));
                if disabled.covers((key, wire)) {
                    continue;
                }
                tools += 1;
                let mut write = |kind, text: &str| {
                    let from = buffer.len();
                    buffer.push_str(text);
                    Written { name: Name::of(number, kind), at: from..buffer.len() }
                };
                let raw = scheme::raw_name(key, wire);
                let safe = scheme::provider_name(&raw);
                if raw == safe {
                    // Legal and short, so its legacy spelling is the same too.
                    renderings.push(write(Kind::Plain, &raw));
                } else {
                    let legacy = scheme::legacy_spelling(&raw);
                    renderings.push(write(Kind::Safe, &safe));
                    renderings.push(write(Kind::Raw, &raw));
                    if legacy != safe && legacy != raw {
                        renderings.push(write(Kind::Legacy, &legacy));
                    }
                }
                if let Some(name) = server.listing.exposed(row).filter(|name| **name != *safe) {
                    exposed.push(write(Kind::Exposed, name));
                }
            }
        }
        let sorted = |written| Sorted::of(written, &buffer, servers);
        Self { renderings: sorted(renderings), exposed: sorted(exposed), tools }
    }

    /// The exposed name of a tool, found by its raw name, if it is one of [`exposed`](Self::exposed).
    pub(super) fn exposed_name<'a>(
        &self,
        servers: &'a [Server],
        call: Call<'_>,
        raw: &str,
    ) -> Option<&'a str> {
        if self.exposed.names.is_empty() {
            return None;
        }
        let mut named = self.renderings.equal(raw, servers);
        let name = named.find(|name| name.call(servers) == call)?;
        name.exposed(servers)
    }
}

impl Sorted {
    fn of(mut written: Vec<Written>, buffer: &str, servers: &[Server]) -> Self {
        let text = |written: &Written| &buffer.as_bytes()[written.at.clone()];
        let is_alias = |written: &Written| !written.name.is_safe();
        written.sort_unstable_by(|a, b| {
            let by_text = text(a).cmp(text(b));
            by_text.then((is_alias(a), a.name).cmp(&(is_alias(b), b.name)))
        });
        let names: Vec<Name> = written.iter().map(|written| written.name).collect();
        let mut runs = Vec::new();
        let mut before = None;
        for (at, name) in (0u32..).zip(&names) {
            let server = name.server(servers);
            if before.replace(server) != Some(server) {
                runs.push(at);
            }
        }
        runs.shrink_to_fit();
        Self { names, runs }
    }

    fn equal<'a>(&'a self, text: &'a str, servers: &'a [Server]) -> impl Iterator<Item = Name> {
        let rest = self.names[self.first_from(text, servers)..].iter().copied();
        rest.take_while(move |name| name.compared(text, servers).is_eq())
    }

    fn first_from(&self, text: &str, servers: &[Server]) -> usize {
        self.names.partition_point(|name| name.compared(text, servers).is_lt())
    }

    /// Whether a name of another server's tool begins so.
    pub(super) fn begins_foreign(&self, prefix: &str, key: &str, servers: &[Server]) -> bool {
        let begins = |name: &&Name| name.text(servers).starts_with(prefix);
        let from = self.first_from(prefix, servers);
        let Some(first) = self.names.get(from).filter(begins) else { return false };
        if first.call(servers).server != key {
            return true;
        }
        // All that begin so stand together: if another server has one, the next run begins with one.
        let next = self.runs.partition_point(|run| *run as usize <= from);
        let next = self.runs.get(next).and_then(|run| self.names.get(*run as usize));
        next.filter(begins).is_some()
    }

    /// The other tools that have this name; if `safe` as their provider-safe name.
    pub(super) fn others_named<'a>(
        &'a self,
        text: &'a str,
        safe: bool,
        me: Call<'a>,
        servers: &'a [Server],
    ) -> impl Iterator<Item = Call<'a>> {
        let named = self.equal(text, servers).take_while(move |name| !safe || name.is_safe());
        named.map(|name| name.call(servers)).filter(move |call| *call != me)
    }

    /// The other tools of which a name begins so, one that has several such names as often.
    pub(super) fn others_beginning<'a>(
        &'a self,
        prefix: &'a str,
        me: Call<'a>,
        servers: &'a [Server],
    ) -> impl Iterator<Item = Call<'a>> {
        let rest = self.names[self.first_from(prefix, servers)..].iter();
        let beginning = rest.take_while(move |name| name.text(servers).starts_with(prefix));
        beginning.map(|name| name.call(servers)).filter(move |call| *call != me)
    }
}
