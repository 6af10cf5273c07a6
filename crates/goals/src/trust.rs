//! The goals and settings of repositories that the user trusts, as paths with the hash of their content.
//!
//! The trust file is in the user's state directory. If the path or content changes, the user is asked again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, make_private, read_own_text, write_atomic};
use briefing_core::shown::path_text;
use serde::{Deserialize, Serialize};

const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The content of the trust file.
#[derive(Debug)]
pub struct Trust {
    file: PathBuf,
    trusted: BTreeMap<String, String>,
    /// Why the file could not be read. In that case nothing is trusted, and saving renames the broken file.
    pub problem: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    trusted: BTreeMap<String, String>,
}

impl Trust {
    /// Reads the trust file in a state directory. If it does not exist, nothing is trusted.
    pub fn open(state: &Path) -> Self {
        let file = state.join("brief").join("trust.json");
        let read = match read_own_text(&file, MAX_BYTES) {
            Ok(text) => serde_json::from_str::<Stored>(&text).map_err(|error| error.to_string()),
            Err(FileProblem::Missing) => Ok(Stored::default()),
            Err(problem) => Err(problem.to_string()),
        };
        match read {
            Ok(stored) => Self { file, trusted: stored.trusted, problem: None },
            Err(problem) => Self { problem: Some(format!("`{}`: {problem}", path_text(&file))), file, trusted: BTreeMap::new() },
        }
    }

    /// Returns whether this path is trusted with exactly this content.
    pub fn is_trusted(&self, path: &Path, content: &blake3::Hash) -> bool {
        self.trusted.get(&path_text(path)).is_some_and(|hash| *hash == content.to_hex().as_str())
    }

    /// Returns whether this path was trusted with other content.
    pub fn has_changed(&self, path: &Path, content: &blake3::Hash) -> bool {
        self.trusted.contains_key(&path_text(path)) && !self.is_trusted(path, content)
    }

    pub fn add(&mut self, path: &Path, content: &blake3::Hash) {
        self.trusted.insert(path_text(path), content.to_hex().to_string());
    }

    /// Removes all entries at or below a path, and returns their number.
    pub fn forget(&mut self, path: &Path) -> usize {
        let before = self.trusted.len();
        self.trusted.retain(|trusted, _| !Path::new(trusted).starts_with(path));
        before - self.trusted.len()
    }

    /// Returns the trusted paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.trusted.keys().map(String::as_str)
    }

    /// Writes the trust file, readable only by its owner. A broken file is renamed, never deleted.
    pub fn save(&mut self) -> Result<(), Failure> {
        let failed =
            |error: &dyn std::error::Error| Failure::new(format!("cannot write `{}`", path_text(&self.file))).because_of(error.to_string());
        let directory = self.file.parent().expect("the file is in a directory");
        make_private(directory).map_err(|error| failed(&error))?;
        if self.problem.is_some() && self.file.exists() {
            fs::rename(&self.file, self.file.with_extension("json.broken")).map_err(|error| failed(&error))?;
        }
        let stored = Stored { version: 1, trusted: self.trusted.clone() };
        let text = serde_json::to_string_pretty(&stored).expect("names and hashes are plain data") + "\n";
        write_atomic(&self.file, text.as_bytes()).map_err(|problem| failed(&problem))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&self.file, fs::Permissions::from_mode(0o600)).map_err(|error| failed(&error))?;
        }
        self.problem = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_one_content_at_one_path() {
        let state = tempfile::tempdir().unwrap();
        let (one, two) = (blake3::hash(b"1"), blake3::hash(b"2"));
        let mut trust = Trust::open(state.path());
        assert!(!trust.is_trusted(Path::new("/p/goals/a"), &one));
        trust.add(Path::new("/p/goals/a"), &one);
        trust.add(Path::new("/q/b"), &two);
        trust.save().unwrap();
        let mut trust = Trust::open(state.path());
        assert!(trust.is_trusted(Path::new("/p/goals/a"), &one));
        assert!(!trust.is_trusted(Path::new("/p/goals/a"), &two) && trust.has_changed(Path::new("/p/goals/a"), &two));
        assert!(!trust.is_trusted(Path::new("/elsewhere/a"), &one));
        assert_eq!(trust.forget(Path::new("/p")), 1);
        assert_eq!(trust.paths().collect::<Vec<_>>(), ["/q/b"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_private_and_a_broken_one_is_kept() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("brief/trust.json");
        let mut trust = Trust::open(state.path());
        trust.save().unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(&file, "{ broken").unwrap();
        let mut trust = Trust::open(state.path());
        assert!(trust.problem.is_some());
        trust.save().unwrap();
        assert_eq!(fs::read_to_string(file.with_extension("json.broken")).unwrap(), "{ broken");
        assert!(Trust::open(state.path()).problem.is_none());
    }
}
