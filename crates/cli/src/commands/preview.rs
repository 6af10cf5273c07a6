//! `brief preview`: shows what an agent would receive here and now.

use std::fmt::Write as _;

use briefing_agents::agent::{Agent, Event};
use briefing_agents::preview::{self, Before, Preview};
use briefing_agents::window::room;
use briefing_agents::{AGENTS, find};
use briefing_core::fit::Segment;
use briefing_core::settings::Layer;
use briefing_core::shown::one_line;
use briefing_core::sources::docs::{SelectRequest, select};
use briefing_core::sources::{Ask, named_by, present};
use briefing_core::{Failure, Level, Moment, Note};
use clap::Args;

use super::select::{EXPLAINED, explain as select_explain};
use crate::host::Asking;
use crate::wrap::Wrap;
use crate::{environment, output, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A message to the agent
    message: Option<String>,
    /// The agent
    #[arg(long, default_value = briefing_agents::USUAL.name)]
    agent: String,
    /// The event, as the agent names it [default: session start, message and first tool use]
    #[arg(long)]
    event: Option<String>,
    /// Show why each piece comes, what was left out, and how the documents for the message were chosen
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let agent = agent(&arguments.agent)?;
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let asking = Asking::of(agent, &places, &settings)?.about(arguments.message.as_deref());
    let ask = Ask { message: arguments.message.as_deref(), ..asking.ask() };
    let mut text = String::new();
    let mut is_silent = true;
    let events = events(agent, arguments)?;
    let mut before = if let [event] = events[..] { Before::single(agent, event) } else { Before::default() };
    for event in events {
        let preview = preview::preview(agent, event, &ask, room(agent, true, event.lanes), before);
        before = preview.after;
        for note in preview.notes.iter().filter(|note| note.level > Level::Info && !arguments.explain) {
            talk::warning(&format!("{}: {}", note.path, note.reason));
        }
        is_silent &= preview.outputs.is_empty();
        if arguments.explain {
            explain(&mut text, agent, event, &preview, &ask);
        } else {
            describe(&mut text, agent, event, &preview);
        }
    }
    output::print(&if arguments.explain { Wrap::of_terminal().paragraphs(&text) } else { text })?;
    if is_silent && present(&ask.look(), named_by(&settings)) == 0 {
        talk::hint(
            "nothing is set up here yet: `brief index` indexes your documents, `brief init context` creates core files, `brief init domain` starts a domain",
        );
    }
    Ok(())
}

fn describe(text: &mut String, agent: &Agent, event: &Event, preview: &Preview) {
    let shares: Vec<String> = preview
        .shares
        .iter()
        .filter(|share| share.pieces > 0)
        .map(|share| {
            let pieces = if share.pieces == 1 { "1 piece".to_owned() } else { format!("{} pieces", share.pieces) };
            format!("{} {} tokens in {pieces}", share.source.name(), share.tokens)
        })
        .collect();
    let _ = write!(text, "# {} at {}: ", agent.title, event.name);
    if preview.outputs.is_empty() {
        let is_owed = preview.after.owed != 0;
        text.push_str(if is_owed { "nothing; its documents come with the next event\n" } else { "nothing\n" });
        return;
    }
    let _ = writeln!(text, "{}", shares.join(", "));
    for (number, output) in preview.outputs.iter().enumerate() {
        let size = output.size;
        let when = if number < preview.leaving { "now" } else { "queued for the next event" };
        let _ = writeln!(text, "# output {} of {}: {size} {}, {when}\n", number + 1, preview.outputs.len(), agent.unit.words());
        text.push_str(&output.text);
        text.push('\n');
    }
}

/// Writes why each piece of an event comes, and what did not: the same facts that `brief why` has.
fn explain(text: &mut String, agent: &Agent, event: &Event, preview: &Preview, ask: &Ask<'_>) {
    let _ = writeln!(text, "# {} at {}", agent.title, event.name);
    explain_pieces(text, &preview.segments, preview.leaving, &preview.notes);
    let message = ask.message.filter(|_| event.moment == Moment::Message);
    if let Some(message) = message {
        let request = SelectRequest { explained: EXPLAINED, ..SelectRequest::new(message, ask.places, ask.settings) };
        match select(&request) {
            Ok(choice) => {
                let max_docs = &ask.settings.docs.max_docs;
                let chosen = select_explain::text(&choice, request.limit, max_docs, |candidate| candidate.shown.clone());
                text.extend(chosen.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }));
            }
            Err(failure) => {
                let _ = writeln!(text, "  documents: {failure}");
            }
        }
    }
    if preview.segments.is_empty() && message.is_none() {
        text.push_str("  nothing\n");
    }
}

/// Writes the pieces with their reasons, and the notes.
pub(super) fn explain_pieces(text: &mut String, segments: &[Segment], leaving: usize, notes: &[Note]) {
    for segment in segments {
        let source = segment.source.map(|source| format!("{}: ", source.name())).unwrap_or_default();
        let part = segment.part.map(|part| format!(", part {} of {}", part.number, part.of)).unwrap_or_default();
        let when = if (segment.slot as usize) < leaving { "" } else { ", queued" };
        let path = if segment.path.is_empty() { "(list of what was left out)".into() } else { one_line(&segment.path) };
        let _ = writeln!(text, "  {path}: {} tokens{part}{when} ({source}{})", segment.tokens, one_line(&segment.reason.to_string()));
    }
    for note in notes {
        let decided = note.decided_by.as_deref().map(|by| format!(" [{by}]")).unwrap_or_default();
        let _ = writeln!(text, "  note: {}{}", one_line(&note.to_string()), one_line(&decided));
    }
}

/// Returns the events to show: the one in the arguments, or the usual ones.
fn events(agent: &'static Agent, arguments: &Arguments) -> Result<Vec<&'static Event>, Failure> {
    if let Some(name) = &arguments.event {
        let event = agent.event(name).ok_or_else(|| {
            let known: Vec<_> = agent.events.iter().map(|event| event.name).collect();
            Failure::usage(format!("{} has no event `{name}`", agent.title)).hint(format!("its events: {}", known.join(", ")))
        })?;
        return Ok(vec![event]);
    }
    Ok(preview::usual_events(agent, arguments.message.is_some()))
}

/// Finds an agent with hooks by its name, or fails with a suggestion.
pub(crate) fn agent(name: &str) -> Result<&'static Agent, Failure> {
    let names = || AGENTS.iter().filter(|agent| agent.has_hooks()).map(|agent| agent.name).collect::<Vec<_>>();
    match find(name) {
        Some(agent) if agent.has_hooks() => Ok(agent),
        Some(agent) => Err(Failure::usage(format!("{} has no hooks, so nothing comes by itself", agent.title))
            .hint(format!("agents with hooks: {}", names().join(", ")))),
        None => Err(unknown_agent(name, &names())),
    }
}

/// Returns the failure for a name that is none of an agent. `names` are those that would do.
pub(crate) fn unknown_agent(name: &str, names: &[&str]) -> Failure {
    let failure = Failure::usage(format!("unknown agent `{name}`"));
    match briefing_core::settings::nearest(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("agents: {}", names.join(", "))),
    }
}
