use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::plan::Plan;
use crate::scan::Scan;

/// Which files are looked at.
#[derive(Debug, Clone, Default)]
pub struct Where {
    /// Files and folders. Folders are walked as ripgrep walks them: what `.gitignore`, `.ignore` and git's own lists name
    /// is left out, as are binary files; symbolic links are not followed. A path given here is read even if it is ignored.
    pub paths: Vec<PathBuf>,
    /// Also files and folders whose names begin with a dot.
    pub hidden: bool,
    /// Files that say what servers call their tools: there, names without a server are not to be moved.
    pub catalogues: Vec<PathBuf>,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Survey {
    /// Files with something to change or to say, in the order of their paths.
    pub files: Vec<Surveyed>,
    /// Files that were not looked through, in the order of their paths; binary files that were not asked for by name are
    /// not among them.
    pub skipped: Vec<Skipped>,
    /// What stands in the folders that were asked for and was not looked at because its name begins with a dot: many
    /// programs keep rules and agents there. Git's own is not among them.
    pub hidden: Vec<PathBuf>,
    /// How many files were looked through.
    pub searched: usize,
    /// How often a tool's own name stood where it is a word like any other.
    pub words: usize,
}

/// One file with something to change or to say.
#[derive(Debug)]
pub struct Surveyed {
    /// As it was reached from the path that was asked for.
    pub path: PathBuf,
    /// All of it, as it was read.
    pub text: Vec<u8>,
    /// What it says.
    pub scan: Scan,
}

/// A file that was not looked through.
#[derive(Debug)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: Skip,
}

/// Why a file was not looked through.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Skip {
    /// It has a NUL byte.
    #[error("it is a binary file")]
    Binary,
    /// It begins with the mark of UTF-16.
    #[error("it is in UTF-16; save it as UTF-8")]
    Utf16,
    /// It is larger than can be read at once.
    #[error("it is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
    /// It says what servers call their tools, and names without a server are looked for.
    #[error("it says what the servers call their tools")]
    Catalogue,
    /// It could not be read.
    #[error("{0}")]
    Unreadable(io::Error),
}

/// A walk that could not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurveyError {
    /// A path that was asked for can't be reached.
    #[error("{}: {cause}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

/// Larger files are no prompts, and are read whole.
const LARGEST: u64 = 512 << 20;

/// Binary files show themselves by a NUL byte in this much.
const FIRST: usize = 64 << 10;

impl Survey {
    /// Looks through the files, on as many threads as there are processors. The result does not depend on their number.
    ///
    /// # Errors
    /// A path that was asked for and can't be reached; nothing has been looked at then.
    pub fn of(plan: &Plan, places: &Where) -> Result<Self, SurveyError> {
        let mut roots = places.paths.iter();
        let Some(first) = roots.next() else { return Ok(Self::default()) };
        for path in &places.paths {
            let reached = std::fs::metadata(path).map(drop);
            reached.map_err(|cause| SurveyError::Path { path: path.clone(), cause })?;
        }
        let mut walk = WalkBuilder::new(first);
        for root in roots {
            walk.add(root);
        }
        walk.hidden(!places.hidden);
        // What a version control system keeps of the past is never rewritten, hidden files wanted or not.
        walk.filter_entry(|entry| entry.depth() == 0 || !is_version_store(entry.path()));
        let catalogues: Vec<PathBuf> =
            places.catalogues.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let found = Found::new(plan, catalogues);
        walk.build_parallel().run(|| {
            let mut buffer = Vec::with_capacity(2 * FIRST);
            let found = &found;
            Box::new(move |entry| {
                found.visit(entry, &mut buffer);
                WalkState::Continue
            })
        });
        let hidden = if places.hidden { Vec::new() } else { hidden_in(&places.paths) };
        Ok(Self { hidden, ..found.sorted(places.paths.len() > 1) })
    }
}

/// What the threads of a walk share.
struct Found<'p> {
    plan: &'p Plan,
    catalogues: Vec<PathBuf>,
    files: Mutex<Vec<Surveyed>>,
    skipped: Mutex<Vec<Skipped>>,
    searched: AtomicUsize,
    words: AtomicUsize,
}

impl<'p> Found<'p> {
    fn new(plan: &'p Plan, catalogues: Vec<PathBuf>) -> Self {
        Self {
            plan,
            catalogues,
            files: Mutex::default(),
            skipped: Mutex::default(),
            searched: AtomicUsize::new(0),
            words: AtomicUsize::new(0),
        }
    }

