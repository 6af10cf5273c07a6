//! The answers to the page's questions. Facts come from the same functions as those of the commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use briefing_agents::report::{Report, report};
use briefing_agents::transcripts::conversation::{Said, converse};
use briefing_agents::why::{Question, WhyError, why};
use briefing_agents::{Host, USUAL, loading};
use briefing_core::candidate::Body;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::{normalize, path_text};
use briefing_core::sources::docs::{Explanation, Plan, SelectRequest, Shown, everything, find, make, select, way};
use briefing_core::sources::domains::{self, ContextRequest, Neighbour, Reading};
use briefing_core::sources::{Ask, Look};
use briefing_core::{Candidate, Failure};
use briefing_store::{DeliveryRow, EventRow, Filter, Place, Reader, SessionRow, State, StoreError, kept_text, reader, timeline};
use briefing_tokens::{ENCODINGS, ExactCounter};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(2);
/// How many candidates of a selection are explained.
const EXPLAINED: usize = 40;
/// How many domains are listed.
const MAX_DOMAINS: usize = 500;

/// Everything that can be asked. Nothing is kept between questions, so that the page shows what is there now.
pub struct Views<'a> {
    pub host: &'a (dyn Host + Sync),
    pub place: Place,
    /// The directory whose index, domains and selection are shown.
    pub here: PathBuf,
    /// Formats a time, in milliseconds since 1970.
    pub clock: &'a (dyn Fn(i64) -> String + Sync),
}

fn failed(error: &StoreError) -> Failure {
    Failure::new("cannot read the ledger").because(error).hint("`brief doctor` checks it")
}

fn to_value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Returns a row with more fields.
fn with(row: &impl serde::Serialize, more: Value) -> Value {
    let mut value = to_value(row);
    if let (Value::Object(fields), Value::Object(more)) = (&mut value, more) {
        fields.extend(more);
    }
    value
}

fn event(row: &EventRow) -> Value {
    let notes: Vec<String> = row.notes.iter().map(ToString::to_string).collect();
    with(row, json!({ "said": row.outcome.to_string(), "told": notes }))
}

fn delivery(row: &DeliveryRow) -> Value {
    with(row, json!({ "why": row.reason.to_string() }))
}

