//! `brief log`: shows what was delivered to each session, and the results of the hooks.

use std::fmt::Write as _;
use std::time::Duration;

use briefing_core::shown::one_line;
use briefing_core::{Failure, Moment};
use briefing_store::{DeliveryRow, EventRow, Filter, Place, Reader, ReceiptRow, SessionRow, State, StoreError, reader, timeline};
use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use crate::{environment, output, state_place};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Show one session: the agent's id, or the start of the short name shown here
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The records of the ledger and the heartbeat.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) events: Vec<EventRow>,
    pub(crate) deliveries: Vec<DeliveryRow>,
    pub(crate) sessions: Vec<SessionRow>,
    pub(crate) receipts: Vec<ReceiptRow>,
}

const PATIENCE: Duration = Duration::from_secs(2);

/// Reads the ledger and the heartbeat, and sorts their events by time.
pub(crate) fn read(session: Option<&str>) -> Result<Records, Failure> {
    let places = environment::places()?;
    let Some(place) = Place::of(&places) else {
        return Err(Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"));
    };
    let failed = |error: StoreError| {
        Failure::new(format!("cannot read the ledger in `{}`", place.directory().display()))
            .because(&error)
            .hint("`brief doctor` checks the ledger")
    };
    let mut records = Records::default();
    let filter = Filter { session, ..Filter::default() };
    let mut reader = reader(&place, PATIENCE).map_err(failed)?;
    if let Some(reader) = &mut reader {
        records.deliveries = reader.deliveries(&filter).map_err(failed)?;
        records.sessions = reader.sessions(&Filter::default()).map_err(failed)?;
        records.receipts = reader.receipts(session).map_err(failed)?;
    }
    records.events = timeline(reader.as_deref_mut().map(|reader| reader as &mut dyn Reader), &place, &filter).map_err(failed)?;
    Ok(records)
}

/// Fails if there is nothing to show because of a problem or an unknown session.
fn explain(session: Option<&str>) -> Result<(), Failure> {
    if let Some(place) = Place::of(&environment::places()?) {
        state_place::check(place.directory()).map_err(|error| {
            Failure::new("there is no log: the state directory cannot be used")
                .because(&error)
                .hint("`brief doctor` explains how to fix it")
        })?;
    }
    match session {
        Some(id) => {
            Err(Failure::new(format!("unknown session `{}`", one_line(id))).hint("`brief log` lists all sessions of the last 30 days"))
        }
        None => Ok(()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let records = read(arguments.session.as_deref())?;
    if records.events.is_empty() && records.deliveries.is_empty() {
        // With `--json`, an empty list is a valid answer for an unknown session.
        explain(arguments.session.as_deref().filter(|_| !arguments.json))?;
    }
    if arguments.json {
        let all = json!({ "events": records.events, "deliveries": records.deliveries, "sessions": records.sessions });
        return output::print(&format!("{all:#}\n"));
    }
    let mut text = String::new();
    for event in &records.events {
        let size = if event.size > 0 { format!(", {} {}", event.size, unit(&event.name.agent)) } else { String::new() };
        let queued = if event.queued > 0 { format!(", {} waiting", event.queued) } else { String::new() };
        let _ = writeln!(
            text,
            "{}  {:<16} {}: {}{size}{queued} ({:.1} ms)",
            moment(event.at),
            if event.name.session.is_empty() { &event.name.agent } else { &event.name.session },
            one_line(&event.event),
            one_line(&event.outcome.to_string()),
            event.micros as f64 / 1000.0
        );
        for note in &event.notes {
            let _ = writeln!(text, "    note: {}", one_line(&note.to_string()));
        }
    }
    let mut last = ("", 0);
    for row in &records.deliveries {
        if (row.session.as_str(), row.epoch) != last {
            let _ = writeln!(text, "\n{}, epoch {}:", row.session, row.epoch);
            last = (&row.session, row.epoch);
        }
        let part = if row.parts > 1 { format!(", part {} of {}", row.part, row.parts) } else { String::new() };
        let state = match row.state {
            State::Delivered => "delivered",
            State::Lost => "lost, due again",
            State::Pending => "being printed",
            State::Queued => "waits",
        };
        let source = row.source.map(|source| format!("{}: ", source.name())).unwrap_or_default();
        let reason = format!("{source}{}", row.reason);
        let moment = row.moment.map_or("", Moment::word);
        let verdict = row.verdict.map(|verdict| format!(", {}", verdict.word())).unwrap_or_default();
        let (path, reason) = (one_line(&row.path), one_line(&reason));
        let _ = writeln!(text, "  {state}: {path} ({reason}{part}, {} tokens, {moment}{verdict})", row.tokens);
    }
    if text.is_empty() {
        text.push_str("Nothing yet: no agent has called a hook. `brief install AGENT` adds the hooks, `brief doctor` checks them.\n");
    }
    output::print(&text)
}

/// Returns the word for what an agent's limit counts.
fn unit(agent: &str) -> &'static str {
    briefing_agents::find(agent).map_or("characters", |agent| agent.unit.words())
}

/// Formats a time of the log: local, with the name of the zone.
pub(crate) fn moment(millis: i64) -> String {
    Timestamp::from_millisecond(millis)
        .map_or_else(|_| millis.to_string(), |at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string())
}
