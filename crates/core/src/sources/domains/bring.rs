//! What domains contribute to a window: the pieces of a session's start, and the entries of a file too large to load.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::chain;
use super::context::{Context, ContextRequest, Mode, context};
use super::knowledge::Knowledge;
use super::load::{self, INFO, KNOWLEDGE, Reading, STATE};
use super::render;
use crate::candidate::Candidate;
use crate::load::guard;
use crate::note::{Note, NoteKind};
use crate::piece::{Brought, Order, Piece, content_hash};
use crate::reason::Reason;
use crate::settings::Places;
use crate::shown::path_text;
use crate::sources::Source;
use crate::tokens::estimate_utf16;
use crate::watch::Watched;

/// A larger knowledge file is not searched for every message.
const MAX_SEARCHED_BYTES: usize = 4 * 1024 * 1024;

/// Returns whether there is any domain for a directory, at the cost of a few `stat` calls.
pub fn is_here(places: &Places) -> bool {
    chain::nearest_above(&places.here).is_some()
}

/// Returns the pieces for a session that starts at `path`: every level's info, state, knowledge, navigation.
///
/// The same files always give the same pieces: no text contains an age.
pub fn bring(path: &Path, now: Timestamp, reading: Reading<'_>) -> Brought {
    let watched = watched(path);
    let context = context(&ContextRequest { path, topic: None, now, reading });
    let mut pieces = Vec::new();
    for level in &context.chain {
        let mut text = render::info_text(level);
        let own = content_hash(&text);
        if let Some(warning) = &level.stale_warning {
            text = format!("> {warning}\n\n{text}");
        }
        let id = path_text(&level.info_path());
        pieces.push(
            Piece::new(Source::Domains, id.clone(), id, Reason::Domain { name: level.domain.clone() }, Order::Chain, text).of_content(own),
        );
    }
    if let Some(state) = &context.state {
        let id = path_text(&state.path);
        pieces.push(Piece::new(Source::Domains, id.clone(), id, Reason::HandOff, Order::State, render::state_piece(state)));
    }
    pieces.extend(knowledge_piece(&context));
    pieces.extend(navigation_piece(&context));
    Brought { pieces, notes: context.notes, watched, ..Brought::default() }
}

/// Returns the files that the pieces come from: every level's info, and the deepest level's knowledge and state.
fn watched(path: &Path) -> Vec<Watched> {
    let levels: Vec<PathBuf> = chain::all_above(&chain::asked_directory(path)).collect();
    let deepest = levels.first().into_iter().flat_map(|megg| [KNOWLEDGE, STATE].map(|name| megg.join(name)));
    let infos = levels.iter().map(|megg| megg.join(INFO));
    infos.chain(deepest).filter_map(|path| Watched::now(&path)).collect()
}

/// A summary has its own identity, because the file itself was not delivered.
fn knowledge_piece(context: &Context) -> Option<Piece> {
    let knowledge = context.knowledge.as_ref()?;
    let path = path_text(&knowledge.path);
    let id = if knowledge.mode == Mode::Full { path.clone() } else { format!("{path}#{}", knowledge.mode.word()) };
    let mut text = render::knowledge_text(knowledge);
    let own = content_hash(if knowledge.mode == Mode::Full { &knowledge.content } else { &text });
    if let Some(warning) = knowledge.warning.as_ref().filter(|_| knowledge.mode == Mode::Summary) {
        text = format!("> {warning}\n\n{text}");
    }
    Some(Piece::new(Source::Domains, id, path, Reason::Knowledge { mode: knowledge.mode }, Order::Knowledge, text).of_content(own))
}

fn navigation_piece(context: &Context) -> Option<Piece> {
    let path = path_text(context.deepest.as_deref()?);
    let text = render::navigation_piece(context);
    Some(Piece::new(Source::Domains, format!("{path}#around"), path, Reason::Around, Order::Knowledge, text).in_file(""))
}

/// Returns the entries of the deepest domain's knowledge if it is too large to be loaded whole, otherwise nothing.
pub fn entries(path: &Path, reading: Reading<'_>, notes: &mut Vec<Note>) -> Vec<Candidate> {
    let Some(file) = chain::nearest(path).map(|megg| megg.join(KNOWLEDGE)) else { return Vec::new() };
    // Most files are small: their size alone shows that session start loads them whole.
    let size = std::fs::metadata(&file).map_or(0, |metadata| metadata.len() as usize);
    if estimate_utf16_at_most(size) < super::context::SUMMARY_FROM {
        return Vec::new();
    }
    if size > MAX_SEARCHED_BYTES {
        let reason = format!("has {size} bytes, too many to search for every message; `brief maintain` can make it smaller");
        notes.push(Note::warning(path_text(&file), NoteKind::TooLarge, reason));
        return Vec::new();
    }
    let Some(text) = load::read(&file, reading, notes) else { return Vec::new() };
    if Mode::of(estimate_utf16(&text)) == Mode::Full {
        return Vec::new();
    }
    let path = path_text(&file);
    let text = guard(&path, text, reading.redacts, notes);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let candidate = |entry: &super::entry::Entry<'_>| {
        let slug = entry.slug();
        let times = seen.entry(slug.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { slug } else { format!("{slug}-{times}") };
        Candidate::entry(&file, &name, entry.title, entry.topics.clone(), entry.text)
    };
    Knowledge::parse(&text).entries.iter().map(candidate).collect()
}

/// Estimates an upper bound: UTF-8 never needs fewer bytes than UTF-16 needs units.
fn estimate_utf16_at_most(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}
