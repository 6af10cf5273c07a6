//! Detects by metadata whether a file has changed since it was read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file changed this recently may change again without a different timestamp.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The metadata to compare: length, times, and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Appearance([u64; 4]);

/// A hash of the metadata, as it is stored. Different metadata has the same stamp only with a probability of 2⁻⁶⁴.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    /// The stamp of a file that does not exist.
    pub(super) const MISSING: Self = Self(1);
    /// A stamp that no file has: the file is read again.
    pub(super) const UNKNOWN: Self = Self(0);

    pub(super) fn of(path: &Path) -> Self {
        fs::metadata(path).map_or(Self::MISSING, |metadata| Appearance::of(&metadata).stamp())
    }

    /// Returns the stamp of a file to store, or `UNKNOWN` if the file changed too recently.
    pub(super) fn settled(path: &Path) -> Self {
        fs::metadata(path).map_or(Self::MISSING, |metadata| Appearance::of(&metadata).settled())
    }
}

impl Appearance {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let nanoseconds = |seconds: i64, more: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(more).cast_unsigned();
            let modified = nanoseconds(metadata.mtime(), metadata.mtime_nsec());
            let changed = nanoseconds(metadata.ctime(), metadata.ctime_nsec());
            Self([metadata.len(), modified, changed, metadata.ino()])
        }
        #[cfg(not(unix))]
        {
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            Self([metadata.len(), modified.map_or(0, |since| since.as_nanos() as u64), 0, 0])
        }
    }

    /// Converts the system's own structure, used when a name is looked up in an open directory.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "these types differ from system to system; both sides are cast alike"
    )]
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let nanoseconds = |seconds: i64, more: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(more) as u64;
        let modified = nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64);
        let changed = nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64);
        Self([stat.st_size as u64, modified, changed, stat.st_ino as u64])
    }

    pub(super) fn stamp(self) -> Stamp {
        let mut bytes = [0; 32];
        for (chunk, number) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&number.to_le_bytes());
        }
        Stamp(crate::packed::blocks::short_hash(&bytes).max(2))
    }

    /// Returns the stamp to store, or `UNKNOWN` if the file changed too recently.
    pub(super) fn settled(self) -> Stamp {
        let edge = SystemTime::now().checked_sub(UNSETTLED).and_then(|edge| edge.duration_since(SystemTime::UNIX_EPOCH).ok());
        let edge = edge.map_or(0, |edge| edge.as_nanos() as u64);
        if self.0[1].max(self.0[2]) < edge { self.stamp() } else { Stamp::UNKNOWN }
    }
}
