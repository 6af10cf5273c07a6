//! The processes we started, and what a signal does to them.
//!
//! A script gets a process group of its own: at a time-out or at Ctrl-C the group is ended, with everything the script
//! started. The receiver stays in our group when there is a terminal, since an agent wants to read keys; Ctrl-C then
//! reaches it without us, it decides what that means, and we wait for it. Without a terminal it has its own group too.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is alive.
#[derive(Debug)]
struct State {
    scripts: Vec<u32>,
    receiver: Option<Receiver>,
    /// The last signal that came while a receiver ran.
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

/// Starts a script in a process group of its own.
///
/// Under the lock: a signal between start and registration would miss it.
pub(super) fn start_script(command: &mut Command) -> io::Result<Child> {
    own_group(command);
    let mut state = state();
    let child = command.spawn()?;
    state.scripts.push(child.id());
    Ok(child)
}

/// Ends what is left of a script's group, and forgets it. The script itself may have ended long ago, and what it left
/// running in the background would hold our pipes open.
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

/// Starts the receiver. `has_terminal` says whether a person can press Ctrl-C at it.
pub(super) fn start_receiver(command: &mut Command, has_terminal: bool) -> io::Result<Child> {
    if !has_terminal {
        own_group(command);
    }
    let mut state = state();
    let child = command.spawn()?;
    state.receiver = Some(Receiver { id: child.id(), has_own_group: !has_terminal && cfg!(unix) });
    Ok(child)
}

/// Forgets the receiver, which has ended.
pub(super) fn receiver_ended() {
    state().receiver = None;
}

/// Returns the signal that came while the receiver ran.
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
        // Gone already is as good.
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_: u32, _: Ending) {}

/// Listens for Ctrl-C and requests to end, from now on.
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
        // Ctrl-C went to the whole foreground group: the receiver has it already.
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
    // The lock is held to the end: nothing starts any more.
    std::process::exit(128 + signal);
}
