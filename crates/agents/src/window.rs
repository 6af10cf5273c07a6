//! What is due in a window, delivered: the pipeline of the sources that open by themselves.
//!
//! [`brief`] is the whole of it: request → settings → gather, select and load (the sources bring pieces) → fit → render →
//! deliver → receipt. The hook, `brief tmux` and whoever comes next make a [`Request`] and name a [`Target`]; `preview`
//! runs the same stages without any state.

mod delivery;
mod receipt;
mod stateless;
mod transcript;
mod watchdog;

use std::io;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant, SystemTime};

use briefing_core::fit::Room;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::{self, Ask, Opens, Source, Sources, docs};
use briefing_core::{Moment, Note, NoteKind, Piece, Rendered};
use briefing_store::{Ledger, Place, SessionKey, StoreError};

pub use briefing_store::Outcome;
pub use receipt::Receipt;
pub(crate) use stateless::outputs;

use crate::agent::Agent;
use crate::host::Host;
use crate::request::Request;

/// A request takes no longer than this unless the user says otherwise (`hook.deadline_ms`).
pub const DEADLINE: Duration = Duration::from_millis(1500);
/// Time kept back for printing and confirming.
const RESERVE: Duration = Duration::from_millis(150);

/// Where an output goes: stdout as an agent's JSON, a pane of tmux, a program.
pub trait Target {
    /// Delivers an output as a whole, and returns only when it is out.
    fn deliver(&mut self, rendered: &Rendered) -> io::Result<()>;
}

/// A program that takes the text itself.
impl Target for String {
    fn deliver(&mut self, rendered: &Rendered) -> io::Result<()> {
        self.push_str(&rendered.text);
        Ok(())
    }
}

/// Returns the room of one output of an event.
pub fn room(agent: &Agent, is_whole: bool, lanes: u8) -> Room {
    let cap = if is_whole { agent.cap } else { agent.cautious_cap };
    Room { cap, unit: agent.unit, lanes: u32::from(lanes.max(1)) }
}

/// Delivers what is due in a window at this event, and says what became of it.
pub fn brief(request: &Request, host: &dyn Host, target: &mut dyn Target) -> Receipt {
    let mut window = Window::of(request, host);
    let outcome = window.brief(target);
    Receipt {
        outcome,
        session: window.key.short(),
        native: request.session.clone(),
        size: window.size,
        notes: window.notes,
        brought: window.brought,
        places: window.places,
        settings: window.settings,
    }
}

/// The window of a request, and what is known about it so far.
struct Window<'a> {
    request: &'a Request,
    host: &'a dyn Host,
    key: SessionKey,
    places: Places,
    /// Where the ledger is.
    place: Option<Place>,
    /// The sources that can have anything for this directory.
    present: Sources,
    settings: Option<Settings>,
    deadline: Instant,
    notes: Vec<Note>,
    /// The sources of which this process has brought something into the window.
    brought: Sources,
    /// What was delivered, in the agent's unit.
    size: u64,
}

/// An open ledger, which is never closed: what closing does, the next process can do.
type Open = ManuallyDrop<Box<dyn Ledger>>;

impl<'a> Window<'a> {
    fn of(request: &'a Request, host: &'a dyn Host) -> Self {
        let places = host.places_at(request.directory());
        let names_index = docs::INDEX_VARIABLES.iter().any(|name| host.is_set(name));
        let only = request.only.map_or(Sources::MAX, Source::bit);
        Self {
            request,
            host,
            key: SessionKey::new(request.agent.name, &request.session, request.sub_agent.as_deref()),
            place: Place::of(&places),
            present: sources::present(&places, names_index) & only,
            places,
            settings: None,
            deadline: request.started + DEADLINE,
            notes: Vec::new(),
            brought: 0,
            size: 0,
        }
    }

