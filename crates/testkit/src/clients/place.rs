//! The temporary home, project and records of a client.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// The directories of a client, deleted at the end of the test.
pub(super) struct Place {
    root: TempDir,
}

impl Place {
    pub(super) fn new(client: &str) -> Self {
        let root = tempfile::Builder::new().prefix(&format!("brief-{client}-")).tempdir().expect("a temporary directory");
        let place = Self { root };
        for directory in [place.home(), place.project(), place.temp(), place.hook_log()] {
            fs::create_dir_all(directory).expect("a directory in the temporary directory");
        }
        place
    }

    pub(super) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    pub(super) fn temp(&self) -> PathBuf {
        self.root().join("tmp")
    }

    pub(super) fn hook_log(&self) -> PathBuf {
        self.root().join("hooks")
    }

    /// Reads a JSON file in the home, or returns an empty object if there is none.
    pub(super) fn home_json(&self, path: &str) -> Value {
        fs::read(self.home().join(path))
            .map_or_else(|_| Value::Object(serde_json::Map::new()), |bytes| serde_json::from_slice(&bytes).expect("valid JSON"))
    }

    pub(super) fn write_home_json(&self, path: &str, value: &Value) {
        write(&self.home().join(path), &format!("{value:#}"));
    }
}

/// Writes a file and the directories above it.
pub(super) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file has a parent")).expect("directories for a file");
    fs::write(path, text).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
}
