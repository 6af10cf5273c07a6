//! Compares open receipts with the records of a transcript, one record after the other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use briefing_core::render::window::plain;
use briefing_store::{Judged, Look, OpenReceipts, Unproven, Verdict};
use jiff::Timestamp;
use memchr::memmem;
use serde_json::Value;

use super::format::{Is, Shown, Transcript};
use super::{Found, Visitor};
use crate::agent::Agent;

/// How many bytes one look hashes at most. A transcript that repeats our labels endlessly is given up.
const MAX_HASHED: u64 = 256 << 20;

/// Records are written after the hook has ended, but clocks have their own granularity.
const SLACK_MILLIS: i64 = 250;

/// What was found of one delivery.
#[derive(Debug, Clone, Default)]
struct Trace {
    /// The record that has the whole text, by the place of its kind among [`Transcript::shown`].
    whole: Option<(usize, String)>,
    /// The record that has only its beginning.
    beginning: Option<String>,
}

pub(super) struct Comparison<'a> {
    transcript: &'a Transcript,
    /// What can never be known, with the reason.
    unknowable: Vec<Judged>,
    /// What is searched for.
    wanted: Vec<&'a Unproven>,
    traces: BTreeMap<i64, Trace>,
    look: Look,
    hashed: u64,
    /// Where this look began.
    start: u64,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(agent: &Agent, transcript: &'a Transcript, open: &'a OpenReceipts) -> Self {
        let mut unknowable = Vec::new();
        let mut wanted = Vec::new();
        for delivery in &open.deliveries {
            match never_known(agent, transcript, delivery) {
                Some(reason) => unknowable.push(Judged::unknowable(delivery.id, reason)),
                None => wanted.push(delivery),
            }
        }
        let look = open.look.clone();
        Self { transcript, unknowable, wanted, traces: BTreeMap::new(), start: look.offset, look, hashed: 0 }
    }

    /// Returns whether there is nothing to search for.
    pub(super) fn is_done(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Searches for every delivery that this text may hold.
    fn compare(&mut self, rank: usize, shown: &Shown, text: &str, at: u64) {
        let text = self.plain(text);
        for place in 0..self.wanted.len() {
            let delivery = self.wanted[place];
            let is_better = self.traces.get(&delivery.id).and_then(|trace| trace.whole.as_ref()).is_none_or(|(best, _)| rank < *best);
            if is_better && self.may_show(delivery) {
                self.search(delivery, rank, shown, text.as_bytes(), at);
            }
        }
    }

    fn search(&mut self, delivery: &Unproven, rank: usize, shown: &Shown, text: &[u8], at: u64) {
        let opening = self.plain(&delivery.opening);
        let (hash, length) = match &delivery.plain {
            Some(whole) if self.transcript.is_escaped => whole,
            _ => &delivery.whole,
        };
        let trace = self.traces.entry(delivery.id).or_default();
        for start in memmem::find_iter(text, opening.as_bytes()) {
            let whole = usize::try_from(*length).ok().and_then(|length| text[start..].get(..length));
            self.hashed += whole.map_or(0, |whole| whole.len() as u64);
            if self.hashed > MAX_HASHED {
                self.look.damaged = i64::MAX;
                return;
            }
            let record = || format!("{} at byte {at}", shown.name);
            if whole.is_some_and(|whole| blake3::hash(whole).to_hex().as_str() == hash) {
                trace.whole = Some((rank, record()));
                return;
            }
            if shown.is_context {
                trace.beginning.get_or_insert_with(record);
            }
        }
    }

    /// Returns a text as it was before the agent escaped it.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.transcript.is_escaped { plain(text) } else { text.into() }
    }

    /// Returns whether the current record can be about a delivery: not if it is older, and not if the same text was
    /// delivered again in between.
    fn may_show(&self, delivery: &Unproven) -> bool {
        let now = self.look.last;
        let is_again = |other: &&Unproven| other.whole == delivery.whole && other.at > delivery.at && other.at <= now;
        delivery.at <= now.saturating_add(SLACK_MILLIS) && !self.wanted.iter().any(is_again)
    }

    /// Returns how far the transcript was read, and what is now certain.
    pub(super) fn finish(mut self, is_complete: bool) -> Found {
        let mut judged = std::mem::take(&mut self.unknowable);
        let mut is_begun = false;
        for delivery in &self.wanted {
            let trace = self.traces.remove(&delivery.id).unwrap_or_default();
            let was_asked = self.look.answered > delivery.at;
            let has_beginning = trace.beginning.is_some();
            let verdict = match (trace.whole, trace.beginning) {
                (Some((_, proof)), _) => Some(Judged { id: delivery.id, verdict: Verdict::Seen, proof }),
                _ if !was_asked => None,
                (_, Some(proof)) => Some(Judged { id: delivery.id, verdict: Verdict::Cut, proof }),
                _ if delivery.at <= self.look.damaged => {
                    Some(Judged::unknowable(delivery.id, "a part of the transcript that may have it cannot be read"))
                }
                // What follows may still have it.
                _ if !is_complete => None,
                _ => {
                    let proof = format!("not in the transcript up to byte {}, and the model was asked", self.look.offset);
                    Some(Judged { id: delivery.id, verdict: Verdict::Missing, proof })
                }
            };
            is_begun |= verdict.is_none() && has_beginning;
            judged.extend(verdict);
        }
        // A beginning is not kept, so the next look must find it again. One that stopped in the middle must get on.
        if is_begun && is_complete {
            self.look.offset = self.start;
        }
        Found { look: self.look, judged }
    }
}

