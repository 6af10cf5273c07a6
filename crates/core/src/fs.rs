//! Opens and writes files of this program and of agents: settings, caches, transcripts. Content that users wrote for a
//! model is opened by [`crate::load`].
//!
//! Files are opened once, without blocking, checked **on the handle** to be regular, and read up to a limit. Writes go
//! to a temporary file next to the target, which is then renamed over it.

mod buffer;
mod private;
mod problem;
mod replacement;

use std::fs::{self, File, Metadata, OpenOptions};
use std::path::Path;

use crate::text;

pub use buffer::Buffer;
pub use private::{NotOurs, check_private, make_private, private};
pub use problem::{FileError, FileProblem, Irregular, LinkProblem};
pub use replacement::{Replacement, name_unlinked, unlinked_beside, write_atomic};

/// Opens a regular file without blocking, and returns the handle with its metadata. Follows links.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), FileProblem> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    match options.open(path) {
        Ok(file) => checked(file),
        // A socket cannot be opened at all; report what it is rather than "no such device or address".
        Err(error) => {
            Err(fs::symlink_metadata(path).ok().and_then(|found| Irregular::of(&found)).map_or(error.into(), FileProblem::NotRegular))
        }
    }
}

/// Checks on the handle that a regular file was opened.
pub(crate) fn checked(file: File) -> Result<(File, Metadata), FileProblem> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Ok((file, metadata));
    }
    Err(FileProblem::NotRegular(Irregular::of(&metadata).unwrap_or(Irregular::Other)))
}

/// Opens a file that belongs to this program or to an agent: settings, transcripts, caches. Content that users wrote
/// for a model goes through [`crate::load`].
pub fn open_own(path: &Path) -> Result<File, FileProblem> {
    open_regular(path).map(|(file, _)| file)
}

/// Reads the bytes of such a file, at most `limit`.
pub fn read_own_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileProblem> {
    let (mut file, metadata) = open_regular(path)?;
    let mut buffer = Buffer::default();
    Ok(buffer.read(&mut file, &metadata, limit)?.to_vec())
}

/// Reads the text of such a file: UTF-8 (a byte order mark is dropped) or UTF-16 with a mark.
pub fn read_own_text(path: &Path, limit: u64) -> Result<String, FileProblem> {
    let bytes = read_own_bytes(path, limit)?;
    Ok(text::decode(&bytes)?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_is_refused_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(status.success());
        assert_eq!(read_own_bytes(&path, 10), Err(FileProblem::NotRegular(Irregular::Fifo)));
    }

    #[test]
    fn the_limit_is_exact() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_own_bytes(&path, 5).unwrap(), b"12345");
        assert_eq!(read_own_bytes(&path, 4), Err(FileProblem::TooLarge { size: 5, limit: 4 }));
    }

    #[test]
    fn a_file_that_grows_after_the_check_is_still_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, b"12345").unwrap();
        let (mut file, metadata) = open_regular(&path).unwrap();
        fs::write(&path, vec![b'x'; 1000]).unwrap();
        let mut buffer = Buffer::default();
        assert_eq!(buffer.read(&mut file, &metadata, 100), Err(FileProblem::TooLarge { size: 1000, limit: 100 }));
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_keeps_links_and_modes() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file stays behind");
    }
}
