//! The original bytes of a configuration file, so that uninstalling restores them if the file has not changed since.

use std::path::{Path, PathBuf};

use briefing_core::fs::{FileError, make_private, read_own_bytes, write_atomic};
use briefing_core::shown::path_text;
use serde::{Deserialize, Serialize};

/// What an installation stores about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file's path, for people who read the record.
    pub path: String,
    /// Its bytes before the installation; `None` if it did not exist.
    pub before: Option<Vec<u8>>,
    /// The hash of the bytes that we wrote.
    pub after: String,
}

const MAX_RECORD: u64 = 64 * 1024 * 1024;

impl Record {
    pub fn new(path: &Path, before: Option<Vec<u8>>, after: &[u8]) -> Self {
        Self { path: path_text(path), before, after: hash(after) }
    }

    /// Returns whether the file still has the bytes that we wrote.
    pub fn is_untouched(&self, bytes: &[u8]) -> bool {
        self.after == hash(bytes)
    }

    /// Reads the record of a file. Returns `None` if it cannot be read.
    pub fn read(state: &Path, path: &Path) -> Option<Self> {
        serde_json::from_slice(&read_own_bytes(&place(state, path), MAX_RECORD).ok()?).ok()
    }

    /// Stores the record. If the file still has the bytes of an earlier installation, the original bytes of that
    /// installation's record are kept.
    pub fn write(mut self, state: &Path, path: &Path) -> Result<(), FileError> {
        if let (Some(older), Some(now)) = (Self::read(state, path), &self.before)
            && older.is_untouched(now)
        {
            self.before = older.before;
        }
        let file = place(state, path);
        let directory = file.parent().unwrap_or(state);
        make_private(directory).map_err(|error| FileError::new(path_text(directory), error.into()))?;
        let failed = |problem| FileError::new(path_text(&file), problem);
        write_atomic(&file, &serde_json::to_vec(&self).unwrap_or_default()).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).map_err(|error| failed(error.into()))?;
        }
        Ok(())
    }

    pub fn forget(state: &Path, path: &Path) {
        let _ = std::fs::remove_file(place(state, path));
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn place(state: &Path, path: &Path) -> PathBuf {
    let name = &hash(path.as_os_str().as_encoded_bytes())[..16];
    state.join("installed").join(format!("{name}.json"))
}