    fn brief(&mut self, target: &mut dyn Target) -> Outcome {
        // Nothing to say here, and nothing that the ledger must know: the database stays closed.
        if self.is_silent() {
            return Outcome::Silent;
        }
        // Most events of a session find nothing due, and the ledger knows it without a lock, settings or a watchdog.
        let mut opened = self.open_existing();
        if let Some(ledger) = opened.as_mut() {
            self.forget_what_was_lost(&mut ***ledger);
            if self.is_quiet(&mut ***ledger) {
                return Outcome::Silent;
            }
        }
        let settings = self.decide_settings();
        let _watchdog = watchdog::Watchdog::start(self.deadline + RESERVE);
        let mut ledger = match opened.map_or_else(|| self.open(), |ledger| Ok(Some(ledger))) {
            Ok(Some(ledger)) => ledger,
            Ok(None) => return Outcome::Silent,
            Err(error) => return self.deliver_without_ledger(&settings, &error, target),
        };
        ledger.set_patience(patience(self.deadline));
        match self.deliver(&settings, &mut **ledger, target) {
            Ok(outcome) => outcome,
            Err(StoreError::Busy) => Outcome::Busy,
            Err(error) => {
                if let (StoreError::Corrupt(_), Some(place)) = (&error, &self.place) {
                    let _ = briefing_store::set_aside(place);
                }
                self.deliver_without_ledger(&settings, &error, target)
            }
        }
    }

    /// Whether the event can neither carry anything nor changes what is due, whatever the ledger says.
    fn is_silent(&self) -> bool {
        let event = self.request.event;
        let has_effect = event.carries || self.owes();
        !self.request.is_reset && (self.present == 0 || !has_effect || event.moment == Moment::Nothing)
    }

    /// Whether this message's documents are left to the next event, because its own context is dropped by the agent.
    fn owes(&self) -> bool {
        let event = self.request.event;
        event.moment == Moment::Message && !event.carries && self.present & by_message() != 0
    }

    /// Opens the ledger that is there, for a look. Whatever hinders that, [`Window::open`] deals with.
    fn open_existing(&self) -> Option<Open> {
        // The user's own deadline is not known yet; looking waits only for a process that repairs the journal.
        let ledger = briefing_store::open_existing(self.place.as_ref()?, patience(self.deadline));
        ledger.ok().flatten().map(ManuallyDrop::new)
    }

    /// Opens the ledger. `None`: there is none yet, and this event gives no reason to make one.
    fn open(&mut self) -> Result<Option<Open>, StoreError> {
        let Some(place) = &self.place else { return Err(StoreError::Unusable("no state directory is known".into())) };
        let patience = patience(self.deadline);
        if self.present == 0 {
            return Ok(briefing_store::open_existing(place, patience)?.map(ManuallyDrop::new));
        }
        let opened = briefing_store::open(place, patience)?;
        if let Some(path) = opened.set_aside {
            let note = Note::warning(path.display().to_string(), NoteKind::Fallback, "the damaged ledger was renamed to this");
            self.notes.push(note);
        }
        Ok(Some(ManuallyDrop::new(opened.ledger)))
    }

    /// Decides the settings, and with them the deadline.
    fn decide_settings(&mut self) -> Settings {
        let (settings, problems) = self.host.settings(&self.places);
        self.notes.extend(problems);
        let asks_a_model =
            self.request.event.moment == Moment::Message && self.present & by_message() != 0 && docs::asks_a_model(&settings);
        let mut allowed = Duration::from_millis(settings.hook.deadline_ms.value);
        if asks_a_model {
            allowed += Duration::from_millis(settings.selector.timeout_ms.value);
        }
        self.deadline = self.request.started + self.request.patience.unwrap_or(allowed);
        self.settings = Some(settings.clone());
        settings
    }

    /// Asks sources for their pieces: gather, select and load.
    fn bring(&mut self, settings: &Settings, sources: Sources, message: Option<&str>) -> Vec<Piece> {
        let now = self.host.now();
        let ask = Ask { places: &self.places, settings, message, now, deadline: self.deadline, helper: self.host };
        let (pieces, notes) = sources::bring(&ask, sources);
        self.notes.extend(notes);
        pieces
    }

    /// Returns the room of one output of this handler.
    fn room(&self) -> Room {
        let request = self.request;
        match request.only {
            // Spec 2's command knows no caps: files are bounded where they are read.
            Some(_) => Room { cap: u64::MAX / 4, unit: request.agent.unit, lanes: 1 },
            None => room(request.agent, request.lane.is_whole, request.event.lanes),
        }
    }
}

/// Returns the sources that look at the message.
fn by_message() -> Sources {
    Source::opening(&[Opens::Message])
}

/// Returns how long a lock may be waited for.
fn patience(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now() + RESERVE)
}

/// Returns milliseconds since 1970. Leases compare real time, whatever a test says the time is.
pub(crate) fn wall_clock() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
