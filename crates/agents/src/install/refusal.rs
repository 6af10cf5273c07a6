//! Files that an installation leaves alone although the system would let it replace them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use briefing_core::shown::path_text;

/// Why a file is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Replacing a file needs no permission to write it, so only this check respects the user's wish.
    #[error("it is read-only")]
    ReadOnly,
    #[error("it belongs to another user")]
    OtherUser,
    #[error("it leads out of the project, to `{}`", path_text(.0))]
    Outside(PathBuf),
}

/// Returns why `file` must not be written. With `project`, it must also be inside that directory.
pub fn refusal(file: &Path, project: Option<&Path>) -> Option<Refusal> {
    if let Some(project) = project {
        let (real, root) = (resolved(file), resolved(project));
        if !real.starts_with(&root) {
            return Some(Refusal::Outside(real));
        }
    }
    let metadata = file.metadata().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Some(Refusal::OtherUser);
        }
        // The superuser may write anything; what counts is what the owner wants.
        (metadata.permissions().mode() & 0o200 == 0).then_some(Refusal::ReadOnly)
    }
    #[cfg(not(unix))]
    metadata.permissions().readonly().then_some(Refusal::ReadOnly)
}

/// Returns a path without links, also where its end does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    // As many links as systems follow.
    for _ in 0..40 {
        match path.canonicalize() {
            Ok(real) => return real,
            Err(error) if error.kind() != ErrorKind::NotFound => return path,
            Err(_) => {}
        }
        let Some((parent, name)) = path.parent().zip(path.file_name()) else { return path };
        match path.read_link() {
            Ok(target) => path = parent.join(target),
            Err(_) => return resolved(parent).join(name),
        }
    }
    path
}
