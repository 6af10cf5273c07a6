//! A line on the terminal while long work goes on.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use briefing_core::files::Progress;

/// Work shorter than this is not worth a line.
const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);

/// Runs `work` and shows its progress on stderr when that is a terminal and the work takes longer than half a second.
pub(crate) fn shown<T>(progress: &Progress, is_quiet: bool, work: impl FnOnce() -> T) -> T {
    if is_quiet || !stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            let mut wait = PATIENCE;
            let mut has_line = false;
            while is_done.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
                wait = REFRESH;
                has_line = true;
                let (done, total) = (progress.done.load(Ordering::Relaxed), progress.total.load(Ordering::Relaxed));
                let _ = write!(stderr().lock(), "\r\x1b[2Kreading {done} of {total} files");
            }
            if has_line {
                let _ = write!(stderr().lock(), "\r\x1b[2K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}
