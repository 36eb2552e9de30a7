//! One line that no sane reader keeps whole.

use std::str::FromStr;

use crate::FlagError;
use crate::choice::{choice, number};
use crate::outlet::Outlet;
use crate::server::Server;

/// One line that is very long.
#[derive(Clone, Copy, Debug)]
pub struct HugeLine {
    /// Its least length in bytes.
    pub bytes: usize,
    /// What it is.
    pub place: HugePlace,
}

/// What the very long line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePlace {
    /// The answer to `tools/list`: the first ordinary tool's description is padded.
    List,
    /// The answer to `tools/call`: its text is padded.
    Call,
    /// A line that is not JSON, before the first answer.
    Junk,
}

impl FromStr for HugeLine {
    type Err = FlagError;

    /// `BYTES` (of the list) or `BYTES:list`, `BYTES:call`, `BYTES:junk`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (bytes, place) = text.split_once(':').unwrap_or((text, "list"));
        let places =
            [("list", HugePlace::List), ("call", HugePlace::Call), ("junk", HugePlace::Junk)];
        Ok(Self {
            bytes: number(bytes, "a number of bytes")?,
            place: choice("place for a huge line", place, &places)?,
        })
    }
}

impl HugeLine {
    /// The padding of what stands at `place`, if that is to be huge.
    pub(crate) fn padding(line: Option<Self>, place: HugePlace) -> Option<String> {
        let line = line.filter(|line| line.place == place)?;
        Some("x".repeat(line.bytes))
    }
}

impl Server {
    /// The huge line that is no message, once.
    pub(crate) fn write_huge_line(&self, outlet: &Outlet) {
        let Some(line) = HugeLine::padding(self.behaviour.noise.huge_line, HugePlace::Junk) else {
            return;
        };
        if !std::mem::replace(&mut self.state().said_huge_line, true) {
            outlet.junk(line);
        }
    }
}
