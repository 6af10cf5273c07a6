//! Opening, reading and writing files so that a path is never missing from an error and nothing hangs.
//!
//! Files are opened once, without blocking, checked **on the handle** to be regular, and read up to a limit. Writes
//! go to a temporary file beside the target and are renamed over it.

mod buffer;
mod problem;
mod replacement;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::text;

pub use buffer::Buffer;
pub use problem::{FileError, FileProblem, Irregular, LinkProblem};
pub use replacement::{Replacement, name_unlinked, unlinked_beside, write_atomic};

/// Whether a symbolic link in the last place of a path may be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    Follow,
    Refuse,
}

/// Opens a regular file without ever blocking, and returns its handle with the handle's metadata.
pub fn open_regular(path: &Path, last_link: LastLink) -> Result<(File, Metadata), FileProblem> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_follow = if last_link == LastLink::Refuse { libc::O_NOFOLLOW } else { 0 };
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | no_follow);
    }
    #[cfg(not(unix))]
    if last_link == LastLink::Refuse && fs::symlink_metadata(path)?.is_symlink() {
        return Err(FileProblem::Link(LinkProblem::Unexpected));
    }
    checked(options.open(path), path)
}

/// Tells what was opened: a regular file, or why not.
fn checked(opened: io::Result<File>, path: &Path) -> Result<(File, Metadata), FileProblem> {
    let file = match opened {
        Ok(file) => file,
        // A socket cannot be opened at all; say what it is rather than "no such device or address".
        Err(error) => return Err(not_regular(fs::symlink_metadata(path).ok()).unwrap_or_else(|| error.into())),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(not_regular(Some(metadata)).unwrap_or(FileProblem::NotRegular(Irregular::Other)));
    }
    Ok((file, metadata))
}

/// Opens files like [`open_regular`] without following a link in the last place. Many files of one directory in a row
/// cost less: its path is looked up once.
#[derive(Debug, Default)]
pub struct Opener {
    #[cfg(unix)]
    directory: Option<(PathBuf, std::os::fd::OwnedFd)>,
}

impl Opener {
    #[cfg(unix)]
    pub fn open(&mut self, path: &Path) -> Result<(File, Metadata), FileProblem> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return open_regular(path, LastLink::Refuse) };
        if self.directory.as_ref().is_none_or(|(directory, _)| directory != parent) {
            let Ok(opened) = openat(CWD, parent, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else {
                return open_regular(path, LastLink::Refuse);
            };
            self.directory = Some((parent.to_path_buf(), opened));
        }
        let Some((_, directory)) = &self.directory else { return open_regular(path, LastLink::Refuse) };
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        checked(openat(directory, name, flags, Mode::empty()).map(File::from).map_err(io::Error::from), path)
    }

    #[cfg(not(unix))]
    pub fn open(&mut self, path: &Path) -> Result<(File, Metadata), FileProblem> {
        open_regular(path, LastLink::Refuse)
    }
}

fn not_regular(metadata: Option<Metadata>) -> Option<FileProblem> {
    let kind = metadata?.file_type();
    if kind.is_dir() {
        return Some(FileProblem::NotRegular(Irregular::Directory));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let what = match kind {
            kind if kind.is_fifo() => Irregular::Fifo,
            kind if kind.is_socket() => Irregular::Socket,
            kind if kind.is_block_device() || kind.is_char_device() => Irregular::Device,
            _ => return None,
        };
        Some(FileProblem::NotRegular(what))
    }
    #[cfg(not(unix))]
    None
}

/// Reads the bytes of a regular file, at most `limit` of them.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileProblem> {
    let (mut file, metadata) = open_regular(path, LastLink::Follow)?;
    let mut buffer = Buffer::default();
    Ok(buffer.read(&mut file, &metadata, limit)?.to_vec())
}

/// Reads a text file of at most `limit` bytes: UTF-8 (a byte order mark is dropped) or UTF-16 with a mark.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileProblem> {
    let bytes = read_bytes(path, limit)?;
    Ok(text::decode(&bytes)?.into_owned())
}

/// Makes a directory, with its parents, that only its owner can look into. One that is there stays as it is.
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

/// Resolves `asked` against `root` and refuses everything that does not lie below it, links included.
///
/// Both must exist. The result is canonical.
pub fn beneath(root: &Path, asked: &Path) -> Result<PathBuf, FileProblem> {
    let real_root = fs::canonicalize(root)?;
    let outside = || FileProblem::Outside { root: crate::shown::path_text(root) };
    let joined = crate::shown::normalize(&root.join(asked));
    // By name first, so that nothing about a place outside can be learned from the kind of error.
    if !joined.starts_with(crate::shown::normalize(root)) && !joined.starts_with(&real_root) {
        return Err(outside());
    }
    let real = fs::canonicalize(root.join(asked))?;
    if real.starts_with(&real_root) { Ok(real) } else { Err(outside()) }
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
        assert_eq!(read_bytes(&path, 10), Err(FileProblem::NotRegular(Irregular::Fifo)));
    }

    #[test]
    fn the_limit_is_exact() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_bytes(&path, 5).unwrap(), b"12345");
        assert_eq!(read_bytes(&path, 4), Err(FileProblem::TooLarge { size: 5, limit: 4 }));
    }

    #[test]
    fn a_file_that_grows_after_the_check_is_still_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, b"12345").unwrap();
        let (mut file, metadata) = open_regular(&path, LastLink::Follow).unwrap();
        fs::write(&path, vec![b'x'; 1000]).unwrap();
        let mut buffer = Buffer::default();
        assert_eq!(buffer.read(&mut file, &metadata, 100), Err(FileProblem::TooLarge { size: 1000, limit: 100 }));
    }

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

    #[test]
    fn nothing_outside_the_root_is_reachable() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(dir.path().join("secret"), "s").unwrap();
        fs::write(root.join("ok"), "k").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("way-out")).unwrap();
        assert!(beneath(&root, Path::new("ok")).is_ok());
        assert!(beneath(&root, Path::new("./x/../ok")).is_err(), "x does not exist");
        for out in ["../secret", "/etc/passwd", "way-out", "../nothing-here"] {
            assert!(matches!(beneath(&root, Path::new(out)), Err(FileProblem::Outside { .. })), "{out}");
        }
        assert_eq!(beneath(&root, Path::new("nope")), Err(FileProblem::Missing));
    }
}
