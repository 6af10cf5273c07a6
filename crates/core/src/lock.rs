//! One writer at a time in a directory of context files.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::fs::{FileProblem, make_private};
use crate::shown::path_text;

/// Writers need milliseconds. Whoever holds a lock longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// A held lock; it is let go when dropped, also by a process that dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a directory.
    ///
    /// The directory itself is locked, so that everybody who writes there takes part, whatever their home. Where that
    /// is not possible (Windows, some network file systems), a file in the user's state directory stands for it.
    pub(crate) fn of(directory: &Path, state: Option<&Path>) -> Result<Self, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let cannot = |problem: &FileProblem| Failure::new(format!("cannot lock `{}`", path_text(directory))).because(problem);
        let own = if cfg!(unix) {
            File::open(directory).map_err(FileProblem::from).and_then(|file| wait(file, deadline))
        } else {
            Err(FileProblem::Locked)
        };
        match own {
            Ok(file) => return Ok(Self { _file: file }),
            Err(FileProblem::Locked) if cfg!(unix) => {
                return Err(cannot(&FileProblem::Locked).hint("another `brief` is writing there: wait for it, or end it if it hangs"));
            }
            Err(problem @ (FileProblem::Missing | FileProblem::PermissionDenied)) => return Err(cannot(&problem)),
            Err(_) => {}
        }
        let state = state.ok_or_else(|| cannot(&FileProblem::Missing).hint("set HOME or XDG_STATE_HOME: the lock is kept there"))?;
        let locks = state.join("brief").join("locks");
        let name = blake3::hash(path_text(&fs::canonicalize(directory).unwrap_or_else(|_| directory.to_path_buf())).as_bytes()).to_hex();
        let open = || {
            make_private(&locks)?;
            File::options().create(true).append(true).open(locks.join(&name[..32]))
        };
        let file = open().map_err(FileProblem::from).and_then(|file| wait(file, deadline)).map_err(|problem| cannot(&problem))?;
        Ok(Self { _file: file })
    }
}

fn wait(file: File, deadline: Instant) -> Result<File, FileProblem> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Err(TryLockError::WouldBlock) => return Err(FileProblem::Locked),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}
