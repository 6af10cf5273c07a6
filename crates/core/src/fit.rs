//! Fits pieces into an agent's outputs: each at most as large as its cap, in order; the rest is queued.
//!
//! Input is the pieces and the state of the window; the result is a [`Briefing`], in which every piece is kept, split,
//! queued or left out. A piece that does not fit is split at line ends into labelled parts. Documents for a message go
//! into this event's outputs or are left out, never queued. A series has at most 16 outputs; what remains is listed by
//! path.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::frames::{self, inline};
use crate::measure::Unit;
use crate::note::{Note, NoteKind};
use crate::piece::{Order, Piece, Role};
use crate::reason::Reason;
use crate::render::window::{self, HEADER_ROOM, JOINT};
use crate::sources::{Framing, Source};
use crate::tokens::estimate_bytes;

/// The maximum number of outputs in a series.
pub const MAX_OUTPUTS: u32 = 16;
/// The space reserved for the list of what was left out.
const LEFT_OUT_ROOM: u64 = 1200;
/// A part smaller than this is not worth its label.
const SMALLEST_PART: u64 = 400;

/// The available room.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub cap: u64,
    pub unit: Unit,
    /// The number of outputs that this event can send.
    pub lanes: u32,
}

/// A piece that the window does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Its index in the list of pieces.
    pub piece: usize,
    /// The window has an older version of it.
    pub is_update: bool,
}

/// A segment that waits in the queue, already rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub id: i64,
    /// The source it came from; `None` for the list of what was left out.
    pub source: Option<Source>,
    /// The number of its [`Order`].
    pub order: u8,
    pub size: u64,
}

/// The state of the window: what it lacks, and what is queued for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    pub due: Vec<Due>,
    /// In the order in which they are sent.
    pub queued: Vec<Waiting>,
    /// The sources that have already delivered something in this epoch.
    pub done: crate::sources::Sources,
}

/// A piece or a part of one, rendered and placed in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The identity of its piece.
    pub piece: String,
    /// The source it came from; `None` for the list of what was left out.
    pub source: Option<Source>,
    /// The hash of the piece's content.
    pub hash: String,
    pub part: u32,
    pub parts: u32,
    pub path: String,
    /// The path of the file; differs from `path` for a section.
    pub file: String,
    pub reason: Reason,
    pub order: Order,
    /// Never queued: dropped unless it is sent with this event.
    pub is_transient: bool,
    /// In the agent's unit.
    pub size: u64,
    pub tokens: u64,
    pub text: String,
    /// The output it goes into, counted from 0.
    pub slot: u32,
}

/// The decision which segment goes where.
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

/// Finds the first piece of each source with a head, if that piece lacks the head: the piece that has it is already in
/// the window, brought by another source.
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
    /// Returns the room of one output, without its header.
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

    /// Assigns an output to a queued segment, which is already rendered.
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
            let reason = format!("{} tokens do not fit into the room left in this event", piece.tokens);
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
                path: inline(&piece.path).into_owned(),
                file: inline(&piece.file).into_owned(),
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

    /// Splits a piece into the texts of its parts, each with its output. Returns `None` if it would need an output
    /// after `last`.
    fn split(&mut self, piece: &Piece, head: &str, is_update: bool, last: u32) -> Option<Vec<(u32, String)>> {
        let unit = self.room.unit;
        // A source with its own frames has defused its content itself.
        let mut safe = match piece.source.row().framing {
            Framing::Own { .. } => Cow::Borrowed(piece.text.as_str()),
            Framing::Labelled => {
                let defused = frames::defuse(&piece.text);
                self.briefing.notes.extend(defused.note(&piece.path));
                defused.text
            }
        };
        if !head.is_empty() {
            safe.to_mut().insert_str(0, head);
        }
        let whole = unit.of(&framed(piece, is_update, None, &safe));
        if whole + JOINT > self.free() && whole + JOINT <= self.whole() && self.used > self.whole() / 2 {
            // It fits into an output of its own, and this one is already well filled.
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
        let mut from = 0;
        while from < safe.len() {
            let rest = &safe[from..];
            if self.free() < frame + JOINT + SMALLEST_PART.min(unit.of(rest)) {
                self.next();
            }
            if self.slot >= last {
                return None;
            }
            let (body, _) = unit.cut(rest, self.free().saturating_sub(frame + JOINT));
            if body.is_empty() {
                return None;
            }
            let size = frame + unit.of(body);
            texts.push((self.take(size), body.to_owned()));
            let is_inside_line = !frames::ends_line(body);
            from += body.len();
            // What was in the middle of a line begins the next part.
            if let Some(safer) = frames::defuse_beginning(&safe[from..]).filter(|_| is_inside_line) {
                (safe, from) = (Cow::Owned(safer), 0);
            }
        }
        Some(texts)
    }

    /// Adds a final segment that lists what was left out and how to read it.
    fn name_what_was_left_out(&mut self) {
        if self.left_out.is_empty() {
            return;
        }
        let mut text = format!("{}not included, for want of room; read these files when you need them ===\n", window::MARK);
        let room = LEFT_OUT_ROOM.min(self.whole()) - 60;
        for (number, piece) in self.left_out.iter().enumerate() {
            let line = format!("- {} ({} tokens)\n", inline(&piece.path), piece.tokens);
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
            file: String::new(),
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

/// Returns a piece's text with its label. Text in a source's own format has none, unless it had to be split.
fn framed(piece: &Piece, is_update: bool, part: Option<(u32, u32)>, text: &str) -> String {
    if matches!(piece.source.row().framing, Framing::Own { .. }) && part.is_none() {
        return text.to_owned();
    }
    let mut framed = window::label(&piece.path, &piece.reason.to_string(), is_update, part);
    framed.push_str(text);
    framed
}
