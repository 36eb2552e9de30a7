use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::disabled::Disabled;
use super::names::Names;
use super::nested::Nested;
use super::target::{Call, Target};
use crate::name::ToolId;
use crate::scheme;

/// The tools that a decision is made among: all that are registered, whether or not a model is shown them.
///
/// A registry's snapshot [has one](crate::registry::Snapshot::pool); for other tools it is made of their identities.
///
/// ```
/// use callsign::rules::{Disabled, Pool};
///
/// let tools = [("mail", "send"), ("mail", "read")];
/// let pool = Pool::without(tools, Disabled::of(["mcp__mail__send"]));
/// assert!(pool.is_disabled(("mail", "send")) && !pool.is_disabled(("mail", "read")));
/// ```
#[derive(Clone, Default)]
pub struct Pool {
    pub(super) servers: Vec<Server>,
    /// The servers' boundaries; a number is three times the server's and the spelling.
    boundaries: Nested,
    pub(super) names: Names,
    disabled: Disabled,
    exposes_wire_names: bool,
    /// The places of the servers that may have tools of any name.
    open: Vec<u32>,
}

/// A server's tools, wherever they are kept.
pub(crate) trait Listing: Send + Sync {
    fn server(&self) -> &str;
    fn len(&self) -> usize;
    /// The wire name in a row; every row below `len` has one.
    fn wire(&self, row: usize) -> &str;
    /// The exposed name in a row, if tools are exposed.
    fn exposed(&self, row: usize) -> Option<&str>;
    /// Whether it may have other tools besides these.
    fn is_open(&self) -> bool {
        false
    }
}

#[derive(Clone)]
pub(super) struct Server {
    pub(super) listing: Arc<dyn Listing>,
    /// What its tools' names begin with, raw, provider-safe and legacy; one if they are all the same.
    boundaries: Box<[Box<str>]>,
    /// The number of its first tool.
    pub(super) first: u32,
}

/// A server that has a boundary which a prefix begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) key: &'a str,
    pub(super) boundary: &'a str,
    /// The boundary is the key as it is written.
    pub(super) is_raw: bool,
}

impl Server {
    pub(super) fn key(&self) -> &str {
        self.listing.server()
    }

    fn boundary(&self, spelling: u32) -> &str {
        self.boundaries.get(spelling as usize).map_or("", |boundary| boundary)
    }
}

impl Pool {
    /// The tools of any texts. One that comes twice counts once; their order changes no decision.
    pub fn of<'a, C: Into<Call<'a>>>(tools: impl IntoIterator<Item = C>) -> Self {
        Self::without(tools, Disabled::default())
    }

    /// As [`of`](Self::of), without those that are disabled: they have no part in what makes a grant ambiguous.
    pub fn without<'a, C: Into<Call<'a>>>(
        tools: impl IntoIterator<Item = C>,
        disabled: Disabled,
    ) -> Self {
        Self::with_unknown(tools, [], disabled)
    }

    /// As [`without`](Self::without), with servers that are there and whose tools are not known. Such a server may have a
    /// tool of any name: a grant that could be meant for one of them is ambiguous.
    ///
    /// ```
    /// use callsign::rules::{Disabled, Effect, Policy, Pool, Rule, Verdict};
    ///
    /// let policy = Policy::compile(Rule::spelled(Effect::Allow, "mcp__a__b__c").into_iter().collect());
    /// let pool = Pool::with_unknown([("a", "b__c")], ["a__b"], Disabled::default());
    /// assert_eq!(policy.decide(&pool, ("a", "b__c")).verdict, Verdict::Default);
    /// ```
    pub fn with_unknown<'a, C: Into<Call<'a>>>(
        tools: impl IntoIterator<Item = C>,
        unknown: impl IntoIterator<Item = &'a str>,
        disabled: Disabled,
    ) -> Self {
        let mut listed: Vec<Listed> = Vec::new();
        let mut at_key: HashMap<&str, usize, foldhash::fast::RandomState> = HashMap::default();
        let mut seen: HashSet<Call<'_>, foldhash::fast::RandomState> = HashSet::default();
        for call in tools.into_iter().map(Into::into).filter(|call| seen.insert(*call)) {
            let at = *at_key.entry(call.server).or_insert(listed.len());
            if at == listed.len() {
                listed.push(Listed::of(call.server));
            }
            listed[at].wires.push(call.tool.into());
        }
        for server in unknown {
            let at = *at_key.entry(server).or_insert(listed.len());
            if at == listed.len() {
                listed.push(Listed::of(server));
            }
            listed[at].is_open = true;
        }
        let listings = listed.into_iter().map(|listed| Arc::new(listed) as Arc<dyn Listing>);
        Self::over(listings, disabled, false)
    }

