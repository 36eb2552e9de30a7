//! Which server a resource is read from. URIs are passed as they are; who listed one is asked for it.

use std::collections::{BTreeMap, HashMap};

use callsign::ServerKey;

use super::template::Template;
use crate::refusal::Refusal;

/// The resources of all servers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resources {
    /// Who listed a URI. Several may have.
    listed: HashMap<Box<str>, Vec<ServerKey>>,
    templates: Vec<(Template, ServerKey)>,
    /// Every server that offers resources at all.
    servers: Vec<ServerKey>,
}

impl Resources {
    /// Adds what one server offers; `templates` are the texts of its templates.
    pub(super) fn add<'a>(
        &mut self,
        server: &ServerKey,
        uris: impl Iterator<Item = &'a str>,
        templates: impl Iterator<Item = String>,
    ) {
        let mut offers_any = false;
        for uri in uris {
            offers_any = true;
            let servers = self.listed.entry(uri.into()).or_default();
            if !servers.contains(server) {
                servers.push(server.clone());
            }
        }
        for template in templates.filter_map(|text| Template::read(&text)) {
            offers_any = true;
            self.templates.push((template, server.clone()));
        }
        if offers_any {
            self.servers.push(server.clone());
        }
    }

    /// URIs that more than one server listed, with their servers, sorted.
    pub(super) fn contested(&self) -> BTreeMap<&str, &[ServerKey]> {
        let several = self.listed.iter().filter(|(_, servers)| servers.len() > 1);
        several.map(|(uri, servers)| (&**uri, &servers[..])).collect()
    }

    /// The server that a URI or the text of a template is read from: who listed it, else whose template fits best, else the
    /// only one that has resources at all (a result may name a resource that no list has).
    ///
    /// # Errors
    /// Nobody, or more than one: to ask one of them would be to guess.
    pub(crate) fn server_of(&self, uri: &str) -> Result<&ServerKey, Refusal> {
        let several = |servers: &[&ServerKey]| Refusal::AmbiguousResource {
            uri: uri.to_owned(),
            servers: servers.iter().map(|&server| server.clone()).collect(),
        };
        if let Some(listed) = self.listed.get(uri) {
            let listed: Vec<&ServerKey> = listed.iter().collect();
            return only(&listed).ok_or_else(|| several(&listed));
        }
        let fitting = self.fitting(uri);
        match (&fitting[..], &self.servers[..]) {
            ([], [server]) => Ok(server),
            ([], _) => Err(Refusal::UnknownResource(uri.to_owned())),
            (fitting, _) => only(fitting).ok_or_else(|| several(fitting)),
        }
    }

    /// The servers whose templates say most of the URI literally, each once.
    fn fitting(&self, uri: &str) -> Vec<&ServerKey> {
        let fitting: Vec<_> =
            self.templates.iter().filter(|(template, _)| template.matches(uri)).collect();
        let most = fitting.iter().map(|(template, _)| template.literal()).max();
        let mut servers: Vec<&ServerKey> = fitting
            .into_iter()
            .filter(|(template, _)| Some(template.literal()) == most)
            .map(|(_, server)| server)
            .collect();
        servers.sort_unstable();
        servers.dedup();
        servers
    }
}

fn only<'a>(servers: &[&'a ServerKey]) -> Option<&'a ServerKey> {
    match servers {
        [server] => Some(server),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(servers: &[(&str, &[&str], &[&str])]) -> Resources {
        let mut resources = Resources::default();
        for (server, uris, templates) in servers {
            let templates = templates.iter().map(|text| (*text).to_owned());
            resources.add(&server.parse().unwrap(), uris.iter().copied(), templates);
        }
        resources
    }

    #[test]
    fn who_listed_it_is_asked_then_whose_template_fits_best() {
        let resources = of(&[
            ("a", &["x://1"], &["x://{n}", "file:///{+path}"]),
            ("b", &["y://1"], &["file:///home/{+path}"]),
        ]);
        let server = |uri: &str| resources.server_of(uri).map(ToString::to_string);
        assert_eq!(server("x://1").unwrap(), "a");
        assert_eq!(server("y://1").unwrap(), "b");
        assert_eq!(server("x://2").unwrap(), "a");
        assert_eq!(server("file:///home/me").unwrap(), "b");
        assert_eq!(server("file:///etc").unwrap(), "a");
        assert!(matches!(server("z://"), Err(Refusal::UnknownResource(_))));
    }

    #[test]
    fn nobody_is_asked_where_two_could_be_meant() {
        let resources = of(&[("a", &["x://1"], &["y://{n}"]), ("b", &["x://1"], &["y://{m}"])]);
        for uri in ["x://1", "y://7"] {
            let error = resources.server_of(uri).unwrap_err().to_string();
            assert!(error.contains("`a` and `b`"), "{error}");
        }
        assert_eq!(resources.contested().len(), 1);
        assert!(of(&[("a", &["x://1"], &[])]).server_of("z://").is_ok(), "there is one server");
        assert!(of(&[]).server_of("z://").is_err());
    }
}
