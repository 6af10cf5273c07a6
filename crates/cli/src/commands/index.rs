//! `brief index`: builds the index of documents by following references.

use std::path::PathBuf;

use briefing_core::fs::write_atomic;
use briefing_core::settings::{Layer, Places, Settings};
use briefing_core::shown::{path_text, relative_text};
use briefing_core::sources::docs::{IndexFile, Made, Plan, find, make, named_from, prepare};
use briefing_core::{Failure, Level, Note, NoteKind};
use briefing_tokens::{ENCODINGS, ExactCounter};
use clap::Args;
use serde_json::json;

use crate::{environment, output, talk};

/// How many broken references and notes are printed.
const MAX_TOLD: usize = 20;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// The directory to index; nothing outside it is read [default: the current project]
    root: Option<PathBuf>,
    /// Write the index to FILE [default: `docs.index`, else in `.context/`, `docs/` or the root]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start from this document or directory (repeatable) [default: documents in the root, docs/ and every README]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    from: Vec<PathBuf>,
    /// Index every Markdown document, whether or not another one refers to it
    #[arg(long, conflicts_with = "from")]
    all: bool,
    /// Write nothing; fail if the index is out of date or a reference is broken
    #[arg(long)]
    check: bool,
    /// Print the paths of the indexes in use, the user's first, and exit
    #[arg(long = "where", conflicts_with_all = ["root", "output", "from", "all", "check"])]
    is_where: bool,
    /// Prepare the documents for search, and exit
    #[arg(long, hide = true, conflicts_with_all = ["root", "output", "from", "all", "check", "is_where"])]
    prepare: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    if arguments.is_where {
        return print_where(&places, &settings, arguments.json);
    }
    if arguments.prepare {
        prepare(&places, &settings);
        return Ok(());
    }
    let mut file = arguments.output.clone();
    if file.is_none() && arguments.root.is_none() && !settings.docs.index.value.is_empty() {
        let found = find(&places, &settings);
        // A repository's settings must not make us write outside of it.
        if let Some(outside) = found.notes.iter().find(|note| note.kind == NoteKind::Outside) {
            let by = settings.docs.index.decided_by();
            return Err(Failure::new(format!("`{}`: {}", outside.path, outside.reason)).because_of(format!("named by {by}")));
        }
        let first = found.project.into_iter().next().map(|index| index.file);
        file = first.or_else(|| named(&places, &settings));
    }
    let plan = Plan::new(&places.here, arguments.root.as_deref(), file, arguments.from.clone(), arguments.all)?;
    let plan = plan.with(&places, &settings)?;
    let counter = ExactCounter::new(ENCODINGS[0], places.cache.clone())?;
    let made = make(&plan, &counter)?;
    counter.save();
    if !arguments.check && !made.is_in_step {
        let failed = |problem| Failure::new(format!("cannot write `{}`", path_text(&plan.file))).because(&problem);
        write_atomic(&plan.file, made.text.as_bytes()).map_err(failed)?;
    }
    tell_notes(&made);
    let shown = relative_text(&plan.file, &places.here);
    if arguments.json {
        output::print(&format!("{}\n", as_json(&made, &plan)))?;
    } else {
        talk::plain(&summary(&made, &shown, arguments.check));
    }
    if arguments.check {
        return check(&made, &shown);
    }
    // Frees memory before the preparation: the result may be large.
    drop(made);
    prepare(&places, &settings);
    Ok(())
}

/// Returns the first path that `docs.index` names, for an index that does not exist yet.
fn named(places: &Places, settings: &Settings) -> Option<PathBuf> {
    Some(named_from(places).join(settings.docs.index.value.first()?))
}

fn print_where(places: &Places, settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let found = find(places, settings);
    tell(&found.notes);
    let text = |index: &IndexFile| path_text(&index.file);
    if as_json {
        let project: Vec<String> = found.project.iter().map(text).collect();
        let value = json!({ "global": found.global.as_ref().map(text), "project": project });
        return output::print(&format!("{value}\n"));
    }
    let files = found.files();
    if files.is_empty() {
        talk::plain("no index found; `brief index` builds one for this project");
    }
    let mut lines: Vec<String> = files.iter().map(text).collect();
    lines.push(String::new());
    output::print(&lines.join("\n"))
}

fn tell_notes(made: &Made) {
    for dead in made.dead.iter().take(MAX_TOLD) {
        talk::warning(&format!("`{}:{}`: refers to `{}`, which does not exist", dead.path, dead.line, dead.target));
    }
    if let Some(more) = made.dead.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
        talk::warning(&format!("and {more} more broken references; `--json` lists them all"));
    }
    tell(&made.notes);
}

fn tell(notes: &[Note]) {
    for note in notes.iter().filter(|note| note.level > Level::Info).take(MAX_TOLD) {
        let by = note.decided_by.as_ref().map(|by| format!(" ({by})")).unwrap_or_default();
        talk::warning(&format!("`{}`: {}{by}", note.path, note.reason));
    }
}

fn summary(made: &Made, shown: &str, is_check: bool) -> String {
    let documents = match made.documents.len() {
        1 => "1 document".to_owned(),
        count => format!("{count} documents"),
    };
    let counts = [(made.added.len(), "new"), (made.changed.len(), "changed"), (made.removed.len(), "removed")];
    let counts: Vec<String> = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let state = match (made.is_in_step, counts.is_empty()) {
        (true, _) => "up to date".to_owned(),
        (false, true) => "only their descriptions changed".to_owned(),
        (false, false) => counts.join(", "),
    };
    let verb = if made.is_in_step || is_check { "" } else { "wrote " };
    let left_out = match made.left_out {
        0 => String::new(),
        1 => "; 1 other Markdown file is not in it, `--all` takes it".to_owned(),
        count => format!("; {count} other Markdown files are not in it, `--all` takes them"),
    };
    format!("{verb}{shown}: {documents}, {} tokens ({state}){left_out}", made.tokens())
}

fn as_json(made: &Made, plan: &Plan) -> serde_json::Value {
    json!({
        "index": path_text(&plan.file),
        "root": path_text(&plan.root),
        "documents": made.documents.len(),
        "tokens": made.tokens(),
        "in_step": made.is_in_step,
        "added": made.added,
        "changed": made.changed,
        "removed": made.removed,
        "left_out": made.left_out,
        "dead": made.dead,
        "notes": made.notes,
    })
}

fn check(made: &Made, shown: &str) -> Result<(), Failure> {
    if !made.is_in_step {
        return Err(Failure::new(format!("`{shown}` is out of date")).hint("run `brief index`, and commit the result"));
    }
    match made.dead.len() {
        0 => Ok(()),
        1 => {
            Err(Failure::new("a reference is broken")
                .hint("fix it, write the document, or name it in `docs.generated` if a build writes it"))
        }
        count => Err(Failure::new(format!("{count} references are broken"))
            .hint("fix them, write the documents, or name them in `docs.generated` if a build writes them")),
    }
}