    /// The tools of servers as they are kept elsewhere. Each key and, within a listing, each wire name comes once.
    pub(crate) fn over(
        listings: impl Iterator<Item = Arc<dyn Listing>>,
        disabled: Disabled,
        exposes_wire_names: bool,
    ) -> Self {
        // A server without a tool that is on claims nothing.
        let is_on = |listing: &Arc<dyn Listing>, row| {
            !disabled.covers((listing.server(), listing.wire(row)))
        };
        let listings = listings.filter(|listing| {
            listing.is_open() || (0..listing.len()).any(|row| is_on(listing, row))
        });
        let mut first = 0;
        let server = |listing: Arc<dyn Listing>| {
            let server = Server { boundaries: boundaries(listing.server()), listing, first };
            first += u32::try_from(server.listing.len()).unwrap_or(u32::MAX);
            server
        };
        let servers: Vec<Server> = listings.map(server).collect();
        let numbers = (0u32..).zip(&servers).flat_map(|(at, server)| {
            (0u32..).zip(&server.boundaries).map(move |(spelling, _)| at * 3 + spelling)
        });
        let boundaries = Nested::of(numbers.collect(), |number| boundary(&servers, number));
        let names = Names::of(&servers, &disabled);
        let open = (0u32..).zip(&servers).filter(|(_, server)| server.listing.is_open());
        let open = open.map(|(at, _)| at).collect();
        Self { servers, boundaries, names, disabled, exposes_wire_names, open }
    }

