//! An open directory, and two ways to open something beneath it: the kernel's own (`openat2`), or one component at a
//! time where the kernel does not have it.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::{Opened, below, outside, walk};
use crate::fs::{FileProblem, checked};

/// Flags for opening a file: never blocking, and never as the controlling terminal.
pub(super) const FILE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// Flags for a handle without read access.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) const HELD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) const HELD: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How to treat links in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// They are followed, also out of the root and back, as long as the path ends beneath it.
    Inside,
    /// Any link is refused.
    Refused,
}

/// What resolves a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolver {
    /// The kernel, and the walk where the kernel gives no final answer.
    Kernel,
    /// The walk alone.
    Walk,
}

/// Old kernels do not have `openat2`, some sandboxes forbid it, and other systems never had it.
static HAS_OPENAT2: AtomicBool = AtomicBool::new(cfg!(any(target_os = "linux", target_os = "android")));

impl Resolver {
    fn best() -> Self {
        if HAS_OPENAT2.load(Ordering::Relaxed) { Self::Kernel } else { Self::Walk }
    }
}

/// A directory that reading must not leave. It is held open, so it does not matter where its path leads later.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    handle: OwnedFd,
    real: OnceLock<Option<PathBuf>>,
}

impl Root {
    /// Opens a directory by its absolute path, which may contain links.
    pub fn open(path: &Path) -> Result<Self, FileProblem> {
        let handle = openat(CWD, path, HELD | OFlags::DIRECTORY, Mode::empty()).map_err(io::Error::from)?;
        Ok(Self { path: path.to_path_buf(), handle, real: OnceLock::new() })
    }

    /// Opens a directory by its real path. A link in it was created after the path was resolved, and is refused.
    pub fn open_real(path: &Path) -> Result<Self, FileProblem> {
        let top = Self::open(Path::new("/"))?;
        let handle = top.directory(path.strip_prefix("/").unwrap_or(path))?;
        Ok(Self { path: path.to_path_buf(), handle, real: OnceLock::from(Some(path.to_path_buf())) })
    }

    /// Returns the path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path without links, if the system provides it.
    pub fn real(&self) -> Option<&Path> {
        self.real.get_or_init(|| real_path(&self.handle).or_else(|| fs::canonicalize(&self.path).ok())).as_deref()
    }

    /// Opens a regular file beneath the root. `path` is absolute or relative to the root.
    pub fn open_file(&self, path: &Path) -> Result<Opened, FileProblem> {
        self.file(&below(self, path)?, Links::Inside, Resolver::best())
    }

    /// Opens a regular file beneath the root by a relative path without links.
    pub fn open_plain(&self, path: &Path) -> Result<Opened, FileProblem> {
        self.file(path, Links::Refused, Resolver::best())
    }

    /// Returns the real path of something beneath the root, which need not be readable.
    pub fn place(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        let path = below(self, path)?;
        let handle = self.resolve(&path, HELD, Links::Inside, Resolver::best())?;
        match real_path(&handle) {
            Some(real) => Ok(real),
            None => Ok(fs::canonicalize(self.path.join(path))?),
        }
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Opens a directory beneath the root by a relative path without links.
    pub(super) fn directory(&self, path: &Path) -> Result<OwnedFd, FileProblem> {
        self.resolve(path, HELD | OFlags::DIRECTORY, Links::Refused, Resolver::best())
    }

    pub(super) fn file(&self, path: &Path, links: Links, resolver: Resolver) -> Result<Opened, FileProblem> {
        checked(File::from(self.resolve(path, FILE, links, resolver)?)).map(|(file, metadata)| Opened { file, metadata })
    }

    /// Opens something beneath the root.
    pub(super) fn resolve(&self, path: &Path, flags: OFlags, links: Links, resolver: Resolver) -> Result<OwnedFd, FileProblem> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if memchr::memchr(0, path.as_os_str().as_encoded_bytes()).is_some() {
            return Err(FileProblem::Io("file name contained an unexpected NUL byte".into()));
        }
        let by_kernel = match resolver {
            Resolver::Kernel => self.by_kernel(path, flags, links),
            Resolver::Walk => None,
        };
        by_kernel.unwrap_or_else(|| walk::open(self, path, flags, links))
    }

    /// Asks the kernel; `None` where its answer is not final. It refuses a link that leaves the root without looking where the
    /// link ends, and it does not say what a thing is that cannot be opened.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn by_kernel(&self, path: &Path, flags: OFlags, links: Links) -> Option<Result<OwnedFd, FileProblem>> {
        use crate::fs::LinkProblem;
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;
        /// The number of attempts for a path that changes while it is resolved.
        const TRIES: usize = 4;
        let mut how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        if links == Links::Refused {
            how |= ResolveFlags::NO_SYMLINKS;
        }
        for _ in 0..TRIES {
            match openat2(&self.handle, path, flags, Mode::empty(), how) {
                Ok(handle) => return Some(Ok(handle)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::NOSYS | Errno::PERM) => {
                    HAS_OPENAT2.store(false, Ordering::Relaxed);
                    return None;
                }
                Err(Errno::LOOP) if links == Links::Refused => return Some(Err(FileProblem::Link(LinkProblem::Unexpected))),
                Err(error @ (Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG)) => {
                    return Some(Err(io::Error::from(error).into()));
                }
                Err(_) => return None,
            }
        }
        None
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    #[expect(clippy::unused_self, reason = "only Linux has `openat2`")]
    fn by_kernel(&self, _: &Path, _: OFlags, _: Links) -> Option<Result<OwnedFd, FileProblem>> {
        None
    }

    /// Returns where a path that leaves the root enters it again, relative to the root. It is resolved by name only,
    /// because the result is opened beneath the root again.
    pub(super) fn reentry(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        let real = fs::canonicalize(path)?;
        let below = self.real().and_then(|root| real.strip_prefix(root).ok());
        below.map(Path::to_path_buf).ok_or_else(|| outside(self))
    }
}

/// Returns the path of an open file or directory, if the system provides it.
fn real_path(handle: &OwnedFd) -> Option<PathBuf> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use std::os::fd::AsRawFd;
        let path = fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd())).ok()?;
        // The path of a deleted file has a suffix, so it does not exist.
        path.symlink_metadata().is_ok().then_some(path)
    }
    #[cfg(target_vendor = "apple")]
    {
        use std::os::unix::ffi::OsStringExt;
        let path = rustix::fs::getpath(handle).ok()?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = handle;
        None
    }
}
