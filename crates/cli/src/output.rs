//! Data to stdout. A reader that goes away (`| head`) is success, not an error.

use std::io::{self, ErrorKind, Write};

use briefing_core::Failure;

/// Writes text to stdout and flushes it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    finish(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Turns the result of writing to stdout into the request's: a closed pipe ends the program well.
pub(crate) fn finish(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Failure::new("cannot write to standard output").because(&error)),
    }
}
