//! Delivers what is due in a context window, from the sources that open automatically.
//!
//! [`brief`] runs the pipeline: request → settings → gather, select and load (the sources return pieces) → fit →
//! render → deliver → receipt. A caller such as the hook or `brief tmux` makes a [`Request`] and passes a [`Target`];
//! `preview` runs the same stages without state.

mod delivery;
mod logging;
mod proof;
mod receipt;
pub mod requested;
mod stateless;
mod watchdog;

use std::io;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use briefing_core::fit::{MAX_OUTPUTS, Room, Sent};
use briefing_core::secrets::redact;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::instructions::{Reader, in_message, may_have_come, resolve};
use briefing_core::sources::{self, Ask, Gathered, Look, Opens, Source, Sources, docs};
use briefing_core::watch;
use briefing_core::{Moment, Note, NoteKind, Piece, Rendered, Silence};
use briefing_store::{Holder, Ledger, Place, SessionKey, StoreError};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use briefing_store::Outcome;
use logging::Found;
pub use receipt::Receipt;
pub(crate) use stateless::outputs;

use crate::agent::Agent;
use crate::ancestry;
use crate::host::Host;
use crate::loading;
use crate::request::{Request, Start};

/// The default time limit of a request. Users set it with `hook.deadline_ms`.
pub const DEADLINE: Duration = Duration::from_millis(1500);
/// Time reserved for printing and confirming.
const RESERVE: Duration = Duration::from_millis(150);

/// The destination of an output: an agent's JSON on stdout, a tmux pane, or a program.
pub trait Target {
    /// Delivers a whole output and returns when it has been written. The announcement tells the user what went in, if the
    /// target can show it.
    fn deliver(&mut self, rendered: &Rendered, announcement: Option<&str>) -> io::Result<()>;
}

/// For a program that uses the text itself.
impl Target for String {
    fn deliver(&mut self, rendered: &Rendered, _: Option<&str>) -> io::Result<()> {
        self.push_str(&rendered.text);
        Ok(())
    }
}

/// Returns the room of one output of an event.
pub fn room(agent: &Agent, is_whole: bool, lanes: u8) -> Room {
    let cap = if is_whole { agent.cap } else { agent.cautious_cap };
    Room { cap, unit: agent.unit, lanes: u32::from(lanes.max(1)), outputs: MAX_OUTPUTS }
}

/// Delivers what is due in a window at this event, and returns a receipt.
pub fn brief(request: &Request, host: &dyn Host, target: &mut dyn Target) -> Receipt {
    let mut window = Window::of(request, host);
    let outcome = window.brief(target);
    Receipt {
        outcome,
        session: window.key.short(),
        native: request.session.clone(),
        size: window.size,
        notes: window.notes,
        is_logged: window.is_logged,
        sent: window.sent,
        places: window.places,
        settings: window.settings,
    }
}

/// The window of a request, and the state of the request so far.
struct Window<'a> {
    request: &'a Request,
    host: &'a dyn Host,
    key: SessionKey,
    /// The session that another live process has open too, if this is a second window of it.
    beside: Option<SessionKey>,
    /// The agent's own process, if it is not the one in the ledger.
    client: String,
    places: Places,
    /// Where the ledger is.
    place: Option<Place>,
    /// The sources that may have something for this directory.
    present: Sources,
    settings: Option<Rc<Settings>>,
    deadline: Instant,
    notes: Vec<Note>,
    /// The sources with a file that has changed since the window received it.
    changed: Sources,
    /// Whether something that was touched earlier may have changed, although no source has anything for this event.
    may_have_changed: bool,
    /// The paths in the project that the event touches.
    touched: Vec<PathBuf>,
    /// The sources that open because of them.
    touching: Sources,
    /// Whether the window has received nothing yet.
    is_first: bool,
    /// What this process has delivered or queued.
    sent: Vec<Sent>,
    /// The size of what was delivered, in the agent's unit.
    size: u64,
    /// Whether the ledger has logged the outcome.
    is_logged: bool,
    /// The user's words without secrets, once they are needed.
    words: Option<String>,
    found: Found,
}

/// An open ledger. It is never closed, because closing takes time and the next process can do the same work.
type Open = ManuallyDrop<Box<dyn Ledger>>;

impl<'a> Window<'a> {
    fn of(request: &'a Request, host: &'a dyn Host) -> Self {
        let places = host.places_at(request.directory());
        let named = sources::named(|name| host.is_set(name));
        let only = request.only.map_or(Sources::MAX, Source::bit);
        let touched = resolve(&request.touches, &places.here);
        let reader = loading::usual_reader(request.agent, &places.here);
        let look = Look { places: &places, reader: &reader, touched: &touched };
        Self {
            request,
            host,
            key: SessionKey::new(request.agent.name, &request.session, request.sub_agent.as_deref()),
            beside: None,
            client: String::new(),
            place: Place::of(&places),
            present: sources::present(&look, named) & only,
            may_have_changed: request.message.is_some() && request.only.is_none() && may_have_come(&reader),
            touched,
            touching: 0,
            places,
            settings: None,
            deadline: request.started + DEADLINE,
            notes: Vec::new(),
            changed: 0,
            is_first: false,
            sent: Vec::new(),
            size: 0,
            is_logged: false,
            words: None,
            found: Found::default(),
        }
    }

