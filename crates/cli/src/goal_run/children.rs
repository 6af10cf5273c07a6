//! Tracks the child processes of a goal and passes signals on to them.
//!
//! A script gets its own process group. On a timeout or Ctrl-C the whole group is killed, with everything the script
//! started. With a terminal, the receiver stays in our group, since an agent wants to read keys; Ctrl-C then reaches it
//! directly, it decides what to do, and we wait for it. Without a terminal it gets its own group too.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The running child processes.
#[derive(Debug)]
struct State {
    scripts: Vec<u32>,
    receiver: Option<Receiver>,
    /// The last signal that arrived while a receiver ran.
    stopped_by: Option<i32>,
}

#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals to pass on"))]
struct Receiver {
    id: u32,
    has_own_group: bool,
}

static STATE: Mutex<State> = Mutex::new(State { scripts: Vec::new(), receiver: None, stopped_by: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a script in its own process group.
///
/// Holds the lock: otherwise a signal between start and registration would miss the script.
pub(super) fn start_script(command: &mut Command) -> io::Result<Child> {
    own_group(command);
    let mut state = state();
    let child = command.spawn()?;
    state.scripts.push(child.id());
    Ok(child)
}

/// Kills the rest of a script's group and removes the script from the list. The script itself may have ended already, but
/// background processes that it started would hold our pipes open.
pub(super) fn end_script(child: &mut Child) {
    signal_group(child.id(), Ending::Ask);
    for _ in 0..20 {
        if child.try_wait().is_ok_and(|status| status.is_some()) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    signal_group(child.id(), Ending::Kill);
    if !cfg!(unix) {
        let _ = child.kill();
    }
    let _ = child.wait();
    state().scripts.retain(|id| *id != child.id());
}

/// Starts the receiver. `has_terminal` says whether the user can press Ctrl-C.
pub(super) fn start_receiver(command: &mut Command, has_terminal: bool) -> io::Result<Child> {
    if !has_terminal {
        own_group(command);
    }
    let mut state = state();
    let child = command.spawn()?;
    state.receiver = Some(Receiver { id: child.id(), has_own_group: !has_terminal && cfg!(unix) });
    Ok(child)
}

/// Records that the receiver has ended.
pub(super) fn receiver_ended() {
    state().receiver = None;
}

/// Returns the last signal that arrived while the receiver ran.
pub(crate) fn stopped_by() -> Option<i32> {
    state().stopped_by
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Ask,
    Kill,
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(unix)]
fn signal_group(id: u32, ending: Ending) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match ending {
        Ending::Ask => Signal::TERM,
        Ending::Kill => Signal::KILL,
    };
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // An error means that the group has ended already.
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_: u32, _: Ending) {}

/// Starts to handle SIGINT, SIGTERM and SIGHUP.
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in &mut signals {
            answer(signal);
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn listen() {}

#[cfg(unix)]
fn answer(signal: i32) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    use signal_hook::consts::SIGINT;
    let mut state = state();
    if let Some(receiver) = state.receiver {
        let is_second = state.stopped_by.replace(signal).is_some();
        let is_ctrl_c = signal == SIGINT && !receiver.has_own_group;
        let Some(pid) = i32::try_from(receiver.id).ok().and_then(Pid::from_raw) else { return };
        let passed_on = if is_second { Signal::KILL } else { Signal::TERM };
        // The terminal sends Ctrl-C to the whole foreground group, so the receiver already has it.
        let _ = match (is_ctrl_c, receiver.has_own_group) {
            (true, _) => Ok(()),
            (false, true) => kill_process_group(pid, passed_on),
            (false, false) => kill_process(pid, passed_on),
        };
        return;
    }
    for script in &state.scripts {
        signal_group(*script, Ending::Ask);
    }
    if !state.scripts.is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    for script in &state.scripts {
        signal_group(*script, Ending::Kill);
    }
    crate::progress::wipe();
    crate::talk::plain("stopped");
    // The lock is held until the exit, so that no new child can start.
    std::process::exit(128 + signal);
}
