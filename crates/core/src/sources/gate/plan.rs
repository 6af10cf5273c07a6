//! Decides how each file is delivered: the table of core files, and changes to it by the settings.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::note::{Note, NoteKind};
use crate::settings::{Settings, nearest};

/// How a file is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The whole file.
    Verbatim,
    /// The table of its entries; entries are read when they are relevant.
    Index,
    /// Its name in the closing notes, if it exists.
    Mention,
    /// Left out.
    Skip,
}

impl Strategy {
    /// All strategies, in the order in which their files are printed.
    pub const ALL: [Self; 4] = [Self::Verbatim, Self::Index, Self::Mention, Self::Skip];

    /// Returns its name in settings and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Index => "index",
            Self::Mention => "mention",
            Self::Skip => "skip",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.word() == word)
    }
}

/// The hard rules. Those of a parent directory come before a project's own.
pub(super) const CONSTITUTION: &str = "CONSTITUTION.md";
pub(super) const TASKS: &str = "TASKS.md";
pub(super) const DECISIONS: &str = "DECISIONS.md";
pub(super) const LEARNINGS: &str = "LEARNINGS.md";
pub(super) const CONVENTIONS: &str = "CONVENTIONS.md";
pub(super) const ARCHITECTURE: &str = "ARCHITECTURE.md";
const PLAYBOOK: &str = "AGENT_PLAYBOOK.md";
/// A short form of the playbook. Where it exists it goes in, and the playbook itself is only mentioned.
const SHORT_PLAYBOOK: &str = "AGENT_PLAYBOOK_GATE.md";

/// The core files in reading order, each with its strategy.
pub const CORE: &[(&str, Strategy)] = &[
    (CONSTITUTION, Strategy::Verbatim),
    (TASKS, Strategy::Mention),
    (CONVENTIONS, Strategy::Verbatim),
    (ARCHITECTURE, Strategy::Verbatim),
    (DECISIONS, Strategy::Index),
    (LEARNINGS, Strategy::Index),
    ("GLOSSARY.md", Strategy::Skip),
    (PLAYBOOK, Strategy::Verbatim),
    (SHORT_PLAYBOOK, Strategy::Verbatim),
];

/// A file of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// A plain name inside `.context/`.
    pub name: String,
    pub strategy: Strategy,
    /// The setting that decided, with its origin; `None` for the default table.
    pub decided_by: Option<String>,
}

/// Returns every file with its strategy, in the order of the message: by strategy, then in reading order.
///
/// Files named only in the settings follow the core files with the same strategy, sorted by name. An invalid setting
/// adds a note, and the default applies.
pub fn plan(settings: &Settings) -> (Vec<Planned>, Vec<Note>) {
    let mut notes = Vec::new();
    let mut planned: Vec<Planned> =
        CORE.iter().map(|(name, strategy)| Planned { name: (*name).into(), strategy: *strategy, decided_by: None }).collect();
    for (name, word) in &settings.gate.files.value {
        let decided_by = settings.gate.files.decided_by();
        if !is_plain_name(name) {
            let reason = "names in `gate.files` are plain names inside `.context/`; it is left out";
            notes.push(Note::warning(name.clone(), NoteKind::Config, reason).decided_by(decided_by));
            continue;
        }
        let Some(strategy) = Strategy::from_word(word) else {
            let near = nearest(word, Strategy::ALL.into_iter().map(Strategy::word));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let reason = format!("`{word}` is not a strategy; use verbatim, index, mention or skip{near}");
            notes.push(Note::warning(name.clone(), NoteKind::Config, reason).decided_by(decided_by));
            continue;
        };
        match planned.iter_mut().find(|file| file.name == *name) {
            Some(file) => (file.strategy, file.decided_by) = (strategy, Some(decided_by)),
            None => planned.push(Planned { name: name.clone(), strategy, decided_by: Some(decided_by) }),
        }
    }
    planned.sort_by_key(|file| file.strategy);
    (planned, notes)
}

