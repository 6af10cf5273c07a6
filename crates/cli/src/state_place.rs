//! Checks of our state directory: whether it can be created and written, and whether other users can read it.

use std::io::ErrorKind;
use std::path::Path;

use briefing_core::fs::{FileError, FileProblem, LinkProblem};
use briefing_core::shown::path_text;

/// Checks that the directory can be written, or created if it does not exist. Leaves no files.
pub(crate) fn check(directory: &Path) -> Result<(), FileError> {
    let there = directory.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(directory);
    let failed = |problem| FileError::new(path_text(there), problem);
    match there.metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(failed(FileProblem::NotADirectory)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(failed(FileProblem::Link(LinkProblem::ToNothing))),
        Err(error) => return Err(failed(error.into())),
    }
    match tempfile::Builder::new().prefix(".brief-").tempfile_in(there) {
        Ok(_) => Ok(()),
        Err(error) => Err(failed(error.into())),
    }
}

/// Returns whether users other than the owner can access the directory.
pub(crate) fn is_open(directory: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        directory.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        false
    }
}
