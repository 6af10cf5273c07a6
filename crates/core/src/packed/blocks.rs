//! Bytes in blocks, each with a checksum. Reading a block finds a flipped bit in it, without reading more than that
//! block.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::Damage;

/// The size of a block on disk, and the size of its content without the checksum.
const BLOCK: usize = 4096;
const HELD: usize = BLOCK - SUM;
const SUM: usize = 8;
/// An odd number with well-distributed bits: multiplying by it loses no information.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// The approximate size of the writes to disk.
const WRITTEN_AT_ONCE: usize = 64 * BLOCK;

/// Mixes a word into a state. For a given state, different words give different results, and the same holds for a
/// given word.
fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Returns the checksum of a block. Damage within eight bytes always changes it, other damage with a probability of 1
/// - 2⁻⁶⁴.
fn checksum(number: u64, bytes: &[u8]) -> u64 {
    let mut lanes = [1, 2, 3, 4].map(|lane| mix(number, lane));
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, part) in lanes.iter_mut().zip(chunk.chunks_exact(8)) {
            *lane = mix(*lane, word(part));
        }
    }
    let sum = lanes.into_iter().fold(bytes.len() as u64, mix);
    chunks.remainder().chunks(8).map(word).fold(sum, mix)
}

/// Hashes a short text, well mixed in every bit.
pub(crate) fn short_hash(text: &[u8]) -> u64 {
    let mut hash = text.chunks(8).map(word).fold(mix(FACTOR, text.len() as u64), mix);
    for shift in [32, 29, 32] {
        hash = (hash ^ (hash >> shift)).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 32)
}

/// Writes blocks to a file or to memory.
#[derive(Debug)]
pub(crate) struct BlockWriter<W> {
    out: W,
    /// Finished blocks that are not yet written, and the current one.
    buffer: Vec<u8>,
    /// The number of bytes in the current block.
    filled: usize,
    number: u64,
    position: u64,
}

