//! Whether a file is still the one that was read, told by its metadata alone.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that changed this shortly before it was looked at may change again without its time telling.
const UNSETTLED: Duration = Duration::from_secs(2);

/// What is compared: length, times, and the place on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp(pub(super) [u64; 4]);

impl Stamp {
    /// The stamp of a file that is not there.
    pub(super) const MISSING: Self = Self([u64::MAX; 4]);
    /// A stamp that no file has: what it belongs to is read again.
    pub(super) const UNKNOWN: Self = Self([u64::MAX, 0, 0, 0]);

    pub(super) fn of(path: &Path) -> Self {
        fs::metadata(path).map_or(Self::MISSING, |metadata| Self::of_metadata(&metadata))
    }

    pub(super) fn of_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |since| since.as_nanos() as u64);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let changed = metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec()).cast_unsigned();
            Self([metadata.len(), modified, changed, metadata.ino()])
        }
        #[cfg(not(unix))]
        Self([metadata.len(), modified, 0, 0])
    }

    /// Returns the stamp to remember: one that is too young to be trusted is forgotten.
    pub(super) fn settled(self) -> Self {
        if self == Self::MISSING {
            return self;
        }
        let edge = SystemTime::now().checked_sub(UNSETTLED).and_then(|edge| edge.duration_since(SystemTime::UNIX_EPOCH).ok());
        let edge = edge.map_or(0, |edge| edge.as_nanos() as u64);
        if self.0[1].max(self.0[2]) < edge { self } else { Self::UNKNOWN }
    }
}
