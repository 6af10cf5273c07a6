//! Our state directory as a place: can it be made and written, can others look into it.

use std::io::ErrorKind;
use std::path::Path;

use briefing_core::fs::{FileError, FileProblem, LinkProblem};
use briefing_core::shown::path_text;

/// Tells whether the directory can be written, or made where it is not there. Nothing is left behind.
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

/// Tells whether others than its owner can look into the directory.
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
