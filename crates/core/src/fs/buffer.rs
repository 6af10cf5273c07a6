//! A reusable buffer that files are read into and text is rendered into.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};

use super::FileProblem;

/// Grows as needed and is reused. Files are read directly to their final position.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Initialised once; only the first `filled` bytes are content.
    bytes: Vec<u8>,
    filled: usize,
}

impl Buffer {
    pub fn len(&self) -> usize {
        self.filled
    }

    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Returns the size of the allocated memory.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Drops everything after `length` bytes and keeps the memory.
    pub fn truncate(&mut self, length: usize) {
        self.filled = self.filled.min(length);
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Appends bytes.
    pub fn push(&mut self, part: &[u8]) {
        let end = self.filled + part.len();
        if end > self.bytes.len() {
            self.bytes.resize(end.next_power_of_two().max(64 * 1024), 0);
        }
        self.bytes[self.filled..end].copy_from_slice(part);
        self.filled = end;
    }

    /// Replaces the content by an open file, and returns its bytes.
    pub fn read(&mut self, file: &mut File, metadata: &Metadata, limit: u64) -> Result<&[u8], FileProblem> {
        self.truncate(0);
        self.append(file, metadata, limit)?;
        Ok(self.as_bytes())
    }

    /// Appends an open file of up to `limit` bytes; a larger one is [`FileProblem::TooLarge`].
    ///
    /// The size is checked before the first read and again while reading, because the file may grow. A file that
    /// returned as many bytes as it had when it was opened is complete. After a failed read, the caller must truncate
    /// the buffer.
    pub fn append(&mut self, file: &mut File, metadata: &Metadata, limit: u64) -> Result<(), FileProblem> {
        if metadata.len() > limit {
            return Err(FileProblem::TooLarge { size: metadata.len(), limit });
        }
        let start = self.filled;
        loop {
            let read = (self.filled - start) as u64;
            let wanted = start + read.max(metadata.len()) as usize + 1;
            if self.bytes.len() < wanted {
                let size = wanted.next_multiple_of(64 * 1024);
                let missing = size - self.bytes.len();
                self.bytes.try_reserve(missing).map_err(|_| FileProblem::Io(format!("not enough memory for {size} bytes")))?;
                self.bytes.resize(size, 0);
            }
            match file.read(&mut self.bytes[self.filled..]) {
                Ok(0) => return Ok(()),
                Ok(more) => self.filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
            let read = (self.filled - start) as u64;
            if read == metadata.len() {
                return Ok(());
            }
            if read > limit {
                let size = file.metadata().map_or(read, |now| now.len().max(read));
                return Err(FileProblem::TooLarge { size, limit });
            }
        }
    }
}

impl Write for Buffer {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.push(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    #[test]
    fn files_and_text_follow_each_other() {
        let sandbox = Sandbox::new().file("a", "first").file("b", "").file("c", "x".repeat(200_000));
        let mut buffer = Buffer::default();
        let mut expected = Vec::new();
        for name in ["a", "b", "c", "a"] {
            let mut file = File::open(sandbox.path(name)).unwrap();
            let metadata = file.metadata().unwrap();
            buffer.append(&mut file, &metadata, 200_000).unwrap();
            buffer.push(b"|");
            expected.extend(std::fs::read(sandbox.path(name)).unwrap());
            expected.push(b'|');
        }
        assert!(buffer.as_bytes() == expected);
        let mut file = File::open(sandbox.path("c")).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!(buffer.append(&mut file, &metadata, 9), Err(FileProblem::TooLarge { size: 200_000, limit: 9 }));
        assert!(buffer.as_bytes() == expected, "nothing was read");
        assert_eq!(buffer.read(&mut file, &metadata, 200_000).unwrap().len(), 200_000);
    }
}
