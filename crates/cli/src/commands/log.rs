//! `brief log`: shows what each session received, event by event, and why an event brought nothing.

mod lines;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use briefing_core::project::marked_or_self;
use briefing_core::settings::Places;
use briefing_core::shown::{normalize, one_line, path_text};
use briefing_core::{Failure, Source};
use briefing_store::{DeliveryRow, EventRow, Filter, Place, Reader, SessionRow, StoreError, reader, timeline};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use crate::{environment, output, state_place, when};
use lines::Printer;

/// How many events are shown unless something else is asked for.
const NEWEST: usize = 40;
const PATIENCE: Duration = Duration::from_secs(2);
/// How often `--follow` looks.
const PAUSE: Duration = Duration::from_millis(300);
/// An event is shown when its lanes have had time to end.
const SETTLED: i64 = 400;
/// How far back a look goes beyond the last one.
const OVERLAP: i64 = 10 * SETTLED;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief log --project . --since yesterday --until yesterday   yesterday, here
  brief log --session last                                    the last session")]
pub(crate) struct Arguments {
    /// Show one session: the agent's id, the start of its name here, or `last`
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Show the sessions of one agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Show the sessions in a directory and below; `.` is the whole project around the current one
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,
    /// Begin at a time: 2h, 3d, today, yesterday, 2026-11-14 or "2026-11-14 10:00"
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// End at a time; a day is included as a whole
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Show the newest N events [default: 40, or all with --since, --session or --json]
    #[arg(short = 'n', value_name = "N")]
    newest: Option<usize>,
    /// Show only events that delivered something of one source
    #[arg(long, value_name = "SOURCE", value_parser = PossibleValuesParser::new(Source::ALL.map(Source::name)))]
    source: Option<String>,
    /// Wait for further events and show them as they come
    #[arg(short, long)]
    follow: bool,
    /// Print JSON; with --follow, one object per line
    #[arg(long)]
    json: bool,
}

/// Returns where the ledger is.
pub(crate) fn place(places: &Places) -> Result<Place, Failure> {
    Place::of(places).ok_or_else(|| Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"))
}

/// Returns the failure of a ledger that cannot be read.
pub(crate) fn unreadable(place: &Place, error: &StoreError) -> Failure {
    Failure::new(format!("cannot read the ledger in `{}`", place.directory().display()))
        .because(error)
        .hint("`brief doctor` checks the ledger")
}

/// Opens the ledger for views, if there is one.
pub(crate) fn open(place: &Place) -> Result<Option<Box<dyn Reader>>, Failure> {
    reader(place, PATIENCE).map_err(|error| unreadable(place, &error))
}

/// The filters of the command line, decided.
struct Wanted {
    session: Option<String>,
    agent: Option<String>,
    project: Option<String>,
    source: Option<Source>,
    since: Option<i64>,
    until: Option<i64>,
    newest: Option<usize>,
}

impl Wanted {
    fn of(arguments: &Arguments, places: &Places) -> Result<Self, Failure> {
        let now = when::now()?;
        let is_bounded = arguments.since.is_some() || arguments.session.is_some() || arguments.json;
        if let Some(agent) = &arguments.agent {
            super::preview::agent(agent)?;
        }
        Ok(Self {
            session: arguments.session.clone(),
            agent: arguments.agent.clone(),
            project: arguments.project.as_deref().map(|path| project(path, &places.here)),
            source: arguments.source.as_deref().and_then(Source::named),
            since: arguments.since.as_deref().map(|text| when::since("--since", text, &now)).transpose()?,
            until: arguments.until.as_deref().map(|text| when::until("--until", text, &now)).transpose()?,
            newest: arguments.newest.or((!is_bounded).then_some(NEWEST)),
        })
    }

    fn filter(&self) -> Filter<'_> {
        Filter {
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
            project: self.project.as_deref(),
            source: self.source,
            path: None,
            since: self.since,
            until: self.until,
            newest: self.newest,
        }
    }
}

impl Wanted {
    /// Returns the filter for a part of the time.
    fn between(&self, since: i64, until: i64) -> Filter<'_> {
        let since = self.since.map_or(since, |first| first.max(since));
        let until = self.until.map_or(until, |last| last.min(until));
        Filter { since: Some(since), until: Some(until), newest: None, ..self.filter() }
    }
}

/// Returns the directory that `--project` means.
pub(crate) fn project(path: &Path, here: &Path) -> String {
    let is_here = path == Path::new(".");
    path_text(&if is_here { marked_or_self(here).to_path_buf() } else { normalize(&here.join(path)) })
}

