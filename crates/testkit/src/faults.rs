//! Runs a program whose file system calls can be made to fail, one at a time.
//!
//! The program is traced with `ptrace`, so this sees the calls of every library in it, also those that do not go through
//! libc. Only its main thread is traced; processes that it starts run undisturbed. Calls are counted from the start of
//! `main`, where Rust's runtime has just set up its alternate signal stack.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::Stdio;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::Value;

use crate::sandbox::{Sandbox, binary};

/// What happens to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not made and returns this error. A file is closed all the same, as Linux does it.
    Error(Errno),
    /// The process is killed before the call is made.
    Kill,
}

/// A run under observation.
#[derive(Debug)]
pub struct Traced {
    /// `None` after a signal.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The names of the file system calls in their order.
    pub calls: Vec<&'static str>,
    /// The first call that wrote to standard output.
    pub printed_at: Option<usize>,
}

impl Sandbox {
    /// Runs `brief` with a payload on stdin. The file system call with the number of `fault` fails.
    #[expect(clippy::zombie_processes, reason = "the tracer waits for it")]
    pub fn traced<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>, payload: &Value, fault: Option<(usize, Fault)>) -> Traced {
        // The shell waits for a line, so that tracing can begin before it becomes the program. It reads no byte more.
        let mut command = self.command("/bin/sh");
        command.args(["-c", "read -r line; exec \"$@\"", "sh"]).arg(binary()).args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a shell can be started");
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id is positive"));
        ptrace::seize(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC).expect("a child can be traced");
        let input = format!("\n{payload}");
        child.stdin.take().expect("stdin was piped").write_all(input.as_bytes()).expect("it fits into the pipe");
        let mut tracer = Tracer { fault, ..Tracer::default() };
        let status = tracer.follow(pid);
        let mut run = Traced { status, stdout: Vec::new(), stderr: Vec::new(), calls: tracer.calls, printed_at: tracer.printed_at };
        child.stdout.take().expect("stdout was piped").read_to_end(&mut run.stdout).expect("a pipe can be read");
        child.stderr.take().expect("stderr was piped").read_to_end(&mut run.stderr).expect("a pipe can be read");
        run
    }
}

#[derive(Default)]
struct Tracer {
    fault: Option<(usize, Fault)>,
    calls: Vec<&'static str>,
    printed_at: Option<usize>,
    /// `main` runs.
    is_counting: bool,
    /// The process is inside a call.
    is_inside: bool,
    /// The answer to the call that it is inside of.
    answer: Option<Errno>,
}

impl Tracer {
    /// Lets the process run to its end and returns its exit code.
    fn follow(&mut self, pid: Pid) -> Option<i32> {
        loop {
            match waitpid(pid, Some(WaitPidFlag::__WALL)).expect("a child can be waited for") {
                WaitStatus::Exited(_, code) => return Some(code),
                WaitStatus::Signaled(..) => return None,
                WaitStatus::PtraceSyscall(_) => {
                    self.is_inside = !self.is_inside;
                    if self.is_inside {
                        self.enter(pid);
                    } else {
                        self.leave(pid);
                    }
                    let _ = ptrace::syscall(pid, None);
                }
                WaitStatus::Stopped(_, signal) => {
                    let _ = ptrace::syscall(pid, signal);
                }
                _ => {
                    // The program has replaced the shell; the next stop is the end of that call.
                    self.is_inside = true;
                    let _ = ptrace::syscall(pid, None);
                }
            }
        }
    }

    fn enter(&mut self, pid: Pid) {
        let Ok(mut registers) = ptrace::getregs(pid) else { return };
        let number = i64::try_from(registers.orig_rax).unwrap_or(-1);
        self.is_counting |= number == libc::SYS_sigaltstack;
        let Some(name) = file_system_call(number, &registers).filter(|_| self.is_counting) else { return };
        let at = self.calls.len();
        self.calls.push(name);
        if name == "write" && registers.rdi == 1 {
            self.printed_at.get_or_insert(at);
        }
        match self.fault.filter(|(wanted, _)| *wanted == at) {
            Some((_, Fault::Kill)) => kill(pid, Signal::SIGKILL).expect("a child can be killed"),
            Some((_, Fault::Error(errno))) => {
                self.answer = Some(errno);
                if name != "close" {
                    // No call has this number.
                    registers.orig_rax = u64::MAX;
                    ptrace::setregs(pid, registers).expect("a stopped process can be changed");
                }
            }
            None => {}
        }
    }

    fn leave(&mut self, pid: Pid) {
        let Some(errno) = self.answer.take() else { return };
        let mut registers = ptrace::getregs(pid).expect("a stopped process can be read");
        registers.rax = (-i64::from(errno as i32)).cast_unsigned();
        ptrace::setregs(pid, registers).expect("a stopped process can be changed");
    }
}

/// Returns the name of a call that concerns files.
fn file_system_call(number: i64, registers: &libc::user_regs_struct) -> Option<&'static str> {
    /// Memory that belongs to no file.
    const NO_FILE: i32 = -1;
    Some(match number {
        libc::SYS_open | libc::SYS_openat | libc::SYS_openat2 => "open",
        libc::SYS_read => "read",
        libc::SYS_pread64 => "pread",
        libc::SYS_write => "write",
        libc::SYS_pwrite64 => "pwrite",
        libc::SYS_stat | libc::SYS_fstat | libc::SYS_lstat | libc::SYS_newfstatat | libc::SYS_statx => "stat",
        // Debug builds ask for the flags of a file before they close it.
        libc::SYS_fcntl if registers.rsi.cast_signed() != i64::from(libc::F_GETFD) => "fcntl",
        libc::SYS_flock => "flock",
        libc::SYS_ftruncate => "ftruncate",
        libc::SYS_fsync | libc::SYS_fdatasync => "fsync",
        libc::SYS_rename | libc::SYS_renameat | libc::SYS_renameat2 => "rename",
        libc::SYS_unlink | libc::SYS_unlinkat => "unlink",
        libc::SYS_mkdir | libc::SYS_mkdirat => "mkdir",
        libc::SYS_readlink | libc::SYS_readlinkat => "readlink",
        libc::SYS_getdents64 => "getdents",
        libc::SYS_access | libc::SYS_faccessat | libc::SYS_faccessat2 => "access",
        libc::SYS_chmod | libc::SYS_fchmod | libc::SYS_fchmodat | libc::SYS_fchown => "chmod",
        libc::SYS_lseek => "lseek",
        libc::SYS_close => "close",
        libc::SYS_mmap if registers.r8 as i32 != NO_FILE => "mmap",
        _ => return None,
    })
}
