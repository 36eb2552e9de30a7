//! Keys at a depth: nested as files have them, or, where rules stand alone, as one key with dots.

use super::source::Source;
use crate::tree::Node;

/// The value at `path`. Rules that stand alone may leave out the tables around it, or write the path as one key.
pub(super) fn at<'d>(source: Source<'d>, path: &[&str]) -> Option<&'d Node<'d>> {
    let nested = |path: &[&str]| path.iter().try_fold(source.root(), |node, key| node.get(key));
    if source.whole_file {
        return nested(path);
    }
    (0..path.len()).find_map(|from| {
        let rest = &path[from..];
        nested(rest).or_else(|| source.root().get(&rest.join(".")))
    })
}

/// The value of `field` for each server under `table`. Rules that stand alone may write `{table}.{server}.{field}` as one
/// key, or `field` at the top: then it is that of whatever server is called.
pub(super) fn of_servers<'d>(
    source: Source<'d>,
    table: &str,
    field: &str,
) -> Vec<(Option<&'d str>, &'d Node<'d>)> {
    let tables = source.server_tables(table).into_iter();
    let mut found: Vec<_> =
        tables.filter_map(|(server, node)| Some((server, node.get(field)?))).collect();
    if !source.whole_file {
        for entry in source.root().entries() {
            let rest = entry.key.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
            let server = rest.and_then(|rest| rest.strip_suffix(field)?.strip_suffix('.'));
            found.extend(server.map(|server| (Some(server), &entry.node)));
        }
    }
    found
}
