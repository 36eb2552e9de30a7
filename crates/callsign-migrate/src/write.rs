use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Why a file could not be written. The file is then as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It may not be written.
    #[error("{}: it is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is no longer there.
    #[error("{}: it is no longer there", .0.display())]
    Vanished(PathBuf),
    /// It is not what was read.
    #[error("{}: it was changed after it was read", .0.display())]
    Changed(PathBuf),
    /// There is a backup of it already.
    #[error("{}: there is a file {} already", path.display(), backup.display())]
    BackupExists {
        /// The file.
        path: PathBuf,
        /// The backup that is there.
        backup: PathBuf,
    },
    /// The system refused.
    #[error("{}: {step}: {cause}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What was being done.
        step: &'static str,
        /// What the system says.
        cause: io::Error,
    },
}

impl WriteError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::ReadOnly(_) => "make it writable, or leave it out",
            Self::Vanished(_) | Self::Changed(_) => "run it again",
            Self::BackupExists { .. } => "move the old backup away, or run without a backup",
            Self::Refused { .. } => "see to the permissions of the file and its folder",
        }
    }
}

/// A file's new content, complete and on the disk beside it, waiting to take its place. Dropped, it is gone and the file is
/// as it was.
#[derive(Debug)]
#[must_use = "nothing is written before `commit`"]
pub struct Staged {
    /// As it was given.
    path: PathBuf,
    /// Where it really is: a symbolic link stays one.
    target: PathBuf,
    temporary: TempPath,
    /// What the file was when it was staged.
    before: Metadata,
    backup: Option<PathBuf>,
}

/// A file that has its new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// Where its old content is kept, if it is.
    pub backup: Option<PathBuf>,
}

impl Staged {
    /// Writes `new` beside the file, with the file's permissions and owner. `old` is what the file was found to hold.
    ///
    /// # Errors
    /// The file is read-only, gone, not what it was, has a backup already, or the system refuses.
    pub fn new(path: &Path, old: &[u8], new: &[u8], backup: bool) -> Result<Self, WriteError> {
        let refused =
            |step| move |cause| WriteError::Refused { path: path.to_owned(), step, cause };
        let target = path.canonicalize().map_err(|cause| gone(path, "find it", cause))?;
        let before = fs::metadata(&target).map_err(|cause| gone(path, "look at it", cause))?;
        if before.permissions().readonly() {
            return Err(WriteError::ReadOnly(path.to_owned()));
        }
        if fs::read(&target).map_err(|cause| gone(path, "read it", cause))? != old {
            return Err(WriteError::Changed(path.to_owned()));
        }
        let backup = backup.then(|| backup_of(&target));
        if let Some(backup) = backup.as_ref().filter(|backup| backup.symlink_metadata().is_ok()) {
            return Err(WriteError::BackupExists { path: path.to_owned(), backup: backup.clone() });
        }
        let folder = target.parent().unwrap_or(Path::new("."));
        let mut temporary = tempfile::Builder::new()
            .prefix(".callsign-")
            .tempfile_in(folder)
            .map_err(refused("write beside it"))?;
        temporary.write_all(new).map_err(refused("write beside it"))?;
        keep_owner(temporary.as_file(), &before).map_err(refused("keep its owner"))?;
        let permissions = before.permissions();
        temporary
            .as_file()
            .set_permissions(permissions)
            .map_err(refused("keep its permissions"))?;
        temporary.as_file().sync_all().map_err(refused("write beside it"))?;
        let temporary = temporary.into_temp_path();
        Ok(Self { path: path.to_owned(), target, temporary, before, backup })
    }

    /// Puts the new content in the file's place, at once.
    ///
    /// # Errors
    /// The file is gone, was changed or has got a backup meanwhile, or the system refuses.
    pub fn commit(self) -> Result<Written, WriteError> {
        let Self { path, target, temporary, before, backup } = self;
        let now = target.symlink_metadata().map_err(|cause| gone(&path, "look at it", cause))?;
        if now.len() != before.len() || now.modified().ok() != before.modified().ok() {
            return Err(WriteError::Changed(path));
        }
        if let Some(backup) = &backup {
            keep(&path, &target, backup)?;
        }
        temporary.persist(&target).map_err(|error| WriteError::Refused {
            path: path.clone(),
            step: "put the new content in its place",
            cause: error.error,
        })?;
        sync_folder(&target);
        Ok(Written { path, backup })
    }
}

fn gone(path: &Path, step: &'static str, cause: io::Error) -> WriteError {
    match cause.kind() {
        io::ErrorKind::NotFound => WriteError::Vanished(path.to_owned()),
        _ => WriteError::Refused { path: path.to_owned(), step, cause },
    }
}

fn backup_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(".orig");
    name.into()
}

/// The backup is the old file itself under a second name; where that can't be, a copy. Neither replaces anything.
fn keep(path: &Path, target: &Path, backup: &Path) -> Result<(), WriteError> {
    let exists = |cause: &io::Error| cause.kind() == io::ErrorKind::AlreadyExists;
    let kept = fs::hard_link(target, backup).or_else(|cause| match exists(&cause) {
        true => Err(cause),
        false => copy(target, backup),
    });
    kept.map_err(|cause| match exists(&cause) {
        true => WriteError::BackupExists { path: path.to_owned(), backup: backup.to_owned() },
        false => WriteError::Refused { path: path.to_owned(), step: "keep a backup of it", cause },
    })
}

fn copy(target: &Path, backup: &Path) -> io::Result<()> {
    let mut old = File::open(target)?;
    let mut new = File::create_new(backup)?;
    io::copy(&mut old, &mut new)?;
    new.set_permissions(old.metadata()?.permissions())?;
    new.sync_all()
}

#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let made = new.metadata()?;
    if (made.uid(), made.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(new, Some(old.uid()), Some(old.gid()))
}

/// Elsewhere a new file takes its access rules from its folder.
#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the new name last, where folders can be synchronised. The content is on the disk already.
fn sync_folder(target: &Path) {
    if cfg!(unix)
        && let Some(folder) = target.parent().and_then(|folder| File::open(folder).ok())
    {
        let _ = folder.sync_all();
    }
}
