//! Reading a payload from stdin, and building the JSON object for stdout.
//!
//! Some agents never close stdin, so reading stops at the end of the JSON object. Input is limited to 8 MB, and every
//! read has a deadline.

use std::io;
use std::time::Instant;

use serde_json::json;

use crate::agent::{Agent, Event, Shape};

/// The largest accepted input, in bytes.
pub const MAX_INPUT: usize = 8 * 1024 * 1024;

/// Why no object could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InputProblem {
    #[error("no input")]
    Empty,
    #[error("the input is not a JSON object")]
    NotAnObject,
    #[error("the input ended before the end of the object")]
    Unfinished,
    #[error("the input is larger than 8 MB")]
    TooLarge,
    #[error("the input did not end in time")]
    TooSlow,
    #[error("cannot read the input")]
    Unreadable,
}

/// Finds the end of the first JSON object in bytes that arrive in chunks. It looks at brackets and strings only and
/// does not validate the JSON.
#[derive(Debug, Default)]
pub struct Scanner {
    at: usize,
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl Scanner {
    /// Scans the bytes that are new since the last call. Returns the end of the object once it has been found.
    pub fn scan(&mut self, bytes: &[u8]) -> Result<Option<usize>, InputProblem> {
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' if self.depth > 0 => self.in_string = true,
                b'{' | b'[' if self.depth > 0 || *byte == b'{' => self.depth += 1,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Ok(Some(self.at));
                    }
                }
                _ if self.depth > 0 || byte.is_ascii_whitespace() => {}
                // The input may begin with a byte order mark.
                0xEF | 0xBB | 0xBF if self.at <= 3 => {}
                _ => return Err(InputProblem::NotAnObject),
            }
        }
        Ok(None)
    }
}

/// A source of bytes with a deadline.
pub trait Input {
    /// Reads bytes and returns their number, 0 at the end of the input, or an error of kind `TimedOut` at the deadline.
    fn read_before(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize>;
}

/// Reads one JSON object.
pub fn read_object(source: &mut dyn Input, deadline: Instant) -> Result<Vec<u8>, InputProblem> {
    let mut bytes = Vec::with_capacity(8 * 1024);
    let mut chunk = vec![0; 64 * 1024];
    let mut scanner = Scanner::default();
    loop {
        let read = match source.read_before(&mut chunk, deadline) {
            Ok(0) if bytes.trim_ascii().is_empty() => return Err(InputProblem::Empty),
            Ok(0) => return Err(InputProblem::Unfinished),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::TimedOut && bytes.is_empty() => return Err(InputProblem::Empty),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(InputProblem::TooSlow),
            Err(_) => return Err(InputProblem::Unreadable),
        };
        bytes.extend_from_slice(&chunk[..read]);
        if let Some(end) = scanner.scan(&bytes)? {
            bytes.truncate(end);
            return Ok(bytes);
        }
        if bytes.len() > MAX_INPUT {
            return Err(InputProblem::TooLarge);
        }
    }
}

/// The process's own stdin.
#[derive(Debug, Default)]
pub struct Stdin(());

#[cfg(unix)]
impl Input for Stdin {
    fn read_before(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let mut descriptors = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut descriptors, Some(&timeout))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Bypass the standard library's buffer: `poll` does not see bytes that it holds.
        Ok(rustix::io::read(&stdin, buffer)?)
    }
}

#[cfg(not(unix))]
impl Input for Stdin {
    fn read_before(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        use std::io::Read;
        let (sender, receiver) = std::sync::mpsc::channel();
        let length = buffer.len();
        // A read that never returns blocks only its own thread, which ends with the process.
        std::thread::spawn(move || {
            let mut chunk = vec![0; length];
            let result = io::stdin().lock().read(&mut chunk).map(|read| chunk[..read].to_vec());
            let _ = sender.send(result);
        });
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = receiver.recv_timeout(left).map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

/// Returns the JSON object that carries context on stdout. `message` is for the user; only some agents can show one.
pub fn object(agent: &Agent, event: &Event, context: &str, message: Option<&str>) -> String {
    let value = match agent.shape {
        Shape::Nested { has_message } => {
            let mut value = json!({ "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": context } });
            if let Some(message) = message.filter(|_| has_message) {
                value["systemMessage"] = json!(message);
            }
            value
        }
        Shape::Flat => json!({ "additionalContext": context }),
        Shape::FlatSnake => json!({ "additional_context": context }),
        Shape::Plain => json!({ "context": context }),
    };
    format!("{value}\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns its bytes in steps, then ends, or times out if it does not end.
    struct Drip<'a>(Vec<&'a [u8]>, bool);

    impl Input for Drip<'_> {
        fn read_before(&mut self, buffer: &mut [u8], _: Instant) -> io::Result<usize> {
            if self.0.is_empty() {
                return if self.1 { Ok(0) } else { Err(io::ErrorKind::TimedOut.into()) };
            }
            let step = self.0.remove(0);
            buffer[..step.len()].copy_from_slice(step);
            Ok(step.len())
        }
    }

    fn read(steps: Vec<&[u8]>, ends: bool) -> Result<String, InputProblem> {
        let deadline = Instant::now() + Duration::from_secs(1);
        read_object(&mut Drip(steps, ends), deadline).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn the_object_ends_the_read_without_end_of_file() {
        let text = br#" {"a":"}\"{","b":[{}]} trailing"#;
        assert_eq!(read(vec![text], false).unwrap(), r#" {"a":"}\"{","b":[{}]}"#);
        let single: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(single, false).unwrap(), r#" {"a":"}\"{","b":[{}]}"#);
    }

    #[test]
    fn each_problem_has_its_own_error() {
        assert_eq!(read(vec![], true), Err(InputProblem::Empty));
        assert_eq!(read(vec![b" \n"], true), Err(InputProblem::Empty));
        assert_eq!(read(vec![b"[1]"], true), Err(InputProblem::NotAnObject));
        assert_eq!(read(vec![b"nonsense"], true), Err(InputProblem::NotAnObject));
        assert_eq!(read(vec![b"{\"a\":"], true), Err(InputProblem::Unfinished));
        assert_eq!(read(vec![b"{\"a\":"], false), Err(InputProblem::TooSlow));
        let big = vec![b' '; 60_000];
        let mut steps: Vec<&[u8]> = vec![b"{"];
        steps.extend(std::iter::repeat_n(big.as_slice(), 150));
        assert_eq!(read(steps, false), Err(InputProblem::TooLarge));
    }
}
