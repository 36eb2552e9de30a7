//! Measures something against the plainest way to do nearly the same, and prints how many times as long it takes.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs both in turn, so that what else the machine does falls on both, and prints the ratio of the least and of the
/// median times. What the closures return is dropped outside the time taken.
pub(crate) fn ratio<A, B>(
    what: &str,
    limit: f64,
    mut ours: impl FnMut() -> (Duration, A),
    mut plain: impl FnMut() -> (Duration, B),
) {
    let rounds = 15;
    let (mut us, mut them) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        us.push(ours().0);
        them.push(plain().0);
    }
    us.sort_unstable();
    them.sort_unstable();
    let times = |at: usize| us[at].as_secs_f64() / them[at].as_secs_f64();
    let (least, median) = (times(0), times(rounds / 2));
    let verdict = if least <= limit { "met" } else { "NOT MET" };
    println!("{what}: {least:.2} times (median {median:.2}), limit {limit}: {verdict}");
}

/// The time a closure takes, with what it made.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let made = black_box(work());
    (start.elapsed(), made)
}

/// Whether the limits are to be measured: not when only some benchmarks, or a list of them, are asked for.
pub(crate) fn wanted() -> bool {
    std::env::args().skip(1).all(|argument| argument == "--bench")
}
