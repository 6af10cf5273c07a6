//! The process that holds a claim, and whether it still runs.
//!
//! A home directory may be shared between machines, boots and containers, and a process number means nothing outside
//! its own. So only a process that could see the holder may declare it gone; all others wait until its lease ends.

use std::fs;
use std::sync::OnceLock;

/// One process. Without `/proc` only its number is known, and the lease decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pid: u32,
    /// In clock ticks since boot. Distinguishes a process from a later one with the same number. 0 if unknown.
    start: u64,
    around: Around,
}

/// The scope in which a process number is valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Around {
    /// The process namespace: every container has its own numbers.
    namespace: String,
    /// A hash that says nothing about the machine itself.
    machine: String,
    boot: String,
}

/// Whether a holder still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Runs,
    Gone,
    /// It cannot be seen from here: another machine's or another container's process, or a system without `/proc`.
    Unknown,
}

impl Holder {
    /// Returns the running process.
    pub fn me() -> Self {
        Self { pid: std::process::id(), start: start_of("self").unwrap_or(0), around: Around::here().clone() }
    }

    /// Returns another process of this machine, if it runs.
    pub fn of(pid: u32) -> Option<Self> {
        Some(Self { pid, start: start_of(&pid.to_string())?, around: Around::here().clone() })
    }

    /// Returns whether `text` is the form of a process with this number. A number that was reused is not recognised.
    pub fn has_pid(text: &str, pid: u32) -> bool {
        text.split(' ').next().and_then(|word| word.parse().ok()) == Some(pid)
    }

    /// Returns the form stored in the ledger: process, start, namespace, machine, boot; `-` for what is not known.
    pub fn text(&self) -> String {
        let Around { namespace, machine, boot } = &self.around;
        let [namespace, machine, boot] = [namespace, machine, boot].map(|word| if word.is_empty() { "-" } else { word });
        format!("{} {} {namespace} {machine} {boot}", self.pid, self.start)
    }

    /// Reads [`Holder::text`]. Version 0.1 wrote the first three words only.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let pid = words.next()?.parse().ok()?;
        let start = words.next()?.parse().ok()?;
        let mut word = || words.next().filter(|word| *word != "-").unwrap_or_default().to_owned();
        Some(Self { pid, start, around: Around { namespace: word(), machine: word(), boot: word() } })
    }

    /// Returns whether the process that wrote `text` still runs.
    pub fn life_of(text: &str) -> Life {
        Self::read(text).map_or(Life::Unknown, |holder| holder.life(Around::here()))
    }

    /// Returns whether the process runs, as far as a process in `here` can know.
    fn life(&self, here: &Around) -> Life {
        let Around { namespace, machine, boot } = &self.around;
        let is_known = !machine.is_empty() && !boot.is_empty();
        if is_known && *machine == here.machine && *boot != here.boot && !here.boot.is_empty() {
            return Life::Gone;
        }
        let is_visible = self.start > 0 && !namespace.is_empty() && *namespace == here.namespace;
        if !is_visible || (is_known && self.around != *here) {
            return Life::Unknown;
        }
        match start_of(&self.pid.to_string()) {
            Some(start) if start == self.start => Life::Runs,
            // The initial namespace has the same name on every machine: without the machine's, this proves nothing.
            _ if !is_known => Life::Unknown,
            _ => Life::Gone,
        }
    }
}

impl Around {
    /// Returns the scope of this process. It is read once.
    fn here() -> &'static Self {
        static HERE: OnceLock<Around> = OnceLock::new();
        HERE.get_or_init(|| Self {
            namespace: fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default(),
            machine: machine(&line_of("/etc/machine-id"), &line_of("/proc/sys/kernel/hostname")),
            boot: line_of("/proc/sys/kernel/random/boot_id"),
        })
    }
}

/// Returns a hash that identifies the machine, or an empty string if nothing does.
///
/// The name counts beside the id: containers of one image have the same id but different names. A machine that is renamed
/// only makes its own earlier processes wait for a lease.
fn machine(id: &str, name: &str) -> String {
    if id.is_empty() && name.is_empty() {
        return String::new();
    }
    // A machine id must not be passed on unhashed (machine-id(5)).
    let key = blake3::derive_key("brief 2026-11 holder of a claim", format!("{id}\n{name}").as_bytes());
    blake3::Hash::from_bytes(key).to_hex()[..16].to_owned()
}

fn line_of(path: &str) -> String {
    fs::read_to_string(path).map(|text| text.trim().replace(' ', "_")).unwrap_or_default()
}

