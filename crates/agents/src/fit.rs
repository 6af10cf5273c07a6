//! Cutting pieces to an agent's measure: outputs of at most its cap, in order, with what does not fit now queued.
//!
//! A piece that does not fit is split at line ends into labelled parts. Documents for a message are fitted into this
//! event's outputs or left out, never queued. A series has at most 16 outputs; the rest is named by path.

use std::fmt::Write as _;

use briefing_core::{Note, NoteKind, Order, Piece};
use briefing_store::{Arrangement, Due, Segment, Standing};

use crate::measure::Unit;
use crate::render::{self, HEADER_ROOM, JOINT};
use crate::source::Source;

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

/// A piece and the source that brought it.
#[derive(Debug, Clone)]
pub struct Brought {
    pub source: Source,
    pub piece: Piece,
}

/// What the fit decided, and what it left out.
#[derive(Debug, Clone, Default)]
pub struct Fitted {
    pub arrangement: Arrangement,
    pub notes: Vec<Note>,
}

fn rank(order: Order) -> u8 {
    order as u8
}

/// Decides which segments go into which outputs.
pub fn fit(standing: &Standing, brought: &[Brought], room: Room) -> Fitted {
    let mut packer = Packer { room, slot: 0, used: 0, fitted: Fitted::default(), left_out: Vec::new() };
    let mut due: Vec<&Due> = standing.due.iter().collect();
    due.sort_by_key(|due| rank(brought[due.offer].piece.order));
    let mut queued = standing.queued.iter().peekable();
    for due in due {
        let item = &brought[due.offer];
        let rank = rank(item.piece.order);
        while let Some(waiting) = queued.next_if(|waiting| waiting.rank <= rank) {
            packer.place(waiting.id, waiting.size);
        }
        packer.add(item, due.is_update);
    }
    for waiting in queued {
        packer.place(waiting.id, waiting.size);
    }
    packer.name_what_was_left_out();
    packer.fitted
}

struct Packer<'a> {
    room: Room,
    slot: u32,
    used: u64,
    fitted: Fitted,
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
        self.fitted.arrangement.place.push((id, slot));
    }

    fn add(&mut self, item: &'a Brought, is_update: bool) {
        let piece = &item.piece;
        let is_transient = piece.order == Order::Document;
        let last = if is_transient { self.room.lanes } else { MAX_OUTPUTS };
        let before = (self.slot, self.used);
        let Some(texts) = self.split(item, is_update, last) else {
            (self.slot, self.used) = before;
            let reason = format!("{} tokens do not fit into what is left of this event", piece.tokens);
            self.fitted.notes.push(Note::warning(piece.path.clone(), NoteKind::Budget, reason));
            self.left_out.push(piece);
            return;
        };
        let parts = texts.len() as u32;
        for (number, (slot, body)) in texts.into_iter().enumerate() {
            let part = number as u32 + 1;
            let text = framed(item, is_update, (parts > 1).then_some((part, parts)), &body);
            self.fitted.arrangement.add.push(Segment {
                piece: piece.id.clone(),
                hash: piece.hash.to_hex().to_string(),
                part,
                parts,
                path: briefing_core::shown::one_line(&piece.path).into_owned(),
                reason: format!("{}: {}", item.source.name(), piece.reason),
                rank: rank(piece.order),
                is_transient,
                size: self.room.unit.of(&text),
                tokens: briefing_core::tokens::estimate_bytes(text.len()),
                text,
                slot,
            });
        }
    }

    /// Cuts a piece into the texts of its parts, each with its output. `None` where it would need an output beyond the
    /// last allowed one.
    fn split(&mut self, item: &Brought, is_update: bool, last: u32) -> Option<Vec<(u32, String)>> {
        let unit = self.room.unit;
        let safe = render::safe(&item.piece.text);
        let whole = unit.of(&framed(item, is_update, None, &safe));
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
        let frame = unit.of(&framed(item, is_update, Some((999, 999)), "")) + 1;
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
        let mut text = format!("{}not included, for want of room; read these files when you need them ===\n", render::MARK);
        let room = LEFT_OUT_ROOM.min(self.whole()) - 60;
        for (number, piece) in self.left_out.iter().enumerate() {
            let line = format!("- {} ({} tokens)\n", briefing_core::shown::one_line(&piece.path), piece.tokens);
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
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        self.fitted.arrangement.add.push(Segment {
            piece: "brief:left-out".into(),
            hash,
            part: 1,
            parts: 1,
            path: String::new(),
            reason: "what did not fit".into(),
            rank: u8::MAX,
            is_transient: slot < self.room.lanes,
            size,
            tokens: briefing_core::tokens::estimate_bytes(text.len()),
            text,
            slot,
        });
    }
}

/// Returns a piece's text with its label; the gate's own form has none, except where it had to be split.
fn framed(item: &Brought, is_update: bool, part: Option<(u32, u32)>, text: &str) -> String {
    if item.source.is_literal() && part.is_none() {
        return text.to_owned();
    }
    let mut framed = render::label(&item.piece.path, &item.piece.reason, is_update, part);
    framed.push_str(text);
    framed
}
