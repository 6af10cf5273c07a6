//! Reads the server-sent events of a chat endpoint.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;

use serde_json::Value;

use crate::client::content_text;

/// Why a stream failed.
#[derive(Debug)]
pub(crate) enum Broken {
    Read(io::Error),
    TooLarge,
    /// The server sent an error in the stream.
    Said(Value),
}

/// Reads events of at most `limit` bytes in total, passes on each part of the text, and returns the whole text.
///
/// A stream may end without `[DONE]`, because several servers just close it. Lines that are not JSON are skipped, as the
/// standard requires for unknown fields.
pub(crate) fn read(body: impl Read, limit: usize, receive: &mut impl FnMut(&str) -> ControlFlow<()>) -> Result<String, Broken> {
    let mut body = BufReader::new(body.take(limit as u64 + 1));
    let mut text = String::new();
    let mut line = Vec::new();
    let mut total = 0;
    loop {
        line.clear();
        let read = body.read_until(b'\n', &mut line).map_err(Broken::Read)?;
        total += read;
        if total > limit {
            return Err(Broken::TooLarge);
        }
        if read == 0 {
            return Ok(text);
        }
        let Some(data) = line.trim_ascii().strip_prefix(b"data:").map(<[u8]>::trim_ascii) else { continue };
        if data == b"[DONE]" {
            return Ok(text);
        }
        let Ok(mut event) = serde_json::from_slice::<Value>(data) else { continue };
        if let Some(error) = event.get_mut("error").filter(|error| !error.is_null()) {
            return Err(Broken::Said(error.take()));
        }
        let piece = event.pointer("/choices/0/delta/content").map(content_text).unwrap_or_default();
        if piece.is_empty() {
            continue;
        }
        text.push_str(&piece);
        if receive(&piece).is_break() {
            return Ok(text);
        }
    }
}
