//! The hook: request → what is due → fit → claim → print → confirm. Whatever happens, one JSON object or nothing.

mod deliver;
mod outcome;
mod watchdog;
mod window;

use std::fmt;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use briefing_core::settings::{Places, Settings};
use briefing_core::sources::docs;
use briefing_store::{Ledger, SessionKey, SqliteLedger, StoreError};
use jiff::Timestamp;

pub use outcome::Outcome;

use crate::agent::{Agent, When};
use crate::fit::{Brought, Room};
use crate::request::Request;
use crate::source::{self, Ask, AskModel, Source, Sources};
use crate::wire::{self, Input};
use crate::{gate_alone, render, stateless};

/// The whole hook takes no longer than this unless the user says otherwise (`hook.deadline_ms`).
pub const DEADLINE: Duration = Duration::from_millis(1500);
/// Time kept back for printing and confirming.
const RESERVE: Duration = Duration::from_millis(150);

/// What the program around us knows and we do not ask for ourselves: environment, clock, stderr.
pub struct Host {
    pub places_at: fn(PathBuf) -> Places,
    /// The settings, and what is wrong with them in words.
    pub settings: fn(&Places) -> (Settings, Vec<String>),
    pub variable: fn(&str) -> Option<String>,
    pub now: fn() -> Timestamp,
    pub ask_model: AskModel,
    /// Prepares the documents of a directory for search in a process of its own; returns at once.
    pub prepare: fn(&Path),
    /// Says something to whoever debugs.
    pub log: fn(&dyn fmt::Display),
    /// Is told after everything is printed that the gate's files went into a session (its own id comes along).
    pub injected: fn(&Places, &Settings, &str),
}

/// Which of an event's handlers this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// From 1.
    pub number: u8,
    /// The agent's own limit is switched off for this handler (the installer writes both together).
    pub is_whole: bool,
}

impl Lane {
    /// Reads the third word of `brief hook AGENT EVENT [LANE]`. Nonsense is lane 1.
    pub fn read(word: Option<&str>) -> Self {
        match word {
            Some("whole") => Self { number: 1, is_whole: true },
            Some(number) => Self { number: number.parse().ok().filter(|number| (1..=16).contains(number)).unwrap_or(1), is_whole: false },
            None => Self { number: 1, is_whole: false },
        }
    }
}

/// One call of `brief hook`.
pub struct Call<'a> {
    pub agent: &'static Agent,
    pub event: &'a str,
    pub lane: Lane,
    pub started: Instant,
    pub host: &'a Host,
    /// The gate and nothing else, whole, whatever the agent's cap: the command of spec 2.
    pub is_gate_alone: bool,
}

impl Call<'_> {
    /// Returns the room of one output of this handler.
    pub fn room(&self) -> Room {
        if self.is_gate_alone {
            return gate_alone::room(self.agent);
        }
        room(self.agent, self.lane.is_whole, self.agent.event(self.event).map_or(1, |event| event.lanes))
    }
}

/// Returns the room of one output of an event.
pub fn room(agent: &Agent, is_whole: bool, lanes: u8) -> Room {
    let cap = if is_whole { agent.cap } else { agent.cautious_cap };
    Room { cap, unit: agent.unit, lanes: u32::from(lanes.max(1)) }
}

/// Runs the hook: reads one object from `input`, prints one or nothing to `output`, leaves a line in the log.
pub fn run(call: &Call<'_>, input: &mut dyn Input, output: &mut dyn Write) -> Outcome {
    let mut hook = Hook { call, session: String::new(), state: None, notes: Vec::new(), injected: None };
    let outcome = hook.run(input, output);
    hook.finish(&outcome);
    if let Some((places, settings, session)) = &hook.injected
        && !matches!(outcome, Outcome::NotPrinted(_))
    {
        (call.host.injected)(places, settings, session);
    }
    outcome
}

struct Hook<'a> {
    call: &'a Call<'a>,
    /// The session's short name, for the log.
    session: String,
    /// Our state directory.
    state: Option<PathBuf>,
    notes: Vec<String>,
    /// Where, how and into which session this process has brought the gate's files.
    injected: Option<(Places, Settings, String)>,
}

