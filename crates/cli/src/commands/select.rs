//! `brief select`: selects the documents that fit a message.

pub(crate) mod explain;

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use briefing_agents::USUAL;
use briefing_agents::preview::documents;
use briefing_core::candidate::Body;
use briefing_core::fit::Segment;
use briefing_core::settings::{Layer, Places, SelectorKind, Settings};
use briefing_core::shown::{normalize, path_text, relative_text};
use briefing_core::sources::Helper;
use briefing_core::sources::docs::{Choice, Explanation, SelectRequest, select, way};
use briefing_core::{Candidate, Failure, Level};
use clap::Args;
use serde_json::{Value, json};

use super::preview::explain_pieces;
use crate::args::words;
use crate::host::Process;
use crate::wrap::Wrap;
use crate::{environment, output, talk};

/// The longest message that is read from standard input, in bytes.
const MAX_MESSAGE_BYTES: u64 = 8 * 1024 * 1024;
/// How many candidates are explained in addition to the chosen ones.
pub(super) const EXPLAINED: usize = 10;
/// How many notes are printed.
const MAX_TOLD: usize = 20;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// The message [default: read from stdin]
    message: Vec<String>,
    /// Select from this index (repeatable) [default: the indexes of the user and the project]
    #[arg(long, value_name = "FILE")]
    index: Vec<PathBuf>,
    /// Select at most this many documents
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Show the candidates, what matched where, and why each was selected or not
    #[arg(long, conflicts_with_all = ["json", "lines"])]
    explain: bool,
    /// Show what the message would add to an agent's window, with the limits of the settings
    #[arg(long, conflicts_with_all = ["lines", "limit"])]
    as_hook: bool,
    /// Print the complete result as JSON
    #[arg(long, conflicts_with = "lines")]
    json: bool,
    /// Answer many messages: one {"id","text"} per line of stdin, one JSON array per line of stdout
    #[arg(long, conflicts_with = "message")]
    lines: bool,
    /// Choose the selector, whatever the settings say
    #[arg(long, value_name = "SELECTOR", value_parser = words::<SelectorKind>())]
    selector: Option<SelectorKind>,
}

/// Everything that is the same for all messages.
struct Asking<'a> {
    arguments: &'a Arguments,
    places: Places,
    /// The indexes of `--index`. If there are any, no others are searched.
    indexes: Vec<PathBuf>,
    settings: Settings,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let mut flags = Layer::default();
    if let Some(selector) = arguments.selector {
        flags.flag("selector.kind", "--selector", selector);
    }
    let settings = environment::settings(&places, flags)?;
    let indexes = arguments.index.iter().map(|index| normalize(&places.here.join(index))).collect();
    let asking = Asking { arguments, places, indexes, settings };
    if arguments.lines { asking.answer_lines() } else { asking.answer(&message(arguments)?) }
}