    fn brief(&mut self, target: &mut dyn Target) -> Outcome {
        // Nothing to deliver and nothing to record, so the database is not opened.
        if let Some(why) = self.is_silent() {
            return Outcome::Silent(why);
        }
        // At most events nothing is due. Finding that out needs no lock, settings or watchdog.
        let mut opened = self.open_existing();
        if opened.as_mut().is_some_and(|ledger| self.is_partly_emptied(&mut ***ledger)) {
            return Outcome::Emptied;
        }
        if opened.as_mut().is_some_and(|ledger| self.is_quiet(&mut ***ledger)) {
            return Outcome::Silent(self.why_quiet());
        }
        if opened.is_none() || self.request.client.is_none() {
            self.client = self.process().and_then(Holder::of).map(|client| client.text()).unwrap_or_default();
        }
        let settings = self.decide_settings();
        let _watchdog = watchdog::Watchdog::start(self.deadline + RESERVE);
        let mut ledger = match opened.map_or_else(|| self.open(), |ledger| Ok(Some(ledger))) {
            Ok(Some(ledger)) => ledger,
            Ok(None) => return Outcome::Silent(Silence::NoSource),
            Err(error) => return self.deliver_without_ledger(&settings, &error, target),
        };
        ledger.set_patience(patience(self.deadline));
        match self.deliver(&settings, &mut **ledger, target) {
            Ok(outcome) => outcome,
            Err(StoreError::Busy) => Outcome::Busy,
            Err(error) => self.deliver_without_ledger(&settings, &error, target),
        }
    }

    /// Returns the agent's own process. Whether a second one works on the same session is only decided by one that the agent
    /// names itself; any other is only kept for the server that it may have started.
    fn process(&self) -> Option<u32> {
        let agent = self.request.agent;
        let found = || agent.mcp.filter(|_| agent.process_variable.is_empty()).and_then(|_| ancestry::of_hook(agent));
        self.request.client.or_else(found)
    }

    /// Returns why the event can neither carry context nor change what is due, regardless of the ledger, if so.
    fn is_silent(&self) -> Option<Silence> {
        let event = self.request.event;
        let has_effect = event.carries || event.moment == Moment::Message;
        if self.request.is_reset {
            return None;
        }
        if !has_effect || event.moment == Moment::Nothing {
            return Some(Silence::CarriesNothing);
        }
        (self.present == 0 && !self.may_have_changed).then_some(Silence::NoSource)
    }

    /// Returns why nothing is due according to the ledger.
    fn why_quiet(&self) -> Silence {
        let (request, event) = (self.request, self.request.event);
        let is_wordless = event.moment == Moment::Message && request.message.is_none() && self.present & by_message() != 0;
        match () {
            () if self.present == 0 => Silence::NoSource,
            () if !event.carries => Silence::CarriesNothing,
            () if is_wordless => Silence::NoMessage,
            () => Silence::NothingDue,
        }
    }

    /// Returns the user's words without secrets.
    fn words(&mut self) -> Option<&str> {
        if self.words.is_none() {
            self.words = self.request.message.as_deref().map(|message| redact(message).text.into_owned());
        }
        self.words.as_deref()
    }

    /// Returns the sources that must wait for the next event, because the agent drops context at this one: this message's
    /// documents, and what has changed.
    fn owes(&self) -> Sources {
        let event = self.request.event;
        let is_mute = event.moment == Moment::Message && !event.carries;
        if is_mute { (self.present & by_message()) | self.changed | self.touching } else { 0 }
    }

    /// Opens an existing ledger to look into it. Errors are ignored here; [`Window::open`] handles them.
    fn open_existing(&self) -> Option<Open> {
        // The user's deadline is not known yet. Reading waits only for a process that repairs the journal.
        let ledger = briefing_store::open_existing(self.place.as_ref()?, patience(self.deadline));
        ledger.ok().flatten().map(ManuallyDrop::new)
    }

    /// Opens the ledger. Returns `None` if there is none yet and this event needs none.
    fn open(&mut self) -> Result<Option<Open>, StoreError> {
        let Some(place) = &self.place else { return Err(StoreError::Unusable("cannot determine the state directory".into())) };
        let patience = patience(self.deadline);
        if self.present == 0 {
            return Ok(briefing_store::open_existing(place, patience)?.map(ManuallyDrop::new));
        }
        let opened = briefing_store::open(place, patience)?;
        if let Some(path) = opened.set_aside {
            let note =
                Note::warning(path.display().to_string(), NoteKind::Fallback, "the ledger was damaged: what could be read is in a new one");
            self.notes.push(note);
        }
        Ok(Some(ManuallyDrop::new(opened.ledger)))
    }

