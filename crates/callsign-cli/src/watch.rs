//! Waiting for files to change.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often they are looked at. Systems differ in how they tell of changes, and editors in how they write files (in place,
/// or a new one in the old one's place); all of them can be asked for a date and a size.
const LOOK: Duration = Duration::from_millis(500);

/// Files that are watched.
#[derive(Debug)]
pub(crate) struct Watch {
    paths: Vec<PathBuf>,
    seen: Vec<Option<(SystemTime, u64)>>,
}

impl Watch {
    pub(crate) fn of(paths: Vec<PathBuf>) -> Self {
        let seen = paths.iter().map(|path| state(path)).collect();
        Self { paths, seen }
    }

    /// Waits until one of them is another than it was when it was last looked at, and has not changed for one look since:
    /// half a file is not read.
    pub(crate) async fn changed(&mut self) {
        let mut is_changed = false;
        loop {
            tokio::time::sleep(LOOK).await;
            let now: Vec<_> = self.paths.iter().map(|path| state(path)).collect();
            let is_still = now == self.seen;
            self.seen = now;
            if is_changed && is_still {
                return;
            }
            is_changed |= !is_still;
        }
    }
}

/// `None` where it can't be looked at: it may be in the middle of being replaced.
fn state(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_is_told_once_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "a").unwrap();
        let mut watch = Watch::of(vec![file.clone()]);
        assert!(tokio::time::timeout(3 * LOOK, watch.changed()).await.is_err());
        std::fs::write(&file, "longer").unwrap();
        tokio::time::timeout(Duration::from_secs(30), watch.changed()).await.unwrap();
    }
}
