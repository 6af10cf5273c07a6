//! Checks our own settings: every file that is read, and the environment.

use std::path::PathBuf;

use briefing_core::settings::{ConfigHint, ConfigProblem, Layer, Places};
use briefing_core::shown::{path_text, shell_word};

use super::{Check, Verdict};
use crate::environment;

pub(super) fn look(places: &Places) -> Vec<Check> {
    let (_, mut problems) = environment::resolve(places, Layer::default());
    problems.extend(places.ignored_project_file());
    let mut checks: Vec<Check> = problems.iter().map(|problem| check(problem, places)).collect();
    let files = files(places);
    let is_sound = |file: &&PathBuf| !problems.iter().any(|problem| is_in(problem, file));
    checks.extend(files.iter().filter(is_sound).map(|file| Check::new("settings", "file", Verdict::Good, path_text(file))));
    if checks.is_empty() {
        checks.push(Check::new("settings", "files", Verdict::Good, "no problems"));
    }
    checks
}

/// Returns the settings files that exist, weakest first.
fn files(places: &Places) -> Vec<PathBuf> {
    let claw = places.claw_users().into_iter().map(|directory| directory.join("claw.yaml"));
    let rest = [places.user_file(), places.claw_project_file(), places.ctxrc_file(), places.project_file()];
    let notify = places.config.as_ref().map(|config| config.join("brief/notify.toml"));
    claw.chain(rest.into_iter().flatten()).chain(notify).filter(|file| file.is_file()).collect()
}

/// Returns whether a problem is in a file: its place is the file, perhaps with a line.
fn is_in(problem: &ConfigProblem, file: &std::path::Path) -> bool {
    problem.place.strip_prefix(&path_text(file)).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ', ',']))
}

fn check(problem: &ConfigProblem, places: &Places) -> Check {
    let verdict = if problem.is_error { Verdict::Broken } else { Verdict::Info };
    Check::new("settings", "file", verdict, problem.to_string()).fix(fix(problem, places))
}

/// Returns what fixes exactly this problem.
fn fix(problem: &ConfigProblem, places: &Places) -> String {
    let (file, line) = match problem.place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<usize>().ok()?))) {
        Some((file, line)) => (file, Some(line)),
        None => (problem.place.as_str(), None),
    };
    let is_variable = !file.contains(['/', '\\', '.']);
    let file = shell_word(std::path::Path::new(file));
    let place = line.map_or_else(|| file.clone(), |line| format!("line {line} of {file}"));
    match problem.hint {
        Some(ConfigHint::Spelling(near)) => format!("write `{near}` in {place}"),
        Some(hint @ ConfigHint::MoveToUserFile) => hint.words(places),
        Some(ConfigHint::KeepOneFile) => format!("move what you need to the other file, then delete {file}"),
        None if is_variable => format!("unset {file}, or give it such a value"),
        None if problem.is_error => format!("correct {place}; `brief config default` shows how each setting is written"),
        None => format!("delete {place}: no setting has that name"),
    }
}
