use std::collections::HashSet;

use crate::catalogue::Catalogue;
use crate::name::{ServerKey, WireName, nearest};

/// Which of a server's tools are used, by wire name.
///
/// `None` is no filter; an empty list means none. An entry may end in `*`, which stands for any rest. `tools` and
/// `include` both choose, and a tool must be in each list that is given; `exclude` always wins.
///
/// An entry of the listing whose name can't be read can't have been chosen, so a list that chooses leaves it out, and
/// `exclude` alone does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these (the `tools` list of a configuration).
    pub tools: Option<Vec<String>>,
    /// Only these.
    pub include: Option<Vec<String>>,
    /// Not these.
    pub exclude: Option<Vec<String>>,
}

/// A filter entry that names no tool of its server. Never ignored: whoever wrote it believed it did something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` in `{list}` names no tool of server `{}`{}", .entry.escape_debug(), .server.escape_debug(), near_words(near))]
pub struct UnknownFilterEntry {
    /// The server whose filter it is.
    pub server: ServerKey,
    /// The list it stands in: `tools`, `include` or `exclude`.
    pub list: &'static str,
    /// The entry as written.
    pub entry: String,
    /// The server's wire names that come near it.
    pub near: Vec<WireName>,
}

fn near_words(near: &[WireName]) -> String {
    match near {
        [] => String::new(),
        near => {
            let quoted: Vec<String> =
                near.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
            format!("; did you mean {}?", quoted.join(" or "))
        }
    }
}

impl Filter {
    /// Whether the filter says nothing at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the tools that the filter leaves out of the catalogue.
    ///
    /// # Errors
    /// Every entry that names no tool of the catalogue, with the names that come near; the catalogue is unchanged then.
    pub fn apply(
        &self,
        server: &ServerKey,
        catalogue: &mut Catalogue,
    ) -> Result<(), Vec<UnknownFilterEntry>> {
        let unknown = self.unknown_entries(server, catalogue);
        if !unknown.is_empty() {
            return Err(unknown);
        }
        self.leave_out(catalogue);
        Ok(())
    }

    /// Takes the tools that the filter leaves out of the catalogue and gives the entries that name no tool of it.
    pub(crate) fn retain(&self, server: &ServerKey, catalogue: &mut Catalogue) -> Vec<String> {
        let unmatched = self.unknown_entries(server, catalogue);
        self.leave_out(catalogue);
        unmatched.into_iter().map(|unknown| unknown.entry).collect()
    }

    fn leave_out(&self, catalogue: &mut Catalogue) {
        if self.is_none() {
            return;
        }
        let [tools, include, exclude] = [&self.tools, &self.include, &self.exclude]
            .map(|list| list.as_deref().map(Entries::of));
        let is_in = |entries: &Entries<'_>, wire: Option<&WireName>| {
            wire.is_some_and(|wire| entries.cover(wire))
        };
        catalogue.retain_tools(|wire| {
            tools.as_ref().is_none_or(|entries| is_in(entries, wire))
                && include.as_ref().is_none_or(|entries| is_in(entries, wire))
                && !exclude.as_ref().is_some_and(|entries| is_in(entries, wire))
        });
    }

    fn unknown_entries(
        &self,
        server: &ServerKey,
        catalogue: &Catalogue,
    ) -> Vec<UnknownFilterEntry> {
        let lists =
            [("tools", &self.tools), ("include", &self.include), ("exclude", &self.exclude)];
        if self.is_none() {
            return Vec::new();
        }
        let malformed = catalogue.malformed().iter().filter_map(|entry| entry.name.as_ref());
        let wires = catalogue.tools().iter().map(super::Tool::wire).chain(malformed);
        let mut advertised: Vec<&str> = wires.map(WireName::as_str).collect();
        advertised.sort_unstable();
        let mut unknown = Vec::new();
        for (list, entries) in lists {
            for entry in entries.iter().flatten().filter(|entry| !names_any(entry, &advertised)) {
                let near = nearest(entry, advertised.iter().copied());
                let near = near.into_iter().filter_map(|name| WireName::new(name).ok()).collect();
                let entry = entry.clone();
                unknown.push(UnknownFilterEntry { server: server.clone(), list, entry, near });
            }
        }
        unknown
    }
}

