//! The location of the ledger.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use briefing_core::fs::{check_private, make_private};
use briefing_core::settings::Places;

use crate::error::StoreError;
use crate::sqlite;

/// The location of the ledger, which also selects the engine.
///
/// Every engine has a directory of the user beside it, for what must be cheap to write (the heartbeat).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// One file in a directory of the user.
    Directory(PathBuf),
}

impl Place {
    /// Returns the place of the user's ledger, whether it exists or not, or `None` if the state directory is unknown.
    pub fn of(places: &Places) -> Option<Self> {
        places.state.as_deref().map(Self::below)
    }

    /// Returns the place below a state directory such as `~/.local/state`.
    pub fn below(state: &Path) -> Self {
        Self::Directory(state.join("brief"))
    }

    /// Returns our directory of the user, whether it exists or not.
    pub fn directory(&self) -> &Path {
        let Self::Directory(directory) = self;
        directory
    }

    /// Returns the file that a user can rename to start again, if the engine has one.
    pub fn file(&self) -> Option<PathBuf> {
        let Self::Directory(directory) = self;
        Some(sqlite::file_in(directory))
    }

    /// Makes the directory, for this user only; one that is there loses other users' permissions.
    pub(crate) fn make(&self) -> Result<(), StoreError> {
        let directory = self.directory();
        if self.check()? {
            // Not every file system has permissions.
            let _ = self.tighten();
            return Ok(());
        }
        make_private(directory).map_err(|error| StoreError::at(directory, error))
    }

    /// Checks that nobody else controls the directory: what others could have put there must not be read or written.
    /// Returns whether it exists.
    pub fn check(&self) -> Result<bool, StoreError> {
        let directory = self.directory();
        check_private(directory).map_err(|problem| StoreError::Place { path: directory.to_path_buf(), problem })
    }

    /// Returns the place for what must be remembered although our directory cannot be used.
    pub(crate) fn spare(&self) -> Self {
        let name = blake3::hash(self.directory().as_os_str().as_encoded_bytes()).to_hex();
        Self::Directory(std::env::temp_dir().join(format!("brief-{}", &name[..16])))
    }

    /// Removes other users' permissions from the directory.
    pub fn tighten(&self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let directory = self.directory();
            let mode = fs::metadata(directory)?.permissions().mode();
            if mode & 0o077 != 0 {
                fs::set_permissions(directory, fs::Permissions::from_mode(mode & 0o700))?;
            }
        }
        Ok(())
    }
}
