//! Renders a context as text for users and models.

use std::fmt::Write as _;
use std::path::Path;

use super::context::{Context, LoadedKnowledge, Mode};
use super::front_matter::without_front_matter;
use super::navigation::Neighbour;
use super::state::State;
use super::summary::count;
use crate::frames::{defuse, inline};
use crate::shown::{one_line, path_text};

/// The reminder at the end of a hook's message to the user.
const REMINDER: &str =
    "Good teams remember what works. The agent asks before it saves something; you can also write it down yourself: `brief learn`.";
/// The instruction for agents about saving knowledge.
const SAVING: &str = "Something worth keeping came up? Ask the user first, then: brief learn TITLE --type TYPE --topics A,B BODY";
/// What encloses a heading. The headings are in the table of [`crate::frames`], so no content looks like one.
const BAR: &str = "===";
/// Longer lists of neighbours are truncated.
const MAX_LISTED: usize = 40;

/// Who reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A person, who may see every domain nearby.
    Person,
    /// An agent: domains in directories that have nothing to do with this one are left out.
    Window,
}

/// Returns the context as text: every level's info from the root down, knowledge, state, and nearby domains.
pub fn text(context: &Context, reader: Reader) -> String {
    let Some(domain) = context.domain() else {
        let mut text = "No domain here: there is no .megg directory in this directory or above it.\n".to_owned();
        text.push_str(&navigation_text(context, reader));
        text.push_str("`brief init domain` creates one.\n");
        return text;
    };
    let mut text = String::new();
    for level in &context.chain {
        let path = path_text(&level.info_path());
        section(&mut text, &format!("domain {}", one_line(&level.domain)), &path, level.stale_warning.as_deref(), &info_text(level));
    }
    if let Some(knowledge) = &context.knowledge {
        let body = knowledge_text(knowledge);
        section(&mut text, &knowledge_label(&domain, knowledge), &path_text(&knowledge.path), knowledge.warning.as_deref(), &body);
    }
    if let Some(state) = &context.state {
        let label = format!("state of {}: {}, updated {}", one_line(&domain), state.status, one_line(&state.updated));
        section(&mut text, &label, &path_text(&state.path), None, &state.content);
    }
    let mut around = navigation_text(context, reader);
    if let Some(reason) = &context.expired {
        let _ = writeln!(around, "state.md is not loaded: {reason}.");
    }
    around.push_str(SAVING);
    let _ = writeln!(text, "{BAR} around {} {BAR}\n\n{}", inline(&domain), around.trim_end());
    text
}

/// Returns the text to show for a level.
pub(super) fn info_text(level: &super::chain::Level) -> String {
    match &level.problem {
        Some(problem) => format!("(info.md could not be read: {problem})"),
        None if level.info.is_empty() => "(info.md is empty)".into(),
        None => level.info.clone(),
    }
}

/// Returns the text to show for the knowledge: a whole file without its front matter, or what was made from it.
pub(super) fn knowledge_text(knowledge: &LoadedKnowledge) -> String {
    let is_whole = knowledge.mode == Mode::Full && knowledge.topic.is_none();
    let text = if is_whole { without_front_matter(&knowledge.content) } else { &knowledge.content };
    if text.is_empty() { "(knowledge.md is empty)".into() } else { text.to_owned() }
}

fn knowledge_label(domain: &str, knowledge: &LoadedKnowledge) -> String {
    let about = knowledge.topic.as_ref().map(|topic| format!(" about {}", one_line(topic))).unwrap_or_default();
    let entries = count(knowledge.entries, "entry", "entries");
    format!("knowledge of {}{about}: {}, {entries}, {} tokens", one_line(domain), knowledge.mode.word(), knowledge.tokens)
}

fn section(text: &mut String, label: &str, path: &str, warning: Option<&str>, body: &str) {
    let _ = write!(text, "{BAR} {} ({}) {BAR}\n\n", inline(label), inline(path));
    if let Some(warning) = warning {
        let _ = write!(text, "> {warning}\n\n");
    }
    let _ = write!(text, "{}\n\n", defuse(body.trim_end()).text);
}

