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
use crate::render::window::{self, HEADER_ROOM, JOINT, Version};
use crate::sources::{Framing, Source};
use crate::tokens::estimate_bytes;

/// The maximum number of outputs that one event may plan, for itself and for later events.
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
    /// The number of outputs altogether. Those after `lanes` wait for later events.
    pub outputs: u32,
}

/// A piece that the window does not have, or of which it has lost parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// Its index in the list of pieces.
    pub piece: usize,
    /// How many earlier versions of it the session has received; 0 for a new piece.
    pub versions: u32,
    /// The hash of the version that the window has completely.
    pub seen: Option<String>,
    /// What differs from that version, if that is enough, see [`crate::update`].
    pub excerpt: Option<String>,
    /// The parts that the window has lost, while it still has the others. Empty: the whole piece is due.
    pub lost: Vec<Part>,
}

impl Due {
    fn version(&self) -> Version {
        Version { earlier: self.versions, is_excerpt: self.excerpt.is_some() }
    }
}

/// One of the parts that a piece was split into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// From 1.
    pub number: u32,
    pub of: u32,
    /// The bytes of the piece's text that it contains.
    pub start: usize,
    pub stop: usize,
    /// The length of the piece's text. A text of another length is not the one that was split.
    pub total: usize,
}

impl Part {
    /// A part of an excerpt, which contains no range of the piece's text. It is worth nothing without the version before.
    const fn of_excerpt(number: u32, of: u32) -> Self {
        Self { number, of, start: 0, stop: 0, total: 0 }
    }

    /// Returns whether this is a part of an excerpt.
    pub const fn is_of_excerpt(&self) -> bool {
        self.stop == 0
    }
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
    /// Which part of the piece this is; `None` for a whole piece.
    pub part: Option<Part>,
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
    /// What was due and found room, in this event or in later ones.
    pub sent: Vec<Sent>,
    pub notes: Vec<Note>,
}

/// How much of a source goes into a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub source: Source,
    pub pieces: usize,
    pub tokens: u64,
}

/// Decides which segments go into which outputs.
pub fn fit(standing: &Standing, pieces: &[Piece], room: Room) -> Briefing {
    // The notes that close a source's output are not worth an update: they only count what came before them.
    let is_wanted = |due: &&Due| due.versions == 0 || pieces[due.piece].role != Role::Closing;
    let mut due: Vec<&Due> = standing.due.iter().filter(is_wanted).collect();
    // An update comes before what else is due of its order: what it replaces is in the window.
    let is_new = |due: &Due| due.versions == 0;
    due.sort_by_key(|due| (pieces[due.piece].order.number(), is_new(due)));
    let heads = heads(standing, pieces, &due);
    let mut packer = Packer { room, pieces, slot: 0, used: 0, briefing: Briefing::default(), left_out: Vec::new() };
    let mut queued = standing.queued.iter().peekable();
    for due in due {
        let piece = &pieces[due.piece];
        let order = piece.order.number();
        while let Some(waiting) = queued.next_if(|waiting| waiting.order < order || (waiting.order == order && is_new(due))) {
            packer.place(waiting.id, waiting.size);
        }
        let head = heads.iter().find(|(place, _)| *place == due.piece).map_or("", |(_, head)| head);
        packer.add(piece, due, head);
    }
    for waiting in queued {
        packer.place(waiting.id, waiting.size);
    }
    packer.name_what_was_left_out();
    packer.briefing
}

/// Finds the first new piece of each source with a head, unless the window has the head already.
fn heads(standing: &Standing, pieces: &[Piece], due: &[&Due]) -> Vec<(usize, String)> {
    let head_for = |source: Source| {
        let Framing::Own { head, .. } = source.row().framing else { return None };
        let has_head = |piece: &Piece| piece.source == source && piece.role != Role::Alone;
        let first = due.iter().find(|due| has_head(&pieces[due.piece]) && due.versions == 0 && due.lost.is_empty())?;
        let is_missing = standing.done & source.bit() == 0;
        is_missing.then(|| (first.piece, head()))
    };
    Source::ALL.into_iter().filter_map(head_for).collect()
}

struct Packer<'a> {
    room: Room,
    pieces: &'a [Piece],
    slot: u32,
    used: u64,
    briefing: Briefing,
    left_out: Vec<&'a Piece>,
}

/// The text of a segment before it is framed, its part, and its output.
type Placed = (u32, Option<Part>, String);

impl<'a> Packer<'a> {
    /// Returns the room of one output, without its header.
    fn whole(&self) -> u64 {
        self.room.cap - HEADER_ROOM
    }