    /// Resolves the settings and sets the deadline from them.
    fn decide_settings(&mut self) -> Rc<Settings> {
        if let Some(settings) = &self.settings {
            return Rc::clone(settings);
        }
        let (settings, problems) = self.host.settings(&self.places);
        self.notes.extend(problems);
        let asks_a_model =
            self.request.event.moment == Moment::Message && self.present & by_message() != 0 && docs::asks_a_model(&settings);
        let mut allowed = Duration::from_millis(settings.hook.deadline_ms.value);
        if asks_a_model {
            allowed += Duration::from_millis(settings.selector.timeout_ms.value);
        }
        self.deadline = self.request.started + self.request.patience.unwrap_or(allowed);
        let settings = Rc::new(settings);
        self.settings = Some(Rc::clone(&settings));
        settings
    }

    /// Returns the sources that open with the first event because the settings say so, for a window with these `done` sources.
    fn early(&mut self, done: Sources) -> Sources {
        let is_early = matches!(self.request.event.moment, Moment::Session | Moment::Message);
        let open = self.present & Source::opening(&[Opens::Work]) & !done;
        if !is_early || open == 0 || sources::may_open_early(&self.places, |name| self.host.is_set(name)) & open == 0 {
            return 0;
        }
        sources::early(&self.decide_settings())
    }

    /// Gathers, selects and loads the pieces of these sources.
    ///
    /// `watched` is the list of files that the window depends on.
    fn bring(&mut self, settings: &Settings, sources: Sources, message: Option<&str>, watched: &str) -> Gathered {
        let (reader, received) = (self.reader(), watch::paths(watched, Source::Instructions));
        // A message that came with an event at which the agent drops context counts at the next one.
        if self.request.message.is_none() {
            let earlier = message.map(in_message).unwrap_or_default();
            self.touched.extend(resolve(&earlier, &self.places.here));
        }
        let mut gathered = sources::bring(&self.ask(settings, &reader, message, &received), sources);
        self.notes.append(&mut gathered.notes);
        self.found = Found::of(&mut gathered, sources);
        gathered
    }

    fn ask<'b>(&'b self, settings: &'b Settings, reader: &'b Reader, message: Option<&'b str>, received: &'b [&'b str]) -> Ask<'b> {
        let look = Look { places: &self.places, reader, touched: &self.touched };
        Ask { message, received, ..Ask::new(&look, settings, self.host.now(), self.deadline, self.host) }
    }

    /// Returns whose window it is. The command of spec 2 prints the whole message, whatever the agent loads by itself.
    fn reader(&self) -> Reader {
        match self.request.only {
            Some(_) => Reader::unknown(&self.places.here),
            None => loading::reader_of(self.request.agent, &self.places, self.host),
        }
    }

    /// Returns the sources that open because of what the event touches, for a window with these `done` sources.
    fn touching(&mut self, done: Sources, watched: &str) -> Sources {
        let open = self.present & done;
        if self.touched.is_empty() || open == 0 {
            return 0;
        }
        let (places, touched, reader) =
            (self.places.clone(), self.touched.clone(), loading::usual_reader(self.request.agent, &self.places.here));
        let look = Look { places: &places, reader: &reader, touched: &touched };
        sources::touched(&look, watched, open, || self.decide_settings())
    }

    /// Returns whether a session that begins with this event is told what changed since the agent's last one.
    fn tells_changes(&self) -> bool {
        let (request, event) = (self.request, self.request.event);
        let begins = event.moment == Moment::Session && request.start == Start::Startup && event.carries;
        begins && request.only.is_none() && request.sub_agent.is_none() && self.present & Source::telling_changes() != 0
    }

    /// Returns what changed since the agent's last session.
    fn changes(&self, settings: &Settings, ledger: &mut dyn Ledger) -> Vec<Piece> {
        let mut earlier = |piece: &str| {
            let earlier = ledger.earlier(&self.key, piece).ok().flatten()?;
            let on = Timestamp::from_millisecond(earlier.last_seen).ok()?.to_zoned(TimeZone::UTC).date();
            Some(sources::Earlier { on: on.to_string(), pieces: earlier.pieces })
        };
        sources::changes(&self.ask(settings, &self.reader(), None, &[]), self.present, &mut earlier)
    }

    /// Returns the room of one output of this handler.
    fn room(&self) -> Room {
        let request = self.request;
        match request.only {
            // Spec 2's command has no cap; the size of files is limited when they are read.
            Some(_) => Room { cap: u64::MAX / 4, unit: request.agent.unit, lanes: 1, outputs: 1 },
            None => room(request.agent, request.lane.is_whole, request.event.lanes),
        }
    }
}

/// Returns the sources that select by the message.
fn by_message() -> Sources {
    Source::opening(&[Opens::Message])
}

/// Returns how long to wait for a lock.
fn patience(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now() + RESERVE)
}

/// Returns milliseconds since 1970. Leases need the real time, also in tests that set the clock.
pub(crate) fn wall_clock() -> i64 {
    milliseconds(SystemTime::now())
}

fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
