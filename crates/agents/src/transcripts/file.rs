//! Reads the lines that were added to a transcript.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use briefing_core::fs::{FileProblem, Irregular, LinkProblem};
use serde_json::Value;

use super::{Budget, Silence, Visitor};
use crate::fields::without_lone_surrogates;

/// Gives every new record to the visitor. Returns whether the end was reached.
pub(super) fn read(path: &Path, budget: Budget, visitor: &mut dyn Visitor) -> Result<bool, Silence> {
    let (mut file, metadata) = open(path)?;
    let start = visitor.begin(&identity(&metadata), metadata.len());
    let unreadable = |error: io::Error| Silence::Unreadable(error.to_string());
    file.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    let mut lines = Lines { reader: BufReader::with_capacity(64 * 1024, file), offset: start, limit: budget.line };
    let mut line = Vec::new();
    while lines.offset - start < budget.bytes {
        let at = lines.offset;
        match lines.next(&mut line).map_err(unreadable)? {
            Line::Whole => match parse(&line) {
                Some(record) => visitor.record(&record, at, lines.offset),
                None if line.trim_ascii().is_empty() => visitor.pass(lines.offset),
                None => visitor.damage(lines.offset),
            },
            Line::TooLong => visitor.damage(lines.offset),
            // The agent is still writing the last line, or there is none.
            Line::End => return Ok(true),
        }
    }
    Ok(false)
}

/// Opens a regular file of this user. A link at the end of the path is not followed.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), Silence> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let found = fs::symlink_metadata(path);
    if found.as_ref().is_ok_and(Metadata::is_symlink) {
        return Err(Silence::NotTrusted(FileProblem::Link(LinkProblem::Unexpected)));
    }
    let opened = options.open(path).and_then(|file| file.metadata().map(|metadata| (file, metadata)));
    let (file, metadata) = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if is_compressed(path) => Silence::Compressed,
        io::ErrorKind::NotFound => Silence::NotFound,
        _ => Silence::NotTrusted(FileProblem::from(error)),
    })?;
    if !metadata.is_file() {
        return Err(Silence::NotTrusted(FileProblem::NotRegular(Irregular::Other)));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(Silence::NotTrusted(FileProblem::Io("it belongs to another user".into())));
        }
    }
    Ok((file, metadata))
}

fn is_compressed(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push(".zst");
    fs::symlink_metadata(Path::new(&name)).is_ok()
}

/// Returns what tells a file from one that has taken its place.
pub(super) fn identity(metadata: &Metadata) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        format!("{}:{}", metadata.dev(), metadata.ino())
    }
    #[cfg(not(unix))]
    {
        let created = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        created.map_or_else(String::new, |since| since.as_nanos().to_string())
    }
}

/// Reads a record. A client writes half a character as an escape that is not valid JSON.
fn parse(line: &[u8]) -> Option<Value> {
    let record = serde_json::from_slice(line).ok();
    record.or_else(|| serde_json::from_str(&without_lone_surrogates(String::from_utf8_lossy(line))).ok())
}

enum Line {
    Whole,
    TooLong,
    End,
}

struct Lines<R> {
    reader: R,
    /// Where the next line begins.
    offset: u64,
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads a line that ends, without its end. Of one that is too long, nothing is kept.
    fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Line> {
        line.clear();
        let (mut length, mut is_too_long) = (0, false);
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(Line::End);
            }
            let end = memchr::memchr(b'\n', chunk);
            let taken = end.map_or(chunk.len(), |at| at + 1);
            is_too_long |= line.len() + taken > self.limit;
            if !is_too_long {
                line.extend_from_slice(&chunk[..taken]);
            }
            self.reader.consume(taken);
            length += taken as u64;
            if end.is_some() {
                self.offset += length;
                return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
            }
        }
    }
}