/// Whether an entry names one of the `advertised` names, which are sorted.
fn names_any(entry: &str, advertised: &[&str]) -> bool {
    let prefix = entry.strip_suffix('*');
    let from = advertised.partition_point(|wire| *wire < prefix.unwrap_or(entry));
    let begins = |prefix| advertised.get(from).is_some_and(|wire| wire.starts_with(prefix));
    prefix.is_some_and(begins) || advertised.binary_search(&entry).is_ok()
}

/// The entries of one list, ready to be held against many names.
struct Entries<'a> {
    exact: HashSet<&'a str>,
    prefixes: Vec<&'a str>,
}

impl<'a> Entries<'a> {
    fn of(entries: &'a [String]) -> Self {
        Self {
            exact: entries.iter().map(String::as_str).collect(),
            prefixes: entries.iter().filter_map(|entry| entry.strip_suffix('*')).collect(),
        }
    }

    fn cover(&self, wire: &str) -> bool {
        self.exact.contains(wire) || self.prefixes.iter().any(|prefix| wire.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue(names: &[&str]) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for name in names {
            catalogue.push_named(WireName::new(name).unwrap());
        }
        catalogue
    }

    fn left(filter: &Filter, names: &[&str]) -> Result<Vec<String>, Vec<UnknownFilterEntry>> {
        let mut catalogue = catalogue(names);
        filter.apply(&ServerKey::new("s").unwrap(), &mut catalogue)?;
        Ok(catalogue.tools().iter().map(|tool| tool.wire().to_string()).collect())
    }

    fn list(entries: &[&str]) -> Option<Vec<String>> {
        Some(entries.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn t27_empty_is_none_absent_is_all_unknown_is_an_error_with_near_misses() {
        let names = ["read_file", "write_file"];
        assert_eq!(left(&Filter::default(), &names).unwrap(), names);
        assert!(
            left(&Filter { tools: list(&[]), ..Filter::default() }, &names).unwrap().is_empty()
        );
        let unknown = left(&Filter { exclude: list(&["readfile"]), ..Filter::default() }, &names)
            .unwrap_err();
        assert_eq!(unknown[0].near[0].as_str(), "read_file");
        assert_eq!(
            unknown[0].to_string(),
            "`readfile` in `exclude` names no tool of server `s`; did you mean `read_file`?"
        );
    }

    #[test]
    fn an_entry_without_a_name_was_chosen_by_no_list() {
        let unreadable = |filter: Filter| {
            let mut catalogue = catalogue(&["a", "b"]);
            catalogue.push_tool("{}");
            catalogue.push_tool(r#"{"name":"c","name":"c"}"#);
            filter.apply(&ServerKey::new("s").unwrap(), &mut catalogue).unwrap();
            let names = catalogue.malformed().iter().map(|m| m.name.as_deref().map(str::to_owned));
            (catalogue.tools().len(), names.collect::<Vec<_>>())
        };
        let named = || Some("c".to_owned());
        let tools = |entries: &[&str]| Filter { tools: list(entries), ..Filter::default() };
        assert_eq!(unreadable(tools(&["a"])), (1, vec![]));
        assert_eq!(unreadable(tools(&[])), (0, vec![]));
        assert_eq!(unreadable(tools(&["a", "c"])), (1, vec![named()]), "asked for by its name");
        assert_eq!(unreadable(Filter { include: list(&["*"]), ..tools(&["a"]) }), (1, vec![]));
        let exclude = Filter { exclude: list(&["a"]), ..Filter::default() };
        assert_eq!(unreadable(exclude), (1, vec![None, named()]));
        assert_eq!(unreadable(Filter::default()), (2, vec![None, named()]));
    }

    #[test]
    fn text_from_outside_is_printed_without_control_characters() {
        let entry = list(&["rea\u{1b}[2Kd"]);
        let unknown = left(&Filter { tools: entry, ..Filter::default() }, &["rea\u{1b}[1Kd"]);
        let text = unknown.unwrap_err()[0].to_string();
        assert!(!text.contains(char::is_control) && text.contains("did you mean"), "{text}");
    }

    #[test]
    fn exclude_wins_and_a_final_star_is_any_rest() {
        let filter = Filter {
            include: list(&["get_*", "list"]),
            exclude: list(&["get_secret*"]),
            ..Filter::default()
        };
        let names = ["get_app", "get_secret_value", "delete", "list"];
        assert_eq!(left(&filter, &names).unwrap(), ["get_app", "list"]);
    }
}
