//! `brief select`: which documents fit a message?

mod explain;

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use briefing_core::settings::{Layer, Places, SelectorKind, Settings};
use briefing_core::shown::{normalize, path_text};
use briefing_core::sources::Helper;
use briefing_core::sources::docs::{
    Candidate, Choice, Corpora, Corpus, Member, Offered, Question, Selector, entries, find, open_and_choose, way,
};
use briefing_core::{Failure, Level, Note};
use clap::Args;

use crate::args::words;
use crate::host::Process;
use crate::{environment, output, talk};

/// No longer message is read from standard input.
const MAX_MESSAGE_BYTES: u64 = 8 * 1024 * 1024;
/// Candidates that are explained behind those that were chosen.
const EXPLAINED: usize = 20;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The message; without it, it is read from standard input
    message: Vec<String>,
    /// Choose from this index; may be given several times. Without it, the user's and the project's
    #[arg(long, value_name = "FILE")]
    index: Vec<PathBuf>,
    /// Choose at most this many documents
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Show what was considered, what matched where, and why it was chosen or not
    #[arg(long, conflicts_with_all = ["json", "lines"])]
    explain: bool,
    /// Print everything that is known about the choice as JSON
    #[arg(long, conflicts_with = "lines")]
    json: bool,
    /// Answer many messages: one {"id","text"} per line of standard input, one JSON array per line of output
    #[arg(long, conflicts_with = "message")]
    lines: bool,
    /// Who chooses, whatever the settings say
    #[arg(long, value_name = "SELECTOR", value_parser = words::<SelectorKind>())]
    selector: Option<SelectorKind>,
}

/// What does not change from message to message.
struct Asking<'a> {
    arguments: &'a Arguments,
    places: Places,
    indexes: Vec<PathBuf>,
    /// Entries of knowledge and gate files that are not loaded whole.
    entries: Vec<Offered>,
    settings: Settings,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let mut flags = Layer::default();
    if let Some(selector) = arguments.selector {
        flags.flag("selector.kind", "--selector", selector);
    }
    let settings = environment::settings(&places, flags)?;
    // Whoever names an index asks for it and nothing else.
    let (indexes, entries) = if arguments.index.is_empty() {
        let mut found = find(&places, &settings);
        let entries = entries(&places, &settings, &mut found.notes);
        tell(&found.notes);
        (found.files(), entries)
    } else {
        (arguments.index.iter().map(|index| normalize(&places.here.join(index))).collect(), Vec::new())
    };
    if indexes.is_empty() && entries.is_empty() {
        return Err(Failure::new("there is no index to choose from").hint("`brief index` makes one, `--index FILE` names one"));
    }
    let asking = Asking { arguments, places, indexes, entries, settings };
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
    fn choose(&self, message: &str) -> Result<(Corpus, Choice), Failure> {
        let corpora = Corpora {
            indexes: &self.indexes,
            entries: self.entries.clone(),
            home: self.places.home.as_deref(),
            cache: self.places.cache.as_deref(),
            deadline: None,
        };
        // Its own limit holds; there is no other.
        let deadline = Instant::now() + Duration::from_secs(600);
        let ask = |message: &str, candidates: &[Candidate]| Process.ask_model(&self.settings, deadline, message, candidates);
        let on_failure = self.settings.selector.on_failure.value;
        let is_model = self.settings.selector.kind.value == SelectorKind::OpenAi;
        let selector = if is_model { Selector::Model { ask: &ask, on_failure } } else { Selector::Local };
        let explained = if self.arguments.explain || self.arguments.json { EXPLAINED } else { 0 };
        let question = Question { message, limit: self.arguments.limit, explained };
        let (mut corpus, choice) = open_and_choose(&corpora, question, selector)?;
        if !self.arguments.index.is_empty() && !corpus.failures.is_empty() {
            return Err(corpus.failures.remove(0));
        }
        Ok((corpus, choice))
    }

    fn answer(&self, message: &str) -> Result<(), Failure> {
        let (corpus, choice) = self.choose(message)?;
        for failure in &corpus.failures {
            talk::warning(&format!("{failure}: {}", failure.causes().join(": ")));
        }
        tell(&corpus.notes);
        tell(&choice.notes);
        let paths: Vec<String> = choice.members.iter().map(|member| self.path(member)).collect();
        if self.arguments.explain {
            return output::print(&explain::text(&choice, self.arguments.limit, &paths));
        }
        if self.arguments.json {
            return output::print(&format!("{}\n", explain::json(&choice, &corpus.notes, &paths)));
        }
        output::print(&self.line(&choice))
    }

    fn answer_lines(&self) -> Result<(), Failure> {
        let mut told = false;
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
            if line.trim().is_empty() {
                continue;
            }
            let value: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            let Some(message) = value["text"].as_str() else {
                talk::warning("a line is not an object with a `text`; nothing was chosen for it");
                output::print("[]\n")?;
                continue;
            };
            // Opened for every line: whoever stays must not answer from what documents said before.
            let (corpus, choice) = self.choose(message)?;
            if !std::mem::replace(&mut told, true) {
                tell(&corpus.notes);
            }
            tell(&choice.notes);
            output::print(&self.line(&choice))?;
        }
        Ok(())
    }

    fn line(&self, choice: &Choice) -> String {
        let paths: Vec<String> = choice.chosen.iter().map(|place| self.path(&choice.members[*place])).collect();
        format!("{}\n", serde_json::Value::from(paths))
    }

    /// Returns the path as it stands in the one index that was named, else relative to the current directory. An entry of
    /// a larger file is the file's path with its name.
    fn path(&self, member: &Member) -> String {
        match member {
            Member::Document(document) if self.arguments.index.len() == 1 => document.path.clone(),
            Member::Document(document) => path_text(&way(&self.places.here, &document.file)),
            Member::Entry(entry) => path_text(&way(&self.places.here, Path::new(&entry.id))),
        }
    }
}

fn tell(notes: &[Note]) {
    for note in notes.iter().filter(|note| note.level > Level::Info).take(20) {
        talk::warning(&format!("`{}`: {}", note.path, note.reason));
    }
}