/// Adapts a plan to what is in a directory: the short playbook takes the place of the whole one, or leaves the plan.
pub(super) fn adapt(planned: &mut Vec<Planned>, directory: &Path) {
    let is_decided = |planned: &[Planned], name: &str| planned.iter().any(|file| file.name == name && file.decided_by.is_some());
    if !directory.join(SHORT_PLAYBOOK).is_file() {
        let is_wanted = is_decided(planned, SHORT_PLAYBOOK);
        planned.retain(|file| file.name != SHORT_PLAYBOOK || is_wanted);
        return;
    }
    if let Some(playbook) = planned.iter_mut().find(|file| file.name == PLAYBOOK && file.decided_by.is_none()) {
        playbook.strategy = Strategy::Mention;
        playbook.decided_by = Some(format!("{SHORT_PLAYBOOK} replaces it"));
    }
    planned.sort_by_key(|file| file.strategy);
}

fn is_plain_name(name: &str) -> bool {
    let has_only_name = !name.is_empty() && name.len() <= 255 && !name.contains(['/', '\\', ':']) && !name.starts_with('.');
    has_only_name && !name.chars().any(crate::shown::is_deceptive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Layer, LayerKind};

    fn planned(toml: &str) -> (Vec<(String, &'static str)>, Vec<String>) {
        let layers = vec![Layer::defaults(), Layer::from_toml(LayerKind::Project, Path::new("brief.toml"), toml)];
        let (settings, problems) = Settings::resolve(layers);
        assert_eq!(problems, []);
        let (files, notes) = plan(&settings);
        let files = files.into_iter().map(|file| (file.name, file.strategy.word())).collect();
        (files, notes.into_iter().map(|note| format!("{}: {}", note.path, note.reason)).collect())
    }

    #[test]
    fn the_table_of_the_spec_verbatim_first_then_indexes() {
        let (files, notes) = planned("");
        let files: Vec<_> = files.iter().map(|(name, word)| format!("{name} {word}")).collect();
        assert_eq!(
            files,
            [
                "CONSTITUTION.md verbatim",
                "CONVENTIONS.md verbatim",
                "ARCHITECTURE.md verbatim",
                "AGENT_PLAYBOOK.md verbatim",
                "AGENT_PLAYBOOK_GATE.md verbatim",
                "DECISIONS.md index",
                "LEARNINGS.md index",
                "TASKS.md mention",
                "GLOSSARY.md skip"
            ]
        );
        assert_eq!(notes, [""; 0]);
    }

    #[test]
    fn settings_change_single_files_and_add_others() {
        let (files, notes) =
            planned("[gate.files]\n\"RUNBOOK.md\" = \"verbatim\"\n\"TASKS.md\" = \"verbatim\"\n\"GOTCHAS.md\" = \"index\"\n");
        let verbatim: Vec<_> = files.iter().filter(|(_, word)| *word == "verbatim").map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            verbatim,
            [
                "CONSTITUTION.md",
                "TASKS.md",
                "CONVENTIONS.md",
                "ARCHITECTURE.md",
                "AGENT_PLAYBOOK.md",
                "AGENT_PLAYBOOK_GATE.md",
                "RUNBOOK.md"
            ]
        );
        assert!(files.contains(&("GOTCHAS.md".into(), "index")));
        assert_eq!(notes, [""; 0]);
    }

    #[test]
    fn names_outside_the_directory_and_unknown_words_leave_a_note() {
        let (files, notes) =
            planned("[gate.files]\n\"../../etc/passwd\" = \"verbatim\"\n\".env\" = \"verbatim\"\n\"TASKS.md\" = \"indx\"\n");
        assert_eq!(files.len(), CORE.len());
        assert!(files.contains(&("TASKS.md".into(), "mention")));
        assert_eq!(notes.len(), 3);
        assert!(notes[2].ends_with("did you mean `index`?"), "{notes:?}");
    }
}
