//! Waiting for what another process does.

use std::thread;
use std::time::{Duration, Instant};

/// Longest wait; generous, for a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks again and again until something is so; panics when it never is.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "still not so after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
