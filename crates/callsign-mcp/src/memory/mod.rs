//! What was learnt about servers, kept in a directory between runs.
//!
//! ```text
//! DIRECTORY/<digest>.era.json         how the server spoke last, and when that was found out
//! DIRECTORY/<digest>.catalogue.json   what it advertised last, and when
//! DIRECTORY/<digest>.absent.json      that it did not come when it was waited for
//! ```
//!
//! The digest is over the server's effective configuration (how it is started or reached, everything expanded), so a
//! changed argument or token is a server of its own. Only the digest is kept of it. A catalogue in which the server
//! repeats one of its secrets is not kept at all. Files are for their owner only and are replaced in one step, so a
//! reader never sees half of one. What can't be read is as if it were not there.

mod digest;
mod private;
mod store;

pub use digest::digest;

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use callsign::Catalogue;
use callsign_wire::Era;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::fetch::Fetched;
use crate::listed::Listed;
use crate::mask::Mask;
use crate::spec::ServerSpec;

/// The form of the files; others are not read.
const VERSION: u32 = 1;
/// A clock that is set back must not make a verdict last for ever.
const CLOCK_SKEW: Duration = Duration::from_secs(60);

/// A directory of what was learnt, or none.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    directory: Option<PathBuf>,
}

/// How a server spoke last.
#[derive(Debug, Serialize, Deserialize)]
struct EraFile {
    version: u32,
    era: EraName,
    revision: String,
    seen: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EraName {
    Handshake,
    Stateless,
}

/// What a server advertised last.
#[derive(Debug, Serialize, Deserialize)]
struct CatalogueFile {
    version: u32,
    seen: u64,
    revision: String,
    listed: Listed,
}

/// That a server did not come.
#[derive(Debug, Serialize, Deserialize)]
struct AbsenceFile {
    version: u32,
    seen: u64,
}

/// A catalogue of an earlier run.
#[derive(Debug, Clone)]
pub struct Remembered {
    /// What the server advertised.
    pub catalogue: Catalogue,
    /// Its resource templates, raw.
    pub templates: Vec<Box<RawValue>>,
    /// The revision it spoke.
    pub protocol: String,
    /// When that was.
    pub seen: SystemTime,
}

impl Memory {
    /// Remembers nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Remembers in this directory, which is made when there is something to remember.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()) }
    }

    /// The era a server followed last. A verdict for the handshake era older than `believed` is none: the server may
    /// have learnt the new one since, and would be spoken to in the old one for ever. A verdict for the stateless era
    /// has no such limit: a server that refuses it, or is silent, is asked to shake hands, and that is remembered.
    #[must_use]
    pub fn era(&self, spec: &ServerSpec, believed: Duration) -> Option<Era> {
        let file: EraFile = store::read(&self.file(spec, "era")?)?;
        let age = SystemTime::now().duration_since(at(file.seen)?);
        let is_fresh = match age {
            Ok(age) => age <= believed,
            Err(ahead) => ahead.duration() <= CLOCK_SKEW,
        };
        match (file.version, file.era) {
            (VERSION, EraName::Stateless) => Some(Era::Stateless),
            (VERSION, EraName::Handshake) if is_fresh => Some(Era::Handshake),
            _ => None,
        }
    }

    /// What the server advertised when its catalogue was last fetched completely.
    #[must_use]
    pub fn catalogue(&self, spec: &ServerSpec) -> Option<Remembered> {
        let file: CatalogueFile = store::read(&self.file(spec, "catalogue")?)?;
        let seen = at(file.seen)?;
        (file.version == VERSION).then(|| Remembered {
            catalogue: file.listed.catalogue().0,
            templates: file.listed.templates,
            protocol: file.revision,
            seen,
        })
    }

    /// Keeps that a server was waited for and did not come, until it lists what it advertises.
    pub fn remember_absence(&self, spec: &ServerSpec) {
        let Some(path) = self.file(spec, "absent") else { return };
        let file = AbsenceFile { version: VERSION, seen: now() };
        if let Err(error) = store::write(&path, &file) {
            tracing::debug!(%error, "the absence of a server was not remembered");
        }
    }

    /// Whether the server did not come the last time it was waited for.
    #[must_use]
    pub fn was_absent(&self, spec: &ServerSpec) -> bool {
        let file: Option<AbsenceFile> =
            self.file(spec, "absent").and_then(|path| store::read(&path));
        file.is_some_and(|file| file.version == VERSION && at(file.seen).is_some())
    }

    /// Keeps the era. A verdict that stands is not written again, so that its date stays that of the finding.
    pub(crate) fn remember_era(&self, spec: &ServerSpec, era: Era, revision: &str) {
        let Some(path) = self.file(spec, "era") else { return };
        let name = match era {
            Era::Handshake => EraName::Handshake,
            Era::Stateless => EraName::Stateless,
        };
        if self.era(spec, Duration::MAX) == Some(era) && self.is_believed(spec) {
            return;
        }
        let file =
            EraFile { version: VERSION, era: name, revision: revision.to_owned(), seen: now() };
        if let Err(error) = store::write(&path, &file) {
            tracing::debug!(%error, "the era of a server was not remembered");
        }
    }

    /// Whether the kept verdict is younger than the time after which one is always found out anew.
    fn is_believed(&self, spec: &ServerSpec) -> bool {
        self.era(spec, crate::limits::HANDSHAKE_VERDICT).is_some()
    }