/// Returns the start time of a process in clock ticks since boot: field 22 of its `stat`.
fn start_of(pid: &str) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses and may contain anything; count from its end.
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace();
    // A zombie has ended; only its parent has not noticed yet.
    if pid != "self" && fields.clone().next() == Some("Z") {
        return None;
    }
    fields.nth(19)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The number of a process that does not exist.
    const NO_PROCESS: u32 = u32::MAX;

    fn life(holder: &Holder) -> Life {
        Holder::life_of(&holder.text())
    }

    fn gone() -> Holder {
        Holder { pid: NO_PROCESS, ..Holder::me() }
    }

    #[test]
    fn a_process_is_known_by_its_start_not_only_its_number() {
        let me = Holder::me();
        assert_eq!(Holder::read(&me.text()), Some(me.clone()));
        assert_eq!(life(&me), Life::Runs);
        assert_eq!(life(&Holder { start: me.start + 1, ..me.clone() }), Life::Gone);
        assert_eq!(life(&gone()), Life::Gone);
        assert_eq!(life(&Holder { start: 0, ..me }), Life::Unknown, "a system without `/proc`");
        assert_eq!(Holder::life_of("hostile"), Life::Unknown);
        assert_eq!(Holder::life_of("../../1 5 x"), Life::Unknown);
    }

    #[test]
    fn a_process_of_another_container_may_live() {
        let around = Around { namespace: "pid:[1]".into(), ..Around::here().clone() };
        assert_eq!(life(&Holder { around, ..gone() }), Life::Unknown);
    }

    #[test]
    fn a_process_of_another_machine_may_live() {
        // The initial namespace is `pid:[4026531836]` everywhere, so only the machine tells.
        let around = Around { machine: "0123456789abcdef".into(), boot: "another".into(), ..Around::here().clone() };
        assert_eq!(life(&Holder { around, ..gone() }), Life::Unknown);
        let same_boot = Around { machine: "0123456789abcdef".into(), ..Around::here().clone() };
        assert_eq!(life(&Holder { around: same_boot, ..gone() }), Life::Unknown, "a copy of a running machine");
    }

    #[test]
    fn no_process_survives_its_boot() {
        let around = Around { boot: "another".into(), ..Around::here().clone() };
        assert_eq!(life(&Holder { around, ..Holder::me() }), Life::Gone);
        let elsewhere = Around { boot: "another".into(), namespace: "pid:[1]".into(), ..Around::here().clone() };
        assert_eq!(life(&Holder { around: elsewhere, ..Holder::me() }), Life::Gone, "nor does a container");
    }

    #[test]
    fn where_the_machine_is_not_known_nobody_is_called_gone() {
        let here = Around { namespace: Around::here().namespace.clone(), ..Around::default() };
        let me = Holder { around: here.clone(), ..Holder::me() };
        assert_eq!(me.life(&here), Life::Runs);
        assert_eq!(Holder { pid: NO_PROCESS, ..me }.life(&here), Life::Unknown);
        assert_eq!(gone().life(&here), Life::Unknown);
    }

    #[test]
    fn texts_of_version_0_1_are_read() {
        let me = Holder::me();
        let namespace = &me.around.namespace;
        assert_eq!(Holder::life_of(&format!("{} {} {namespace}", me.pid, me.start)), Life::Runs);
        assert_eq!(Holder::life_of(&format!("{NO_PROCESS} 5 {namespace}")), Life::Unknown, "the process may be on another machine");
        assert_eq!(Holder::life_of(&format!("{} {} pid:[1]", me.pid, me.start)), Life::Unknown);
        assert_eq!(Holder::life_of(&format!("{} 0 ", me.pid)), Life::Unknown);
    }

    #[test]
    fn machines_differ_by_id_or_name_and_are_hashed() {
        let one = machine("b08dfa6083e7567a1921a715000001fb", "lab");
        assert_eq!(one.len(), 16);
        assert_ne!(one, machine("b08dfa6083e7567a1921a715000001fb", "lab2"));
        assert_ne!(one, machine("b08dfa6083e7567a1921a715000001fc", "lab"));
        assert_ne!(machine("", "lab"), "");
        assert_eq!(machine("", ""), "");
    }

    #[test]
    fn a_dead_child_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let holder = Holder { pid: child.id(), start: start_of(&child.id().to_string()).unwrap(), ..Holder::me() };
        assert_eq!(life(&holder), Life::Runs);
        child.kill().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(life(&holder), Life::Gone, "a zombie delivers nothing any more");
        child.wait().unwrap();
        assert_eq!(life(&holder), Life::Gone);
    }
}
