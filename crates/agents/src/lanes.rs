//! Lanes: several handlers of one event, whose outputs the agent joins in order of completion.
//!
//! An output that follows another waits until the process before it has been **reaped** by the agent: a zombie still
//! answers a signal, so its disappearance proves that the agent has collected the exit. Measured with the real client
//! (`hooks.md`, section 12): no event out of order, 4 ms.

use std::time::{Duration, Instant};

use briefing_store::{Claim, Ledger};

/// A lane waits no longer than this, then prints anyway: each part says which one it is.
pub const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_micros(300);

/// Returns the process that the agent itself waits for: this one, or the shell that the agent started us with.
pub fn reaped_as(client: Option<u32>) -> u32 {
    #[cfg(unix)]
    {
        let parent = std::os::unix::process::parent_id();
        if client == Some(parent) { std::process::id() } else { parent }
    }
    #[cfg(not(unix))]
    {
        let _ = client;
        std::process::id()
    }
}

/// Waits until the lane before this one has been reaped.
pub fn wait_for_turn(ledger: &mut dyn Ledger, claim: &Claim, deadline: Instant) {
    let until = deadline.min(Instant::now() + PATIENCE);
    let mut before = None;
    while Instant::now() < until {
        if before.is_none() {
            before = ledger.printer_of(claim.session, claim.slot - 1).ok().flatten();
        }
        if before.is_some_and(is_reaped) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Tells whether a process is gone, its exit collected by its parent.
#[cfg(unix)]
fn is_reaped(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return true };
    test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

#[cfg(not(unix))]
fn is_reaped(_: u32) -> bool {
    // There are no zombies to watch; a pause is the best guess.
    std::thread::sleep(Duration::from_millis(12));
    true
}
