//! Why a file is in a window, or is not: one answer for every source.
//!
//! [`why`] finds out which rules concern a file ([`Rule`]), decides once more for the messages of a past session or for a
//! message that was typed ([`Decision`]), and looks up what was delivered. The result is typed; its text is what
//! `brief why` and the MCP server print.

mod replay;
mod rules;
mod subject;
mod text;

use briefing_core::project::marked_or_self;
use briefing_core::settings::Settings;
use briefing_core::shown::path_text;
use briefing_core::sources::Ask;
use briefing_core::sources::docs::{self, Decision, SelectRequest};
use briefing_core::{Candidate, Failure};
use briefing_store::{DeliveryRow, Filter, Reader, SessionName, SessionRow, State, StoreError};
use serde::Serialize;

use crate::agent::Agent;

pub use replay::{Change, Replay};
pub use rules::{Rule, Unlisted};
pub use subject::Subject;
pub use text::Clock;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// A path, the name of a document in an index, or the identity of a piece.
    pub what: &'a str,
    /// A message to decide for. Without one, the messages of the session are decided for once more.
    pub message: Option<&'a str>,
    /// The session ([`Filter::session`]). Without one, the last one in the project, unless there is a message.
    pub session: Option<&'a str>,
    /// The agent whose own files are known, where no session says it.
    pub agent: &'static Agent,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    pub subject: Subject,
    pub verdict: Verdict,
    /// The rules that concern the file whatever the message is.
    pub rules: Vec<Rule>,
    /// What the typed message makes of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The session that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionName>,
    /// What the session received of the file, oldest first.
    pub deliveries: Vec<DeliveryRow>,
    /// The other sessions in the project that received it, the last one first.
    pub elsewhere: Vec<Elsewhere>,
    /// What each of its messages makes of the file now, the closest one first.
    pub replays: Vec<Replay>,
    /// What to do to change it.
    pub advice: Vec<String>,
}

/// Another session that received the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    pub session: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The session received it, all of it or parts.
    Delivered,
    /// It waits for the session's next event.
    Queued,
    /// The session did not receive it.
    NotDelivered,
    /// The typed message brings it.
    Comes,
    /// The typed message does not bring it.
    StaysOut,
    /// A rule decides about it at a moment of its own: the start of a session, the first use of a tool.
    ByRule,
    /// Nothing brings it.
    Never,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum WhyError {
    #[error("unknown session `{0}`")]
    UnknownSession(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Answers a question. `reader` is the ledger, if there is one.
pub fn why(question: &Question<'_>, ask: &Ask<'_>, mut reader: Option<&mut dyn Reader>) -> Result<Answer, WhyError> {
    let mut subject = Subject::find(question.what, ask);
    let session = match reader.as_deref_mut() {
        Some(reader) => session(question, ask, reader)?,
        None if question.session.is_some() => return Err(unknown(question)),
        None => None,
    };
    let agent = session.as_ref().and_then(|session| crate::find(&session.name.agent)).unwrap_or(question.agent);
    let rules = rules::rules(&mut subject, ask, agent);
    let mut answer = Answer {
        subject,
        verdict: Verdict::Never,
        rules,
        decision: None,
        session: session.as_ref().map(|session| session.name.clone()),
        deliveries: Vec::new(),
        elsewhere: Vec::new(),
        replays: Vec::new(),
        advice: Vec::new(),
    };
    if let (Some(session), Some(reader)) = (&session, reader) {
        answer.deliveries = deliveries(&answer.subject, session, reader)?;
        answer.elsewhere = elsewhere(&answer.subject, session, ask, reader)?;
        // Messages decide about nothing else.
        if question.message.is_none() && answer.rules.iter().any(Rule::is_selectable) {
            answer.replays = replay::replays(&answer.subject, session, &answer.deliveries, ask, reader)?;
        }
    }
    if let Some(message) = question.message.filter(|_| answer.rules.iter().any(Rule::is_selectable)) {
        answer.decision = decide(&answer.subject, message, ask, true);
    }
    answer.verdict = verdict(&answer, question);
    answer.advice = rules::advice(&answer);
    Ok(answer)
}

fn unknown(question: &Question<'_>) -> WhyError {
    WhyError::UnknownSession(question.session.unwrap_or_default().to_owned())
}

/// The word for the session that was seen last in the project.
pub const LAST: &str = "last";

/// Returns the session that is asked about.
fn session(question: &Question<'_>, ask: &Ask<'_>, reader: &mut dyn Reader) -> Result<Option<SessionRow>, WhyError> {
    let project = path_text(marked_or_self(&ask.places.here));
    let last = Filter { project: Some(&project), newest: Some(1), ..Filter::default() };
    let filter = match question.session {
        Some(LAST) => last,
        Some(session) => Filter { session: Some(session), newest: Some(1), ..Filter::default() },
        None if question.message.is_some() => return Ok(None),
        None => last,
    };
    let found = reader.sessions(&filter)?.pop();
    if found.is_none() && question.session.is_some() { Err(unknown(question)) } else { Ok(found) }
}

/// Returns what a session received of a file, in any of its windows.
fn deliveries(subject: &Subject, session: &SessionRow, reader: &mut dyn Reader) -> Result<Vec<DeliveryRow>, StoreError> {
    let mut rows = reader.deliveries(&Filter { session: Some(&session.key.native), path: Some(&subject.piece()), ..Filter::default() })?;
    rows.retain(|row| row.session == session.name.session);
    Ok(rows)
}

/// Returns the other sessions in the project that received a file.
fn elsewhere(subject: &Subject, session: &SessionRow, ask: &Ask<'_>, reader: &mut dyn Reader) -> Result<Vec<Elsewhere>, StoreError> {
    let project = path_text(marked_or_self(&ask.places.here));
    let rows = reader.deliveries(&Filter { project: Some(&project), path: Some(&subject.piece()), ..Filter::default() })?;
    let mut sessions: Vec<Elsewhere> = Vec::new();
    for row in rows.into_iter().filter(|row| row.session != session.name.session && matches!(row.state, State::Delivered | State::Lost)) {
        match sessions.iter_mut().find(|known| known.session == row.session) {
            Some(known) => known.at = known.at.max(row.at),
            None => sessions.push(Elsewhere { session: row.session, at: row.at }),
        }
    }
    sessions.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.session.cmp(&b.session)));
    Ok(sessions)
}

