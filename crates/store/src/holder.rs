//! Who holds a claim: a process, told apart from later ones with the same number by its start time.

use std::fs;

/// One process. On systems without `/proc` only the number is known, and the lease's 5 seconds decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pid: u32,
    start: u64,
    /// The process namespace: numbers mean nothing across containers that share a home.
    namespace: String,
}

/// Whether a holder still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Runs,
    Gone,
    /// Another container's process, or a system without `/proc`.
    Unknown,
}

impl Holder {
    /// Returns the running process.
    pub fn me() -> Self {
        let pid = std::process::id();
        Self { pid, start: start_of("self").unwrap_or(0), namespace: namespace() }
    }

    /// Returns the form stored in the ledger.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.pid, self.start, self.namespace)
    }

    /// Tells whether the process that wrote `text` still runs.
    pub fn life_of(text: &str) -> Life {
        let mut words = text.splitn(3, ' ');
        let (Some(pid), Some(start), Some(space)) = (words.next(), words.next(), words.next()) else { return Life::Unknown };
        if start == "0" || space.is_empty() || space != namespace() {
            return Life::Unknown;
        }
        match start_of(pid) {
            Some(found) if found.to_string() == start => Life::Runs,
            _ => Life::Gone,
        }
    }
}

/// Returns the start time of a process in clock ticks since boot: field 22 of its `stat`.
fn start_of(pid: &str) -> Option<u64> {
    if pid != "self" && !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses and may hold anything; count from its end.
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace();
    // A zombie has ended; only its parent has not noticed yet.
    if pid != "self" && fields.clone().next() == Some("Z") {
        return None;
    }
    fields.nth(19)?.parse().ok()
}

fn namespace() -> String {
    fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_not_only_its_number() {
        let me = Holder::me();
        assert_eq!(Holder::life_of(&me.text()), Life::Runs);
        let other = Holder { start: me.start + 1, ..me.clone() };
        assert_eq!(Holder::life_of(&other.text()), Life::Gone);
        let elsewhere = Holder { namespace: "pid:[1]".into(), ..me };
        assert_eq!(Holder::life_of(&elsewhere.text()), Life::Unknown);
        assert_eq!(Holder::life_of("hostile"), Life::Unknown);
    }

    #[test]
    fn a_dead_child_is_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let text = format!("{} {} {}", child.id(), start_of(&child.id().to_string()).unwrap(), namespace());
        assert_eq!(Holder::life_of(&text), Life::Runs);
        child.kill().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(Holder::life_of(&text), Life::Gone, "a zombie delivers nothing any more");
        child.wait().unwrap();
        assert_eq!(Holder::life_of(&text), Life::Gone);
    }
}