impl Visitor for Comparison<'_> {
    /// A file that is new or has become shorter is read from its beginning.
    fn begin(&mut self, file: &str, length: u64) -> u64 {
        if self.look.file != file || self.look.offset > length {
            self.look = Look { file: file.to_owned(), ..Look::default() };
        }
        self.start = self.look.offset;
        self.start
    }

    fn pass(&mut self, end: u64) {
        self.look.offset = end;
    }

    fn damage(&mut self, end: u64) {
        self.look.damaged = i64::MAX;
        self.look.offset = end;
    }

    fn record(&mut self, record: &Value, at: u64, end: u64) {
        self.look.offset = end;
        if let Some(time) = time(record) {
            self.look.last = self.look.last.max(time);
            self.look.damaged = self.look.damaged.min(self.look.last);
        }
        for (rank, shown) in self.transcript.shown.iter().enumerate().filter(|(_, shown)| matches(record, shown.is)) {
            for path in shown.texts {
                texts(record, path, false, &mut |text| self.compare(rank, shown, text, at));
            }
        }
        if self.transcript.inputs.iter().any(|is| matches(record, is)) {
            self.look.asked = self.look.last;
        }
        if self.transcript.answers.iter().any(|is| matches(record, is)) {
            self.look.answered = self.look.asked;
        }
    }
}

/// Returns why nothing can ever be said about a delivery.
fn never_known(agent: &Agent, transcript: &Transcript, delivery: &Unproven) -> Option<&'static str> {
    if delivery.opening.is_empty() {
        return Some("delivered by an earlier version of brief, which did not write down what to look for");
    }
    if delivery.is_inherited {
        return Some("delivered to the session that this one was forked from");
    }
    if agent.event(&delivery.event).is_none() {
        return Some("printed by a command, not by a hook: what the agent passed on of that is its tool's output");
    }
    let is_recorded = delivery.moment.is_some_and(|moment| transcript.recorded.contains(&moment));
    (!is_recorded).then_some("this agent does not record the text of this event")
}

/// Returns the time of a record, in milliseconds since 1970.
pub(super) fn time(record: &Value) -> Option<i64> {
    match record.get("timestamp")? {
        Value::String(text) => text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond),
        number => number.as_i64(),
    }
}

pub(super) fn matches(record: &Value, is: Is) -> bool {
    is.iter()
        .all(|(path, expected)| path.split('.').try_fold(record, |value, name| value.get(name)).and_then(Value::as_str) == Some(expected))
}

/// Calls `found` with every text at a path, and with those below it if they count.
pub(super) fn texts(value: &Value, path: &str, is_deep: bool, found: &mut dyn FnMut(&str)) {
    if path.is_empty() {
        match value {
            Value::String(text) => found(text),
            Value::Array(items) if is_deep => items.iter().for_each(|item| texts(item, "", true, found)),
            Value::Object(fields) if is_deep => fields.values().for_each(|field| texts(field, "", true, found)),
            _ => {}
        }
        return;
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    match (name, value) {
        ("*", Value::Array(items)) => items.iter().for_each(|item| texts(item, rest, is_deep, found)),
        _ => {
            if let Some(inner) = value.get(name) {
                texts(inner, rest, is_deep, found);
            }
        }
    }
}
