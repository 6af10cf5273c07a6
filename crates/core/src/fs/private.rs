//! Directories and files of this program that belong to one user: made private, and refused where others control them.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use thiserror::Error;

use super::problem::FileProblem;

/// Why a directory cannot be this user's alone: what others could have put there must not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotOurs {
    #[error("is a symbolic link, and this directory must be a real one")]
    Link,
    #[error("belongs to another user")]
    Owner,
    #[error("can be written by other users")]
    Writable,
}

/// Creates a directory, with its parents, that only its owner can access. An existing one is not changed.
pub fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

/// Checks that a directory is this user's alone. Returns whether it exists.
pub fn check_private(directory: &Path) -> Result<bool, FileProblem> {
    match fs::symlink_metadata(directory) {
        Ok(found) => match not_ours(&found) {
            Some(problem) => Err(FileProblem::NotOurs(problem)),
            None if found.is_dir() => Ok(true),
            None => Err(FileProblem::NotADirectory),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn not_ours(found: &Metadata) -> Option<NotOurs> {
    if found.is_symlink() {
        return Some(NotOurs::Link);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Some(NotOurs::Owner);
        }
        if found.mode() & 0o022 != 0 {
            return Some(NotOurs::Writable);
        }
    }
    None
}

/// Makes a new file readable by its owner only, and does not follow a link in its place.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options
}
