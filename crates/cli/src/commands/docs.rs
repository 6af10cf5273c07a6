//! `brief docs list|get`: the catalogue of documents, and documents by name.

use std::io;
use std::path::PathBuf;

use briefing_agents::window::Target;
use briefing_agents::window::requested::{self, Asking, Requested};
use briefing_core::settings::{Layer, Places, Settings};
use briefing_core::shown::{normalize, one_line, path_text};
use briefing_core::sources::docs::{Catalogue, Catalogued, Fetched, catalogue};
use briefing_core::{Failure, Level, Note, Rendered};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::preview;
use crate::{environment, output, talk};

/// The name of a fetch in the log.
const EVENT: &str = "docs get";
/// How many notes are printed.
const MAX_TOLD: usize = 20;

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the documents of all indexes, by id or path, with their descriptions
    List {
        /// List the documents of this index (repeatable) [default: the indexes of the user and the project]
        #[arg(long, value_name = "FILE")]
        index: Vec<PathBuf>,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print documents, or sections of them
    Get(Get),
}

#[derive(Debug, Args)]
struct Get {
    /// The documents, by id or path; `#` and a heading take only that section
    #[arg(required = true, value_name = "ID|PATH[#SECTION]")]
    names: Vec<String>,
    /// Look in this index (repeatable) [default: the indexes of the user and the project]
    #[arg(long, value_name = "FILE")]
    index: Vec<PathBuf>,
    /// The agent's session: what is printed counts as delivered to it, and is not injected again
    #[arg(long, value_name = "ID", requires = "agent")]
    session: Option<String>,
    /// The agent whose session it is
    #[arg(long, value_name = "AGENT", requires = "session")]
    agent: Option<String>,
    /// Print the documents as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    match &arguments.what {
        What::List { index, json } => {
            let catalogue = open(index, &places, &settings)?;
            tell(&catalogue.notes);
            output::print(&if *json { listed_as_json(&catalogue) } else { listed(&catalogue) })
        }
        What::Get(get) => get.run(&places, &settings),
    }
}

fn open(indexes: &[PathBuf], places: &Places, settings: &Settings) -> Result<Catalogue, Failure> {
    let indexes: Vec<PathBuf> = indexes.iter().map(|index| normalize(&places.here.join(index))).collect();
    catalogue(places, settings, Some(indexes.as_slice()).filter(|indexes| !indexes.is_empty()))
}

fn listed(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for entry in &catalogue.documents {
        let document = &entry.document;
        let said = if document.description.is_empty() { &document.title } else { &document.description };
        let problem = entry.problem.as_ref().map(|problem| format!(" ({problem})")).unwrap_or_default();
        let said = Some(said).filter(|said| !said.is_empty() && *said != entry.name()).map(|said| format!(": {said}")).unwrap_or_default();
        text.push_str(&one_line(&format!("{}{said}{problem}", entry.name())));
        text.push('\n');
    }
    text
}

fn listed_as_json(catalogue: &Catalogue) -> String {
    let entry = |entry: &Catalogued| {
        json!({
            "id": Some(&entry.document.id).filter(|id| !id.is_empty()),
            "path": entry.shown,
            "title": entry.document.title,
            "description": entry.document.description,
            "tags": entry.document.tags,
            "tokens": Some(entry.document.tokens).filter(|tokens| *tokens > 0),
            "index": path_text(&entry.index),
            "problem": entry.problem.as_ref().map(ToString::to_string),
        })
    };
    let documents: Vec<Value> = catalogue.documents.iter().map(entry).collect();
    format!("{:#}\n", json!({ "documents": documents, "notes": catalogue.notes }))
}

impl Get {
    fn run(&self, places: &Places, settings: &Settings) -> Result<(), Failure> {
        let agent = self.agent.as_deref().map(preview::agent).transpose()?;
        let asking = agent.zip(self.session.as_deref()).map(|(agent, session)| Asking { agent, session: Some(session), client: None });
        let catalogue = open(&self.index, places, settings)?;
        let mut notes = Vec::new();
        let fetched = catalogue.fetch(&self.names, places, settings.guards.redact.value, &mut notes)?;
        tell(&notes);
        let as_json = self.json.then(|| fetched_as_json(&fetched));
        let required: Vec<(String, Vec<String>)> =
            fetched.iter().map(|fetched| (fetched.piece.file.clone(), fetched.required.clone())).collect();
        let pieces: Vec<_> = fetched.into_iter().map(|fetched| fetched.piece).collect();
        let mut target = Printed { instead: as_json, failure: None };
        let requested = Requested { pieces: &pieces, asking, places, settings, event: EVENT, cap: None, page: 0 };
        match requested::deliver(&requested, &mut target) {
            Ok(delivered) => {
                if let Some(problem) = delivered.problem {
                    talk::warning(&format!("the session's ledger was not used: {problem}"));
                }
            }
            Err(error) => return Err(target.failure.unwrap_or_else(|| Failure::new("cannot write to standard output").because(&error))),
        }
        for (path, required) in required.iter().filter(|(_, required)| !required.is_empty()) {
            let required: Vec<String> = required.iter().map(|path| format!("`{path}`")).collect();
            talk::hint(&format!("`{path}` requires {}", required.join(", ")));
        }
        Ok(())
    }
}

fn fetched_as_json(fetched: &[Fetched]) -> String {
    let document = |fetched: &Fetched| {
        let piece = &fetched.piece;
        json!({
            "id": Some(&fetched.id).filter(|id| !id.is_empty()),
            "path": piece.file,
            "section": piece.path.strip_prefix(&piece.file).and_then(|rest| rest.strip_prefix('#')),
            "text": piece.text,
            "tokens": piece.tokens,
            "required_reads": fetched.required,
        })
    };
    format!("{:#}\n", Value::from(fetched.iter().map(document).collect::<Vec<_>>()))
}

/// Standard output, which receives the documents, or the same as JSON.
struct Printed {
    instead: Option<String>,
    failure: Option<Failure>,
}

impl Target for Printed {
    fn deliver(&mut self, rendered: &Rendered, _: Option<&str>) -> io::Result<()> {
        output::print(self.instead.as_ref().unwrap_or(&rendered.text)).map_err(|failure| {
            let error = io::Error::other(failure.to_string());
            self.failure = Some(failure);
            error
        })
    }
}

fn tell(notes: &[Note]) {
    for note in notes.iter().filter(|note| note.level > Level::Info).take(MAX_TOLD) {
        talk::warning(&format!("`{}`: {}", note.path, note.reason));
    }
}