impl<W: Write> BlockWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, buffer: Vec::new(), filled: 0, number: 0, position: 0 }
    }

    /// Returns the number of bytes written so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn put(&mut self, mut bytes: &[u8]) -> Result<(), Damage> {
        self.position += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(HELD - self.filled));
            self.buffer.extend_from_slice(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == HELD {
                self.close()?;
            }
        }
        Ok(())
    }

    /// Writes the trailer in a block of its own, and returns the writer.
    pub(crate) fn finish(mut self, trailer: &[u8]) -> Result<W, Damage> {
        if trailer.is_empty() || trailer.len() >= HELD {
            return Err(Damage::Corrupt("the trailer does not fit into a block"));
        }
        if self.filled > 0 {
            self.buffer.resize(self.buffer.len() + HELD - self.filled, 0);
            self.filled = HELD;
            self.close()?;
        }
        self.buffer.extend_from_slice(trailer);
        self.filled = trailer.len();
        self.close()?;
        self.out.write_all(&self.buffer)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn close(&mut self) -> Result<(), Damage> {
        let start = self.buffer.len() - self.filled;
        let sum = checksum(self.number, &self.buffer[start..]);
        self.buffer.extend_from_slice(&sum.to_le_bytes());
        (self.filled, self.number) = (0, self.number + 1);
        if self.buffer.len() >= WRITTEN_AT_ONCE {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}

/// Blocks on disk or in memory, read by range.
#[derive(Debug)]
pub(crate) struct Blocks {
    place: Place,
    len: u64,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    Disk(File),
}

impl Blocks {
    pub(crate) fn open(path: &Path) -> Result<Self, Damage> {
        Self::of_file(File::open(path)?)
    }

    pub(crate) fn of_file(file: File) -> Result<Self, Damage> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Damage::Corrupt("not a file"));
        }
        Ok(Self { len: metadata.len(), place: Place::Disk(file) })
    }

    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self { len: bytes.len() as u64, place: Place::Memory(bytes) }
    }

    /// Returns the number of bytes before the trailer, including padding.
    pub(crate) fn len(&self) -> u64 {
        self.len.saturating_sub(1) / BLOCK as u64 * HELD as u64
    }

    pub(crate) fn trailer(&self) -> Result<Vec<u8>, Damage> {
        self.blocks(self.len.saturating_sub(1) / BLOCK as u64, 1)
    }

    /// Returns `len` bytes at `offset`. Checks the range against the file's length first, so that a wrong offset
    /// cannot cause an allocation larger than the file.
    pub(crate) fn read(&self, offset: u64, len: u64) -> Result<Vec<u8>, Damage> {
        let end = offset.checked_add(len).filter(|end| *end <= self.len()).ok_or(Damage::Corrupt("an offset points past the end"))?;
        if len == 0 {
            return Ok(Vec::new());
        }
        let first = offset / HELD as u64;
        let mut bytes = self.blocks(first, (end - 1) / HELD as u64 - first + 1)?;
        bytes.truncate((end - first * HELD as u64) as usize);
        bytes.drain(..(offset - first * HELD as u64) as usize);
        Ok(bytes)
    }

    /// Reads and checks whole blocks.
    fn blocks(&self, first: u64, count: u64) -> Result<Vec<u8>, Damage> {
        let short = Damage::Corrupt("a block is missing");
        let start = first * BLOCK as u64;
        let Some(size) = self.len.checked_sub(start).map(|left| left.min(count * BLOCK as u64) as usize) else { return Err(short) };
        let mut bytes = match &self.place {
            Place::Memory(bytes) => bytes[start as usize..start as usize + size].to_vec(),
            Place::Disk(file) => {
                let mut bytes = vec![0; size];
                read_exact_at(file, &mut bytes, start)?;
                bytes
            }
        };
        let mut kept = 0;
        for (number, at) in (first..).zip((0..size).step_by(BLOCK)) {
            let end = (at + BLOCK).min(size);
            let held = end.checked_sub(SUM).filter(|held| *held > at).ok_or(Damage::Corrupt("a block is too short"))?;
            if bytes[held..end] != checksum(number, &bytes[at..held]).to_le_bytes() {
                return Err(Damage::Corrupt("a block's checksum differs"));
            }
            if kept != at {
                bytes.copy_within(at..held, kept);
            }
            kept += held - at;
        }
        bytes.truncate(kept);
        if kept == 0 { Err(short) } else { Ok(bytes) }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::{BLOCK, BlockWriter, Blocks, HELD, short_hash};

    fn written(bytes: &[u8]) -> Vec<u8> {
        let mut writer = BlockWriter::new(Vec::new());
        writer.put(bytes).unwrap();
        assert_eq!(writer.position(), bytes.len() as u64);
        writer.finish(b"end").unwrap()
    }

    fn some(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at * 31 % 251) as u8).collect()
    }

    #[test]
    fn reading_finds_every_flipped_bit() {
        let held = some(2 * HELD + 5);
        let bytes = written(&held);
        for at in (0..bytes.len()).step_by(7) {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let blocks = Blocks::of_bytes(damaged);
                let is_found = blocks.trailer().is_err() || blocks.read(0, held.len() as u64).is_err();
                assert!(is_found, "{at}:{bit}");
            }
        }
    }

    #[test]
    fn truncated_files_and_swapped_blocks_are_refused() {
        let held = some(3 * HELD);
        let bytes = written(&held);
        for end in [0, 1, 8, 9, BLOCK, BLOCK + 3, bytes.len() - 1] {
            let blocks = Blocks::of_bytes(bytes[..end].to_vec());
            assert!(blocks.trailer().is_err() || blocks.read(0, held.len() as u64).is_err(), "{end}");
        }
        let mut swapped = bytes[BLOCK..2 * BLOCK].to_vec();
        swapped.extend_from_slice(&bytes[..BLOCK]);
        swapped.extend_from_slice(&bytes[2 * BLOCK..]);
        assert!(Blocks::of_bytes(swapped).read(0, 10).is_err());
    }

    #[test]
    fn short_hashes_differ() {
        let hashes: HashSet<u64> = (0..200_000).map(|number: u32| short_hash(format!("term{number}").as_bytes())).collect();
        assert_eq!(hashes.len(), 200_000);
        let low: HashSet<u64> = hashes.iter().map(|hash| hash >> 48).collect();
        assert!(low.len() > 60_000, "the first bits choose the bucket: {}", low.len());
    }

    proptest! {
        #[test]
        fn ranges_come_back(len in 0usize..20_000, from in 0usize..20_000, size in 0usize..20_000) {
            let held = some(len);
            let blocks = Blocks::of_bytes(written(&held));
            prop_assert_eq!(blocks.trailer().unwrap(), b"end");
            let (from, to) = (from.min(len), (from + size).min(len));
            prop_assert_eq!(blocks.read(from as u64, (to.max(from) - from) as u64).unwrap(), &held[from..to.max(from)]);
            prop_assert!(blocks.read(blocks.len(), 1).is_err());
            prop_assert!(blocks.read(u64::MAX, 9).is_err());
        }
    }
}
