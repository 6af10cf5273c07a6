//! Rendered sections in their final order: in memory while they are small, otherwise in an unlinked file.
//!
//! The tree comes before the contents, and a strict pack prints nothing on failure, so all decisions must be made
//! before the first byte is written. Keeping all contents in memory until then would be too expensive.
//!
//! If the output is a file, the unlinked file is next to it and has space for the header at its start: in the end the
//! header is written there, and the file *is* the document. Nothing is written twice.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::fs::unlinked_beside;

/// Where the sections are kept.
#[derive(Debug, Clone, Default)]
pub(super) enum Home {
    /// In memory or in a temporary file, from which the document is copied.
    #[default]
    Temporary,
    /// Next to this file, which the document becomes.
    Beside(PathBuf),
}

/// The size up to which sections are kept in memory.
const IN_MEMORY: usize = 48 * 1024 * 1024;
/// The same if the document can be made in place: then writing early costs nothing.
const IN_MEMORY_BESIDE: usize = 1024 * 1024;
/// The number of bytes moved at once.
const BLOCK: usize = 1024 * 1024;

/// Bytes that are appended once and read back by range.
#[derive(Debug)]
pub(super) struct Spool {
    home: Home,
    /// All bytes, until they are too many for memory.
    memory: Vec<u8>,
    file: Option<InFile>,
}

#[derive(Debug)]
struct InFile {
    file: File,
    /// The position of the first byte. The space before it is for the header.
    start: u64,
    length: u64,
    /// Whether the file can get a name, because it is next to the output file.
    can_be_named: bool,
}

