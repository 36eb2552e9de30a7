use std::fmt;
use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri};
use subtle::ConstantTimeEq;

use super::refused::Refused;
use crate::serve::PrincipalId;

/// Who may ask: under which names this address is reached, from which pages, and with which tokens.
///
/// A page of a stranger can make a browser ask an address of this machine, under a name that the stranger controls (DNS
/// rebinding). `Host` then holds that name and `Origin` that page, so both are checked before anything else is read.
#[derive(Clone, Default)]
pub struct Access {
    any_host: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    tokens: Vec<Token>,
    /// Whose the tokens are, each once.
    principals: Vec<PrincipalId>,
}

#[derive(Clone)]
struct Token {
    secret: Box<[u8]>,
    /// Whose it is, by the place among the principals.
    place: usize,
}

/// Why a token can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// A header could not carry it.
    #[error("a token must consist of visible ASCII characters, at least one")]
    NotVisible,
    /// It would not say who asks.
    #[error("two principals have the same token")]
    Shared,
}

/// Who asks: which of the principals, and its place among them.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) place: usize,
    pub(super) principal: Option<PrincipalId>,
}

impl Access {
    /// Hosts and pages of this machine, without a token.
    #[must_use]
    pub fn loopback() -> Self {
        Self::default()
    }

    /// Lets this address be reached under a further name, `example.org` with any port or `example.org:8080`.
    #[must_use]
    pub fn host(mut self, name: &str) -> Self {
        self.hosts.push(name.to_ascii_lowercase());
        self
    }

    /// Lets this address be reached under any name: where something before us has checked it, or where tokens are asked
    /// for, which no page of a stranger has.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.any_host = true;
        self
    }

    /// Lets pages of a further origin ask, `https://example.org`.
    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origins.push(origin.trim_end_matches('/').to_ascii_lowercase());
        self
    }

    /// Asks for a token, and takes this one for this principal's. Several may be given, also several of one principal.
    ///
    /// # Errors
    /// The token is empty, no header could carry it, or somebody else has it.
    pub fn token(mut self, principal: PrincipalId, secret: &str) -> Result<Self, TokenError> {
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::NotVisible);
        }
        let secret: Box<[u8]> = secret.as_bytes().into();
        let place = self.principals.iter().position(|known| *known == principal);
        let same = self.tokens.iter().find(|known| known.secret == secret);
        if same.is_some_and(|same| Some(same.place) != place) {
            return Err(TokenError::Shared);
        }
        let place = place.unwrap_or_else(|| {
            self.principals.push(principal);
            self.principals.len() - 1
        });
        self.tokens.push(Token { secret, place });
        Ok(self)
    }

    pub(super) fn principals(&self) -> &[PrincipalId] {
        &self.principals
    }

    /// Refuses a request that comes under a wrong name or from a wrong page.
    pub(super) fn refuses(&self, target: &Uri, headers: &HeaderMap) -> Option<Refused> {
        if !self.any_host && !self.may_be_called(target, headers) {
            return Some(Refused::forbidden(
                "the header `Host` does not name this machine, nor a host that was allowed",
            ));
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| self.may_ask(origin))) {
            return Some(Refused::forbidden("requests of pages of this origin are not allowed"));
        }
        None
    }

    fn may_be_called(&self, target: &Uri, headers: &HeaderMap) -> bool {
        let mut names = headers.get_all(HOST).iter().peekable();
        // A target can name a host too, and some would believe that one.
        let in_target = target.authority().is_none_or(|authority| self.knows(authority));
        in_target
            && names.peek().is_some()
            && names.all(|name| {
                let authority = Authority::try_from(name.as_bytes());
                authority.is_ok_and(|authority| self.knows(&authority))
            })
    }

    fn knows(&self, authority: &Authority) -> bool {
        let whole = authority.as_str().to_ascii_lowercase();
        let name = authority.host().to_ascii_lowercase();
        is_loopback(&name) || self.hosts.iter().any(|host| *host == whole || *host == name)
    }

    fn may_ask(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let is_local = || {
            let (_, authority) = origin.split_once("://").filter(|(scheme, _)| {
                // Others don't name a place on the network.
                matches!(*scheme, "http" | "https")
            })?;
            let authority: Authority = authority.parse().ok()?;
            Some(is_loopback(authority.host()))
        };
        self.origins.contains(&origin) || is_local().unwrap_or(false)
    }

    /// Who asks, by the token. It is compared with every one that is known, and each comparison takes the same time
    /// however much of it is right; only its length shows.
    pub(super) fn principal(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        if self.tokens.is_empty() {
            return Ok(Caller { place: 0, principal: None });
        }
        let given = bearer(headers).ok_or_else(Refused::no_token)?;
        let mut found = None;
        for token in &self.tokens {
            if bool::from(token.secret.ct_eq(given)) {
                found = Some(token.place);
            }
        }
        let place = found.ok_or_else(Refused::wrong_token)?;
        Ok(Caller { place, principal: self.principals.get(place).cloned() })
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.as_bytes();
    let (scheme, token) = value.split_at_checked("bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// The one value of a header; `Err` where there are two that differ, or one that is not visible ASCII.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, Ambiguous> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.any(|other| other != first) {
        return Err(Ambiguous(name.clone()));
    }
    first.to_str().map(|value| Some(value.trim())).map_err(|_| Ambiguous(name.clone()))
}

