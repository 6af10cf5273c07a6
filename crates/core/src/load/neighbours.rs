//! Opens many files of one directory in succession, resolving the path of the directory only once.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, openat};

use super::Opened;
use super::root::{FILE, Root};
use crate::fs::{FileProblem, checked};

/// The directory of the last file. Opens files that were found by a walk, and does not follow links.
#[derive(Debug, Default)]
pub struct Neighbours<'a> {
    /// The root, the path below it, and the handle; `None` for the root itself, which is already open.
    last: Option<(&'a Root, PathBuf, Option<OwnedFd>)>,
}

impl<'a> Neighbours<'a> {
    /// Opens a regular file beneath the root by its relative path, which has no links.
    pub fn open(&mut self, root: &'a Root, path: &Path) -> Result<Opened, FileProblem> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return root.open_plain(path) };
        let is_same = |(last, directory, _): &(&Root, PathBuf, _)| std::ptr::eq(*last, root) && directory.as_os_str() == parent.as_os_str();
        if !self.last.as_ref().is_some_and(is_same) {
            let is_root = parent.as_os_str().is_empty();
            let handle = if is_root { None } else { Some(root.directory(parent)?) };
            self.last = Some((root, parent.to_path_buf(), handle));
        }
        let directory = self.last.as_ref().and_then(|(_, _, handle)| handle.as_ref()).map_or(root.handle(), AsFd::as_fd);
        match openat(directory, name, FILE | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(handle) => checked(File::from(handle)).map(|(file, metadata)| Opened { file, metadata }),
            // This finds out why it failed.
            Err(_) => root.open_plain(path),
        }
    }
}
