//! The goals and settings of repositories that the user trusts, as places with the hash of their content.
//!
//! The trust file is in the user's state directory. Trust is for one content at one place: a path, or the same path in
//! another work tree of the same repository. If either changes, the user is asked again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, check_private, make_private, read_own_text, write_atomic};
use briefing_core::project::work_tree;
use briefing_core::settings::CLAW;
use briefing_core::shown::path_text;
use briefing_core::sources::gate::CONTEXT;
use serde::{Deserialize, Serialize};

const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The version of the trust file. Nothing in a file of another version is trusted.
const VERSION: u32 = 2;

/// The content of the trust file.
#[derive(Debug)]
pub struct Trust {
    file: PathBuf,
    trusted: BTreeMap<String, Entry>,
    /// Why the file could not be read. In that case nothing is trusted, and saving renames the broken file.
    pub problem: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    trusted: serde_json::Value,
}

/// One approval, stored under the path at which it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The hash of the content.
    content: String,
    /// Where it is in its repository, if it is in one.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

/// A path in all work trees of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    repository: String,
    below: String,
}

impl Place {
    fn of(path: &Path) -> Option<Self> {
        let tree = work_tree(path)?;
        Some(Self { repository: path_text(&tree.repository), below: path_text(path.strip_prefix(&tree.root).ok()?) })
    }
}

/// A project that was trusted at another place, which no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub from: PathBuf,
    pub to: PathBuf,
}

impl Trust {
    /// Reads the trust file in a state directory. If it does not exist, nothing is trusted.
    pub fn open(state: &Path) -> Self {
        let file = state.join("brief").join("trust.json");
        // What others could have written there is not what the user agreed to.
        let found = check_private(&state.join("brief")).and_then(|_| read_own_text(&file, MAX_BYTES));
        let read = match found {
            Ok(text) => parse(&text).map_err(|error| words(&error)),
            Err(FileProblem::Missing) => Ok(BTreeMap::new()),
            Err(problem) => Err(problem.to_string()),
        };
        match read {
            Ok(trusted) => Self { file, trusted, problem: None },
            Err(problem) => Self { problem: Some(format!("`{}`: {problem}", path_text(&file))), file, trusted: BTreeMap::new() },
        }
    }

    /// Returns whether this path is trusted with exactly this content.
    pub fn is_trusted(&self, path: &Path, content: &blake3::Hash) -> bool {
        self.at(path).iter().any(|entry| entry.content == content.to_hex().as_str())
    }

    /// Returns whether this path was trusted with other content.
    pub fn has_changed(&self, path: &Path, content: &blake3::Hash) -> bool {
        let entries = self.at(path);
        !entries.is_empty() && entries.iter().all(|entry| entry.content != content.to_hex().as_str())
    }

    /// Returns the approvals for a path: given there, or at the same place in another work tree.
    fn at(&self, path: &Path) -> Vec<&Entry> {
        let text = path_text(path);
        let place = if self.trusted.is_empty() { None } else { Place::of(path) };
        let is_here = |(own, entry): &(&String, &Entry)| **own == text || (place.is_some() && entry.place == place);
        self.trusted.iter().filter(is_here).map(|(_, entry)| entry).collect()
    }

    pub fn add(&mut self, path: &Path, content: &blake3::Hash) {
        self.trusted.insert(path_text(path), Entry { content: content.to_hex().to_string(), place: Place::of(path) });
    }

    /// Returns from where something was moved that is not trusted here: a project that is gone was trusted with the same
    /// content at the same path below it.
    pub fn moved(&self, path: &Path, content: &blake3::Hash) -> Option<Moved> {
        let to = project_of(path)?;
        let below = path.strip_prefix(to).ok()?;
        let same = self.trusted.iter().filter(|(_, entry)| entry.content == content.to_hex().as_str());
        let mut projects = same.filter_map(|(old, _)| {
            let from = project_of(Path::new(old))?;
            (Path::new(old).strip_prefix(from).ok()? == below && !from.exists()).then(|| from.to_path_buf())
        });
        projects.next().map(|from| Moved { from, to: to.to_path_buf() })
    }

    /// Makes everything that was trusted in a project trusted at its new place. Content that has changed since is not trusted
    /// there either.
    pub fn follow(&mut self, moved: &Moved) {
        for (old, entry) in std::mem::take(&mut self.trusted) {
            if let Ok(below) = Path::new(&old).strip_prefix(&moved.from) {
                let path = moved.to.join(below);
                self.trusted.insert(path_text(&path), Entry { place: Place::of(&path), ..entry });
            } else {
                self.trusted.insert(old, entry);
            }
        }
    }