/// The word for the session that was seen last, of those that the other filters allow.
pub(crate) const LAST: &str = "last";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let mut wanted = Wanted::of(arguments, &places)?;
    let place = place(&places)?;
    let failed = |error: StoreError| unreadable(&place, &error);
    let mut ledger = open(&place)?;
    if wanted.session.as_deref() == Some(LAST) {
        let filter = Filter { session: None, newest: Some(1), ..wanted.filter() };
        let last = ledger.as_mut().map_or(Ok(Vec::new()), |ledger| ledger.sessions(&filter)).map_err(failed)?;
        wanted.session = last.first().map(|session| session.key.native.clone());
        if wanted.session.is_none() {
            return Err(Failure::new("there is no session yet that fits").hint("`brief log` without filters shows everything"));
        }
    }
    let now = wall_clock() - SETTLED;
    let first =
        if arguments.follow { Filter { until: Some(wanted.until.unwrap_or(now).min(now)), ..wanted.filter() } } else { wanted.filter() };
    let events = timeline(as_reader(&mut ledger), &place, &first).map_err(failed)?;
    if events.is_empty() && !arguments.follow {
        // With `--json`, an empty list is a valid answer for an unknown session.
        explain(&place, arguments.session.as_deref().filter(|_| !arguments.json))?;
    }
    if arguments.json && !arguments.follow {
        return as_json(ledger.as_deref_mut(), &wanted, &events).map_err(failed).and_then(|text| output::print(&text));
    }
    let mut printer = Printer::new();
    let is_narrowed = wanted.session.is_some()
        || wanted.agent.is_some()
        || wanted.project.is_some()
        || wanted.source.is_some()
        || wanted.since.is_some()
        || wanted.until.is_some();
    if !arguments.json {
        let carried = carried(ledger.as_deref_mut(), &events).map_err(failed)?;
        let text = printer.print(&events, &carried);
        output::print(if text.is_empty() && !arguments.follow { nothing(is_narrowed) } else { &text })?;
    } else if arguments.follow {
        output::print(&lines_of_json(&events))?;
    }
    if arguments.follow { follow(arguments.json, &place, &wanted, &mut printer, now) } else { Ok(()) }
}

fn nothing(is_narrowed: bool) -> &'static str {
    if is_narrowed {
        "Nothing fits these filters. `brief log` shows the newest events of all sessions.\n"
    } else {
        "Nothing yet: no agent has called a hook. `brief install AGENT` adds the hooks, `brief doctor` checks them.\n"
    }
}

pub(crate) fn as_reader(ledger: &mut Option<Box<dyn Reader>>) -> Option<&mut dyn Reader> {
    ledger.as_mut().map(|ledger| &mut **ledger as &mut dyn Reader)
}

/// Returns what the events carried.
fn carried(ledger: Option<&mut (dyn Reader + 'static)>, events: &[EventRow]) -> Result<Vec<DeliveryRow>, StoreError> {
    let ids: Vec<i64> = events.iter().map(|event| event.id).filter(|id| *id > 0).collect();
    ledger.map_or(Ok(Vec::new()), |ledger| ledger.carried(&ids))
}

/// Fails if there is nothing to show because of a problem or an unknown session.
fn explain(place: &Place, session: Option<&str>) -> Result<(), Failure> {
    state_place::check(place.directory()).map_err(|error| {
        Failure::new("there is no log: the state directory cannot be used").because(&error).hint("`brief doctor` explains how to fix it")
    })?;
    match session {
        Some(id) => {
            Err(Failure::new(format!("unknown session `{}`", one_line(id))).hint("`brief log` lists all sessions of the last 30 days"))
        }
        None => Ok(()),
    }
}

/// Returns events, and the deliveries and sessions that belong to them. Without `-n`, all deliveries that the other
/// filters allow, also those that wait.
fn as_json(ledger: Option<&mut (dyn Reader + 'static)>, wanted: &Wanted, events: &[EventRow]) -> Result<String, StoreError> {
    let (mut deliveries, mut sessions): (Vec<DeliveryRow>, Vec<SessionRow>) = Default::default();
    if let Some(ledger) = ledger {
        let filter = wanted.filter();
        deliveries = if wanted.newest.is_some() { carried(Some(ledger), events)? } else { ledger.deliveries(&filter)? };
        let named: HashSet<&str> =
            events.iter().map(|event| event.name.session.as_str()).chain(deliveries.iter().map(|row| row.session.as_str())).collect();
        sessions = ledger.sessions(&Filter { newest: None, since: None, until: None, source: None, ..filter })?;
        sessions.retain(|session| named.contains(session.name.session.as_str()));
    }
    Ok(format!("{:#}\n", json!({ "events": events, "deliveries": deliveries, "sessions": sessions })))
}

fn lines_of_json(events: &[EventRow]) -> String {
    events.iter().map(|event| format!("{}\n", json!(event))).collect::<Vec<_>>().concat()
}

/// Prints further events until the reader or the user has enough. What happened before `shown` was printed.
fn follow(is_json: bool, place: &Place, wanted: &Wanted, printer: &mut Printer, shown: i64) -> Result<(), Failure> {
    let failed = |error: StoreError| unreadable(place, &error);
    let mut shown = shown;
    let mut seen: Vec<EventRow> = Vec::new();
    let mut is_first = true;
    loop {
        // Closed after every look: a damaged ledger is replaced by a new file.
        let mut ledger = open(place)?;
        // A process that took long to write is found in the part that was looked at before.
        let (since, until) = (shown - OVERLAP, if is_first { shown } else { wall_clock() - SETTLED });
        let found = timeline(as_reader(&mut ledger), place, &wanted.between(since, until)).map_err(failed)?;
        let new: Vec<EventRow> =
            found.iter().filter(|event| !is_first && !seen.iter().any(|known| is_same(known, event))).cloned().collect();
        let text = if is_json { lines_of_json(&new) } else { printer.print(&new, &carried(ledger.as_deref_mut(), &new).map_err(failed)?) };
        if !text.is_empty() && !output::print_while_read(&text)? {
            return Ok(());
        }
        (seen, shown, is_first) = (found, until, false);
        if wanted.until.is_some_and(|end| until > end) {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_same(one: &EventRow, other: &EventRow) -> bool {
    (one.id, one.at, &one.event, &one.name.session) == (other.id, other.at, &other.event, &other.name.session)
}

/// Returns the time as the hooks write it: real, also in tests that set the clock.
fn wall_clock() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
