//! What is there: the project itself, and what agents already have from it.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::load::Root;
use briefing_core::project::marked_or_self;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_core::sources::{docs, domains, gate};
use briefing_core::survey::{Survey, survey};

use super::Request;
use crate::agent::Agent;

/// Files in which projects write rules for agents.
const INSTRUCTIONS: [&str; 9] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".github/copilot-instructions.md",
    ".cursor/rules",
    ".cursorrules",
    ".windsurfrules",
];
/// Those of them that say everything an agent needs: a draft of ours would repeat them.
const WHOLE: [&str; 3] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"];
/// A file with fewer words has no rules yet.
const MIN_WORDS: usize = 30;
const MAX_BYTES: u64 = 1024 * 1024;

/// A file with instructions that agents load by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionFile {
    /// Relative to the project.
    pub path: &'static str,
    /// Whether it has the project's rules for any agent.
    pub carries_rules: bool,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub project: PathBuf,
    pub survey: Survey,
    pub instructions: Vec<InstructionFile>,
    /// The directory with core files.
    pub context: Option<PathBuf>,
    /// The nearest domain, in the project or above it.
    pub domain: Option<PathBuf>,
    /// Whether it has goals.
    pub has_goals: bool,
    pub indexes: Vec<PathBuf>,
    pub agents: Vec<&'static Agent>,
}

/// Returns the project to set up for a directory: the nearest one around it, but not the user's home.
pub fn project_of(places: &Places) -> Result<PathBuf, Failure> {
    let is_home = |path: &Path| places.home.as_deref().is_some_and(|home| home.starts_with(path)) || path.parent().is_none();
    let project = Some(marked_or_self(&places.here)).filter(|path| !is_home(path)).unwrap_or(&places.here);
    if is_home(project) {
        let what = if project.parent().is_none() { "the root of the file system" } else { "your home directory" };
        return Err(
            Failure::new(format!("`{}` is {what}, not a project", path_text(project))).hint("`cd` to a project, then run `brief init`")
        );
    }
    Ok(project.to_path_buf())
}

pub(super) fn look(request: &Request<'_>) -> Result<Found, Failure> {
    let (places, settings) = (request.scope.places, request.settings);
    let project = places.here.clone();
    let has_core = |directory: &PathBuf| gate::CORE.iter().any(|(name, _)| directory.join(name).symlink_metadata().is_ok());
    Ok(Found {
        survey: survey(&project)?,
        instructions: instructions(&project),
        context: gate::find_directory(places, settings).filter(|directory| directory.starts_with(&project) && has_core(directory)),
        domain: domains::nearest(&project),
        has_goals: [".claw/goals", ".context/goals", ".claw"].iter().any(|name| project.join(name).is_dir()),
        indexes: docs::find(places, settings).project.into_iter().map(|index| index.file).collect(),
        agents: request.agents.iter().map(|here| here.agent).collect(),
        project,
    })
}

fn instructions(project: &Path) -> Vec<InstructionFile> {
    let Ok(root) = Root::open(project) else { return Vec::new() };
    let text = |path: &str| root.open_file(Path::new(path)).and_then(|opened| opened.text(MAX_BYTES)).unwrap_or_default();
    let is_there = |path: &&&str| project.join(path).symlink_metadata().is_ok();
    let found = INSTRUCTIONS.iter().filter(is_there);
    found.map(|path| InstructionFile { path, carries_rules: WHOLE.contains(path) && words(&text(path)) >= MIN_WORDS }).collect()
}

/// Counts the words of a file, without headings and imports.
fn words(text: &str) -> usize {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '@']) && !line.starts_with("<!--"));
    lines.flat_map(str::split_whitespace).count()
}