impl Hook<'_> {
    fn run(&mut self, input: &mut dyn Input, output: &mut dyn Write) -> Outcome {
        let (call, host) = (self.call, self.call.host);
        let Some(event) = call.agent.event(call.event) else { return Outcome::Unknown };
        let bytes = match wire::read_object(input, call.started + DEADLINE) {
            Ok(bytes) => bytes,
            Err(problem) => return Outcome::BadInput(problem.to_string()),
        };
        let request = match Request::read(call.agent, event, &bytes) {
            Ok(request) => request,
            Err(problem) => return Outcome::BadInput(problem.to_string()),
        };
        let key = SessionKey::new(call.agent.name, &request.session, request.sub_agent.as_deref());
        self.session = key.short();
        let places = (host.places_at)(directory_of(&request));
        self.state = places.state.as_ref().map(|state| state.join("brief"));
        if is_foreign(call, &request) {
            return Outcome::Foreign;
        }
        let names_index = docs::INDEX_VARIABLES.iter().any(|name| (host.variable)(name).is_some_and(|value| !value.is_empty()));
        let present = source::present(&places, names_index) & if call.is_gate_alone { gate_alone::SOURCES } else { Sources::MAX };
        let carries = event.carries;
        let owes = event.when == When::Message && !carries && present & Source::Docs.bit() != 0;
        // Nothing to say here, and nothing that the ledger must know: the database stays closed.
        if !request.is_reset && (present == 0 || !(carries || owes) || event.when == When::Nothing) {
            return Outcome::Silent;
        }
        // Most events of a session find nothing due, and the ledger knows it without a lock, settings or a watchdog. It
        // is never closed: what closing does, the next process can do.
        let mut looked = self.look_in();
        if let Some(ledger) = looked.as_mut() {
            self.look_through(&request, &key, &mut **ledger);
        }
        if let Some(Ok(look)) = looked.as_mut().map(|ledger| ledger.look(&key))
            && deliver::is_quiet(&request, present, owes, look.as_ref())
        {
            return Outcome::Silent;
        }
        let (settings, problems) = (host.settings)(&places);
        self.notes.extend(problems);
        let mut allowed = settings.hook.deadline_ms.value;
        if event.when == When::Message && present & Source::Docs.bit() != 0 && source::asks_a_model(&settings) {
            allowed += settings.selector.timeout_ms.value;
        }
        let deadline = call.started + Duration::from_millis(allowed);
        let _watchdog = watchdog::Watchdog::start(deadline + RESERVE);
        let setting = Setting { request: &request, key: &key, places: &places, settings: &settings, present, carries, owes, deadline };
        let mut ledger = match looked.map_or_else(|| self.open(&setting), |ledger| Ok(Some(ledger))) {
            Ok(Some(ledger)) => ledger,
            Ok(None) => return Outcome::Silent,
            Err(error) => return self.without_ledger(&setting, &error, output),
        };
        ledger.set_patience(patience(deadline));
        match self.deliver(&setting, &mut *ledger, output) {
            Ok(outcome) => outcome,
            Err(StoreError::Busy) => Outcome::Busy,
            Err(error) => {
                if let (StoreError::Corrupt(_), Some(state)) = (&error, &self.state) {
                    let _ = briefing_store::set_aside(state);
                }
                self.without_ledger(&setting, &error, output)
            }
        }
    }

    /// Opens the ledger that is there, for a look. Whatever hinders that, [`Hook::open`] deals with.
    fn look_in(&self) -> Option<ManuallyDrop<SqliteLedger>> {
        // The user's own deadline is not known yet; looking waits for nobody but a process that mends the journal.
        let ledger = briefing_store::open_existing(self.state.as_deref()?, patience(self.call.started + DEADLINE));
        ledger.ok().flatten().map(ManuallyDrop::new)
    }

    /// Opens the ledger. `None`: there is none yet, and this event gives no reason to make one.
    fn open(&mut self, setting: &Setting<'_>) -> Result<Option<ManuallyDrop<SqliteLedger>>, StoreError> {
        let Some(state) = &setting.places.state else { return Err(StoreError::Unusable("no state directory is known".into())) };
        let patience = patience(setting.deadline);
        if setting.present == 0 {
            return Ok(briefing_store::open_existing(&state.join("brief"), patience)?.map(ManuallyDrop::new));
        }
        let opened = briefing_store::open(&briefing_store::directory(state)?, patience)?;
        if let Some(path) = opened.set_aside {
            self.notes.push(format!("{}: the damaged ledger was renamed to this", path.display()));
        }
        Ok(Some(ManuallyDrop::new(opened.ledger)))
    }

    /// Says what can be said without memory.
    fn without_ledger(&mut self, setting: &Setting<'_>, error: &StoreError, output: &mut dyn Write) -> Outcome {
        self.notes.push(format!("without the ledger: {error}"));
        let opening = if self.call.is_gate_alone { gate_alone::SOURCES } else { stateless::sources(setting.request) };
        let sources = opening & setting.present;
        if !setting.carries || sources == 0 {
            return Outcome::Silent;
        }
        let brought = self.bring(setting, sources, setting.request.message.as_deref());
        let (outputs, fitted) = stateless::outputs(&brought, self.call.room());
        self.note_all(&fitted.notes);
        let Some(context) = outputs.get(usize::from(self.call.lane.number) - 1) else { return Outcome::Silent };
        match self.print(context, output) {
            Ok(size) => {
                // Every lane computes everything; the first one tells.
                if self.call.lane.number == 1 && brought.iter().any(|item| item.source == Source::Gate) {
                    self.injected = Some((setting.places.clone(), setting.settings.clone(), setting.request.session.clone()));
                }
                Outcome::Stateless { size }
            }
            Err(error) => Outcome::NotPrinted(error.to_string()),
        }
    }

    /// Asks the sources, and keeps the first piece of each identity.
    fn bring(&mut self, setting: &Setting<'_>, sources: Sources, message: Option<&str>) -> Vec<Brought> {
        let ask = Ask {
            here: &setting.places.here,
            places: setting.places,
            settings: setting.settings,
            message,
            is_sub_agent: setting.request.sub_agent.is_some(),
            now: (self.call.host.now)(),
            deadline: setting.deadline,
            ask_model: self.call.host.ask_model,
            prepare: self.call.host.prepare,
        };
        let (brought, notes) = ask_sources(&ask, sources);
        self.note_all(&notes);
        brought
    }

    fn print(&self, context: &str, output: &mut dyn Write) -> std::io::Result<u64> {
        let event = self.call.agent.event(self.call.event).expect("the event was looked up at the start");
        let object = render::object(self.call.agent, event, context);
        output.write_all(object.as_bytes())?;
        output.flush()?;
        Ok(self.call.agent.unit.of(context))
    }

    fn note_all(&mut self, notes: &[briefing_core::Note]) {
        self.notes.extend(notes.iter().map(|note| format!("{}: {}", note.path, note.reason)));
    }
}

