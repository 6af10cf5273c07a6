//! Copies to the clipboard with the first of several programs that is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use briefing_core::Failure;

/// Programs that copy their stdin to the clipboard, in the order they are tried.
const PROGRAMS: &[(&str, &[&str])] =
    &[("wl-copy", &[]), ("xclip", &["-selection", "clipboard"]), ("xsel", &["--clipboard", "--input"]), ("pbcopy", &[]), ("clip.exe", &[])];

/// Copies `document` to the clipboard, and returns the program that did it.
pub(crate) fn copy(document: &[u8]) -> Result<&'static str, Failure> {
    let mut last = None;
    for (program, arguments) in PROGRAMS {
        match feed(program, arguments, document) {
            Ok(true) => return Ok(program),
            Ok(false) => last = Some(format!("`{program}` failed")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => last = Some(format!("`{program}`: {error}")),
        }
    }
    let failure = Failure::new("cannot copy to the clipboard").hint("`-o FILE` writes to a file instead");
    Err(match last {
        Some(cause) => failure.because_of(cause),
        None => failure.because_of("none of wl-copy, xclip, xsel, pbcopy and clip.exe is installed"),
    })
}

fn feed(program: &str, arguments: &[&str], document: &[u8]) -> std::io::Result<bool> {
    let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    child.stdin.take().expect("stdin was piped").write_all(document)?;
    Ok(child.wait()?.success())
}
