//! A file is as it was, or has its new content whole; nothing else is left behind.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use callsign_migrate::{Staged, WriteError};
use tempfile::TempDir;

fn file(content: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("prompt.md");
    fs::write(&path, content).expect("a file");
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_staged_file_is_as_it_was_until_it_is_committed() {
    let (folder, path) = file("old");
    let staged = Staged::new(&path, b"old", b"new", true).expect("staged");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    let written = staged.commit().expect("written");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    let backup = written.backup.expect("a backup");
    assert_eq!(fs::read(backup).expect("a file"), b"old");
    assert_eq!(names(folder.path()), ["prompt.md", "prompt.md.orig"]);
}

#[test]
fn what_is_not_committed_leaves_nothing_behind() {
    let (folder, path) = file("old");
    drop(Staged::new(&path, b"old", b"new", false).expect("staged"));
    assert_eq!(names(folder.path()), ["prompt.md"]);
    assert_eq!(fs::read(&path).expect("a file"), b"old");
}

#[test]
fn a_file_that_vanishes_is_not_made_again() {
    let (folder, path) = file("old");
    let staged = Staged::new(&path, b"old", b"new", true).expect("staged");
    fs::remove_file(&path).expect("removed");
    let error = staged.commit().expect_err("it is gone");
    assert!(matches!(&error, WriteError::Vanished(gone) if *gone == path), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
    let error = Staged::new(&path, b"old", b"new", false).expect_err("it is gone");
    assert!(matches!(error, WriteError::Vanished(_)) && !error.remedy().is_empty());
}

#[test]
fn a_file_that_somebody_changed_stays_theirs() {
    let (folder, path) = file("theirs");
    let error = Staged::new(&path, b"old", b"new", false).expect_err("it is another");
    assert!(matches!(error, WriteError::Changed(_)), "{error}");
    assert_eq!(fs::read(&path).expect("a file"), b"theirs");
    assert_eq!(names(folder.path()), ["prompt.md"]);
}

#[test]
fn a_file_that_changes_after_it_was_staged_stays_theirs() {
    let (folder, path) = file("old");
    let staged = Staged::new(&path, b"old", b"new", true).expect("staged");
    fs::write(&path, "theirs").expect("a file");
    let error = staged.commit().expect_err("it is another");
    assert!(matches!(error, WriteError::Changed(_)), "{error}");
    assert_eq!(fs::read(&path).expect("a file"), b"theirs");
    assert_eq!(names(folder.path()), ["prompt.md"]);
}

#[test]
fn a_backup_that_appears_meanwhile_is_not_replaced() {
    let (folder, path) = file("old");
    let staged = Staged::new(&path, b"old", b"new", true).expect("staged");
    fs::write(folder.path().join("prompt.md.orig"), "precious").expect("a file");
    let error = staged.commit().expect_err("there is one");
    assert!(matches!(error, WriteError::BackupExists { .. }), "{error}");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_eq!(fs::read(folder.path().join("prompt.md.orig")).expect("a file"), b"precious");
    assert_eq!(names(folder.path()), ["prompt.md", "prompt.md.orig"]);
}
