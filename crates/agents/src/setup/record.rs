//! What a setup made, so that it can be taken back.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, make_private, read_own_bytes, write_atomic};
use briefing_core::shown::path_text;
use serde::{Deserialize, Serialize};

use super::{Part, Planned};
use crate::install;

/// The largest record that is read.
const MAX_RECORD: u64 = 64 * 1024 * 1024;
const VERSION: u32 = 1;

/// Everything that setups of one project have made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    project: PathBuf,
    pub(super) files: Vec<MadeFile>,
    /// Directories that did not exist before, outermost first.
    pub(super) directories: Vec<PathBuf>,
}

/// A file that a setup wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MadeFile {
    pub(super) path: PathBuf,
    /// [`Part::word`].
    pub(super) part: String,
    /// The agent whose settings it has, and what was added to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) added: Vec<AgentPart>,
    /// Its bytes before; `None` if it did not exist.
    pub(super) before: Option<Vec<u8>>,
    /// The hash of what was written.
    pub(super) after: String,
    /// What was appended, if nothing else changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) appended: Option<String>,
}

/// What an agent's settings got, as it is written in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AgentPart {
    Hooks,
    Server,
    Status,
}

impl AgentPart {
    fn of(part: install::Part) -> Self {
        match part {
            install::Part::Hooks => Self::Hooks,
            install::Part::Server => Self::Server,
            install::Part::Status => Self::Status,
        }
    }

    pub(super) fn part(self) -> install::Part {
        match self {
            Self::Hooks => install::Part::Hooks,
            Self::Server => install::Part::Server,
            Self::Status => install::Part::Status,
        }
    }
}

impl MadeFile {
    fn of(planned: &Planned) -> Self {
        let old = planned.before.as_deref().unwrap_or_default();
        let appended = planned.after.strip_prefix(old).filter(|_| planned.before.is_some());
        Self {
            path: planned.file.clone(),
            part: planned.part.word().to_owned(),
            agent: if let Part::Agent(agent) = planned.part { Some(agent.name.to_owned()) } else { None },
            added: planned.added.iter().map(|part| AgentPart::of(*part)).collect(),
            before: planned.before.clone(),
            after: hash(&planned.after),
            appended: appended.map(|text| String::from_utf8_lossy(text).into_owned()),
        }
    }

    /// Returns whether a file still has the bytes that were written.
    pub(super) fn is_untouched(&self, bytes: &[u8]) -> bool {
        self.after == hash(bytes)
    }
}

impl Record {
    /// Returns the record of a project with these changes added to it.
    pub(super) fn with(state: &Path, project: &Path, changes: &[Planned]) -> Self {
        let mut record = Self::read(state, project).unwrap_or_else(|| Self {
            version: VERSION,
            project: project.to_path_buf(),
            files: Vec::new(),
            directories: Vec::new(),
        });
        for planned in changes {
            let mut made = MadeFile::of(planned);
            if let Some(at) = record.files.iter().position(|file| file.path == made.path) {
                let older = record.files.remove(at);
                // Nobody else has changed it in between: taking it back goes back to the beginning.
                if planned.before.as_deref().is_some_and(|now| older.is_untouched(now)) {
                    (made.before, made.appended) = (older.before, None);
                    made.added.extend(older.added);
                }
            }
            record.files.push(made);
            record.directories.extend(missing(planned.file.parent().unwrap_or(project)));
        }
        record.directories.extend(missing(place(state, project).parent().unwrap_or(state)));
        record.directories.sort();
        record.directories.dedup();
        record
    }

    pub(super) fn read(state: &Path, project: &Path) -> Option<Self> {
        let record: Self = serde_json::from_slice(&read_own_bytes(&place(state, project), MAX_RECORD).ok()?).ok()?;
        (record.version == VERSION).then_some(record)
    }

    pub(super) fn write(&self, state: &Path) -> Result<(), Failure> {
        let file = place(state, &self.project);
        let failed = |problem: FileProblem| {
            Failure::new(format!("cannot keep a record in `{}`, so nothing was changed", path_text(&file)))
                .because(&problem)
                .hint("`brief doctor` explains what is wrong with the state directory; XDG_STATE_HOME sets another one")
        };
        make_private(file.parent().unwrap_or(state)).map_err(|error| failed(error.into()))?;
        write_atomic(&file, &serde_json::to_vec(self).unwrap_or_default()).map_err(failed)?;
        // It holds copies of files that may be private.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).map_err(|error| failed(error.into()))?;
        }
        Ok(())
    }

    /// Removes the record, and our directories if they are empty then.
    pub(super) fn forget(state: &Path, project: &Path) {
        let file = place(state, project);
        let _ = std::fs::remove_file(&file);
        for directory in file.ancestors().skip(1).take(2) {
            let _ = std::fs::remove_dir(directory);
        }
    }
}

/// Returns the directories that would have to be made for this one to exist.
fn missing(directory: &Path) -> impl Iterator<Item = PathBuf> {
    directory.ancestors().take_while(|path| path.symlink_metadata().is_err()).map(Path::to_path_buf)
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn place(state: &Path, project: &Path) -> PathBuf {
    let name = &hash(project.as_os_str().as_encoded_bytes())[..16];
    state.join("init").join(format!("{name}.json"))
}
