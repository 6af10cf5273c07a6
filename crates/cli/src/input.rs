//! Text that is given as an argument or, as `-`, on stdin.

use std::io::Read;

use briefing_core::Failure;

/// No entry or state is longer than this, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// Returns the text itself, or what stdin holds if it is `-`.
pub(crate) fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
    if bytes.len() as u64 > LIMIT {
        return Err(Failure::new(format!("standard input is longer than {LIMIT} bytes"))
            .hint("keep the essence, and point to the rest by its path"));
    }
    let text = String::from_utf8(bytes).map_err(|error| Failure::new("standard input is not UTF-8").because(&error))?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}
