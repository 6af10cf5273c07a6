//! Creates a domain: `.megg/info.md` with what the project says about itself. Existing files are never overwritten.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::load::{DIRECTORY, INFO};
use super::moment;
use crate::Failure;
use crate::fs::FileProblem;
use crate::shown::{normalize, one_line, path_text};
use crate::survey::{Survey, survey};

/// The line in the front matter of a draft that nobody has confirmed yet.
const MARK: &str = "draft: by brief init. Read it, correct it, then delete this line.";

/// The result of creating a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitializedDomain {
    pub path: PathBuf,
    /// Whether it was created now; otherwise it existed and is unchanged.
    pub is_new: bool,
}

/// Creates a domain in `directory`.
pub fn init_domain(directory: &Path, now: Timestamp) -> Result<InitializedDomain, Failure> {
    let directory = normalize(directory);
    let cannot = |path: &Path, problem: FileProblem| Failure::new(format!("cannot create `{}`", path_text(path))).because(&problem);
    if !directory.is_dir() {
        return Err(Failure::new(format!("`{}` is not a directory", path_text(&directory))).hint("create it first with `mkdir -p`"));
    }
    let megg = directory.join(DIRECTORY);
    let path = megg.join(INFO);
    // A broken link also counts as existing: it was put there on purpose.
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(InitializedDomain { path, is_new: false });
    }
    let text = info(&survey(&directory)?, now, "");
    fs::create_dir_all(&megg).map_err(|error| cannot(&megg, error.into()))?;
    let written = OpenOptions::new().write(true).create_new(true).open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(InitializedDomain { path, is_new: true }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(InitializedDomain { path, is_new: false }),
        Err(error) => Err(cannot(&path, error.into())),
    }
}

/// Returns the file that makes a directory a domain.
pub fn info_of(directory: &Path) -> PathBuf {
    directory.join(DIRECTORY).join(INFO)
}

/// Drafts the `info.md` of a project for `brief init`.
pub fn draft(survey: &Survey, now: Timestamp) -> String {
    info(survey, now, &format!("{MARK}\n"))
}

/// Returns whether a text is a draft that nobody has confirmed yet.
pub fn is_draft(text: &str) -> bool {
    text.lines().take(10).any(|line| line == MARK)
}

fn info(survey: &Survey, now: Timestamp, mark: &str) -> String {
    let written = moment::written(now);
    let mut text =
        format!("---\ncreated: {written}\nupdated: {written}\ntype: context\n{mark}---\n\n# {}\n\n", one_line(survey.name.trim()));
    let about = survey.about();
    if !(about.is_empty() && survey.languages.is_empty() && survey.entry_points.is_empty() && survey.tools.is_empty()) {
        text.push_str("## Context\n");
    }
    for paragraph in about {
        let _ = write!(text, "{}\n\n", one_line(paragraph));
    }
    if !survey.languages.is_empty() {
        let _ = writeln!(text, "**Languages:** {}", survey.languages.join(", "));
    }
    if !survey.entry_points.is_empty() {
        let points: Vec<_> = survey.entry_points.iter().map(|point| format!("`{point}`")).collect();
        let _ = writeln!(text, "**Entry points:** {}", points.join(", "));
    }
    for tool in &survey.tools {
        let _ = writeln!(text, "**{}:** `{}`", tool.purpose.word(), tool.command);
    }
    if !text.ends_with("\n\n") {
        text.push('\n');
    }
    let rules: Vec<_> = survey.rules.iter().flat_map(|rules| &rules.lines).collect();
    if !rules.is_empty() {
        text.push_str("## Rules\n");
        for (number, rule) in rules.iter().enumerate() {
            let _ = writeln!(text, "{}. {}", number + 1, one_line(&rule.text));
        }
        text.push('\n');
    }
    text.push_str(
        "## Learning\nWorth keeping: decisions and their reasons, rules, and pitfalls that the code does not show.\n\
         Ask before saving, then run `brief learn TITLE --type decision --topics a,b BODY`.\n",
    );
    text
}
