//! Roots on systems without directory handles: a path is resolved, compared with the root's path, and opened. This
//! does not protect against directories that are exchanged at the same time.

use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::{Opened, below, open_named, outside};
use crate::fs::{FileProblem, LinkProblem};

/// A directory that reading must not leave.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    real: PathBuf,
}

impl Root {
    /// Opens a directory by its absolute path, which may contain links.
    pub fn open(path: &Path) -> Result<Self, FileProblem> {
        let real = fs::canonicalize(path)?;
        if real.is_dir() { Ok(Self { path: path.to_path_buf(), real }) } else { Err(FileProblem::NotADirectory) }
    }

    /// Opens a directory by its real path. A link in it was created after the path was resolved, and is refused.
    pub fn open_real(path: &Path) -> Result<Self, FileProblem> {
        let root = Self::open(path)?;
        if root.real == path { Ok(root) } else { Err(FileProblem::Link(LinkProblem::Unexpected)) }
    }

    /// Returns the path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path without links, if the system provides it.
    pub fn real(&self) -> Option<&Path> {
        Some(&self.real)
    }

    /// Opens a regular file beneath the root. `path` is absolute or relative to the root.
    pub fn open_file(&self, path: &Path) -> Result<Opened, FileProblem> {
        open_named(&self.place(path)?)
    }

    /// Opens a regular file beneath the root by a relative path without links.
    pub fn open_plain(&self, path: &Path) -> Result<Opened, FileProblem> {
        let full = self.real.join(path);
        if self.place(path)? == full { open_named(&full) } else { Err(FileProblem::Link(LinkProblem::Unexpected)) }
    }

    /// Returns the real path of something beneath the root, which need not be readable.
    pub fn place(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        let real = fs::canonicalize(self.path.join(below(self, path)?))?;
        if real.starts_with(&self.real) { Ok(real) } else { Err(outside(self)) }
    }
}

/// Opens many files of one directory in succession.
#[derive(Debug, Default)]
pub struct Neighbours<'a>(PhantomData<&'a Root>);

impl<'a> Neighbours<'a> {
    /// Opens a regular file beneath the root by its relative path, which has no links.
    pub fn open(&mut self, root: &'a Root, path: &Path) -> Result<Opened, FileProblem> {
        let path = root.path.join(path);
        // Resolving every path of a large tree would cost more than reading it.
        if fs::symlink_metadata(&path)?.is_symlink() { Err(FileProblem::Link(LinkProblem::Unexpected)) } else { open_named(&path) }
    }
}