/// A header that can't be read as one value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ambiguous(pub(super) HeaderName);

/// Tokens are never shown.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("any_host", &self.any_host)
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("principals", &self.principals)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(access: &Access, target: &str, headers: &[(&str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        access.refuses(&target.parse().unwrap(), &map).is_none()
    }

    #[test]
    fn names_and_pages_of_this_machine_only() {
        let local = Access::loopback();
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:9", "127.1.2.3", "[::1]:8080", "[::1]"]
        {
            assert!(asks(&local, "/mcp", &[("host", host)]), "{host}");
        }
        for host in [
            "example.org",
            "127.0.0.1.example.org",
            "localhost.example.org",
            "",
            "0.0.0.0",
            "192.168.1.1",
            "localhost@example.org",
            "example.org#localhost",
            "a b",
        ] {
            assert!(!asks(&local, "/mcp", &[("host", host)]), "{host}");
        }
        assert!(!asks(&local, "/mcp", &[]), "no name at all");
        assert!(!asks(&local, "/mcp", &[("host", "localhost"), ("host", "example.org")]));
        assert!(!asks(&local, "http://example.org/mcp", &[("host", "localhost")]));
        for origin in ["http://localhost:6274", "https://127.0.0.1", "HTTP://[::1]:1"] {
            assert!(asks(&local, "/mcp", &[("host", "localhost"), ("origin", origin)]), "{origin}");
        }
        for origin in [
            "null",
            "https://example.org",
            "file://localhost",
            "localhost",
            "",
            "http://localhost.example.org",
            "http://localhost@example.org",
        ] {
            assert!(
                !asks(&local, "/mcp", &[("host", "localhost"), ("origin", origin)]),
                "{origin}"
            );
        }
    }

    #[test]
    fn further_names_and_pages_are_those_that_were_allowed() {
        let access = Access::loopback()
            .host("Example.org")
            .host("other.example:8080")
            .origin("https://App.example/");
        for (host, is_known) in [
            ("example.org", true),
            ("example.org:443", true),
            ("other.example:8080", true),
            ("other.example", false),
            ("sub.example.org", false),
        ] {
            assert_eq!(asks(&access, "/mcp", &[("host", host)]), is_known, "{host}");
        }
        let page = |origin| asks(&access, "/mcp", &[("host", "localhost"), ("origin", origin)]);
        assert!(page("https://app.example") && !page("http://app.example"));
        let any = Access::loopback().any_host();
        assert!(asks(&any, "/mcp", &[("host", "example.org")]));
        assert!(
            !asks(&any, "/mcp", &[("host", "a"), ("origin", "http://a")]),
            "rebound names agree"
        );
    }

    #[test]
    fn a_token_says_who_asks_and_is_never_shown() {
        let access = Access::loopback();
        let (one, two) = (PrincipalId::new("one"), PrincipalId::new("two"));
        let access = access.token(one.clone(), "secret-1").unwrap();
        let access = access.token(two.clone(), "secret-2").unwrap().token(one, "secret-3").unwrap();
        assert_eq!(access.clone().token(two, "secret-1").unwrap_err(), TokenError::Shared);
        for bad in ["", "a b", "é", "a\n"] {
            let refused = access.clone().token(PrincipalId::new("x"), bad);
            assert_eq!(refused.unwrap_err(), TokenError::NotVisible, "{bad:?}");
        }
        let who = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            let caller = access.principal(&headers).ok()?;
            Some((caller.place, caller.principal?.as_str().to_owned()))
        };
        assert_eq!(who("Bearer secret-3"), Some((0, "one".to_owned())));
        assert_eq!(who("bearer  secret-2 "), Some((1, "two".to_owned())));
        for wrong in
            ["", "Bearer", "Bearer ", "Bearer secret-", "Basic secret-1", "Bearer secret-11"]
        {
            assert_eq!(who(wrong), None, "{wrong}");
        }
        assert!(access.principal(&HeaderMap::new()).is_err());
        assert!(!format!("{access:?}").contains("secret"));
    }
}
