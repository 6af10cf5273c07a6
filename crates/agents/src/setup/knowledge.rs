//! Decides where a project's knowledge goes, and drafts it.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes};
use briefing_core::project::SETTINGS_FILES;
use briefing_core::shown::path_text;
use briefing_core::sources::{domains, gate};
use briefing_core::survey::{Shape, survey};
use jiff::Timestamp;

use super::{Found, MAX_SETTINGS, Part, Planned, gitignore};

/// Where knowledge goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Core files in `.context/`.
    Context,
    /// Domains, in the project and in these packages of it.
    Domains(Why, Vec<PathBuf>),
    /// There are core files already.
    HasContext(PathBuf),
    /// There is a domain already.
    HasDomain(PathBuf),
    /// The project's own file has the rules, and agents load it.
    HasInstructions(&'static str),
    /// The project says nothing about itself yet.
    Nothing,
}

/// Why a project gets domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Packages with a README of their own.
    Packages(usize),
    /// A domain above the project, which a domain inherits from.
    Above(PathBuf),
}

/// How many packages get a domain of their own.
const MAX_DOMAINS: usize = 20;

/// What is written to a domain in every session and must not be committed.
const IGNORED: &str = "**/.megg/state.md";

pub(super) fn choose(found: &Found) -> Choice {
    let project = &found.project;
    if let Some(context) = &found.context {
        return Choice::HasContext(context.clone());
    }
    if let Some(domain) = found.domain.as_ref().filter(|domain| domain.starts_with(project)) {
        return Choice::HasDomain(domain.clone());
    }
    if let Some(file) = found.instructions.iter().find(|file| file.carries_rules) {
        return Choice::HasInstructions(file.path);
    }
    let packages = || found.survey.units.iter().map(|unit| unit.path.clone()).take(MAX_DOMAINS).collect();
    if found.survey.shape() == Shape::Many {
        return Choice::Domains(Why::Packages(found.survey.units.len()), packages());
    }
    match &found.domain {
        Some(above) => Choice::Domains(Why::Above(above.clone()), Vec::new()),
        None if gate::draft(&found.survey).is_empty() => Choice::Nothing,
        None => Choice::Context,
    }
}

