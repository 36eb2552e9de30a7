//! The demonstration's fleet: what a person has who added five servers to an editor, and two servers of one tool each.

pub(crate) mod server;

/// Key and tools of every server.
pub(crate) const FLEET: [(&str, &[&str]); 7] = [
    (
        "filesystem",
        &[
            "read_file",
            "write_file",
            "list_directory",
            "search_files",
            "create_directory",
            "move_file",
        ],
    ),
    (
        "github",
        &[
            "search_files",
            "get_file_contents",
            "create_issue",
            "list_commits",
            "create_pull_request",
        ],
    ),
    ("notion-lite", &["read_file", "search", "append_block"]),
    ("sqlite", &["read_query", "describe_table", "list_tables"]),
    ("gdrive", &["list_directory", "read_file", "search", "share_item"]),
    ("alpha", &["request"]),
    ("beta", &["request"]),
];

/// A configuration that starts each of them as a process of this program.
pub(crate) fn configuration(program: &str) -> String {
    let entries: Vec<String> = FLEET
        .iter()
        .map(|(key, _)| {
            let command = serde_json::Value::from(program);
            format!("    \"{key}\": {{\n      \"command\": {command}, \"args\": [\"demo-server\", \"{key}\"]\n    }}")
        })
        .collect();
    format!("{{\n  \"mcpServers\": {{\n{}\n  }}\n}}\n", entries.join(",\n"))
}
