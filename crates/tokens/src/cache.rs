//! A cache of counts by content hash, in an append-only file that is read as a whole.
//!
//! A record has 24 bytes: 16 of the BLAKE3 hash, 4 of the count, and a 4-byte checksum. Records with a wrong checksum are
//! skipped, so a partial write or a foreign file only means counting again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Mutex;

const RECORD: usize = 24;
/// The size of about 1.4 million records. A larger file is emptied before the next write.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

type Key = [u8; 16];

#[derive(Debug, Default)]
pub(crate) struct Cache {
    file: Option<PathBuf>,
    known: HashMap<Key, u32>,
    fresh: Mutex<HashMap<Key, u32>>,
}

impl Cache {
    pub(crate) fn open(file: Option<PathBuf>) -> Self {
        let mut known = HashMap::new();
        if let Some(bytes) = file.as_ref().and_then(|file| briefing_core::fs::read_own_bytes(file, MAX_BYTES).ok()) {
            let records = bytes.as_chunks::<RECORD>().0;
            known.reserve(records.len());
            known.extend(records.iter().filter_map(parse));
        }
        Self { file, known, fresh: Mutex::default() }
    }

    pub(crate) fn get_or_count(&self, hash: &blake3::Hash, count: impl FnOnce() -> u64) -> u64 {
        let mut key = Key::default();
        key.copy_from_slice(&hash.as_bytes()[..16]);
        if let Some(count) = self.known.get(&key) {
            return u64::from(*count);
        }
        if let Some(count) = self.fresh().get(&key) {
            return u64::from(*count);
        }
        let counted = count();
        if let Ok(small) = u32::try_from(counted) {
            self.fresh().insert(key, small);
        }
        counted
    }

    fn fresh(&self) -> std::sync::MutexGuard<'_, HashMap<Key, u32>> {
        self.fresh.lock().expect("no thread panics while it holds the lock")
    }

    pub(crate) fn save(&self) {
        let fresh = self.fresh();
        let (Some(path), false) = (&self.file, fresh.is_empty()) else { return };
        let mut records: Vec<[u8; RECORD]> = fresh.iter().map(|(key, count)| record(key, *count)).collect();
        records.sort_unstable();
        let _ = append(path, records.as_flattened());
    }
}

fn append(path: &PathBuf, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut file: File = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    // Two processes must not mix their records. Closing the file releases the lock.
    file.lock()?;
    let length = file.metadata()?.len();
    let end = if length > MAX_BYTES { 0 } else { length - length % RECORD as u64 };
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(bytes)
}

fn parse(record: &[u8; RECORD]) -> Option<(Key, u32)> {
    let mut reader = record.as_slice();
    let (mut key, mut count, mut check) = (Key::default(), [0; 4], [0; 4]);
    reader.read_exact(&mut key).ok()?;
    reader.read_exact(&mut count).ok()?;
    reader.read_exact(&mut check).ok()?;
    let count = u32::from_le_bytes(count);
    (checksum(&key, count) == check).then_some((key, count))
}

fn record(key: &Key, count: u32) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..16].copy_from_slice(key);
    record[16..20].copy_from_slice(&count.to_le_bytes());
    record[20..].copy_from_slice(&checksum(key, count));
    record
}

/// Returns the checksum of a record. The key is a hash already, so it is enough to mix in the count.
fn checksum(key: &Key, count: u32) -> [u8; 4] {
    let head = u32::from_le_bytes([key[0], key[5], key[10], key[15]]);
    (head ^ count.wrapping_mul(0x9E37_79B1) ^ 0x6272_6965).to_le_bytes()
}
