use std::collections::HashMap;

use super::disabled::Disabled;
use super::explain::Claimant;
use super::target::{Call, Target};
use crate::name::ToolId;
use crate::scheme;

/// The tools that a decision is made among: all that are registered, whether or not a model is shown them.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    servers: Vec<Server>,
    by_key: HashMap<Box<str>, u32, foldhash::fast::RandomState>,
    disabled: Disabled,
}

#[derive(Debug, Clone)]
struct Server {
    key: Box<str>,
    boundaries: [String; 3],
    tools: Vec<Box<str>>,
}

/// A server one of whose boundaries a prefix begins with.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) key: String,
    pub(super) boundary: String,
    /// The boundary is the key as it is written.
    pub(super) is_raw: bool,
}

pub(super) type Claims = Vec<Claim>;

impl Pool {
    /// The tools of any texts, in the order of their registration. One that comes twice counts once.
    pub fn of<'a, C: Into<Call<'a>>>(tools: impl IntoIterator<Item = C>) -> Self {
        Self::without(tools, Disabled::default())
    }

    /// As [`of`](Self::of), without those that are disabled: they have no part in what makes a grant ambiguous.
    pub fn without<'a, C: Into<Call<'a>>>(
        tools: impl IntoIterator<Item = C>,
        disabled: Disabled,
    ) -> Self {
        let mut pool = Self::default();
        for call in tools.into_iter().map(Into::into).filter(|call| !disabled.covers(*call)) {
            pool.insert(call);
        }
        pool.disabled = disabled;
        pool
    }

    fn insert(&mut self, call: Call<'_>) {
        let next = u32::try_from(self.servers.len()).unwrap_or(u32::MAX);
        let at = *self.by_key.entry(call.server.into()).or_insert(next);
        if at == next {
            let (key, boundaries) = (call.server.into(), scheme::boundaries(call.server));
            self.servers.push(Server { key, boundaries, tools: Vec::new() });
        }
        let tools = &mut self.servers[at as usize].tools;
        if !tools.iter().any(|tool| **tool == *call.tool) {
            tools.push(call.tool.into());
        }
    }

    /// Whether a tool is off, so that no rule is asked about it.
    #[must_use]
    pub fn is_disabled<'a>(&self, call: impl Into<Call<'a>>) -> bool {
        self.disabled.covers(call)
    }

    /// The name that a tool is exposed by, where a registry gave it one.
    pub(super) fn exposed(&self, _call: Call<'_>) -> Option<&str> {
        None
    }

    fn others<'a>(&'a self, me: Call<'a>) -> impl Iterator<Item = Call<'a>> {
        let tools = self
            .servers
            .iter()
            .flat_map(|server| server.tools.iter().map(|tool| Call { server: &server.key, tool }));
        tools.filter(move |call| *call != me)
    }

    /// Whether another tool has this provider-safe name.
    pub(super) fn is_named(&self, text: &str, target: &Target<'_>) -> bool {
        self.others(target.call).any(|o| scheme::renderings(o.server, o.tool)[1] == text)
    }

    /// Whether another tool is rendered as this text.
    pub(super) fn is_rendered(&self, text: &str, target: &Target<'_>) -> bool {
        self.others(target.call)
            .any(|o| scheme::renderings(o.server, o.tool).iter().any(|r| r == text))
    }

    /// Whether another server is spelled as this text.
    pub(super) fn is_server(&self, text: &str, target: &Target<'_>) -> bool {
        let mut others = self.servers.iter().filter(|server| *server.key != *target.call.server);
        others.any(|server| server.boundaries.iter().any(|b| scheme::server_part(b) == text))
    }

    /// Whether a server of this very key is there.
    pub(super) fn has_server(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// Whether a rendering of another tool begins with this.
    pub(super) fn begins_any(&self, prefix: &str, target: &Target<'_>) -> bool {
        self.others(target.call)
            .any(|o| scheme::renderings(o.server, o.tool).iter().any(|r| r.starts_with(prefix)))
    }

    /// Whether a rendering of another server's tool begins with this.
    pub(super) fn begins_foreign(&self, prefix: &str, target: &Target<'_>) -> bool {
        self.others(target.call)
            .filter(|o| o.server != target.call.server)
            .any(|o| scheme::renderings(o.server, o.tool).iter().any(|r| r.starts_with(prefix)))
    }

    /// The boundaries that a prefix begins with, the called server's among them.
    pub(super) fn claims(&self, prefix: &str, target: &Target<'_>) -> Claims {
        let of = |key: &str, boundaries: &[String; 3]| -> Claims {
            let fitting =
                boundaries.iter().enumerate().filter(|(_, b)| prefix.starts_with(b.as_str()));
            fitting
                .map(|(at, b)| Claim { key: key.to_owned(), boundary: b.clone(), is_raw: at == 0 })
                .collect()
        };
        let mut claims: Claims =
            self.servers.iter().flat_map(|server| of(&server.key, &server.boundaries)).collect();
        if !self.has_server(target.call.server) {
            claims.extend(of(target.call.server, &target.boundaries));
        }
        claims
    }
}

/// Who the claimants are, for explanations.
impl Pool {
    pub(super) fn tools_that(
        &self,
        target: &Target<'_>,
        renders: impl Fn(&[String; 3]) -> bool,
    ) -> Vec<Claimant> {
        self.others(target.call)
            .filter(|other| renders(&scheme::renderings(other.server, other.tool)))
            .map(|other| Claimant::Tool { server: other.server.into(), tool: other.tool.into() })
            .collect()
    }

    pub(super) fn servers_spelled(&self, text: &str, target: &Target<'_>) -> Vec<Claimant> {
        self.servers
            .iter()
            .filter(|server| *server.key != *target.call.server)
            .filter(|server| server.boundaries.iter().any(|b| scheme::server_part(b) == text))
            .map(|server| Claimant::Server(server.key.to_string()))
            .collect()
    }

    pub(super) fn servers_claiming(&self, prefix: &str, target: &Target<'_>) -> Vec<Claimant> {
        let claims = self.claims(prefix, target).into_iter().map(|claim| claim.key);
        claims.filter(|key| key != target.call.server).map(Claimant::Server).collect()
    }
}

impl<'a> FromIterator<&'a ToolId> for Pool {
    fn from_iter<I: IntoIterator<Item = &'a ToolId>>(ids: I) -> Self {
        Self::of(ids)
    }
}
