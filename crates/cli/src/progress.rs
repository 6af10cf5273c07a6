//! A progress line on the terminal during long work.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use briefing_core::shown::one_line;
use briefing_core::sources::files::Progress;

/// How long the work may take before a line appears.
const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);
const WIPE: &str = "\r\x1b[2K";

/// Runs `work` and shows its progress on stderr, if that is a terminal and the work takes longer than [`PATIENCE`].
pub(crate) fn shown<T>(progress: &Progress, is_quiet: bool, work: impl FnOnce() -> T) -> T {
    if is_quiet {
        return work();
    }
    let text = || {
        let (done, total) = (progress.done.load(Ordering::Relaxed), progress.total.load(Ordering::Relaxed));
        format!("reading {done} of {total} files")
    };
    line(text, work)
}

/// Runs `work` and shows the line that `text` returns, refreshed regularly, under the same conditions as [`shown`].
pub(crate) fn line<T>(text: impl Fn() -> String + Send, work: impl FnOnce() -> T) -> T {
    if !stderr().is_terminal() {
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
                let _ = write!(stderr().lock(), "{WIPE}{}", one_line(&text()));
            }
            if has_line {
                wipe();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Removes the line, if there is one.
pub(crate) fn wipe() {
    if stderr().is_terminal() {
        let _ = write!(stderr().lock(), "{WIPE}");
    }
}
