//! With the ledger: arrive, plan or wait for the plan, claim, take turns, print, confirm.

use std::io::Write;
use std::time::{Duration, Instant};

use briefing_core::sources::gate;
use briefing_store::{
    Admission, Arrangement, Arrival, Arrived, Claim, Due, Holder, Ledger, Look, Offer, Parent, PlanState, Printer, Receipt, SessionKey,
    Standing, StoreError,
};

use super::{Hook, Outcome, Setting, wall_clock};
use crate::agent::{Keeps, When};
use crate::fit::{Brought, fit};
use crate::fork::{self, Origin};
use crate::gate_alone;
use crate::lanes;
use crate::moment::{self, AFTER_RESET, MESSAGE};
use crate::render;
use crate::request::{Request, Start};
use crate::source::{Source, Sources};

/// How often a lane looks whether the event is planned.
const PAUSE: Duration = Duration::from_micros(500);

impl Hook<'_> {
    pub(super) fn deliver(
        &mut self,
        setting: &Setting<'_>,
        ledger: &mut dyn Ledger,
        output: &mut dyn Write,
    ) -> Result<Outcome, StoreError> {
        let request = setting.request;
        let holder = Holder::me();
        let mut arrived = self.arrive(setting, ledger, &holder, request.is_reset)?;
        if !setting.carries {
            return Ok(if request.is_reset { Outcome::Emptied } else { Outcome::Silent });
        }
        let printer = Printer {
            lane: self.call.lane.number,
            lanes: request.event.lanes.max(1),
            holder: &holder,
            reaped_as: lanes::reaped_as(self.client()),
        };
        let claim = loop {
            match arrived.state {
                PlanState::Mine => break self.plan(setting, ledger, &arrived, printer)?,
                PlanState::Ready => break ledger.claim(arrived.plan, printer, wall_clock())?,
                PlanState::Lost => arrived = self.arrive(setting, ledger, &holder, false)?,
                PlanState::Others if Instant::now() > setting.deadline => return Ok(Outcome::Busy),
                PlanState::Others => {
                    std::thread::sleep(PAUSE);
                    arrived.state = ledger.plan_state(arrived.plan)?;
                }
            }
        };
        if claim.rows.is_empty() {
            return Ok(Outcome::Silent);
        }
        self.say(setting, ledger, &claim, output)
    }

    fn arrive(&self, setting: &Setting<'_>, ledger: &mut dyn Ledger, holder: &Holder, is_reset: bool) -> Result<Arrived, StoreError> {
        let request = setting.request;
        let origin = self.origin(request);
        // Two resumes look alike but for the client's process.
        let occasion = format!("{} {}", request.occasion, self.client().unwrap_or_default());
        let parent_key = origin.as_ref().map(|origin| SessionKey::new(request.agent.name, &origin.session, None));
        let is_resumed = request.event.when == When::Session && request.start == Start::Resume;
        let forgets = is_resumed && request.agent.keeps == Keeps::Messages;
        let keeps_message = setting.present & Source::Docs.bit() != 0;
        ledger.arrive(&Arrival {
            key: setting.key,
            plan: (request.event.lanes > 1).then_some(occasion.as_str()),
            lane: self.call.lane.number,
            cwd: &briefing_core::shown::path_text(&setting.places.here),
            now: wall_clock(),
            holder,
            is_reset,
            // Nothing of the work before goes on after it was cleared.
            owed_after_reset: if request.start == Start::Clear { 0 } else { AFTER_RESET },
            forget_all_but: forgets.then_some(MESSAGE),
            forget_sources: if forgets { Source::Domains.bit() | Source::Gate.bit() } else { 0 },
            owe: if setting.owes { Source::Docs.bit() } else { 0 },
            message: request.message.as_deref().filter(|_| keeps_message),
            parent: origin.zip(parent_key.as_ref()).map(|(origin, key)| Parent { key, until: origin.until }),
        })
    }

    /// Returns where a fork comes from.
    fn origin(&self, request: &Request) -> Option<Origin> {
        let is_fork = request.event.when == When::Session && request.start == Start::Fork;
        let transcript = request.transcript.as_deref().filter(|_| is_fork)?;
        fork::origin(transcript, self.client().and_then(fork::Client::of).as_ref())
    }

    /// Returns the agent's own process, where it says which one it is.
    fn client(&self) -> Option<u32> {
        (self.call.host.variable)("CLAUDE_PID").and_then(|pid| pid.parse().ok())
    }

    /// Plans the event: asks the sources, fits what is due, and claims this lane's own output.
    fn plan(
        &mut self,
        setting: &Setting<'_>,
        ledger: &mut dyn Ledger,
        arrived: &Arrived,
        printer: Printer<'_>,
    ) -> Result<Claim, StoreError> {
        let request = setting.request;
        let look = &arrived.look;
        let open = moment::sources(request.agent, request.event, request.start, look.done, look.owed);
        let sources = wanted(request, open & setting.present, &look.message);
        let message = request.message.as_deref().or(Some(&look.message)).filter(|message| !message.is_empty());
        let brought = self.bring(setting, sources, message);
        let hex = |hash: &blake3::Hash| hash.to_hex().to_string();
        let hashes: Vec<(String, Option<String>)> =
            brought.iter().map(|item| (hex(&item.piece.hash), item.piece.whole.as_ref().map(|whole| hex(&whole.hash)))).collect();
        let offers: Vec<Offer<'_>> = brought
            .iter()
            .zip(&hashes)
            .map(|(item, (hash, of_whole))| Offer {
                piece: &item.piece.id,
                hash,
                whole: item.piece.whole.as_ref().map(|whole| whole.id.as_str()).zip(of_whole.as_deref()),
            })
            .collect();
        let room = self.call.room();
        let is_alone = self.call.is_gate_alone;
        let (mut notes, mut is_gate_out) = (Vec::new(), false);
        let mut arrange = |standing: &Standing| -> Arrangement {
            is_gate_out = standing.due.iter().any(|due| brought[due.offer].source == Source::Gate);
            let bannered = if look.done & Source::Gate.bit() == 0 { with_banner(&brought, &standing.due) } else { None };
            let brought = bannered.as_deref().unwrap_or(&brought);
            let fitted = if is_alone { gate_alone::arrange(standing, brought, room) } else { fit(standing, brought, room) };
            notes = fitted.notes;
            fitted.arrangement
        };
        // Documents are never done: the next message may need others. What was owed of an absent source is paid.
        let paid = if is_alone { 0 } else { look.owed & (Source::Docs.bit() | !setting.present) };
        let done = (sources & !Source::Docs.bit()) | paid;
        let claim = ledger.admit(&mut Admission {
            printer,
            session: look.session,
            epoch: look.epoch,
            plan: arrived.plan,
            moment: moment::word(request.event.when),
            now: wall_clock(),
            offers: &offers,
            done,
            arrange: &mut arrange,
        })?;
        self.note_all(&notes);
        if is_gate_out {
            self.injected = Some((setting.places.clone(), setting.settings.clone(), request.session.clone()));
        }
        Ok(claim)
    }

    fn say(
        &mut self,
        setting: &Setting<'_>,
        ledger: &mut dyn Ledger,
        claim: &Claim,
        output: &mut dyn Write,
    ) -> Result<Outcome, StoreError> {
        let segments: Vec<&str> = claim.rows.iter().map(|row| row.text.as_str()).collect();
        let header = (claim.of > 1 && !self.call.is_gate_alone).then(|| render::header(claim.number, claim.of));
        let context = render::output(header.as_deref(), &segments);
        if claim.follows {
            lanes::wait_for_turn(ledger, claim, setting.deadline);
        }
        let size = match self.print(&context, output) {
            Ok(size) => size,
            Err(error) => {
                ledger.release(claim)?;
                return Ok(Outcome::NotPrinted(error.to_string()));
            }
        };
        let receipt = Receipt {
            now: wall_clock(),
            event: self.call.event,
            lane: self.call.lane.number,
            micros: u64::try_from(self.call.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            outcome: "delivered",
            size,
            notes: &self.notes,
        };
        // It is out. If this fails it goes out once more: at least once here, exactly once otherwise.
        let _ = ledger.confirm(claim, &receipt);
        let _ = ledger.tidy();
        Ok(Outcome::Delivered { size })
    }
}

