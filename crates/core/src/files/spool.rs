//! Rendered sections on their way out: in memory while small, in an unlinked temporary file beyond that.
//!
//! The tree comes before the contents and a strict pack prints nothing on failure, so every verdict must be known
//! before the first byte leaves. Keeping the contents in memory until then would cost as much as the tree is large.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// What all spools of one pack together keep in memory before temporary files are made.
const IN_MEMORY: usize = 48 * 1024 * 1024;
/// What is collected before each write to a temporary file.
const BLOCK: usize = 1024 * 1024;

/// Bytes that are appended once and read back by range: the first ones from memory, the others from disk.
#[derive(Debug)]
pub struct Spool {
    /// The beginning, which stays in memory.
    head: Vec<u8>,
    head_limit: usize,
    file: Option<File>,
    in_file: u64,
    /// The end, which waits for its block to be full.
    tail: Vec<u8>,
}

impl Spool {
    /// Makes one of `count` spools, which share the memory that may be used.
    pub fn one_of(count: usize) -> Self {
        Self { head: Vec::new(), head_limit: IN_MEMORY / count.max(1), file: None, in_file: 0, tail: Vec::new() }
    }

    /// Returns the number of bytes appended so far.
    pub fn len(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.in_file
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets `render` append.
    pub fn append(&mut self, render: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        if self.head.len() < self.head_limit && self.tail.is_empty() && self.in_file == 0 {
            render(&mut self.head);
            return Ok(());
        }
        render(&mut self.tail);
        if self.tail.len() >= BLOCK {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile()?),
            };
            file.write_all(&self.tail)?;
            self.in_file += self.tail.len() as u64;
            self.tail.clear();
            self.tail.shrink_to(2 * BLOCK);
        }
        Ok(())
    }

    /// Copies a range to `out`. From file to file or pipe the kernel does it, hence the concrete type.
    pub fn copy<W: Write>(&self, offset: u64, length: u64, out: &mut W) -> io::Result<()> {
        let end = offset + length;
        let file_start = self.head.len() as u64;
        let file_end = file_start + self.in_file;
        let part = |bytes: &[u8], start: u64| -> std::ops::Range<usize> {
            let at = |position: u64| position.saturating_sub(start).min(bytes.len() as u64) as usize;
            at(offset)..at(end)
        };
        out.write_all(&self.head[part(&self.head, 0)])?;
        if let Some(mut file) = self.file.as_ref().filter(|_| offset < file_end && end > file_start) {
            let (from, to) = (offset.max(file_start), end.min(file_end));
            file.seek(SeekFrom::Start(from - file_start))?;
            if io::copy(&mut file.take(to - from), out)? != to - from {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        out.write_all(&self.tail[part(&self.tail, file_end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_from_memory_from_disk_and_across() {
        let mut spool = Spool { head_limit: 100_000, ..Spool::one_of(1) };
        let mut expected = Vec::new();
        for i in 0..6000u32 {
            let line = format!("{i:01000}\n");
            expected.extend_from_slice(line.as_bytes());
            spool.append(|buffer| buffer.extend_from_slice(line.as_bytes())).unwrap();
        }
        assert!(spool.file.is_some() && !spool.head.is_empty() && !spool.tail.is_empty(), "the test covers all homes");
        for (offset, length) in
            [(0, expected.len()), (5, 10), (99_000, 3000), (expected.len() - 7, 7), (expected.len() - 1_500_000, 1_400_000)]
        {
            let mut out = Vec::new();
            spool.copy(offset as u64, length as u64, &mut out).unwrap();
            assert!(out == expected[offset..offset + length], "{offset} {length}");
        }
    }
}