    fn free(&self) -> u64 {
        let kept_back = if self.slot + 1 >= self.room.outputs { LEFT_OUT_ROOM } else { 0 };
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

    fn add(&mut self, piece: &'a Piece, due: &Due, head: &str) {
        let is_transient = piece.order == Order::Document;
        let last = if is_transient { self.room.lanes } else { self.room.outputs };
        let before = (self.slot, self.used);
        let text = self.text(piece, due, head);
        let placed = match self.place_lost(piece, due, &text, last) {
            Some(placed) => Some(placed),
            None => self.split(piece, due.version(), &text, head.len(), last),
        };
        let Some(placed) = placed else {
            (self.slot, self.used) = before;
            let reason = format!("{} tokens do not fit into the room left in this event", piece.tokens);
            self.briefing.notes.push(Note::warning(piece.path.clone(), NoteKind::NoRoom, reason));
            self.left_out.push(piece);
            return;
        };
        self.count(piece);
        for (slot, part, body) in placed {
            let text = framed(piece, due.version(), part, &body);
            self.briefing.segments.push(Segment {
                piece: piece.id.clone(),
                source: Some(piece.source),
                hash: piece.hash.to_hex().to_string(),
                part,
                path: inline(&piece.path).into_owned(),
                file: inline(&piece.file).into_owned(),
                reason: piece.reason.clone(),
                order: piece.order,
                is_transient,
                size: self.room.unit.of(&text),
                tokens: if part.is_some() { estimate_bytes(body.len()) } else { piece.tokens },
                text,
                slot,
            });
        }
    }

    fn count(&mut self, piece: &Piece) {
        if piece.role == Role::Alone {
            return;
        }
        let (pieces, tokens) = if piece.role == Role::Body { (1, piece.tokens) } else { (0, 0) };
        match self.briefing.sent.iter_mut().find(|sent| sent.source == piece.source) {
            Some(sent) => (sent.pieces, sent.tokens) = (sent.pieces + pieces, sent.tokens + tokens),
            None => self.briefing.sent.push(Sent { source: piece.source, pieces, tokens }),
        }
    }

    /// Returns the text of a piece as it goes into the window: the head before it, the count before closing notes.
    fn text(&mut self, piece: &'a Piece, due: &Due, head: &str) -> String {
        let text = due.excerpt.as_ref().unwrap_or(&piece.text);
        let closing = match piece.source.row().framing {
            Framing::Labelled => {
                let defused = frames::defuse(text);
                self.briefing.notes.extend(defused.note(&piece.path));
                return defused.text.into_owned();
            }
            // A source with its own frames has defused its content itself.
            Framing::Own { close, .. } if piece.role == Role::Closing => {
                let is_sent = |other: &&Piece| {
                    other.source == piece.source && other.role == Role::Body && !self.left_out.iter().any(|left| left.id == other.id)
                };
                let sent: Vec<&Piece> = self.pieces.iter().filter(is_sent).collect();
                close(sent.len(), sent.iter().map(|piece| piece.tokens).sum())
            }
            Framing::Own { .. } => String::new(),
        };
        format!("{head}{closing}{text}")
    }

    /// Places the parts that the window has lost, each as it was. Returns `None` if the whole piece is due, or if the parts
    /// cannot be cut out as before.
    fn place_lost(&mut self, piece: &Piece, due: &Due, text: &str, last: u32) -> Option<Vec<Placed>> {
        let before = (self.slot, self.used);
        let mut placed = Vec::new();
        for part in &due.lost {
            let body = text.get(part.start..part.stop).filter(|_| part.total == text.len());
            let size = body.map(|body| self.room.unit.of(&framed(piece, due.version(), Some(*part), body)));
            if size.is_some_and(|size| size + JOINT > self.free()) {
                self.next();
            }
            let Some((body, size)) = body.zip(size).filter(|(_, size)| size + JOINT <= self.free() && self.slot < last) else {
                (self.slot, self.used) = before;
                return None;
            };
            placed.push((self.take(size), Some(*part), body.to_owned()));
        }
        (!placed.is_empty()).then_some(placed)
    }

    /// Splits a piece into the texts of its parts. Returns `None` if it would need an output after `last`. The `head` first
    /// bytes do not belong to the piece.
    fn split(&mut self, piece: &Piece, version: Version, text: &str, head: usize, last: u32) -> Option<Vec<Placed>> {
        let unit = self.room.unit;
        let whole = unit.of(&framed(piece, version, None, text));
        if whole + JOINT > self.free() && whole + JOINT <= self.whole() && self.used > self.whole() / 2 {
            // It fits into an output of its own, and this one is already well filled.
            self.next();
        }
        if self.slot >= last {
            return None;
        }
        if whole + JOINT <= self.free() {
            let slot = self.take(whole);
            return Some(vec![(slot, version.is_excerpt.then(|| Part::of_excerpt(1, 1)), text.to_owned())]);
        }
        let longest = Part { number: 999, of: 999, start: 0, stop: 0, total: text.len() };
        let frame = unit.of(&framed(piece, version, Some(longest), "")) + 1;
        let mut bodies: Vec<(u32, String)> = Vec::new();
        let (mut text, mut from, mut is_as_loaded, length) = (Cow::Borrowed(text), 0, true, text.len());
        while from < text.len() {
            let rest = &text[from..];
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
            bodies.push((self.take(size), body.to_owned()));
            let is_inside_line = !frames::ends_line(body);
            from += body.len();
            // What was in the middle of a line begins the next part.
            if let Some(safer) = frames::defuse_beginning(&text[from..]).filter(|_| is_inside_line) {
                (text, from, is_as_loaded) = (Cow::Owned(safer), 0, false);
            }
        }
        // Parts of an altered text cannot be found again, see [`Due::lost`].
        let (of, total, mut end) = (bodies.len() as u32, if is_as_loaded { length - head } else { 0 }, 0);
        let parts = bodies.into_iter().zip(1..).map(|((slot, body), number)| {
            let start = end;
            end += body.len();
            let part = Part { number, of, start: start.saturating_sub(head), stop: end.saturating_sub(head), total };
            (slot, Some(if version.is_excerpt { Part::of_excerpt(number, of) } else { part }), body)
        });
        Some(parts.collect())
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
            part: None,
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

/// Returns a piece's text with its label. New text in a source's own format has none, unless it had to be split.
fn framed(piece: &Piece, version: Version, part: Option<Part>, text: &str) -> String {
    let has_own_frame = matches!(piece.source.row().framing, Framing::Own { .. });
    if has_own_frame && version.earlier == 0 && part.is_none() {
        return text.to_owned();
    }
    let part = part.filter(|part| part.of > 1).map(|part| (part.number, part.of));
    let mut framed = window::label(&piece.path, &piece.reason.to_string(), version, part);
    framed.push_str(text);
    framed
}