/// Decides for a message. `None` where there are no documents to choose from.
fn decide(subject: &Subject, message: &str, ask: &Ask<'_>, may_ask_model: bool) -> Option<Decision> {
    let file = subject.path.as_deref()?;
    let model = |message: &str, candidates: &[Candidate]| ask.helper.ask_model(ask.settings, ask.deadline, message, candidates);
    let request = SelectRequest::new(message, ask.places, ask.settings);
    let request = SelectRequest { model: may_ask_model.then_some(&model as &docs::Model<'_>), ..request };
    docs::explain(&request, file).ok()
}

fn verdict(answer: &Answer, question: &Question<'_>) -> Verdict {
    let has = |state: State| answer.deliveries.iter().any(|row| row.state == state);
    let is_loaded = answer.rules.iter().any(|rule| matches!(rule, Rule::LoadedByAgent { .. }));
    if question.message.is_some() {
        return match &answer.decision {
            Some(decision) if !decision.pieces.is_empty() => Verdict::Comes,
            _ if answer.rules.iter().any(Rule::brings) => Verdict::ByRule,
            Some(_) => Verdict::StaysOut,
            None => Verdict::Never,
        };
    }
    match () {
        () if has(State::Delivered) => Verdict::Delivered,
        () if is_loaded => Verdict::ByRule,
        () if has(State::Queued) || has(State::Pending) || has(State::Lost) => Verdict::Queued,
        () if answer.session.is_some() => Verdict::NotDelivered,
        () if answer.rules.iter().any(Rule::brings) => Verdict::ByRule,
        () => Verdict::Never,
    }
}

/// Returns whether the settings of a past decision are those of now.
fn is_same_settings(hash: &str, settings: &Settings) -> bool {
    hash.is_empty() || hash == settings.fingerprint()
}

impl Answer {
    /// Returns the failure of a question about something that does not exist.
    pub fn missing(&self) -> Option<Failure> {
        let Some(Rule::Missing { similar }) = self.rules.first() else { return None };
        let failure = Failure::new(format!("there is no file, document or piece called `{}`", self.subject.shown));
        Some(match similar {
            Some(similar) => failure.hint(format!("did you mean `{similar}`?")),
            None => failure.hint("`brief docs list` lists the documents, `brief gate` the core files"),
        })
    }
}
