//! Replaces a file atomically: the new content is written next to it, then renamed over it.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FileProblem, Irregular};

/// Replaces a file by `bytes` atomically: a reader sees either the old file or the new one, never a part.
///
/// A symbolic link stays a link (its target is replaced), and the mode is kept.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileProblem> {
    let mut replacement = Replacement::beside(path)?;
    replacement.file().write_all(bytes)?;
    // A file that is edited must survive a power failure; a pack can be generated again.
    replacement.file().sync_all()?;
    replacement.commit()
}

/// The file that is really replaced: with links resolved, and with its mode.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    old: Option<Metadata>,
}

impl Target {
    fn of(path: &Path) -> Result<Self, FileProblem> {
        let path = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => link_target(path),
            Err(error) => return Err(error.into()),
        };
        let old = fs::metadata(&path).ok();
        match old.as_ref().and_then(Irregular::of) {
            Some(what) => Err(FileProblem::NotRegular(what)),
            None => Ok(Self { path, old }),
        }
    }

    fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// Gives a file the mode of the file that it replaces.
    fn set_mode(&self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = match &self.old {
                Some(old) => old.permissions().mode() & 0o7777,
                None => 0o666 & !umask(),
            };
            file.set_permissions(fs::Permissions::from_mode(mode))
        }
        #[cfg(not(unix))]
        match &self.old {
            Some(old) => file.set_permissions(old.permissions()),
            None => Ok(()),
        }
    }
}

/// Resolves links whose target does not exist yet: the target is created, and the links stay.
fn link_target(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // The maximum number of links that systems follow; a loop was already reported as another error.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(pointed) => path = path.parent().unwrap_or(Path::new(".")).join(pointed),
            Err(_) => break,
        }
    }
    path
}

/// Returns the pattern of temporary names, which are never mistaken for a user's own file.
fn temporary_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".brief-").suffix(".tmp");
    builder
}

/// A temporary file next to a target, which it replaces only on [`Replacement::commit`].
#[derive(Debug)]
pub struct Replacement {
    temporary: tempfile::NamedTempFile,
    target: Target,
}

impl Replacement {
    /// Creates the temporary file in the target's directory, so that the final rename cannot cross file systems.
    pub fn beside(path: &Path) -> Result<Self, FileProblem> {
        let target = Target::of(path)?;
        let temporary = temporary_name().tempfile_in(target.directory())?;
        Ok(Self { temporary, target })
    }

    pub fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    /// Replaces the target by the new content.
    pub fn commit(self) -> Result<(), FileProblem> {
        self.target.set_mode(self.temporary.as_file())?;
        self.temporary.persist(&self.target.path).map_err(|error| FileProblem::from(error.error))?;
        Ok(())
    }
}

/// Creates a file without a name in the directory of `path`. It disappears with the process, unless [`name_unlinked`]
/// gives it a name. Returns `None` if the system does not support such files.
pub fn unlinked_beside(path: &Path) -> Option<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let target = Target::of(path).ok()?;
        File::options().read(true).write(true).mode(0o600).custom_flags(libc::O_TMPFILE).open(target.directory()).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// Replaces `path` by a file from [`unlinked_beside`], atomically.
pub fn name_unlinked(file: &File, path: &Path) -> Result<(), FileProblem> {
    let target = Target::of(path)?;
    target.set_mode(file)?;
    let temporary = temporary_name().make_in(target.directory(), |name| link(file, name))?;
    temporary.persist(&target.path).map_err(|error| FileProblem::from(error.error))?;
    Ok(())
}

#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, itself, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the process's umask. Except on Linux, it cannot be read without `unsafe` or setting it.
#[cfg(unix)]
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok()).unwrap_or(0o022)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use briefing_testkit::Sandbox;

    use super::*;

    #[test]
    fn a_file_without_a_name_takes_the_place_and_the_mode() {
        let sandbox = Sandbox::new().file("out.md", "old");
        let path = sandbox.path("out.md");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut file = unlinked_beside(&path).expect("this file system has such files");
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 1, "nobody sees it before");
        name_unlinked(&file, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
        assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 1, "nothing else is left");
    }
}