/// Asks sources in order, and keeps the first piece of each identity, and no part of what comes whole.
pub fn ask_sources(ask: &Ask<'_>, sources: Sources) -> (Vec<Brought>, Vec<briefing_core::Note>) {
    let mut all: Vec<Brought> = Vec::new();
    let mut notes = Vec::new();
    for source in Source::of(sources) {
        let brought = source.bring(ask);
        notes.extend(brought.notes);
        for piece in brought.pieces {
            if !piece.text.trim().is_empty() && !all.iter().any(|other| piece.is_within(&other.piece)) {
                all.push(Brought { source, piece });
            }
        }
    }
    (all, notes)
}

/// Everything that is settled before the ledger is asked.
struct Setting<'a> {
    request: &'a Request,
    key: &'a SessionKey,
    places: &'a Places,
    settings: &'a Settings,
    present: Sources,
    carries: bool,
    /// The message's documents are owed to the next event.
    owes: bool,
    deadline: Instant,
}

/// Returns the directory of a request; a payload without a usable one means the process's own.
fn directory_of(request: &Request) -> PathBuf {
    let named = request.cwd.clone().filter(|path| path.is_dir());
    named.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
}

/// Tells whether another agent runs this entry: Copilot and Cursor read Claude's settings too.
fn is_foreign(call: &Call<'_>, request: &Request) -> bool {
    let is_set = |name: &&str| (call.host.variable)(name).is_some_and(|value| !value.is_empty());
    let is_proven = !call.agent.proof.is_empty() && (call.host.variable)(call.agent.proof).as_deref() == Some(&request.session);
    call.agent.foreign.iter().any(is_set) && !is_proven
}

/// Returns how long a lock may be waited for.
fn patience(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now() + RESERVE)
}

/// Returns milliseconds since 1970. Leases compare real time, whatever a test says the time is.
fn wall_clock() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