    fn visit(&self, entry: Result<DirEntry, ignore::Error>, buffer: &mut Vec<u8>) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return self.unreachable(error),
        };
        let asked_for = entry.depth() == 0;
        let is_file = match asked_for {
            true => entry.path().is_file(),
            false => entry.file_type().is_some_and(|kind| kind.is_file()),
        };
        if !is_file || (!asked_for && is_backup(entry.path())) {
            return;
        }
        match self.look_through(entry.path(), buffer) {
            Ok(()) => {}
            Err(Skip::Binary) if !asked_for => {}
            Err(why) => self.skip(entry.path(), why),
        }
    }

    fn look_through(&self, path: &Path, buffer: &mut Vec<u8>) -> Result<(), Skip> {
        read(path, buffer)?;
        self.searched.fetch_add(1, Ordering::Relaxed);
        if !self.plan.concerns(buffer) {
            return Ok(());
        }
        if memchr::memchr(0, buffer).is_some() {
            return Err(Skip::Binary);
        }
        let scan = self.plan.scan(buffer);
        if self.plan.looks_for_plain_names() && self.is_catalogue(path) {
            return if scan.is_empty() { Ok(()) } else { Err(Skip::Catalogue) };
        }
        self.words.fetch_add(scan.words, Ordering::Relaxed);
        if !scan.is_empty() {
            let path = shown(path);
            let text = std::mem::take(buffer);
            locked(&self.files).push(Surveyed { path, text, scan });
        }
        Ok(())
    }

    fn is_catalogue(&self, path: &Path) -> bool {
        !self.catalogues.is_empty()
            && path.canonicalize().is_ok_and(|path| self.catalogues.contains(&path))
    }

    fn skip(&self, path: &Path, why: Skip) {
        locked(&self.skipped).push(Skipped { path: shown(path), why });
    }

    /// A folder that can't be listed, or an ignore file that can't be read.
    fn unreachable(&self, error: ignore::Error) {
        let path = match &error {
            ignore::Error::WithPath { path, .. } => path.clone(),
            ignore::Error::WithDepth { err, .. } => match &**err {
                ignore::Error::WithPath { path, .. } => path.clone(),
                _ => PathBuf::new(),
            },
            _ => PathBuf::new(),
        };
        let text = error.to_string();
        let cause = error.into_io_error().unwrap_or_else(|| io::Error::other(text));
        self.skip(&path, Skip::Unreadable(cause));
    }

    fn sorted(self, several: bool) -> Survey {
        let mut files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut skipped = self.skipped.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        if several {
            // One file may be reached from two of the paths; it must not be changed twice.
            let mut seen = std::collections::HashSet::new();
            files.retain(|file| file.path.canonicalize().map_or(true, |real| seen.insert(real)));
        }
        Survey {
            hidden: Vec::new(),
            files,
            skipped,
            searched: self.searched.into_inner(),
            words: self.words.into_inner(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a version control system keeps the past there: what was is not rewritten.
fn is_version_store(path: &Path) -> bool {
    const STORES: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".bzr"];
    path.file_name().is_some_and(|name| STORES.iter().any(|store| name == *store))
}

fn hidden_in(folders: &[PathBuf]) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        !is_version_store(path)
            && name.is_some_and(|name| name.starts_with('.') && !name.starts_with(".git"))
    };
    let entries = folders.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let mut hidden: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(is_hidden).map(|path| shown(&path)).collect();
    hidden.sort();
    hidden.dedup();
    hidden
}

/// `./a` is what a walk of `.` calls it.
fn shown(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_owned()
}

/// `FILE.orig` beside `FILE` is what `--backup` and merge tools keep, and is to stay as it is.
fn is_backup(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "orig")
        && path.with_extension("").exists()
}

/// Reads a text file whole. A binary file is noticed by its beginning.
fn read(path: &Path, buffer: &mut Vec<u8>) -> Result<(), Skip> {
    buffer.clear();
    let mut file = File::open(path).map_err(Skip::Unreadable)?;
    let first = file.by_ref().take(FIRST as u64).read_to_end(buffer).map_err(Skip::Unreadable)?;
    if buffer.starts_with(b"\xff\xfe") || buffer.starts_with(b"\xfe\xff") {
        return Err(Skip::Utf16);
    }
    if memchr::memchr(0, buffer).is_some() {
        return Err(Skip::Binary);
    }
    if first == FIRST {
        let size = file.metadata().map_err(Skip::Unreadable)?.len();
        if size > LARGEST {
            return Err(Skip::TooLarge);
        }
        buffer.reserve(usize::try_from(size).unwrap_or(0).saturating_sub(FIRST) + 1);
        file.take(LARGEST).read_to_end(buffer).map_err(Skip::Unreadable)?;
    }
    Ok(())
}
