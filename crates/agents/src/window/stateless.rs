//! Delivery without a ledger, where each event is handled on its own.
//!
//! The store may be read-only, full, damaged, or of a newer version. Then a session's start delivers the domains and
//! the core files together, a message delivers its documents, and the first tool event after the ledger was lost
//! delivers the core files. Where a session's start carries nothing, the first message delivers everything. The log of
//! hooks remembers that it was sent; without it, these events deliver nothing, because they would repeat themselves. All
//! lanes of an event compute the same outputs, and each prints its own. Nothing is queued: what does not fit is named.

use briefing_core::fit::{Briefing, Due, Room, Standing, fit};
use briefing_core::render::window::{self, Place};
use briefing_core::settings::Settings;
use briefing_core::sources::{Opens, Source, Sources};
use briefing_core::{Moment, Note, NoteKind, Piece, Rendered, Silence};
use briefing_store::{Beat, StoreError, beats, can_beat};

use super::{Outcome, Target, Window};
use crate::lanes;
use crate::request::Start;

impl Window<'_> {
    /// Delivers what can be delivered without a ledger.
    pub(super) fn deliver_without_ledger(&mut self, settings: &Settings, error: &StoreError, target: &mut dyn Target) -> Outcome {
        self.notes.push(Note::warning("ledger", NoteKind::Fallback, format!("not used: {error}")));
        let request = self.request;
        let opening = request.only.map_or_else(|| self.sources_without_ledger(), Source::bit);
        let sources = opening & self.present;
        if !request.event.carries {
            return Outcome::Silent(Silence::CarriesNothing);
        }
        if sources == 0 {
            return Outcome::Silent(if self.present == 0 { Silence::NoSource } else { Silence::NotRemembered });
        }
        let pieces = self.bring(settings, sources, request.message.as_deref(), "").pieces;
        // Nothing can wait for a later event: what this one cannot send is named.
        let room = self.room();
        let (outputs, briefing) = outputs(&pieces, Room { outputs: room.lanes, ..room });
        self.notes.extend(briefing.notes);
        let Some(rendered) = outputs.get(usize::from(request.lane.number) - 1) else {
            let why = if pieces.is_empty() { self.found.silence.unwrap_or(Silence::Empty) } else { Silence::NothingDue };
            return Outcome::Silent(why);
        };
        lanes::wait_without_ledger(request, self.deadline);
        match target.deliver(rendered, None) {
            Ok(()) => {
                // Every lane computes everything; only the first one reports it.
                if request.lane.number == 1 {
                    self.sent = briefing.sent;
                }
                self.size = rendered.size;
                Outcome::DeliveredWithoutLedger
            }
            Err(error) => Outcome::NotPrinted { problem: error.to_string() },
        }
    }

    /// Returns the sources that open at an event without a ledger.
    fn sources_without_ledger(&self) -> Sources {
        match self.request.event.moment {
            Moment::Session if self.request.start == Start::Resume => 0,
            Moment::Session | Moment::SubAgent => Source::opening(&[Opens::First, Opens::Work]),
            Moment::Message if !self.has_start() && !self.has_sent_without_ledger() => Source::every(),
            Moment::Message => Source::opening(&[Opens::Message]),
            Moment::Tool if !self.has_sent_without_ledger() => Source::opening(&[Opens::Work]),
            _ => 0,
        }
    }

    /// Returns whether context reaches the model at the start of a session.
    fn has_start(&self) -> bool {
        self.request.agent.events.iter().any(|event| event.moment == Moment::Session && event.carries)
    }

    /// Returns whether this lane has sent the core files to this session without a ledger, or nothing could remember it.
    fn has_sent_without_ledger(&self) -> bool {
        let Some(place) = self.place.as_ref().filter(|place| can_beat(place)) else { return true };
        let (session, lane) = (self.key.short(), self.request.lane.number);
        let has_sent = |beat: &Beat| {
            let is_ours = beat.session == session && beat.lane == lane && beat.outcome == Outcome::DeliveredWithoutLedger;
            is_ours && self.request.agent.event(&beat.event).is_some_and(|event| event.moment != Moment::Message || !self.has_start())
        };
        beats(place).iter().any(has_sent)
    }
}

/// Returns the outputs of an event at which all pieces are due, and how they were fitted.
pub(crate) fn outputs(pieces: &[Piece], room: Room) -> (Vec<Rendered>, Briefing) {
    let due = (0..pieces.len()).map(|piece| Due { piece, ..Due::default() }).collect();
    let briefing = fit(&Standing { due, ..Standing::default() }, pieces, room);
    let count = briefing.segments.iter().map(|segment| segment.slot + 1).max().unwrap_or(0);
    let outputs = (0..count)
        .map(|slot| {
            let texts: Vec<&str> =
                briefing.segments.iter().filter(|segment| segment.slot == slot).map(|segment| segment.text.as_str()).collect();
            let (sent, has_more) = (count.min(room.lanes), count > room.lanes);
            let place = if slot < sent {
                Place { number: slot + 1, of: sent, is_continued: false, has_more }
            } else {
                Place { number: 1, of: 1, is_continued: true, has_more: slot + 1 < count }
            };
            let header = window::header(place);
            window::output(header.as_deref(), &texts, room.unit)
        })
        .collect();
    (outputs, briefing)
}
