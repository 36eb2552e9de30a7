//! Answers that come late.

use std::str::FromStr;
use std::time::Duration;

use crate::behaviour::Behaviour;
use crate::choice::number;
use crate::{FlagError, RequestPattern};

/// A delay before an answer.
#[derive(Clone, Debug)]
pub struct Slow {
    /// How long.
    pub delay: Duration,
    /// Before which answers.
    pub requests: RequestPattern,
}

impl FromStr for Slow {
    type Err = FlagError;

    /// `MILLIS` or `MILLIS:REQUESTS`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (millis, pattern) = text.split_once(':').unwrap_or((text, "all"));
        let delay = number(millis, "a number of milliseconds").map(Duration::from_millis)?;
        let Ok(requests) = pattern.parse();
        Ok(Self { delay, requests })
    }
}

impl Behaviour {
    /// Waits as long as this request has to.
    pub(crate) async fn delay(&self, method: &str) {
        let slow = self.answers.slow.iter().filter(|slow| slow.requests.matches(method));
        let delay: Duration = slow.map(|slow| slow.delay).sum();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }
}
