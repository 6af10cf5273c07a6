//! Waits for other processes.

use std::thread;
use std::time::{Duration, Instant};

/// The longest wait. It is generous, because the machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// Checks a condition repeatedly until it holds. Panics if it does not hold in time.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "not true after {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
