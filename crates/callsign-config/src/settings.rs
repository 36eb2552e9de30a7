//! What `callsign.toml` says besides servers.

use std::time::Duration;

use callsign::WireName;

use crate::place::Place;
use crate::rule_settings::RuleSettings;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub place: Place,
}

/// Settings of `callsign.toml`. Any other file has none: the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The naming scheme, as written; whether there is one of that name is for the reader of the settings to say.
    pub scheme: Option<Placed<String>>,
    /// Whether names that can be split in two ways are refused.
    pub unambiguous: bool,
    /// The severity of single findings, by code (`CS005`), in the file's order.
    pub severity: Vec<(Placed<String>, Severity)>,
    /// Who may be called.
    pub rules: RuleSettings,
}

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Not reported.
    Off,
    /// For information.
    Info,
    /// Worth a look.
    Warning,
    /// To be corrected.
    Error,
}

impl Severity {
    /// The words, as they are written, with what they mean.
    pub const ALL: [(&'static str, Severity); 4] = [
        ("off", Self::Off),
        ("info", Self::Info),
        ("warning", Self::Warning),
        ("error", Self::Error),
    ];
}

/// Options of one tool, by the name its server knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOptions {
    /// The tool's wire name. Whether the server has such a tool can only be said when its catalogue is known.
    pub wire: Placed<WireName>,
    /// Whether the tool is kept from the model.
    pub hidden: bool,
    /// How long a call may take.
    pub time_limit: Option<Duration>,
    /// A description to show instead of the server's.
    pub description: Option<String>,
}