/// Drafts the files of a choice.
pub(super) fn drafts(found: &Found, choice: &Choice, now: Timestamp) -> Result<Vec<Planned>, Failure> {
    let new = |file: PathBuf, text: String, summary: String| {
        Planned::new(Part::Knowledge, file, None, text.into_bytes(), format!("a draft: {summary}"))
    };
    match choice {
        Choice::Context => {
            let directory = found.project.join(gate::CONTEXT);
            Ok(gate::draft(&found.survey).into_iter().map(|draft| new(directory.join(draft.name), draft.text, draft.summary)).collect())
        }
        Choice::Domains(_, packages) => {
            let mut drafts = vec![new(domains::info_of(&found.project), domains::draft(&found.survey, now), about(&found.survey))];
            for package in packages {
                let directory = found.project.join(package);
                let survey = survey(&directory)?;
                let file = domains::info_of(&directory);
                if file.symlink_metadata().is_err() {
                    drafts.push(new(file, domains::draft(&survey, now), about(&survey)));
                }
            }
            Ok(drafts)
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns what the draft of a domain has, in a few words.
fn about(survey: &briefing_core::survey::Survey) -> String {
    let mut said: Vec<String> = Vec::new();
    match &survey.readme {
        Some(readme) if !readme.lines.is_empty() => said.push(format!("what {} says", readme.file)),
        _ if survey.description.is_some() => said.push("its description".to_owned()),
        _ => {}
    }
    if !survey.tools.is_empty() {
        said.push("commands".to_owned());
    }
    if let Some(rules) = survey.rules.as_ref().filter(|rules| !rules.lines.is_empty()) {
        said.push(format!("{} rules", rules.lines.len()));
    }
    if said.is_empty() { "its name and languages".to_owned() } else { said.join(", ") }
}

/// The settings of a project with core files of its own.
const SETTINGS: &str = "# Settings of this project. `brief config default` prints all of them.\n\n\
    [gate]\n# The core files come with the first event of a session. Without this line: at the first use of a tool.\nopens = \"start\"\n";

/// Plans the settings of a project that gets core files: an agent should know the rules before it is asked anything. A
/// settings file that exists is left alone.
pub(super) fn settings(found: &Found, choice: &Choice) -> Option<Planned> {
    let has_file = SETTINGS_FILES.iter().any(|name| found.project.join(name).symlink_metadata().is_ok());
    if *choice != Choice::Context || has_file {
        return None;
    }
    let file = found.project.join(gate::CONTEXT).join(SETTINGS_FILES[0]);
    let summary = "agents get these files when a session starts".to_owned();
    Some(Planned::new(Part::Settings, file, None, SETTINGS.as_bytes().to_vec(), summary))
}

/// The lines that give an agent AGENTS.md beside its own file.
const BESIDE: &str = "[instructions]\n# An agent that loads a file of its own instead of AGENTS.md (Claude Code: CLAUDE.md) receives AGENTS.md as well.\nbeside = true\n";

/// Plans that setting: in the project's settings, which may be planned too, or in a new file. A file that already has such a
/// section is left alone.
pub(super) fn beside(found: &Found, changes: &mut Vec<Planned>) {
    if let Some(planned) = changes.iter_mut().find(|planned| matches!(planned.part, Part::Settings)) {
        planned.after.extend_from_slice(format!("\n{BESIDE}").as_bytes());
        return;
    }
    let there = SETTINGS_FILES.iter().map(|name| found.project.join(name)).find(|file| file.is_file());
    let before = there.as_ref().and_then(|file| read_own_bytes(file, MAX_SETTINGS).ok());
    if before.as_deref().is_some_and(|bytes| String::from_utf8_lossy(bytes).contains("[instructions]")) {
        return;
    }
    let start = match before.as_deref() {
        None | Some([]) => "",
        Some(bytes) if bytes.ends_with(b"\n") => "\n",
        Some(_) => "\n\n",
    };
    let mut after = before.clone().unwrap_or_default();
    after.extend_from_slice(format!("{start}{BESIDE}").as_bytes());
    let file = there.unwrap_or_else(|| found.project.join(SETTINGS_FILES[0]));
    let summary = "AGENTS.md also for an agent that has a file of its own".to_owned();
    changes.push(Planned::new(Part::Settings, file, before, after, summary));
}

/// Plans a line of `.gitignore` for a new domain in a repository.
pub(super) fn ignored(found: &Found, changes: &[Planned]) -> Result<Option<Planned>, Failure> {
    let has_domain = changes.iter().any(|planned| planned.file.parent().is_some_and(|parent| parent.ends_with(domains::DIRECTORY)));
    let Some(file) = gitignore(&found.project).filter(|_| has_domain) else { return Ok(None) };
    let before = match read_own_bytes(&file, MAX_SETTINGS) {
        Ok(bytes) => Some(bytes),
        Err(FileProblem::Missing) => None,
        Err(problem) => return Err(Failure::new(format!("cannot read `{}`", path_text(&file))).because(&problem)),
    };
    let text = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let is_there = text.lines().any(|line| [IGNORED, ".megg/", ".megg", "state.md"].contains(&line.trim().trim_start_matches('/')));
    if is_there || !Path::new(&file).parent().is_some_and(Path::is_dir) {
        return Ok(None);
    }
    let mut after = before.clone().unwrap_or_default();
    after.extend_from_slice(addition(&text).as_bytes());
    let summary = format!("`{IGNORED}`: the hand-off between your sessions");
    Ok(Some(Planned::new(Part::Ignored, file, before, after, summary)))
}

/// Returns what is appended to a `.gitignore`.
fn addition(text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let start = if text.is_empty() || text.ends_with('\n') { "" } else { end };
    format!("{start}{IGNORED}{end}")
}
