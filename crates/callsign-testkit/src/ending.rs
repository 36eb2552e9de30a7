//! When the server ends, and whether it does.

use crate::behaviour::{Behaviour, Ending};
use crate::era::Era;
use crate::incoming::Request;
use crate::server::Server;

impl Ending {
    /// Whether an end could still take place.
    fn may_come(&self) -> bool {
        self.once.as_ref().is_none_or(|file| !file.exists())
    }

    /// Whether an end that the behaviour asks for takes place: always, or for the first process that comes to it. Making
    /// the file is what decides, so two processes never both end.
    pub(crate) fn is_due(&self) -> bool {
        self.once.as_ref().is_none_or(|file| std::fs::File::create_new(file).is_ok())
    }
}

impl Behaviour {
    /// Whether such a request ends or hangs the server whatever else is wrong with it.
    pub(crate) fn dies_or_hangs_on(&self, method: &str) -> bool {
        let early = self.era == Era::ExitsOnDiscover && method == "server/discover";
        let ends = early || self.ending.at.iter().any(|meant| meant.matches(method));
        self.never_answers(method) || (ends && self.ending.may_come())
    }
}

impl Server {
    /// Whether this request ends the server, without an answer.
    pub(crate) fn ends_at(&self, request: &Request) -> bool {
        let early = self.behaviour.era == Era::ExitsOnDiscover
            && request.method != "initialize"
            && !self.state().initialized;
        early || self.behaviour.ending.at.iter().any(|meant| meant.matches(&request.method))
    }
}