/// Puts the gate's banner above the first of its files that is due, where another source has brought the one that has it.
fn with_banner(brought: &[Brought], due: &[Due]) -> Option<Vec<Brought>> {
    let gates = due.iter().map(|due| due.offer).filter(|offer| brought[*offer].source == Source::Gate);
    let first = gates.min_by_key(|offer| brought[*offer].piece.order)?;
    let piece = &brought[first].piece;
    if piece.text.starts_with(gate::BANNER_START) || piece.id.ends_with("#footer") {
        return None;
    }
    let mut brought = brought.to_vec();
    brought[first].piece.text.insert_str(0, &gate::banner());
    Some(brought)
}

/// Tells whether an event has nothing to say and changes nothing, from what the ledger knows of its session.
pub(super) fn is_quiet(request: &Request, present: Sources, owes: bool, look: Option<&Look>) -> bool {
    if request.is_reset || owes {
        return present == 0 && look.is_none();
    }
    let sources = moment::sources_for(request.agent, request.event, request.start, look) & present;
    look.is_none_or(|look| look.open == 0) && wanted(request, sources, look.map_or("", |look| &look.message)) == 0
}

/// Leaves out the documents where there are no words to select them by.
fn wanted(request: &Request, sources: Sources, kept: &str) -> Sources {
    let has_words = request.message.is_some() || (request.event.when != When::Message && !kept.is_empty());
    if has_words { sources } else { sources & !Source::Docs.bit() }
}
