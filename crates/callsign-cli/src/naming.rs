//! The scheme that a command names tools by.

use std::sync::Arc;

use callsign::scheme::{self, Minimal, Prefixed, Qualified, Scheme};
use callsign::{ServerKey, WireName};
use callsign_config::Settings;

use crate::arguments::SchemeArguments;
use crate::failure::Failure;

/// The scheme asked for, else the configuration's, else `default`. `fleet` is what is to be named.
pub(crate) fn scheme<'a>(
    asked: &SchemeArguments,
    settings: &Settings,
    default: &str,
    fleet: impl IntoIterator<Item = (&'a ServerKey, &'a WireName)>,
) -> Result<Arc<dyn Scheme>, Failure> {
    let configured = settings.scheme.as_ref().map(|scheme| scheme.value.as_str());
    let identifier = asked.scheme.as_deref().or(configured).unwrap_or(default);
    let unambiguous = settings.unambiguous;
    Ok(match identifier {
        "qualified" => Arc::new(Qualified { unambiguous }),
        "prefixed" => Arc::new(Prefixed { unambiguous, ..Prefixed::default() }),
        "minimal" => Arc::new(Minimal::over(fleet)),
        other => scheme::by_id(other, []).map(Arc::from).ok_or_else(|| unknown(other))?,
    })
}

fn unknown(identifier: &str) -> Failure {
    Failure::with_remedy(
        format!("there is no naming scheme `{}`", crate::output::escaped(identifier)),
        format!("schemes are {}", scheme::IDS.join(", ")),
    )
}
