//! Lanes: several handlers of the same event, whose outputs the agent joins in order of completion.
//!
//! To keep the order, a lane waits until the agent has **reaped** the process of the lane before it. A zombie can
//! still be signalled, so once signalling fails the agent has collected the exit status. With the real client
//! (`hooks.md`, section 12) no event was out of order, and waiting took 4 ms.

use std::time::{Duration, Instant};

use briefing_store::{Claim, Ledger};

use crate::request::{Lane, Request};

/// The longest time a lane waits. It then prints anyway; each part carries its number.
pub const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_micros(300);

/// Returns the process that the agent waits for: this one, or the shell through which the agent started it.
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

/// How much later each lane prints than the one before it, if there is no ledger to tell whether that one has printed.
const STEP: Duration = Duration::from_millis(30);

/// Keeps the order of lanes without a ledger: waits a little, and then for the lanes before this one that still run.
pub fn wait_without_ledger(request: &Request, deadline: Instant) {
    let number = request.lane.number;
    if number < 2 {
        return;
    }
    let until = deadline.min(Instant::now() + PATIENCE);
    std::thread::sleep(STEP * u32::from(number - 1));
    while Instant::now() < until && request.client.is_some_and(|client| earlier_lane_runs(client, request)) {
        std::thread::sleep(STEP / 10);
    }
}

/// Returns whether the agent runs a handler of the same event with a lower number.
fn earlier_lane_runs(client: u32, request: &Request) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    let handler = format!("hook {} {}", request.agent.name, request.event.name);
    processes.flatten().any(|process| {
        let read = |name: &str| std::fs::read(process.path().join(name)).unwrap_or_default();
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        // After the name in parentheses: state, parent.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_ascii_whitespace().nth(1)?.parse().ok());
        if parent != Some(client) {
            return false;
        }
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let lane = command.split_once(&handler).map(|(_, rest)| Lane::read(rest.split_ascii_whitespace().next()).number);
        lane.is_some_and(|lane| lane < request.lane.number)
    })
}

/// Returns whether a process has ended and its parent has collected its exit status.
#[cfg(unix)]
fn is_reaped(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return true };
    test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

#[cfg(not(unix))]
fn is_reaped(_: u32) -> bool {
    // There are no zombies to wait for; a short pause usually keeps the order.
    std::thread::sleep(Duration::from_millis(12));
    true
}
