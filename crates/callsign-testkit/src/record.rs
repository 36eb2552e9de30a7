//! Files that show afterwards what the server received.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::{FlagError, json_text};

pub(crate) fn open(path: &Path) -> Result<Mutex<File>, FlagError> {
    let path = path.to_string_lossy().replace("{pid}", &std::process::id().to_string());
    let opened = OpenOptions::new().create(true).append(true).open(&path);
    opened.map(Mutex::new).map_err(|cause| FlagError::File { path: path.into(), cause })
}

/// Appends one JSON text as one line, at once. A full disk must not change what the server does, so a failure is only said.
pub(crate) fn append(file: &Mutex<File>, json: &str) {
    let line = format!("{}\n", json_text::one_line(json));
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(cause) = file.write_all(line.as_bytes()) {
        let _ = writeln!(std::io::stderr(), "cannot record: {cause}");
    }
}
