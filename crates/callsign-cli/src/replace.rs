//! Replaces a file in one step: whoever reads it sees the old content or the new, also after a crash.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why a file was left as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    /// A pipe, a device, a folder.
    #[error("it is not a regular file")]
    NotAFile,
    /// Its permissions say that it is not to be changed.
    #[error("it is read-only")]
    ReadOnly,
    /// It is no longer what was read.
    #[error("it was changed or removed while it was worked on")]
    Changed,
    /// The system refused a step.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl ReplaceError {
    /// What to do about it; the file is as it was.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::NotAFile => "leave out --write, and the result goes to standard output",
            Self::ReadOnly => "make it writable; it was left as it is",
            Self::Changed => "run the command again when nothing else writes the file",
            Self::Io(_) => "see that the folder can be written to; the file was left as it is",
        }
    }
}

/// Replaces the content of the file at `path`, through symbolic links, if it still is `before`. Permissions stay, and the
/// owner where the system lets us say so.
pub(crate) fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<(), ReplaceError> {
    let path = fs::canonicalize(path).map_err(vanished)?;
    let metadata = fs::metadata(&path).map_err(vanished)?;
    if !metadata.is_file() {
        return Err(ReplaceError::NotAFile);
    }
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    let (beside, mut file) = made_beside(&path)?;
    let written = write(&mut file, after, &metadata).and_then(|()| {
        // As late as can be: what somebody else wrote meanwhile is not ours to throw away.
        if fs::read(&path).map_err(vanished)? != before {
            return Err(ReplaceError::Changed);
        }
        Ok(fs::rename(&beside, &path)?)
    });
    if written.is_err() {
        drop(file);
        let _ = fs::remove_file(&beside);
    }
    written
}

fn vanished(error: io::Error) -> ReplaceError {
    match error.kind() {
        io::ErrorKind::NotFound => ReplaceError::Changed,
        _ => ReplaceError::Io(error),
    }
}

/// A new file in the same folder, so that it can be renamed. Until it has its permissions it is for its owner alone.
fn made_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&beside)?;
    Ok((beside, file))
}

fn write(file: &mut File, content: &[u8], like: &fs::Metadata) -> Result<(), ReplaceError> {
    file.write_all(content)?;
    keep_owner(file, like);
    file.set_permissions(like.permissions())?;
    Ok(file.sync_all()?)
}

/// Only root may give files away; for everybody else the owner is right already.
#[cfg(unix)]
fn keep_owner(file: &File, like: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::TempDir::with_prefix("callsign-replace-").unwrap()
    }

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left() {
        let folder = folder();
        let path = folder.path().join("a");
        fs::write(&path, "theirs").unwrap();
        assert!(matches!(replace(&path, b"old", b"new"), Err(ReplaceError::Changed)));
        assert_eq!((fs::read(&path).unwrap(), entries(folder.path())), (b"theirs".to_vec(), 1));
        fs::remove_file(&path).unwrap();
        assert!(matches!(replace(&path, b"old", b"new"), Err(ReplaceError::Changed)));
        assert_eq!(entries(folder.path()), 0, "a file that vanished does not come back");
    }

    #[test]
    fn what_is_no_file_or_read_only_is_left() {
        let folder = folder();
        assert!(matches!(replace(folder.path(), b"", b"new"), Err(ReplaceError::NotAFile)));
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(matches!(replace(&path, b"old", b"new"), Err(ReplaceError::ReadOnly)));
        assert_eq!((fs::read(&path).unwrap(), entries(folder.path())), (b"old".to_vec(), 1));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (real, linked) = (folder(), folder());
        let path = real.path().join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = linked.path().join("link");
        symlink(&path, &link).unwrap();
        replace(&link, b"old", b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!((entries(real.path()), entries(linked.path())), (1, 1));
    }
}