impl Views<'_> {
    fn reader(&self) -> Result<Option<Box<dyn Reader>>, Failure> {
        reader(&self.place, PATIENCE).map_err(|error| failed(&error))
    }

    fn settings(&self) -> (Places, Settings) {
        self.settings_at(self.here.clone())
    }

    fn settings_at(&self, here: PathBuf) -> (Places, Settings) {
        let places = self.host.places_at(here);
        let settings = self.host.settings(&places).0;
        (places, settings)
    }

    /// Returns the sessions, the last one seen first, with the sums of what they received.
    pub fn sessions(&self) -> Result<Value, Failure> {
        let mut rows = Vec::new();
        let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        if let Some(mut reader) = self.reader()? {
            rows = reader.sessions(&Filter::default()).map_err(|error| failed(&error))?;
            for row in reader.deliveries(&Filter::default()).map_err(|error| failed(&error))? {
                if matches!(row.state, State::Delivered | State::Lost) {
                    let sum = sums.entry(row.session).or_default();
                    *sum = (sum.0 + 1, sum.1 + row.tokens);
                }
            }
        }
        let row = |row: &SessionRow| {
            let (deliveries, tokens) = sums.get(&row.name.session).copied().unwrap_or_default();
            with(row, json!({ "deliveries": deliveries, "tokens": tokens }))
        };
        Ok(json!({ "here": path_text(&self.here), "sessions": rows.iter().rev().map(row).collect::<Vec<_>>() }))
    }

    /// Returns one session: its events, deliveries and receipts, and how full its window was.
    pub fn session(&self, name: &str) -> Result<Value, Failure> {
        let unknown = || Failure::new("there is no such session");
        let mut reader = self.reader()?.ok_or_else(unknown)?;
        let sessions = reader.sessions(&Filter::default()).map_err(|error| failed(&error))?;
        let session = sessions.into_iter().find(|session| session.name.session == name).ok_or_else(unknown)?;
        let filter = Filter { session: Some(&session.key.native), ..Filter::default() };
        let mut deliveries = reader.deliveries(&filter).map_err(|error| failed(&error))?;
        let mut receipts = reader.receipts(filter.session).map_err(|error| failed(&error))?;
        let mut events = timeline(Some(&mut *reader), &self.place, &filter).map_err(|error| failed(&error))?;
        // A session's own, without those of its sub-agents.
        events.retain(|row| row.name.session == name);
        deliveries.retain(|row| row.session == name);
        receipts.retain(|row| row.session == name);
        Ok(json!({
            "session": session,
            "events": events.iter().map(event).collect::<Vec<_>>(),
            "deliveries": deliveries.iter().map(delivery).collect::<Vec<_>>(),
            "receipts": receipts,
            "fill": self.fill(&session),
        }))
    }

    /// Returns the agent's own counts of the tokens in the window, with their times.
    fn fill(&self, session: &SessionRow) -> Value {
        let Some(agent) = briefing_agents::find(&session.name.agent) else { return Value::Null };
        let (mut points, mut size) = (Vec::new(), None);
        let read = converse(agent, &session.key, self.host, session.transcript.as_deref(), &mut |at, said| {
            if let Said::Fill(used, of) = said {
                points.push(json!([at, used]));
                size = of.or(size);
            }
        });
        match read {
            Ok(()) => json!({ "points": points, "size": size }),
            Err(silence) => json!({ "points": [], "size": null, "problem": silence.to_string() }),
        }
    }

    /// Returns the text that was printed with this hash, if it is still kept.
    pub fn text(&self, hash: &str) -> Result<Value, Failure> {
        Ok(json!({ "text": kept_text(&self.place, hash).map_err(|error| failed(&error))? }))
    }

    /// Returns the report of what was delivered since a moment, in milliseconds since 1970.
    pub fn report(&self, since: Option<i64>) -> Result<Report, Failure> {
        let filter = Filter { since, ..Filter::default() };
        match self.reader()? {
            Some(mut reader) => report(&mut *reader, &self.place, self.host, &filter).map_err(|error| failed(&error)),
            None => Ok(Report::default()),
        }
    }

    /// Selects documents for a message and explains each: what `brief select --json` prints.
    pub fn select(&self, message: &str) -> Result<Value, Failure> {
        let (places, settings) = self.settings();
        let deadline = Instant::now() + Duration::from_secs(600);
        let model = |message: &str, candidates: &[Candidate]| self.host.ask_model(&settings, deadline, message, candidates);
        let request = SelectRequest { explained: EXPLAINED, model: Some(&model), ..SelectRequest::new(message, &places, &settings) };
        let choice = select(&request)?;
        let explanation = Explanation::new(&choice, request.limit, &settings.docs.max_docs, |candidate| shown(candidate, &places.here));
        let notes: Vec<String> = explanation.notes.iter().map(ToString::to_string).collect();
        let mut answer = with(&explanation, json!({ "told": notes }));
        for (candidate, explained) in answer["candidates"].as_array_mut().into_iter().flatten().zip(&explanation.candidates) {
            candidate["told"] = explained.details(Shown::Missed).into();
        }
        Ok(answer)
    }

    /// Answers what `brief why` answers: why a file is in a window, or is not. The index and the settings are those of the
    /// directory in which the session began.
    pub fn why(&self, what: &str, message: Option<&str>, session: Option<&str>) -> Result<Value, Failure> {
        let mut ledger = self.reader()?;
        let mut here = self.here.clone();
        if let (Some(name), Some(ledger)) = (session, &mut ledger) {
            let names = ledger.names().map_err(|error| failed(&error))?;
            let directory = names.into_iter().find(|known| known.session == name).map(|known| PathBuf::from(known.directory));
            here = directory.filter(|directory| directory.is_dir()).unwrap_or(here);
        }
        let (places, settings) = self.settings_at(here);
        let whose = loading::reader_of(USUAL, &places, self.host);
        let look = Look { places: &places, reader: &whose, touched: &[] };
        let ask = Ask::new(&look, &settings, self.host.now(), Instant::now() + Duration::from_secs(60), self.host);
        let question = Question { what, message, session, agent: USUAL };
        let answer = why(&question, &ask, ledger.as_mut().map(|ledger| &mut **ledger as &mut dyn Reader)).map_err(|error| match error {
            WhyError::Store(error) => failed(&error),
            unknown @ WhyError::UnknownSession(_) => Failure::new(unknown.to_string()),
        })?;
        match answer.missing() {
            Some(failure) => Err(failure),
            None => Ok(with(&answer, json!({ "told": answer.text(self.clock) }))),
        }
    }

    /// Returns the documents of the indexes, broken references, and what is out of date.
    pub fn index(&self) -> Result<Value, Failure> {
        let (places, settings) = self.settings();
        let catalogue = everything(&places, &settings);
        let documents: Vec<Value> = catalogue
            .documents
            .iter()
            .map(|entry| {
                json!({
                    "path": entry.shown,
                    "title": entry.document.title,
                    "description": entry.document.description,
                    "tags": entry.document.tags,
                    "tokens": entry.document.tokens,
                    "index": path_text(&entry.index),
                    "problem": entry.problem.as_ref().map(ToString::to_string),
                })
            })
            .collect();
        let file = find(&places, &settings).project.into_iter().next().map(|index| index.file);
        let mut answer = json!({ "documents": documents, "told": catalogue.notes.iter().map(ToString::to_string).collect::<Vec<_>>() });
        if let Some(file) = file {
            // An index has paths from its own directory.
            let directory = file.parent().map(Path::to_path_buf).unwrap_or_default();
            let from_here = |paths: &[String]| -> Vec<String> {
                paths.iter().map(|path| path_text(&way(&places.here, &normalize(&directory.join(path))))).collect()
            };
            let made = Plan::new(&places.here, None, Some(file), Vec::new(), false)
                .and_then(|plan| plan.with(&places, &settings))
                .and_then(|plan| make(&plan, &ExactCounter::new(ENCODINGS[0], places.cache.clone())?));
            match made {
                Ok(made) => {
                    answer["dead"] = to_value(&made.dead);
                    answer["stale"] = json!({
                        "added": from_here(&made.added), "changed": from_here(&made.changed), "removed": from_here(&made.removed)
                    });
                    answer["in_step"] = made.is_in_step.into();
                }
                Err(failure) => answer["problem"] = failure.to_string().into(),
            }
        }
        Ok(answer)
    }

    /// Returns the tree of domains around the directory.
    pub fn domains(&self) -> Value {
        let (places, settings) = self.settings();
        let mut left = MAX_DOMAINS;
        let context = self.domain_context(&self.here, &places, &settings);
        let Some(top) = context.chain.first() else { return json!({ "domains": [] }) };
        let name = Neighbour { name: top.domain.clone(), path: top.path.clone(), is_related: true };
        json!({ "domains": [self.domain(&name, &places, &settings, &mut left)] })
    }

    fn domain_context(&self, path: &Path, places: &Places, settings: &Settings) -> domains::Context {
        let reading = Reading::of(settings, places);
        domains::context(&ContextRequest { path, topic: None, now: self.host.now(), reading })
    }

    fn domain(&self, of: &Neighbour, places: &Places, settings: &Settings, left: &mut usize) -> Value {
        let context = self.domain_context(&of.path, places, settings);
        let level = context.chain.last().filter(|level| level.path == of.path);
        let mut children = Vec::new();
        for child in context.children.iter().filter(|child| child.path != of.path && child.path.starts_with(&of.path)) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            children.push(self.domain(child, places, settings, left));
        }
        json!({
            "name": of.name,
            "path": path_text(&of.path),
            "is_here": self.here.starts_with(&of.path),
            "info": level.map(|level| &level.info),
            "stale": level.and_then(|level| level.stale_warning.as_ref()),
            "problem": level.and_then(|level| level.problem.as_ref()),
            "knowledge": context.knowledge.as_ref().map(to_value),
            "has_state": context.state.is_some(),
            "files": context.files.iter().map(|file| &file.name).collect::<Vec<_>>(),
            "children": children,
        })
    }
}

/// Returns the path of a candidate from a directory; of an entry, its name follows.
fn shown(candidate: &Candidate, here: &Path) -> String {
    match candidate.about.body {
        Body::File { .. } => path_text(&way(here, &candidate.path)),
        Body::Entry { .. } => path_text(&way(here, Path::new(candidate.id()))),
    }
}
