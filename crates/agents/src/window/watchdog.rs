//! The end of our patience: a hook that hangs (a dead network mount, a device) ends well instead of being killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Ends the process with success at a moment, unless it was dropped or printing had begun by then.
pub(super) struct Watchdog {
    is_off: Arc<AtomicBool>,
}

impl Watchdog {
    pub(super) fn start(end: Instant) -> Self {
        let is_off = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_off);
        // Without a thread there is no watchdog; the agent's own time-out remains.
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
