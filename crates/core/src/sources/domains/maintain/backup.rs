//! Backups of changed files, and undo.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::fs::{FileProblem, make_private, read_own_bytes, write_atomic};
use crate::load::open_named;
use crate::lock::Lock;
use crate::shown::path_text;
use crate::sources::Change;
use crate::sources::domains::load::{DIRECTORY, MAX_BYTES};

const MANIFEST: &str = "manifest.json";

/// The files that one run of `--apply` changed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Backup {
    made: String,
    root: PathBuf,
    files: Vec<SavedFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedFile {
    path: PathBuf,
    /// The copy next to the manifest; `None` if the file was new.
    before: Option<String>,
    /// The length of the file after the change, and its BLAKE3 hash.
    after_length: usize,
    after_hash: String,
}

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// When the backup was made.
    pub made: String,
    pub restored: Vec<PathBuf>,
}

fn backups(state: &Path) -> PathBuf {
    state.join("brief").join("maintain")
}

impl Backup {
    /// Saves every file before it is changed.
    pub(super) fn write(state: &Path, root: &Path, changes: &[&Change], now: Timestamp) -> Result<(), Failure> {
        let directory = new_directory(&backups(state))?;
        let cannot =
            |path: &Path, problem: &FileProblem| Failure::new(format!("cannot write the backup `{}`", path_text(path))).because(problem);
        let mut files = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            let mut before = None;
            if let Some(text) = &change.before {
                let name = format!("{at}.before");
                let path = directory.join(&name);
                write_atomic(&path, text.as_bytes()).map_err(|problem| cannot(&path, &problem))?;
                before = Some(name);
            }
            let after = change.after();
            let after_hash = blake3::hash(after.as_bytes()).to_hex().to_string();
            files.push(SavedFile { path: change.path.clone(), before, after_length: after.len(), after_hash });
        }
        let backup = Self { made: now.to_string(), root: root.to_path_buf(), files };
        let path = directory.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&backup).map_err(|error| Failure::new("cannot write the backup").because(&error))?;
        write_atomic(&path, &text).map_err(|problem| cannot(&path, &problem))
    }
}

/// Creates the directory with the next number.
fn new_directory(parent: &Path) -> Result<PathBuf, Failure> {
    let cannot = |error: &std::io::Error| Failure::new(format!("cannot create a backup in `{}`", path_text(parent))).because(error);
    make_private(parent).map_err(|error| cannot(&error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(parent, fs::Permissions::from_mode(0o700)).map_err(|error| cannot(&error))?;
    }
    let mut number = numbers(parent).last().map_or(1, |last| last + 1);
    loop {
        let directory = parent.join(format!("{number:06}"));
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(cannot(&error)),
        }
    }
}

/// Returns the numbers of all backups in order, including undone ones.
fn numbers(parent: &Path) -> Vec<u64> {
    let names = fs::read_dir(parent).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut numbers: Vec<u64> = names.filter_map(|name| name.split('.').next()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// Undoes the last `--apply` that changed something at, above or below `root`.
///
/// Text appended since then (by `learn`) is kept after the restored text. If a file was changed in any other way, the
/// whole undo fails before anything is written.
pub fn undo(root: &Path, state: Option<&Path>) -> Result<Undone, Failure> {
    let nothing = || Failure::new(format!("there is nothing to undo at `{}`", path_text(root)));
    let parent = backups(state.ok_or_else(nothing)?);
    let found = numbers(&parent).into_iter().rev().find_map(|number| {
        let directory = parent.join(format!("{number:06}"));
        let backup: Backup = serde_json::from_slice(&fs::read(directory.join(MANIFEST)).ok()?).ok()?;
        (backup.root.starts_with(root) || root.starts_with(&backup.root)).then_some((directory, backup))
    });
    let (directory, backup) = found.ok_or_else(nothing)?;
    let mut locks = Vec::new();
    for megg in backup.meggs() {
        locks.push(Lock::of(&megg, state)?);
    }
    let mut writes = Vec::new();
    let mut changed = Vec::new();
    for file in &backup.files {
        match file.restored(&directory)? {
            Restored::Written(bytes) => writes.push((&file.path, Some(bytes))),
            Restored::Removed => writes.push((&file.path, None)),
            Restored::Changed => changed.push(path_text(&file.path)),
        }
    }
    if !changed.is_empty() {
        let failure = Failure::new(format!("these files have changed since, so nothing was undone: {}", changed.join(", ")));
        return Err(failure.hint(format!("the previous versions are in `{}`", path_text(&directory))));
    }
    // Restore the knowledge before removing what was moved to the archives.
    writes.reverse();
    let mut restored = Vec::new();
    for (path, bytes) in writes {
        let done = match &bytes {
            Some(bytes) => write_atomic(path, bytes),
            None => fs::remove_file(path).map_err(FileProblem::from),
        };
        done.map_err(|problem| Failure::new(format!("cannot restore `{}`", path_text(path))).because(&problem))?;
        restored.push(path.clone());
        // Remove an archive directory that is now empty.
        if bytes.is_none() {
            let _ = path.parent().map(fs::remove_dir);
        }
    }
    let _ = fs::rename(&directory, directory.with_extension("undone"));
    Ok(Undone { made: backup.made, restored })
}

impl Backup {
    /// Returns the `.megg` directories of the files, without duplicates.
    fn meggs(&self) -> Vec<PathBuf> {
        let megg = |file: &SavedFile| file.path.ancestors().find(|path| path.ends_with(DIRECTORY)).map(Path::to_path_buf);
        let mut meggs: Vec<_> = self.files.iter().filter_map(megg).collect();
        meggs.sort();
        meggs.dedup();
        meggs
    }
}

/// How to restore one file.
enum Restored {
    Written(Vec<u8>),
    /// It did not exist before.
    Removed,
    /// It was changed since in a way that cannot be kept.
    Changed,
}

impl SavedFile {
    /// Determines how to restore the file.
    fn restored(&self, directory: &Path) -> Result<Restored, Failure> {
        let cannot = |path: &Path, problem: &FileProblem| Failure::new(format!("cannot read `{}`", path_text(path))).because(problem);
        let now = match open_named(&self.path).and_then(|opened| opened.bytes(MAX_BYTES)) {
            Ok(bytes) => bytes,
            Err(FileProblem::Missing) => return Ok(Restored::Changed),
            Err(problem) => return Err(cannot(&self.path, &problem)),
        };
        let Some(tail) = now.get(self.after_length..) else { return Ok(Restored::Changed) };
        if blake3::hash(&now[..self.after_length]).to_hex().as_str() != self.after_hash {
            return Ok(Restored::Changed);
        }
        let Some(name) = &self.before else {
            return Ok(if tail.is_empty() { Restored::Removed } else { Restored::Changed });
        };
        let path = directory.join(name);
        let mut bytes = read_own_bytes(&path, MAX_BYTES).map_err(|problem| cannot(&path, &problem))?;
        if !tail.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(tail);
        Ok(Restored::Written(bytes))
    }
}