/// Returns where to go from here: nearby domains, and files to read when needed.
fn navigation_text(context: &Context, reader: Reader) -> String {
    let mut text = String::new();
    let domains = |text: &mut String, label: &str, list: &[&Neighbour]| {
        if !list.is_empty() {
            let _ = writeln!(text, "{label}");
            let shown =
                list.iter().take(MAX_LISTED).map(|found| format!("- {}: {}", one_line(&found.name), one_line(&path_text(&found.path))));
            push_list(text, shown, list.len());
        }
    };
    // From a directory inside a domain, the domain's children are also the siblings of that directory: list them only
    // once.
    let siblings: Vec<_> = context.siblings.iter().filter(|found| !context.children.iter().any(|child| child.path == found.path)).collect();
    let siblings: Vec<_> = siblings.into_iter().filter(|found| found.is_related || reader == Reader::Person).collect();
    domains(&mut text, "Domains beside this one (`brief context PATH` loads one):", &siblings);
    domains(&mut text, "Subdomains:", &context.children.iter().collect::<Vec<_>>());
    if !context.on_demand.is_empty() {
        text.push_str("Not loaded, read when needed:\n");
        let shown = context.on_demand.iter().take(MAX_LISTED).map(|path| {
            let remark = blocked(context, path).map(|tokens| format!(" ({tokens} tokens: by topic only)")).unwrap_or_default();
            format!("- {}{remark}", one_line(&path_text(path)))
        });
        push_list(&mut text, shown, context.on_demand.len());
    }
    text
}

/// Returns the tokens of the knowledge at `path` if it is too large to be loaded, so that it is not read whole by hand
/// either.
fn blocked(context: &Context, path: &Path) -> Option<u64> {
    let knowledge = context.knowledge.as_ref()?;
    (knowledge.mode == Mode::Blocked && knowledge.path == path).then_some(knowledge.tokens)
}

fn push_list(text: &mut String, shown: impl Iterator<Item = String>, length: usize) {
    for line in shown {
        let _ = writeln!(text, "{line}");
    }
    if length > MAX_LISTED {
        let _ = writeln!(text, "- … and {} more", length - MAX_LISTED);
    }
}

/// Returns the navigation as a piece for a session. It stays the same until something nearby changes.
pub(super) fn navigation_piece(context: &Context) -> String {
    format!("{}{SAVING}", navigation_text(context, Reader::Window))
}

/// Returns the state as a piece for a session: with its date instead of its age, so that the text stays the same.
pub(super) fn state_piece(state: &State) -> String {
    format!("Hand-off of the session before, updated {}:\n\n{}", one_line(&state.updated), state.content)
}

/// Returns the message for the user: the loaded paths, the available ones, and how to save knowledge.
pub fn loaded_text(context: &Context) -> String {
    if context.deepest.is_none() {
        return "Briefing: no .megg found. `brief init domain` creates one.".into();
    }
    let mut message = "Briefing loaded:\n".to_owned();
    for level in context.chain.iter().filter(|level| level.problem.is_none()) {
        let _ = writeln!(message, "  {}", one_line(&path_text(&level.info_path())));
    }
    if let Some(knowledge) = context.knowledge.as_ref().filter(|knowledge| knowledge.mode != Mode::Blocked) {
        let path = path_text(&knowledge.path);
        let _ = writeln!(message, "  {} ({}, {} tokens)", one_line(&path), knowledge.mode.word(), knowledge.tokens);
    }
    if let Some(state) = &context.state {
        let _ = writeln!(message, "  {} (state, {} tokens)", one_line(&path_text(&state.path)), state.tokens);
    }
    if !context.on_demand.is_empty() {
        message.push_str("Available (not loaded):\n");
    }
    for path in context.on_demand.iter().take(MAX_LISTED) {
        let remark = blocked(context, path).map(|tokens| format!(" (blocked, {tokens} tokens: run `brief maintain`)")).unwrap_or_default();
        let _ = writeln!(message, "  {}{remark}", one_line(&path_text(path)));
    }
    for level in &context.chain {
        if let Some(warning) = &level.stale_warning {
            let _ = writeln!(message, "{warning}");
        }
    }
    let _ = write!(message, "\n{REMINDER}");
    message
}