    /// Removes all entries at or below a path, in every work tree, and returns their number.
    pub fn forget(&mut self, path: &Path) -> usize {
        let before = self.trusted.len();
        let place = Place::of(path);
        let is_below = |own: &str, entry: &Entry| {
            let in_tree = place.as_ref().zip(entry.place.as_ref()).is_some_and(|(place, own)| {
                own.repository == place.repository && (place.below == "." || Path::new(&own.below).starts_with(&place.below))
            });
            in_tree || Path::new(own).starts_with(path)
        };
        self.trusted.retain(|trusted, entry| !is_below(trusted, entry));
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
        if !check_private(directory).map_err(|problem| failed(&problem))? {
            make_private(directory).map_err(|error| failed(&error))?;
        }
        if self.problem.is_some() && self.file.exists() {
            fs::rename(&self.file, self.file.with_extension("json.broken")).map_err(|error| failed(&error))?;
        }
        let stored = Stored { version: VERSION, trusted: serde_json::json!(self.trusted) };
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

fn parse(text: &str) -> serde_json::Result<BTreeMap<String, Entry>> {
    let stored: Stored = serde_json::from_str(text)?;
    if stored.version == VERSION { serde_json::from_value(stored.trusted) } else { Ok(BTreeMap::new()) }
}

/// Returns what is wrong with the file, without the names of our types.
fn words(error: &serde_json::Error) -> String {
    if error.is_data() {
        "it is not a file that `brief trust` wrote".to_owned()
    } else {
        format!("not valid JSON (line {}, column {})", error.line(), error.column())
    }
}

/// Returns the directory of the project that a goal or a settings file belongs to.
fn project_of(path: &Path) -> Option<&Path> {
    let is_ours = |directory: &&Path| directory.file_name().is_some_and(|name| name == CONTEXT || name == CLAW);
    path.ancestors().skip(1).find(is_ours).unwrap_or(path).parent()
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

    #[test]
    fn what_was_moved_is_known_by_its_content_and_its_old_place_being_gone() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        let hash = blake3::hash(b"1");
        let mut trust = Trust::open(dir.path());
        trust.add(&old.join(".context/goals/a"), &hash);
        trust.add(&old.join("brief.toml"), &hash);
        let here = new.join(".context/goals/a");
        let moved = Moved { from: old.clone(), to: new.clone() };
        assert_eq!(trust.moved(&here, &hash), Some(moved.clone()));
        assert_eq!(trust.moved(&here, &blake3::hash(b"2")), None, "another content");
        assert_eq!(trust.moved(&new.join(".context/goals/b"), &hash), None, "another goal");
        fs::create_dir(&old).unwrap();
        assert_eq!(trust.moved(&here, &hash), None, "a copy");
        trust.follow(&moved);
        assert!(trust.is_trusted(&here, &hash) && trust.is_trusted(&new.join("brief.toml"), &hash));
        assert!(!trust.is_trusted(&old.join("brief.toml"), &hash));
    }

    #[test]
    fn a_file_of_another_version_trusts_nothing() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("brief")).unwrap();
        fs::write(state.path().join("brief/trust.json"), r#"{"version":1,"trusted":{"/p":"abc"}}"#).unwrap();
        let trust = Trust::open(state.path());
        assert!(trust.problem.is_none() && trust.paths().count() == 0);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_have_written_is_not_trusted() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().unwrap();
        let mut trust = Trust::open(state.path());
        trust.add(Path::new("/p"), &blake3::hash(b"x"));
        trust.save().unwrap();
        assert_eq!(Trust::open(state.path()).paths().count(), 1);
        fs::set_permissions(state.path().join("brief"), fs::Permissions::from_mode(0o777)).unwrap();
        let mut trust = Trust::open(state.path());
        assert_eq!(trust.paths().count(), 0);
        assert!(trust.problem.is_some_and(|problem| problem.ends_with("can be written by other users")));
        trust.problem = None;
        assert!(trust.save().is_err());
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
        for (text, expected) in [("{ broken", "not valid JSON (line 1, column 3)"), ("[]", "it is not a file that `brief trust` wrote")] {
            fs::write(&file, text).unwrap();
            assert!(Trust::open(state.path()).problem.unwrap().ends_with(expected), "{text}");
        }
        fs::write(&file, "{ broken").unwrap();
        let mut trust = Trust::open(state.path());
        trust.save().unwrap();
        assert_eq!(fs::read_to_string(file.with_extension("json.broken")).unwrap(), "{ broken");
        assert!(Trust::open(state.path()).problem.is_none());
    }
}
