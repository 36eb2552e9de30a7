use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::private;

/// Tells the temporary files of one process apart.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// The file's content; `None` if it is not there or can't be read, which a memory treats alike.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

pub(super) fn write(path: &Path, content: &impl Serialize) -> io::Result<()> {
    write_text(path, &serde_json::to_string(content)?)
}

/// Replaces the file in one step: written beside it first, then renamed over it.
pub(super) fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    private::make_directory(directory)?;
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let beside = directory.join(format!(".{}-{count}.tmp", std::process::id()));
    let written = private::make_file(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        remove(&beside);
    }
    written
}

/// Removes the file; that it is not there is as good.
pub(super) fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, "a file of the memory was not removed");
    }
}
