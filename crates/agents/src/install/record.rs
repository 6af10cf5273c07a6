//! The original bytes of a configuration file and the directories that were made for it, so that uninstalling restores
//! the bytes if the file has not changed since, and leaves no empty directories behind.

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
    /// The directories that did not exist before, for the file and for the record itself.
    #[serde(default)]
    pub made: Vec<PathBuf>,
}

const MAX_RECORD: u64 = 64 * 1024 * 1024;

impl Record {
    pub fn new(path: &Path, before: Option<Vec<u8>>, after: &[u8]) -> Self {
        Self { path: path_text(path), before, after: hash(after), made: missing(path.parent().unwrap_or(path)) }
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
        let file = place(state, path);
        let directory = file.parent().unwrap_or(state);
        self.made.extend(missing(directory));
        // The last record that is forgotten clears a directory away that was made for several, so all of them know it.
        let is_above = |made: &PathBuf| directory.starts_with(made) || path.starts_with(made);
        let others = others(directory).into_iter().flat_map(|other| other.made).filter(is_above);
        self.made.extend(others);
        if let Some(older) = Self::read(state, path) {
            if self.before.as_ref().is_some_and(|now| older.is_untouched(now)) {
                self.before = older.before;
            }
            self.made.extend(older.made);
        }
        self.made.retain(|directory| directory.to_str().is_some());
        self.made.sort();
        self.made.dedup();
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

    /// Removes the record, and the directories that were made for the file and are empty.
    pub fn forget(state: &Path, path: &Path) {
        let made = Self::read(state, path).map(|record| record.made).unwrap_or_default();
        let file = place(state, path);
        let _ = std::fs::remove_file(&file);
        let own = [state, file.parent().unwrap_or(state)].map(Path::to_path_buf);
        let mut directories: Vec<PathBuf> = made.into_iter().chain(own).collect();
        directories.sort();
        // Inner directories first. One that is not empty stays.
        for directory in directories.iter().rev() {
            let _ = std::fs::remove_dir(directory);
        }
    }
}

/// Returns the directories that would have to be made for this one to exist.
fn missing(directory: &Path) -> Vec<PathBuf> {
    directory.ancestors().take_while(|path| path.symlink_metadata().is_err()).map(Path::to_path_buf).collect()
}

/// Returns all records in a directory.
fn others(directory: &Path) -> Vec<Record> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| serde_json::from_slice(&read_own_bytes(&entry.path(), MAX_RECORD).ok()?).ok()).collect()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn place(state: &Path, path: &Path) -> PathBuf {
    let name = &hash(path.as_os_str().as_encoded_bytes())[..16];
    state.join("installed").join(format!("{name}.json"))
}
