//! Files and directories for their owner only, made so from the first moment on.
//!
//! On Unix that is said by the mode. Elsewhere (Windows) what is made below a user's own directories is the owner's by
//! inheritance, and the memory is kept there.

pub(super) use platform::{make_directory, make_file};

#[cfg(unix)]
mod platform {
    use std::fs::{DirBuilder, File, OpenOptions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    use std::path::Path;

    /// Makes the directory and those above it, unless they are there.
    pub(crate) fn make_directory(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Makes a file that must not be there yet.
    pub(crate) fn make_file(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    }
}

#[cfg(not(unix))]
mod platform {
    use std::fs::{File, OpenOptions, create_dir_all};
    use std::io;
    use std::path::Path;

    /// Makes the directory and those above it, unless they are there.
    pub(crate) fn make_directory(path: &Path) -> io::Result<()> {
        create_dir_all(path)
    }

    /// Makes a file that must not be there yet.
    pub(crate) fn make_file(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }
}