/// A range of the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Spool {
    pub(super) fn new(home: Home) -> Self {
        Self { home, memory: Vec::new(), file: None }
    }

    /// Returns the number of bytes appended so far.
    pub(super) fn len(&self) -> u64 {
        self.file.as_ref().map_or(self.memory.len() as u64, |file| file.length)
    }

    /// Appends bytes. `room` estimates the length of the header when the bytes leave memory; a wrong estimate only
    /// costs time.
    pub(super) fn append(&mut self, bytes: &[u8], room: impl FnOnce() -> u64) -> io::Result<()> {
        let limit = if matches!(self.home, Home::Beside(_)) { IN_MEMORY_BESIDE } else { IN_MEMORY };
        if self.file.is_none() && self.memory.len() + bytes.len() <= limit {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let in_file = match &mut self.file {
            Some(in_file) => in_file,
            none => {
                let mut in_file = InFile::new(&self.home, room)?;
                in_file.write(&std::mem::take(&mut self.memory))?;
                none.insert(in_file)
            }
        };
        in_file.write(bytes)
    }

    /// Copies a range to `out`. The concrete type lets the kernel copy from file to file or pipe.
    pub(super) fn copy<W: Write>(&self, offset: u64, length: u64, out: &mut W) -> io::Result<()> {
        let Some(InFile { file, start, .. }) = &self.file else {
            return out.write_all(&self.memory[offset as usize..(offset + length) as usize]);
        };
        let mut file = file;
        file.seek(SeekFrom::Start(start + offset))?;
        if io::copy(&mut file.take(length), out)? != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Turns the spool's own file into the document of header, runs and footer, and returns it. The runs are moved to
    /// their final position, which is mostly where they are. Returns `None` if the document must be copied instead.
    pub(super) fn settle(&self, header: &str, runs: &[Run], footer: &str) -> io::Result<Option<&File>> {
        let Some(InFile { file, start, can_be_named: true, .. }) = &self.file else { return Ok(None) };
        if !runs.is_sorted_by_key(|run| run.offset) {
            return Ok(None);
        }
        let mut end = header.len() as u64;
        let mut moves = Vec::with_capacity(runs.len());
        for run in runs {
            moves.push((start + run.offset, end, run.length));
            end += run.length;
        }
        // Everything after a left-out section moves down, so runs that move up come first. No run overwrites the
        // source of another, because they keep their order and never overlap.
        let up = moves.partition_point(|(from, to, _)| to > from);
        for (from, to, length) in moves[..up].iter().rev() {
            shift_up(file, *from, *to, *length)?;
        }
        for (from, to, length) in &moves[up..] {
            shift_down(file, *from, *to, *length)?;
        }
        write_at(file, 0, header.as_bytes())?;
        write_at(file, end, footer.as_bytes())?;
        file.set_len(end + footer.len() as u64)?;
        Ok(Some(file))
    }
}

impl InFile {
    fn new(home: &Home, room: impl FnOnce() -> u64) -> io::Result<Self> {
        if let Home::Beside(path) = home
            && let Some(file) = unlinked_beside(path)
        {
            return Ok(Self { file, start: room(), length: 0, can_be_named: true });
        }
        Ok(Self { file: tempfile::tempfile()?, start: 0, length: 0, can_be_named: false })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.length == 0 {
            (&self.file).seek(SeekFrom::Start(self.start))?;
        }
        (&self.file).write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

fn write_at(mut file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

fn shift(mut file: &File, from: u64, to: u64, buffer: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(buffer)?;
    write_at(file, to, buffer)
}

/// Moves a range towards the beginning, first block first.
fn shift_down(file: &File, from: u64, to: u64, length: u64) -> io::Result<()> {
    if from == to {
        return Ok(());
    }
    let mut buffer = vec![0; length.min(BLOCK as u64) as usize];
    let mut done = 0;
    while done < length {
        let part = &mut buffer[..(length - done).min(BLOCK as u64) as usize];
        shift(file, from + done, to + done, part)?;
        done += part.len() as u64;
    }
    Ok(())
}

/// Moves a range towards the end, last block first.
fn shift_up(file: &File, from: u64, to: u64, length: u64) -> io::Result<()> {
    let mut buffer = vec![0; length.min(BLOCK as u64) as usize];
    let mut left = length;
    while left > 0 {
        let part = &mut buffer[..left.min(BLOCK as u64) as usize];
        left -= part.len() as u64;
        shift(file, from + left, to + left, part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;
    #[cfg(target_os = "linux")]
    use proptest::prelude::*;

    use super::*;

    fn filled(home: Home, bytes: &[u8], room: u64) -> Spool {
        let mut spool = Spool::new(home);
        for part in bytes.chunks(100_000) {
            spool.append(part, || room).unwrap();
        }
        spool
    }

    #[test]
    fn ranges_come_back_from_memory_and_from_disk() {
        let expected: Vec<u8> = (0..60 * 1024 * 1024_u32).map(|i| ((i * 7) >> 3) as u8).collect();
        let (small, large) = (filled(Home::Temporary, &expected[..300_000], 0), filled(Home::Temporary, &expected, 0));
        assert!(small.file.is_none() && large.file.is_some());
        for (spool, offset, length) in
            [(&small, 0, 300_000), (&small, 299_990, 10), (&large, 0, expected.len()), (&large, 47_999_000, 3_000_000)]
        {
            let mut out = Vec::new();
            spool.copy(offset as u64, length as u64, &mut out).unwrap();
            assert!(out == expected[offset..offset + length], "{offset} {length}");
        }
    }

    #[cfg(target_os = "linux")]
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Whatever the estimate was and whatever is left out: the document is header, runs, footer.
        #[test]
        fn a_settled_file_is_the_document(
            room in 0_u64..3_000_000,
            header in 0_usize..3_000_000,
            cuts in proptest::collection::btree_set(0_usize..2_500_000, 0..12),
        ) {
            let sandbox = Sandbox::new();
            let body: Vec<u8> = (0..2_500_000_u32).map(|i| ((i * 31) >> 4) as u8).collect();
            let spool = filled(Home::Beside(sandbox.path("out")), &body, room);
            let edges: Vec<usize> = cuts.into_iter().collect();
            let runs: Vec<Run> = edges
                .chunks_exact(2)
                .map(|pair| Run { offset: pair[0] as u64, length: (pair[1] - pair[0]) as u64 })
                .collect();
            let header = "h".repeat(header);
            let mut expected = header.clone().into_bytes();
            for run in &runs {
                expected.extend_from_slice(&body[run.offset as usize..(run.offset + run.length) as usize]);
            }
            expected.extend_from_slice(b"foot");
            let mut file = spool.settle(&header, &runs, "foot").unwrap().expect("the file can be named here");
            let mut document = Vec::new();
            file.seek(SeekFrom::Start(0)).unwrap();
            file.read_to_end(&mut document).unwrap();
            prop_assert!(document == expected);
        }
    }

    #[test]
    fn another_order_is_copied_out() {
        let sandbox = Sandbox::new();
        let spool = filled(Home::Beside(sandbox.path("out")), &vec![1; 2_000_000], 5);
        let runs = [Run { offset: 10, length: 5 }, Run { offset: 0, length: 5 }];
        assert!(spool.settle("", &runs, "").unwrap().is_none());
    }
}