fn message(arguments: &Arguments) -> Result<String, Failure> {
    if !arguments.message.is_empty() {
        return Ok(arguments.message.join(" "));
    }
    if io::stdin().is_terminal() {
        return Err(Failure::usage("no message was given").hint("`brief select \"how do I roll back a release?\"`"));
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MAX_MESSAGE_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new("cannot read the message from standard input").because(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Asking<'_> {
    /// Returns the maximum number of documents.
    fn limit(&self) -> usize {
        let allowed = usize::try_from(self.settings.docs.max_docs.value).unwrap_or(usize::MAX);
        if self.arguments.as_hook { allowed } else { self.arguments.limit }
    }

    /// Makes the request for a message, and passes it on.
    fn request<T>(&self, message: &str, then: impl FnOnce(&SelectRequest<'_>) -> T) -> T {
        // Long enough never to matter: `selector.timeout_ms` limits the call.
        let deadline = Instant::now() + Duration::from_secs(600);
        let model = |message: &str, candidates: &[Candidate]| Process.ask_model(&self.settings, deadline, message, candidates);
        then(&SelectRequest {
            indexes: Some(self.indexes.as_slice()).filter(|indexes| !indexes.is_empty()),
            limit: self.limit(),
            explained: if self.arguments.explain || self.arguments.json { EXPLAINED } else { 0 },
            model: Some(&model),
            ..SelectRequest::new(message, &self.places, &self.settings)
        })
    }

    fn choose(&self, message: &str) -> Result<Choice, Failure> {
        self.request(message, select)
    }

    /// Prints what a hook would add for a message.
    fn answer_as_hook(&self, message: &str) -> Result<(), Failure> {
        let documents = self.request(message, |request| documents(USUAL, request));
        for note in documents.notes.iter().filter(|note| note.level > Level::Info && !self.arguments.explain).take(MAX_TOLD) {
            talk::warning(&format!("`{}`: {}", note.path, note.reason));
        }
        if self.arguments.json {
            let piece = |segment: &Segment| json!({"path": segment.path, "tokens": segment.tokens, "reason": segment.reason.to_string()});
            let text: String = documents.outputs.iter().map(|output| output.text.as_str()).collect();
            let pieces: Vec<Value> = documents.segments.iter().map(piece).collect();
            let value = json!({"text": text, "pieces": pieces, "silence": documents.silence, "notes": documents.notes});
            return output::print(&format!("{value}\n"));
        }
        if self.arguments.explain {
            let mut text = String::new();
            explain_pieces(&mut text, &documents.segments, documents.leaving, &documents.notes);
            let choice = self.choose(message)?;
            text.push_str(&explain::text(&choice, self.limit(), &self.settings.docs.max_docs, |candidate| self.path(candidate)));
            return output::print(&Wrap::of_terminal().paragraphs(&text));
        }
        if let Some(silence) = documents.silence {
            talk::plain(&format!("nothing would be added: {silence}"));
        }
        documents.outputs.iter().try_for_each(|output| output::print(&format!("{}\n", output.text.trim_end())))
    }

    fn answer(&self, message: &str) -> Result<(), Failure> {
        if self.arguments.as_hook {
            return self.answer_as_hook(message);
        }
        let choice = self.choose(message)?;
        warn(&choice, &self.places.here, &mut Vec::new());
        let path = |candidate: &Candidate| self.path(candidate);
        if self.arguments.explain {
            let text = explain::text(&choice, self.limit(), &self.settings.docs.max_docs, path);
            return output::print(&Wrap::of_terminal().paragraphs(&text));
        }
        if self.arguments.json {
            let explanation = Explanation::new(&choice, self.limit(), &self.settings.docs.max_docs, path);
            return output::print(&format!("{}\n", serde_json::json!(explanation)));
        }
        output::print(&self.line(&choice))
    }

    fn answer_lines(&self) -> Result<(), Failure> {
        let mut printed = Vec::new();
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
            if line.trim().is_empty() {
                continue;
            }
            let value: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            let Some(message) = value["text"].as_str() else {
                talk::warning("a line is not a JSON object with a `text`; nothing was selected for it");
                if !output::print_while_read("[]\n")? {
                    break;
                }
                continue;
            };
            // The documents are opened again for every line: they may change while this process runs.
            let choice = self.choose(message)?;
            warn(&choice, &self.places.here, &mut printed);
            if !output::print_while_read(&self.line(&choice))? {
                break;
            }
        }
        Ok(())
    }

    fn line(&self, choice: &Choice) -> String {
        let paths: Vec<String> = choice.chosen().into_iter().map(|candidate| self.path(candidate)).collect();
        format!("{}\n", serde_json::Value::from(paths))
    }

    /// Returns the path as written in the index if exactly one is given, else relative to the current directory. For an entry
    /// of a larger file, the entry's name follows the path.
    fn path(&self, candidate: &Candidate) -> String {
        match candidate.about.body {
            Body::File { .. } if self.indexes.len() == 1 => candidate.about.name.clone(),
            Body::File { .. } => path_text(&way(&self.places.here, &candidate.path)),
            Body::Entry { .. } => path_text(&way(&self.places.here, Path::new(candidate.id()))),
        }
    }
}

/// Prints warnings that were not printed before.
fn warn(choice: &Choice, here: &Path, printed: &mut Vec<String>) {
    let notes = choice.notes.iter().filter(|note| note.level > Level::Info).take(MAX_TOLD);
    let notes = notes.map(|note| format!("`{}`: {}", note.path, note.reason));
    let lacking = choice.indexes.iter().filter(|index| index.readable < index.documents).map(|index| {
        let (file, missing) = (relative_text(&index.file, here), index.documents - index.readable);
        format!("`{file}`: {missing} of {} documents cannot be read; `brief docs list` says which", index.documents)
    });
    for text in notes.chain(lacking) {
        if !printed.contains(&text) {
            talk::warning(&text);
            printed.push(text);
        }
    }
}
