//! Locks a directory of context files, so that only one process writes there at a time.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::fs::{FileProblem, make_private};
use crate::shown::path_text;

/// Writing takes milliseconds. A process that holds a lock longer than this is stuck.
const PATIENCE: Duration = Duration::from_secs(10);

/// A held lock. It is released when dropped, and when the process dies.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a directory.
    ///
    /// Locks the directory itself, so that all processes share the lock even if their home directories differ. Where
    /// that is not possible (Windows, some network file systems), locks a file in the user's state directory instead.
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
                return Err(
                    cannot(&FileProblem::Locked).hint("another `brief` is writing there: wait until it finishes, or stop it if it hangs")
                );
            }
            Err(problem @ (FileProblem::Missing | FileProblem::PermissionDenied)) => return Err(cannot(&problem)),
            Err(_) => {}
        }
        let state =
            state.ok_or_else(|| cannot(&FileProblem::Missing).hint("set HOME or XDG_STATE_HOME; the lock file is created there"))?;
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
