//! Which configuration files there are, where none is named.

use std::path::{Path, PathBuf};

use crate::format::FORMATS;

/// The configuration that applies in the folder `start`: the first `callsign.toml` in it or above it; if there is none,
/// the files of clients (`.mcp.json`, `.cursor/mcp.json`, `.vscode/mcp.json`, …) in the nearest folder, from `start`
/// upwards, that has any. They come in a fixed order. Empty if nothing is found.
///
/// The search ends at the project's root (a folder with `.git`) and below `home`: what lies there is
/// the user's and no project's, unless `start` is `home` itself. Only looks which files exist.
#[must_use]
pub fn discover(start: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let folders = project_folders(start, home);
    let own = folders.iter().map(|folder| folder.join("callsign.toml")).find(|file| file.is_file());
    match own {
        Some(own) => vec![own],
        None => discover_clients(start, home),
    }
}

/// The clients' files of [`discover`], also where there is a `callsign.toml`: one that only sets things says nothing about
/// servers.
#[must_use]
pub fn discover_clients(start: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let of_clients = project_folders(start, home)
        .into_iter()
        .map(|folder| existing(folder, FORMATS.iter().flat_map(|format| format.project_files())));
    of_clients.into_iter().find(|files| !files.is_empty()).unwrap_or_default()
}

/// `start` and the folders above it that belong to its project: what lies higher may be somebody else's.
pub(crate) fn project_folders<'a>(start: &'a Path, home: Option<&Path>) -> Vec<&'a Path> {
    let mut folders = Vec::new();
    for folder in start.ancestors().take_while(|&folder| folder == start || Some(folder) != home) {
        folders.push(folder);
        if folder.join(".git").exists() {
            break;
        }
    }
    folders
}

fn existing<'a>(folder: &Path, files: impl Iterator<Item = &'a &'static str>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in files.map(|file| folder.join(file)) {
        if file.is_file() && !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder of its own for each test, gone at the end of it.
    struct Folder(PathBuf);

    impl Folder {
        fn with(name: &str, files: &[&str]) -> Self {
            let folder =
                std::env::temp_dir().join(format!("callsign-{name}-{}", std::process::id()));
            for file in files {
                let file = folder.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "{}").unwrap();
            }
            Self(folder)
        }

        fn found(&self, start: &str) -> Vec<String> {
            let found = discover(&self.0.join(start), Some(&self.0));
            let relative = |file: &PathBuf| {
                file.strip_prefix(&self.0).unwrap().to_string_lossy().replace('\\', "/")
            };
            found.iter().map(relative).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn callsign_toml_is_found_upwards_and_before_all_others() {
        let folder = Folder::with("own", &["p/callsign.toml", "p/a/.mcp.json", "p/a/b/x"]);
        assert_eq!(folder.found("p/a/b"), ["p/callsign.toml"]);
    }

    #[test]
    fn the_nearest_folder_with_clients_files_gives_all_of_them() {
        let files =
            ["p/.mcp.json", "p/.cursor/mcp.json", "p/.vscode/mcp.json", "p/a/b/x", ".mcp.json"];
        let folder = Folder::with("nearest", &files);
        assert_eq!(
            folder.found("p/a/b"),
            [".cursor/mcp.json", ".mcp.json", ".vscode/mcp.json"].map(|f| format!("p/{f}"))
        );
    }

    #[test]
    fn neither_the_home_folder_nor_another_project_is_taken_for_this_one() {
        let folder = Folder::with(
            "home",
            &[".cursor/mcp.json", "a/x", "b/.mcp.json", "b/p/.git/x", "b/p/q/x"],
        );
        assert!(folder.found("a").is_empty());
        assert!(folder.found("b/p/q").is_empty());
        assert_eq!(folder.found(""), [".cursor/mcp.json"]);
    }

    /// Whoever can write into a folder above could otherwise name programs for everybody below.
    #[test]
    fn a_callsign_toml_above_the_project_is_not_its_own() {
        let files = ["callsign.toml", "b/callsign.toml", "b/p/.git/x", "b/p/q/.mcp.json", "a/x"];
        let folder = Folder::with("above", &files);
        assert_eq!(folder.found("b/p/q"), ["b/p/q/.mcp.json"]);
        assert!(folder.found("b/p").is_empty());
        assert!(folder.found("a").is_empty());
        assert_eq!(folder.found(""), ["callsign.toml"]);
    }
}
