//! The events of all sessions in the order of time: those in the ledger, and those that ended before they reached it.

use std::collections::HashMap;

use crate::error::StoreError;
use crate::heartbeat::{Beat, newest_beats};
use crate::key::SessionKey;
use crate::place::Place;
use crate::reader::{EventRow, Filter, Reader, SessionName};

/// Returns the events of a place, oldest first. `reader` is its ledger, if there is one.
pub fn timeline(reader: Option<&mut dyn Reader>, place: &Place, filter: &Filter<'_>) -> Result<Vec<EventRow>, StoreError> {
    let newest = filter.newest.unwrap_or(usize::MAX);
    let mut events = Vec::new();
    // What carried nothing has no source.
    let mut beats = if filter.source.is_some() { Vec::new() } else { newest_beats(place, newest, |beat| is_wanted(beat, filter)) };
    if let Some(reader) = reader {
        events = reader.events(filter)?;
        if beats.iter().any(|beat| !beat.session.is_empty()) {
            let names: HashMap<String, SessionName> = reader.names()?.into_iter().map(|name| (name.session.clone(), name)).collect();
            events.extend(beats.drain(..).map(|beat| event(beat, &names)));
        }
    }
    events.extend(beats.into_iter().map(|beat| event(beat, &HashMap::new())));
    events.sort_by_key(|event| event.at);
    events.drain(..events.len().saturating_sub(newest));
    Ok(events)
}

/// Tells whether a filter wants an event; `None`: neither this one nor any earlier one.
fn is_wanted(beat: &Beat, filter: &Filter<'_>) -> Option<bool> {
    // Lines are nearly in the order of time: two processes may have changed places.
    const APART: i64 = 60_000;
    if filter.since.is_some_and(|since| beat.at + APART < since) {
        return None;
    }
    let is_in_time = filter.since.is_none_or(|since| beat.at >= since) && filter.until.is_none_or(|until| beat.at < until);
    let is_in_project = |project: &str| {
        let below = beat.directory.strip_prefix(project.trim_end_matches('/'));
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    Some(
        is_in_time
            && filter.agent.is_none_or(|agent| beat.agent == agent)
            && filter.project.is_none_or(is_in_project)
            && filter.session.is_none_or(|session| is_session(&beat.session, session)),
    )
}

/// Tells whether a short name is one of the session that was asked for, see [`Filter::session`].
fn is_session(short: &str, wanted: &str) -> bool {
    let plain = wanted.split('/').next().unwrap_or(wanted);
    let native = short.split_once(':').and_then(|(_, native)| native.get(..8)).unwrap_or_default();
    let is_native = !native.is_empty() && (plain.starts_with(native) || SessionKey::new("", wanted, None).native.starts_with(native));
    is_native || short.starts_with(plain) || short.split_once(':').is_some_and(|(_, native)| native.starts_with(plain))
}

fn event(beat: Beat, names: &HashMap<String, SessionName>) -> EventRow {
    let known = names.get(&beat.session);
    let title = known.map(|name| name.title.clone()).unwrap_or_default();
    let directory = known.map(|name| name.directory.clone()).unwrap_or(beat.directory);
    EventRow {
        id: 0,
        at: beat.at,
        name: SessionName { agent: beat.agent, session: beat.session, directory, title },
        event: beat.event,
        moment: None,
        epoch: 0,
        micros: beat.micros,
        outcome: beat.outcome,
        size: 0,
        outputs: 0,
        sources: Vec::new(),
        queued: 0,
        notes: beat.notes,
        message: String::new(),
        documents: String::new(),
        settings: String::new(),
    }
}