    /// Forgets the era, so that the next start finds it out anew.
    pub(crate) fn forget_era(&self, spec: &ServerSpec) {
        if let Some(path) = self.file(spec, "era") {
            store::remove(&path);
        }
    }

    /// Keeps the catalogue.
    pub(crate) fn remember_catalogue(
        &self,
        spec: &ServerSpec,
        fetched: &Fetched,
        listed: &Listed,
        mask: &Mask,
    ) -> Result<(), String> {
        let Some(path) = self.file(spec, "catalogue") else { return Ok(()) };
        let revision = fetched.protocol.clone();
        let file =
            CatalogueFile { version: VERSION, seen: now(), revision, listed: listed.clone() };
        let text = serde_json::to_string(&file).map_err(|error| error.to_string())?;
        if mask.finds_in(&text) {
            store::remove(&path);
            return Err("it repeats a secret of the server's entry".to_owned());
        }
        if let Some(absent) = self.file(spec, "absent") {
            store::remove(&absent);
        }
        store::write_text(&path, &text).map_err(|error| error.to_string())
    }

    fn file(&self, spec: &ServerSpec, kind: &str) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(format!("{}.{kind}.json", digest(&spec.launch))))
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn at(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use callsign::ServerKey;

    use super::*;
    use crate::spec::{Launch, Secret};

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn spec() -> ServerSpec {
        let headers = vec![("Authorization".to_owned(), Secret::new("Bearer swordfish"))];
        let launch = Launch::Http { url: "https://x.example/mcp".to_owned(), headers };
        ServerSpec { key: ServerKey::new("s").unwrap(), launch, secrets: Vec::new() }
    }

    fn set_seen(memory: &Memory, seen: u64) {
        let path = memory.file(&spec(), "era").unwrap();
        let mut file: EraFile = store::read(&path).unwrap();
        file.seen = seen;
        store::write(&path, &file).unwrap();
    }

    #[test]
    fn a_handshake_verdict_expires_and_a_stateless_one_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let memory = Memory::at(directory.path().join("made/when/needed"));
        assert_eq!(memory.era(&spec(), DAY), None);
        memory.remember_era(&spec(), Era::Handshake, "2025-11-25");
        assert_eq!(memory.era(&spec(), DAY), Some(Era::Handshake));
        let old = now() - DAY.as_secs() - 10;
        set_seen(&memory, old);
        assert_eq!(memory.era(&spec(), DAY), None);
        set_seen(&memory, now() + 10 * DAY.as_secs());
        assert_eq!(memory.era(&spec(), DAY), None, "a date far in the future is no date");
        memory.remember_era(&spec(), Era::Stateless, "2026-07-28");
        set_seen(&memory, old);
        assert_eq!(memory.era(&spec(), DAY), Some(Era::Stateless));
        memory.forget_era(&spec());
        assert_eq!(memory.era(&spec(), DAY), None);
    }

    #[test]
    fn using_a_verdict_does_not_renew_it() {
        let directory = tempfile::tempdir().unwrap();
        let memory = Memory::at(directory.path());
        memory.remember_era(&spec(), Era::Handshake, "2025-11-25");
        let found = now() - DAY.as_secs() / 2;
        set_seen(&memory, found);
        memory.remember_era(&spec(), Era::Handshake, "2025-11-25");
        let file: EraFile = store::read(&memory.file(&spec(), "era").unwrap()).unwrap();
        assert_eq!(file.seen, found);
    }

    #[test]
    fn a_catalogue_comes_back_whole_and_one_with_a_secret_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let memory = Memory::at(directory.path());
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let tools = vec![raw(r#"{ "name":"a", "x":1e999 }"#), raw("7")];
        let mut listed = Listed { tools, instructions: Some("é".to_owned()), ..Listed::default() };
        let fetched = |listed: &Listed| Fetched {
            catalogue: listed.catalogue().0,
            templates: Vec::new(),
            protocol: "2025-11-25".to_owned(),
            era: Era::Handshake,
            elapsed: Duration::ZERO,
            pages: 1,
            junk_lines: 0,
            notes: Vec::new(),
        };
        let mask = Mask::of(&spec());
        memory.remember_catalogue(&spec(), &fetched(&listed), &listed, &mask).unwrap();
        let remembered = memory.catalogue(&spec()).unwrap();
        assert_eq!(remembered.catalogue, listed.catalogue().0);
        memory.remember_absence(&spec());
        assert!(memory.was_absent(&spec()) && !Memory::none().was_absent(&spec()));
        memory.remember_catalogue(&spec(), &fetched(&listed), &listed, &mask).unwrap();
        assert!(!memory.was_absent(&spec()), "it has come");
        assert_eq!(
            remembered.catalogue.tools()[0].definition(),
            Some(r#"{ "name":"a", "x":1e999 }"#)
        );
        for file in std::fs::read_dir(directory.path()).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(!text.contains("swordfish") && !text.contains("x.example"));
        }

        listed.tools.push(raw(r#"{"name":"b","description":"uses swordfish"}"#));
        let refused = memory.remember_catalogue(&spec(), &fetched(&listed), &listed, &mask);
        assert!(refused.is_err() && memory.catalogue(&spec()).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn files_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let memory = Memory::at(directory.path().join("new"));
        memory.remember_era(&spec(), Era::Handshake, "2025-11-25");
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&memory.file(&spec(), "era").unwrap()), 0o600);
        assert_eq!(mode(&directory.path().join("new")), 0o700);
    }
}
