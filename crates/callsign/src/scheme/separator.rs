/// One way to read `{server}__{tool}` back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reading {
    /// What would be taken for the server key.
    pub server: String,
    /// What would be taken for the wire name.
    pub wire: String,
}

/// Another identity that is spelled the same when key and name are joined by `__`, if there is one.
///
/// `a` + `b__c` can be read as `a__b` + `c`, and `foo` + `_x` as `foo_` + `x`. The leftmost other split is given.
#[must_use]
pub fn other_reading(server: &str, wire: &str) -> Option<Reading> {
    // Without a `_` at the joint or a `__` inside, the only `__` is the one between the parts.
    if !server.ends_with('_')
        && !wire.starts_with('_')
        && !has_separator(server)
        && !has_separator(wire)
    {
        return None;
    }
    let joined = [server, "__", wire].concat();
    (1..joined.len().saturating_sub(2))
        .filter(|&at| at != server.len() && joined.is_char_boundary(at))
        .find(|&at| joined[at..].starts_with("__"))
        .map(|at| Reading { server: joined[..at].into(), wire: joined[at + 2..].into() })
}

/// Whether `__` occurs. Asked of every name, and names are short: looking at each pair beats a search that prepares itself.
fn has_separator(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair == b"__")
}

#[cfg(test)]
mod tests {
    use super::other_reading;

    #[test]
    fn readings() {
        let read = |server, wire| other_reading(server, wire).map(|r| (r.server, r.wire));
        let other = |server: &str, wire: &str| Some((server.to_owned(), wire.to_owned()));
        assert_eq!(read("a", "b__c"), other("a__b", "c"));
        assert_eq!(read("a__b", "c"), other("a", "b__c"));
        assert_eq!(read("foo", "_x"), other("foo_", "x"));
        assert_eq!(read("foo_", "x"), other("foo", "_x"));
        assert_eq!(read("日_", "x"), other("日", "_x"));
        for (server, wire) in [("a", "b_c"), ("a_b", "c_"), ("_a", "b"), ("__", "__")] {
            let plain = (server, wire) != ("__", "__");
            assert_eq!(read(server, wire).is_none(), plain, "{server} {wire}");
        }
    }
}
