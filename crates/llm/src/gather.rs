//! Chooses files for a task, with a model or by the words of the task.

mod rounds;

use std::path::PathBuf;

use briefing_core::sources::files::Rules;
use briefing_core::sources::requests::{Listing, Options, ReadFiles, choose, read_include_files, read_requested_files};
use briefing_core::{Failure, Note, NoteKind};

pub use rounds::{Round, Rounds, Stopped};

/// The default limits on the number of files: chosen by a model, and by the words of the task.
const MAX_REQUESTED: usize = 32;
const MAX_FITTING: usize = 8;
/// How many files describe a project for which nothing was chosen, and the beginnings of their names, best first.
const MAX_OVERVIEW: usize = 3;
const DESCRIBING: [&str; 8] =
    ["readme", "architecture", "contributing", "cargo.toml", "package.json", "pyproject.toml", "go.mod", "makefile"];

/// A task, and the files to choose from.
#[derive(Debug, Clone)]
pub struct GatherRequest<'a> {
    pub task: &'a str,
    /// Files that the user names. They come first, and are always included.
    pub includes: &'a [PathBuf],
    /// Where the files are and what may be read. The default for the largest file is the size limit of the rules.
    pub options: Options,
    /// The rules for the files to choose from.
    pub rules: &'a Rules,
}

/// Asks a model once and returns its answer. The caller connects to the model; see [`crate::Client::complete`].
pub type Model<'a> = dyn FnMut(&Round<'_>) -> Result<String, Failure> + 'a;

/// The chosen files, and how they were chosen.
#[derive(Debug)]
pub struct GatheredFiles {
    pub files: ReadFiles,
    pub chosen_by: ChosenBy,
}

/// How the files were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenBy {
    /// By the words of the task, on this machine. `fitting` is the number of files that fit.
    Words {
        fitting: usize,
    },
    Model(Rounds),
}

/// Chooses files for a task and reads them. Without a model, files are chosen by the words of the task.
///
/// Fails only if the model fails at its first question; later problems become notes.
pub fn gather(request: &GatherRequest<'_>, model: Option<&mut Model<'_>>) -> Result<GatheredFiles, Failure> {
    let mut options = request.options.clone();
    options.max_file_size.get_or_insert(request.rules.max_file_bytes());
    let mut files = ReadFiles::new();
    read_include_files(request.includes, &mut files, &options);
    let listing = Listing::of(&options.dir, options.filter.as_deref(), &options.exclude, request.rules);
    let usual = if model.is_some() { MAX_REQUESTED } else { MAX_FITTING };
    let max_files = *options.max_files.get_or_insert(usual + files.len());
    let chosen_by = if let Some(model) = model {
        ChosenBy::Model(rounds::run(request.task, &listing, &mut files, &options, model)?)
    } else {
        let fitting = choose(request.task, &listing, max_files.saturating_sub(files.len()));
        read_requested_files(&fitting, &mut files, &options);
        ChosenBy::Words { fitting: fitting.len() }
    };
    // Whoever asks explicitly gets something to start from.
    if files.is_empty() {
        read_requested_files(&overview(&listing, MAX_OVERVIEW), &mut files, &options);
        let reason = "no file was chosen for the task, so these describe the project; try other words, or another `--dir`";
        files.notes.push(Note::warning("task", NoteKind::Fallback, reason));
    }
    Ok(GatheredFiles { files, chosen_by })
}

/// Returns the files that describe a project: those with the best known names, nearest to the top; else the first ones.
fn overview(listing: &Listing, most: usize) -> Vec<String> {
    let rank = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        DESCRIBING.iter().position(|known| name.starts_with(known)).unwrap_or(DESCRIBING.len())
    };
    let mut paths: Vec<&String> = listing.paths().iter().collect();
    paths.sort_by_key(|path| (path.matches('/').count(), rank(path)));
    let known: Vec<&String> = paths.iter().copied().filter(|path| rank(path) < DESCRIBING.len()).take(most).collect();
    let chosen = if known.is_empty() { paths.into_iter().take(most).collect() } else { known };
    chosen.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use briefing_core::settings::Settings;

    use super::*;

    fn project() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("retry.rs"), "// Retries with exponential backoff.\n").unwrap();
        fs::write(directory.path().join("invoice.rs"), "// Invoices and their numbers.\n").unwrap();
        fs::write(directory.path().join("NOTES.md"), "Notes of a person.\n").unwrap();
        directory
    }

    fn gathered(task: &str, model: Option<&mut Model<'_>>) -> (Vec<String>, ChosenBy) {
        let directory = project();
        let rules = Rules::settle(&Settings::defaults(), &[], &[], None).unwrap();
        let request = GatherRequest { task, includes: &["NOTES.md".into()], options: Options::new(directory.path()), rules: &rules };
        let gathered = gather(&request, model).unwrap();
        (gathered.files.iter().map(|file| file.label(directory.path())).collect(), gathered.chosen_by)
    }

    #[test]
    fn without_a_model_the_words_choose() {
        assert_eq!(gathered("invoice numbers", None), (vec!["NOTES.md".into(), "invoice.rs".into()], ChosenBy::Words { fitting: 1 }));
        assert_eq!(gathered("xylophone", None), (vec!["NOTES.md".into()], ChosenBy::Words { fitting: 0 }));
    }

    #[test]
    fn a_model_chooses_from_what_is_listed() {
        let mut listed = 0;
        let mut model = |round: &Round<'_>| {
            listed = round.listed;
            Ok(r#"{"files":["retry.rs"],"done":true}"#.to_owned())
        };
        let (labels, chosen_by) = gathered("explain", Some(&mut model));
        assert_eq!(labels, ["NOTES.md", "retry.rs"]);
        assert_eq!(chosen_by, ChosenBy::Model(Rounds { asked: 1, stopped: Stopped::Done }));
        assert_eq!(listed, 3);
    }
}
