//! Writes data to stdout. A terminal receives no control characters, anything else every byte.
//!
//! A reader that closes the pipe early (`| head`) is not an error, and does not end the program: what a command does besides
//! printing must not depend on who reads.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::shown::relative_text;

use crate::talk;

/// Writes text to stdout and flushes it. On a terminal, control and bidirectional characters are escaped: any text may
/// contain something from a file.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_while_read(text).map(|_| ())
}

/// Does the same, and returns whether somebody still reads. For commands that would otherwise print without end.
pub(crate) fn print_while_read(text: &str) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() { Cow::Owned(talk::safe(text)) } else { Cow::Borrowed(text) };
    finish(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Converts the result of writing to stdout into whether somebody still reads.
pub(crate) fn finish(result: io::Result<()>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new("cannot write to standard output").because(&error)),
    }
}

/// Names of standard output. It is written to directly, never replaced by a file.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Returns the file to write a result to, `None` for standard output.
///
/// Fails for targets that cannot be written, so that the error comes before the work.
pub(crate) fn place(path: &Path, here: &Path) -> Result<Option<PathBuf>, Failure> {
    if STDOUT.iter().any(|name| path == Path::new(name)) {
        return Ok(None);
    }
    let target = here.join(path);
    let refuse = |why: &str, hint: &str| {
        let what = format!("cannot write `{}`", relative_text(&target, here));
        Err(Failure::new(what).because_of(why).hint(hint))
    };
    if target.is_dir() {
        return refuse("it is a directory", "name a file: `-o FILE`");
    }
    if target.parent().is_some_and(|directory| !directory.is_dir()) {
        return refuse("its directory does not exist", "create it first");
    }
    Ok(Some(target))
}

/// Returns the device and inode of stdout if it is a file. A pack that is redirected into its own tree uses them to leave
/// itself out.
pub(crate) fn stdout_identity() -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let stdout = std::fs::File::from(io::stdout().as_fd().try_clone_to_owned().ok()?);
        let metadata = stdout.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    None
}
