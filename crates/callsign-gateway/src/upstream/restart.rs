//! How long to wait before a server is started again.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::Limits;

/// A server that lived as long as this is taken for sound: the next wait is a short one again.
const SOUND: Duration = Duration::from_secs(30);

/// The waits between the starts of one server: each twice the last one, from `restart` to `longest_restart`.
#[derive(Debug)]
pub(super) struct Restart {
    limits: Limits,
    next: Duration,
}

impl Restart {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, next: limits.restart }
    }

    /// The wait after a life that began then; `None` if it never began.
    pub(super) fn after(&mut self, began: Option<Instant>) -> Duration {
        if began.is_some_and(|began| began.elapsed() >= SOUND) {
            self.next = self.limits.restart;
        }
        let wait = self.next;
        self.next = (self.next * 2).min(self.limits.longest_restart);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_the_longest_and_begin_anew_after_a_sound_life() {
        let mut restart = Restart::new(Limits::default());
        let waits: Vec<u128> = (0..12).map(|_| restart.after(None).as_millis()).collect();
        assert_eq!(waits[..4], [100, 200, 400, 800]);
        assert_eq!(waits[11], 60_000);
        let began = Instant::now();
        tokio::time::advance(SOUND).await;
        assert_eq!(restart.after(Some(began)).as_millis(), 100);
    }
}