    /// Whether a tool is off, so that no rule is asked about it.
    #[must_use]
    pub fn is_disabled<'a>(&self, call: impl Into<Call<'a>>) -> bool {
        self.disabled.covers(call)
    }

    /// How many tools there are, those that are off not counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.tools
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether some tools are exposed by their wire names alone.
    pub(super) fn exposes_wire_names(&self) -> bool {
        self.exposes_wire_names
    }

    /// The name that a tool is exposed by, where the registry's scheme gives it one that is none of its renderings.
    pub(super) fn exposed(&self, call: Call<'_>, raw: &str) -> Option<&str> {
        self.names.exposed_name(&self.servers, call, raw)
    }

    /// Whether another server is spelled as this text.
    pub(super) fn is_server(&self, text: &str, target: &Target<'_>) -> bool {
        self.spelled_so(text).any(|key| key != target.call.server)
    }

    /// The servers that are spelled as this text.
    pub(super) fn spelled_so(&self, text: &str) -> impl Iterator<Item = &str> {
        let numbers =
            self.boundaries.equal(&scheme::boundary_of(text), |n| boundary(&self.servers, n));
        numbers.iter().map(|number| self.servers[*number as usize / 3].key())
    }

    /// Other servers whose tools are not known and of which one may be spelled as this text.
    pub(super) fn perhaps_named<'a>(
        &'a self,
        text: &'a str,
        target: &'a Target<'_>,
    ) -> impl Iterator<Item = &'a str> {
        self.open_but(target)
            .filter(move |server| {
                server.boundaries.iter().any(|boundary| text.starts_with(&**boundary))
            })
            .map(Server::key)
    }

    /// Other servers whose tools are not known and of which the names of one may begin so.
    pub(super) fn perhaps_beginning<'a>(
        &'a self,
        prefix: &'a str,
        target: &'a Target<'_>,
    ) -> impl Iterator<Item = &'a str> {
        self.open_but(target)
            .filter(move |server| {
                let begins =
                    |boundary: &str| boundary.starts_with(prefix) || prefix.starts_with(boundary);
                server.boundaries.iter().any(|boundary| begins(boundary))
            })
            .map(Server::key)
    }

    fn open_but<'a>(&'a self, target: &'a Target<'_>) -> impl Iterator<Item = &'a Server> {
        let open = self.open.iter().filter_map(|at| self.servers.get(*at as usize));
        open.filter(|server| server.key() != target.call.server)
    }

    /// The key of the server that is written exactly so.
    pub(super) fn server_of_key(&self, key: &str) -> Option<&str> {
        let raw = scheme::raw_name(key, "");
        let numbers = self.boundaries.equal(&raw, |n| boundary(&self.servers, n));
        let number = numbers.iter().find(|number| *number % 3 == 0)?;
        Some(self.servers[*number as usize / 3].key())
    }

    /// The boundaries that a prefix begins with, the called server's among them.
    pub(super) fn claims<'a>(&'a self, prefix: &str, target: &'a Target<'_>) -> Vec<Claim<'a>> {
        let found = self.boundaries.beginnings(prefix, |number| boundary(&self.servers, number));
        let mut claims: Vec<Claim<'a>> = found
            .map(|number| Claim {
                key: self.servers[number as usize / 3].key(),
                boundary: boundary(&self.servers, number),
                is_raw: number % 3 == 0,
            })
            .collect();
        // A call may be of a server that is not registered; it then counts as if it were.
        let own = target.boundaries.iter().enumerate();
        claims.extend(
            own.filter(|(_, own)| prefix.starts_with(own.as_str())).map(|(at, own)| Claim {
                key: target.call.server,
                boundary: own,
                is_raw: at == 0,
            }),
        );
        claims
    }
}

fn boundary(servers: &[Server], number: u32) -> &str {
    servers[number as usize / 3].boundary(number % 3)
}

/// The different boundaries of a key, the raw one first.
fn boundaries(key: &str) -> Box<[Box<str>]> {
    let [raw, safe, legacy] = scheme::boundaries(key).map(String::into_boxed_str);
    match (safe == raw, legacy == raw || legacy == safe) {
        (true, true) => [raw].into(),
        (true, false) => [raw, legacy].into(),
        (false, true) => [raw, safe].into(),
        (false, false) => [raw, safe, legacy].into(),
    }
}

impl<'a> FromIterator<&'a ToolId> for Pool {
    fn from_iter<I: IntoIterator<Item = &'a ToolId>>(ids: I) -> Self {
        Self::of(ids)
    }
}

/// The servers' keys; the tools may be many.
impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.servers.iter().map(Server::key);
        write!(f, "Pool of {} tools of ", self.len())?;
        f.debug_list().entries(keys).finish()
    }
}

/// Tools that are known by name only.
struct Listed {
    server: Box<str>,
    wires: Vec<Box<str>>,
    is_open: bool,
}

impl Listed {
    fn of(server: &str) -> Self {
        Self { server: server.into(), wires: Vec::new(), is_open: false }
    }
}

impl Listing for Listed {
    fn is_open(&self) -> bool {
        self.is_open
    }

    fn server(&self) -> &str {
        &self.server
    }

    fn len(&self) -> usize {
        self.wires.len()
    }

    fn wire(&self, row: usize) -> &str {
        &self.wires[row]
    }

    fn exposed(&self, _row: usize) -> Option<&str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_each_boundary_once_the_raw_one_first() {
        let of = |key: &str| boundaries(key).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of("a"), ["mcp__a__"]);
        assert_eq!(of("a:b"), ["mcp__a:b__", "mcp__a_b__"]);
        assert_eq!(of("a.b"), ["mcp__a.b__", "mcp__a_b__"]);
        assert_eq!(of("a.b:c"), ["mcp__a.b:c__", "mcp__a_b_c__", "mcp__a.b_c__"]);
    }
}
