//! Resolves a path beneath a root, one component at a time. The system never follows a link: links are read and
//! resolved here.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::root::{HELD, Links, Root};
use crate::fs::{FileProblem, Irregular, LinkProblem};

/// The maximum number of links in one path, as in the kernel.
const MOST_LINKS: usize = 40;

/// Opens `path` (relative, without a NUL byte) beneath `root`.
pub(super) fn open(root: &Root, path: &Path, flags: OFlags, links: Links) -> Result<OwnedFd, FileProblem> {
    let mut walk = Walk { root, held: Vec::new(), waiting: Vec::new(), links: 0 };
    walk.push(path);
    while let Some(name) = walk.waiting.pop() {
        if name == ".." {
            walk.up()?;
            continue;
        }
        let is_last = walk.waiting.is_empty();
        let how = if is_last { flags } else { HELD | OFlags::DIRECTORY };
        match enter(walk.here(), &name, how) {
            Ok(handle) if is_last => return Ok(handle),
            Ok(handle) => walk.held.push(handle),
            Err(error) => match readlinkat(walk.here(), &name, Vec::new()) {
                Ok(_) if links == Links::Refused => return Err(FileProblem::Link(LinkProblem::Unexpected)),
                Ok(target) => walk.follow(&PathBuf::from(OsString::from_vec(target.into_bytes())))?,
                Err(_) => return Err(irregular(walk.here(), &name).unwrap_or_else(|| io::Error::from(error).into())),
            },
        }
    }
    openat(walk.here(), ".", flags, Mode::empty()).map_err(|error| io::Error::from(error).into())
}

/// Opens a name in a directory unless it is a link.
fn enter(directory: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    let handle = openat(directory, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
    // A handle to a link can be opened, too.
    if FileType::from_raw_mode(fstat(&handle)?.st_mode) == FileType::Symlink { Err(Errno::LOOP) } else { Ok(handle) }
}

/// Returns what is there if it is something that cannot be read.
fn irregular(directory: BorrowedFd<'_>, name: &OsStr) -> Option<FileProblem> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Irregular::of_kind(FileType::from_raw_mode(stat.st_mode)).map(FileProblem::NotRegular)
}

struct Walk<'a> {
    root: &'a Root,
    /// The directories below the root on the current path, held open: `..` returns to the previous one, even if it has
    /// been moved.
    held: Vec<OwnedFd>,
    /// The remaining components, the next one last.
    waiting: Vec<OsString>,
    links: usize,
}

impl Walk<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.held.last().map_or(self.root.handle(), AsFd::as_fd)
    }

    /// Adds a path before the remaining components.
    fn push(&mut self, path: &Path) {
        let names = path.components().filter(|component| matches!(component, Component::Normal(_) | Component::ParentDir));
        self.waiting.extend(names.rev().map(|component| component.as_os_str().to_owned()));
    }

    fn up(&mut self) -> Result<(), FileProblem> {
        match (self.held.pop(), self.root.real()) {
            (Some(_), _) => Ok(()),
            (None, Some(real)) => self.leave(real.join("..")),
            (None, None) => Err(super::outside(self.root)),
        }
    }

    fn follow(&mut self, target: &Path) -> Result<(), FileProblem> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(FileProblem::Link(LinkProblem::Loop));
        }
        if target.is_absolute() {
            return self.leave(target.to_path_buf());
        }
        self.push(target);
        Ok(())
    }

    /// Continues where a path that leaves the root enters it again.
    fn leave(&mut self, mut path: PathBuf) -> Result<(), FileProblem> {
        path.extend(self.waiting.drain(..).rev());
        let below = self.root.reentry(&path)?;
        self.held.clear();
        self.push(&below);
        Ok(())
    }
}
