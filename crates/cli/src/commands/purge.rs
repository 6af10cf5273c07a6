//! `brief purge`: shows our state and cache, then removes them. Projects and the settings of agents are not touched.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, NotOurs, check_private};
use briefing_core::settings::Places;
use briefing_core::shown::{one_line, path_text};
use clap::Args;

use crate::columns::{fill, tilde, width};
use crate::{environment, output, prompt, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Remove only the cache, which is made again when it is needed
    #[arg(long)]
    cache: bool,
    /// Show what would be removed without removing it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

/// What the entries of our directories are.
const KNOWN: &[(&str, &str)] = &[
    ("ledger", "what each session received"),
    ("heartbeat", "the log of hooks that had nothing to say"),
    ("trust", "which projects may run goals"),
    ("installed", "agents' settings as they were before `brief install`"),
    ("init", "what `brief init --undo` takes back"),
    ("maintain", "what `brief maintain --undo` takes back"),
    ("locks", "locks of running processes"),
    ("texts", "delivered texts of the last days"),
    ("search", "documents, prepared for search"),
    ("scopes", "documents that say where they apply"),
    ("tokens", "token counts"),
    ("prepare", "a lock"),
];

/// One of our directories.
struct Place {
    title: &'static str,
    directory: PathBuf,
    entries: Vec<(String, u64)>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let wanted = [("State", places.state.as_ref().filter(|_| !arguments.cache)), ("Cache", places.cache.as_ref())];
    let mut found = Vec::new();
    for (title, directory) in wanted {
        let Some(directory) = directory.map(|directory| directory.join("brief")) else { continue };
        if is_ours(&directory)? {
            found.push(Place { title, entries: entries(&directory), directory });
        }
    }
    if found.is_empty() {
        talk::plain("There is nothing to remove.");
        return Ok(());
    }
    let printed = output::print(&shown(&found, &places));
    if arguments.dry_run {
        return printed;
    }
    if !arguments.yes {
        // Nobody can agree to what was not shown.
        printed?;
        if !prompt::can_ask() {
            return Err(Failure::new("nothing was removed: not a terminal").hint("`brief purge --yes` removes it without asking"));
        }
        if !prompt::yes("Remove all of this?") {
            return Err(Failure::new("nothing was removed"));
        }
    }
    for place in &found {
        std::fs::remove_dir_all(&place.directory)
            .map_err(|error| Failure::new(format!("cannot remove `{}`", path_text(&place.directory))).because(&FileProblem::from(error)))?;
    }
    talk::plain("Removed.");
    Ok(())
}

/// Returns whether there is a directory to remove. One that is a link or belongs to another user is left alone.
fn is_ours(directory: &Path) -> Result<bool, Failure> {
    match check_private(directory) {
        Ok(exists) => Ok(exists),
        // Others may write to it, but it is the user's own all the same.
        Err(FileProblem::NotOurs(NotOurs::Writable)) => Ok(true),
        Err(problem) => Err(Failure::new(format!("`{}` was not removed, and neither was anything else", path_text(directory)))
            .because(&problem)
            .hint("look at it and remove it yourself")),
    }
}

/// Returns what is in a directory, with sizes.
fn entries(directory: &Path) -> Vec<(String, u64)> {
    let all = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut entries: Vec<_> = all.map(|entry| (entry.file_name().to_string_lossy().into_owned(), size(&entry.path()))).collect();
    entries.sort();
    entries
}

/// Returns the bytes of a file, or of everything in a directory. Links are not followed.
fn size(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum(),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

fn shown(places: &[Place], all: &Places) -> String {
    let mut text = String::new();
    for place in places {
        let _ = writeln!(text, "{}: {}", place.title, tilde(&place.directory, all));
        let widest = place.entries.iter().map(|(name, _)| width(name)).max().unwrap_or(0).min(36);
        for (name, bytes) in &place.entries {
            let words = KNOWN.iter().find(|(start, _)| name.starts_with(start)).map_or("", |(_, words)| *words);
            let start = format!("  {:<widest$}  {:>9}  ", one_line(name), amount(*bytes));
            let _ = writeln!(text, "{}", fill(&start, words).trim_end());
        }
    }
    if places.iter().any(|place| place.title == "State") {
        let words = "Without the state, a running session may receive things twice, goals must be trusted again, and `--undo` has nothing to \
                     take back. Hooks stay installed; `brief uninstall --all` removes them, before or after.";
        let _ = writeln!(text, "{}", fill("", words));
    }
    text
}

/// Returns a size for people.
fn amount(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}
