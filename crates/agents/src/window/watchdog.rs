//! Ends a hook that hangs, for example on a dead network mount, with success before the agent kills it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Ends the process with success at a given time, unless it has been dropped by then.
pub(super) struct Watchdog {
    is_off: Arc<AtomicBool>,
}

impl Watchdog {
    pub(super) fn start(end: Instant) -> Self {
        let is_off = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_off);
        // If the thread cannot be started, the agent's own timeout still applies.
        let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            loop {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                std::thread::sleep(left);
            }
            if !seen.load(Ordering::Relaxed) {
                std::process::exit(0);
            }
        });
        Self { is_off }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.is_off.store(true, Ordering::Relaxed);
    }
}
