//! Cutting pieces to an agent's measure: outputs of at most its cap, in order, with what does not fit now queued.
//!
//! Pieces and what is known of the window go in, a [`Briefing`] comes out: every piece kept, split, queued or left out,
//! each with its place. A piece that does not fit is split at line ends into labelled parts. Documents for a message are
//! fitted into this event's outputs or left out, never queued. A series has at most 16 outputs; the rest is named by path.

use std::fmt::Write as _;

use crate::measure::Unit;
use crate::note::{Note, NoteKind};
use crate::piece::{Order, Piece, Role};
use crate::reason::Reason;
use crate::render::window::{self, HEADER_ROOM, JOINT};
use crate::shown::one_line;
use crate::sources::{Framing, Source};
use crate::tokens::estimate_bytes;

/// So many outputs a series may have.
pub const MAX_OUTPUTS: u32 = 16;
/// Room that the list of what was left out may take.
const LEFT_OUT_ROOM: u64 = 1200;
/// A part smaller than this is not worth its label.
const SMALLEST_PART: u64 = 400;

/// The room there is.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub cap: u64,
    pub unit: Unit,
    /// How many outputs leave with this event.
    pub lanes: u32,
}

/// A piece that the window does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Its place in the list of pieces.
    pub piece: usize,
    /// The window has an older content of it.
    pub is_update: bool,
}

/// A segment that waits in the queue, rendered already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub id: i64,
    /// What brought it; the list of what was left out has no source.
    pub source: Option<Source>,
    /// The number of its [`Order`].
    pub order: u8,
    pub size: u64,
}

/// What is known of the window: what it lacks, and what waits for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    pub due: Vec<Due>,
    /// In the order in which they leave.
    pub queued: Vec<Waiting>,
    /// The sources of which something came in this epoch already.
    pub done: crate::sources::Sources,
}

/// A piece, or a part of one, rendered and placed in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The identity of its piece.
    pub piece: String,
    /// What brought it; the list of what was left out has no source.
    pub source: Option<Source>,
    /// The hash of the piece's content.
    pub hash: String,
    pub part: u32,
    pub parts: u32,
    pub path: String,
    pub reason: Reason,
    pub order: Order,
    /// Never queued: forgotten unless it leaves with this event.
    pub is_transient: bool,
    /// In the agent's unit.
    pub size: u64,
    pub tokens: u64,
    pub text: String,
    /// The output it goes into, from 0.
    pub slot: u32,
}

/// What goes where, decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Briefing {
    pub segments: Vec<Segment>,
    /// Queued segments, by id, and the outputs they go into.
    pub placed: Vec<(i64, u32)>,
    pub notes: Vec<Note>,
}

/// Decides which segments go into which outputs.
pub fn fit(standing: &Standing, pieces: &[Piece], room: Room) -> Briefing {
    let mut due: Vec<Due> = standing.due.clone();
    due.sort_by_key(|due| pieces[due.piece].order.number());
    let headless = headless(standing, pieces, &due);
    let mut packer = Packer { room, slot: 0, used: 0, briefing: Briefing::default(), left_out: Vec::new() };
    let mut queued = standing.queued.iter().peekable();
    for due in due {
        let piece = &pieces[due.piece];
        while let Some(waiting) = queued.next_if(|waiting| waiting.order <= piece.order.number()) {
            packer.place(waiting.id, waiting.size);
        }
        let head = headless.iter().find(|(place, _)| *place == due.piece).map_or("", |(_, head)| head);
        packer.add(piece, head, due.is_update);
    }
    for waiting in queued {
        packer.place(waiting.id, waiting.size);
    }
    packer.name_what_was_left_out();
    packer.briefing
}

/// Finds the pieces that come first of a source with a head of its own, where that piece lacks it: the one that has it is
/// in the window already, brought by another source.
fn headless(standing: &Standing, pieces: &[Piece], due: &[Due]) -> Vec<(usize, String)> {
    let head_for = |source: Source| {
        let Framing::Own { head, .. } = source.row().framing else { return None };
        let first = due.iter().find(|due| pieces[due.piece].source == source)?;
        let is_missing = standing.done & source.bit() == 0 && pieces[first.piece].role == Role::Body;
        is_missing.then(|| (first.piece, head()))
    };
    Source::ALL.into_iter().filter_map(head_for).collect()
}

struct Packer<'a> {
    room: Room,
    slot: u32,
    used: u64,
    briefing: Briefing,
    left_out: Vec<&'a Piece>,
}

impl<'a> Packer<'a> {
    /// The room of one output, without its header.
    fn whole(&self) -> u64 {
        self.room.cap - HEADER_ROOM
    }

    fn free(&self) -> u64 {
        let kept_back = if self.slot + 1 >= MAX_OUTPUTS { LEFT_OUT_ROOM } else { 0 };
        self.whole().saturating_sub(self.used + kept_back)
    }

