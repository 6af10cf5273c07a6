//! Rendered sections on their way out: in memory while small, in an unlinked temporary file beyond that.
//!
//! The tree comes before the contents and a strict pack prints nothing on failure, so every verdict must be known
//! before the first byte leaves. Keeping the contents in memory until then would cost as much as the tree is large.

use std::fs::File;
use std::io::{self, Write};

/// What stays in memory before a temporary file is made.
const IN_MEMORY: usize = 4 * 1024 * 1024;
/// What is collected before each write to that file.
const BLOCK: usize = 1024 * 1024;

/// Bytes that are appended once and read back by range.
#[derive(Debug, Default)]
pub struct Spool {
    buffer: Vec<u8>,
    file: Option<File>,
    in_file: u64,
}

impl Spool {
    /// Returns the number of bytes appended so far.
    pub fn len(&self) -> u64 {
        self.in_file + self.buffer.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets `render` append to the buffer, and moves it to disk when it has become large.
    pub fn append(&mut self, render: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        render(&mut self.buffer);
        let limit = if self.file.is_some() { BLOCK } else { IN_MEMORY };
        if self.buffer.len() >= limit {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.buffer)?;
        self.in_file += self.buffer.len() as u64;
        self.buffer.clear();
        self.buffer.shrink_to(2 * BLOCK);
        Ok(())
    }

    /// Copies a range to `out`.
    pub fn copy(&self, offset: u64, length: u64, out: &mut dyn Write) -> io::Result<()> {
        let mut at = offset;
        let end = offset + length;
        if let Some(file) = self.file.as_ref().filter(|_| at < self.in_file) {
            let mut block = vec![0; (end.min(self.in_file) - at).min(BLOCK as u64) as usize];
            while at < end.min(self.in_file) {
                let wanted = (end.min(self.in_file) - at).min(block.len() as u64) as usize;
                read_exact_at(file, &mut block[..wanted], at)?;
                out.write_all(&block[..wanted])?;
                at += wanted as u64;
            }
        }
        if at < end {
            let from = (at - self.in_file) as usize;
            out.write_all(&self.buffer[from..from + (end - at) as usize])?;
        }
        Ok(())
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, block: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, block, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut block: &mut [u8], mut at: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !block.is_empty() {
        let read = file.seek_read(block, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        block = &mut block[read..];
        at += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_from_memory_from_disk_and_across() {
        let mut spool = Spool::default();
        let mut expected = Vec::new();
        for i in 0..6000u32 {
            let line = format!("{i:01000}\n");
            expected.extend_from_slice(line.as_bytes());
            spool.append(|buffer| buffer.extend_from_slice(line.as_bytes())).unwrap();
        }
        assert!(spool.file.is_some() && !spool.buffer.is_empty(), "the test covers both homes");
        for (offset, length) in [(0, expected.len()), (5, 10), (expected.len() - 7, 7), (expected.len() - 1_500_000, 1_400_000)] {
            let mut out = Vec::new();
            spool.copy(offset as u64, length as u64, &mut out).unwrap();
            assert!(out == expected[offset..offset + length], "{offset} {length}");
        }
    }
}