    fn next(&mut self) {
        self.slot += 1;
        self.used = 0;
    }

    fn take(&mut self, size: u64) -> u32 {
        self.used += size + JOINT;
        self.slot
    }

    /// Gives a queued segment, which is rendered already, its output.
    fn place(&mut self, id: i64, size: u64) {
        if size + JOINT > self.free() && self.used > 0 {
            self.next();
        }
        let slot = self.take(size);
        self.briefing.placed.push((id, slot));
    }

    fn add(&mut self, piece: &'a Piece, head: &str, is_update: bool) {
        let is_transient = piece.order == Order::Document;
        let last = if is_transient { self.room.lanes } else { MAX_OUTPUTS };
        let before = (self.slot, self.used);
        let Some(texts) = self.split(piece, head, is_update, last) else {
            (self.slot, self.used) = before;
            let reason = format!("{} tokens do not fit into what is left of this event", piece.tokens);
            self.briefing.notes.push(Note::warning(piece.path.clone(), NoteKind::NoRoom, reason));
            self.left_out.push(piece);
            return;
        };
        let parts = texts.len() as u32;
        for (number, (slot, body)) in texts.into_iter().enumerate() {
            let part = number as u32 + 1;
            let text = framed(piece, is_update, (parts > 1).then_some((part, parts)), &body);
            self.briefing.segments.push(Segment {
                piece: piece.id.clone(),
                source: Some(piece.source),
                hash: piece.hash.to_hex().to_string(),
                part,
                parts,
                path: one_line(&piece.path).into_owned(),
                reason: piece.reason.clone(),
                order: piece.order,
                is_transient,
                size: self.room.unit.of(&text),
                tokens: estimate_bytes(text.len()),
                text,
                slot,
            });
        }
    }

    /// Cuts a piece into the texts of its parts, each with its output. `None` where it would need an output beyond the
    /// last allowed one.
    fn split(&mut self, piece: &Piece, head: &str, is_update: bool, last: u32) -> Option<Vec<(u32, String)>> {
        let unit = self.room.unit;
        let mut safe = window::safe(&piece.text);
        if !head.is_empty() {
            safe.to_mut().insert_str(0, head);
        }
        let whole = unit.of(&framed(piece, is_update, None, &safe));
        if whole + JOINT > self.free() && whole + JOINT <= self.whole() && self.used > self.whole() / 2 {
            // It fits into an output of its own, and this one is well filled.
            self.next();
        }
        if self.slot >= last {
            return None;
        }
        if whole + JOINT <= self.free() {
            let slot = self.take(whole);
            return Some(vec![(slot, safe.into_owned())]);
        }
        let frame = unit.of(&framed(piece, is_update, Some((999, 999)), "")) + 1;
        let mut texts = Vec::new();
        let mut rest: &str = &safe;
        while !rest.is_empty() {
            if self.free() < frame + JOINT + SMALLEST_PART.min(unit.of(rest)) {
                self.next();
            }
            if self.slot >= last {
                return None;
            }
            let (body, after) = unit.cut(rest, self.free().saturating_sub(frame + JOINT));
            if body.is_empty() {
                return None;
            }
            let size = frame + unit.of(body);
            texts.push((self.take(size), body.to_owned()));
            rest = after;
        }
        Some(texts)
    }

    /// Adds one last segment that says what is not there and how to read it.
    fn name_what_was_left_out(&mut self) {
        if self.left_out.is_empty() {
            return;
        }
        let mut text = format!("{}not included, for want of room; read these files when you need them ===\n", window::MARK);
        let room = LEFT_OUT_ROOM.min(self.whole()) - 60;
        for (number, piece) in self.left_out.iter().enumerate() {
            let line = format!("- {} ({} tokens)\n", one_line(&piece.path), piece.tokens);
            if self.room.unit.of(&text) + self.room.unit.of(&line) > room {
                let _ = writeln!(text, "- and {} more", self.left_out.len() - number);
                break;
            }
            text.push_str(&line);
        }
        let size = self.room.unit.of(&text);
        if size + JOINT > self.whole().saturating_sub(self.used) {
            self.next();
        }
        let slot = self.take(size);
        self.briefing.segments.push(Segment {
            piece: "brief:left-out".into(),
            source: None,
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            part: 1,
            parts: 1,
            path: String::new(),
            reason: Reason::LeftOut,
            order: Order::LeftOut,
            is_transient: slot < self.room.lanes,
            size,
            tokens: estimate_bytes(text.len()),
            text,
            slot,
        });
    }
}

/// Returns a piece's text with its label; a source's own form has none, except where it had to be split.
fn framed(piece: &Piece, is_update: bool, part: Option<(u32, u32)>, text: &str) -> String {
    if matches!(piece.source.row().framing, Framing::Own { .. }) && part.is_none() {
        return text.to_owned();
    }
    let mut framed = window::label(&piece.path, &piece.reason.to_string(), is_update, part);
    framed.push_str(text);
    framed
}
