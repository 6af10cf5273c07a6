//! `brief verify`: compares what was delivered with the agent's own transcript.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use briefing_agents::transcripts::{self, Budget, MAX_REPAIRS, Silence};
use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::one_line;
use briefing_store::{Filter, Ledger, Place, Reader, ReceiptRow, SessionKey, SessionRow, StoreError, Verdict, open_existing, reader};
use clap::Args;
use serde_json::json;

use crate::host::Process;
use crate::{environment, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Check one session: the agent's id, the start of its name in `brief log`, or `last` [default: last]
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    session: Option<String>,
    /// Check every session of the last 30 days
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const PATIENCE: Duration = Duration::from_secs(2);

/// The verdicts of one session.
struct Checked {
    session: SessionRow,
    receipts: Vec<ReceiptRow>,
    silence: Option<Silence>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let Some(place) = Place::of(&places) else {
        return Err(Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"));
    };
    let failed = |error: StoreError| {
        Failure::new(format!("cannot use the ledger in `{}`", place.directory().display()))
            .because(&error)
            .hint("`brief doctor` checks the ledger")
    };
    let repairs = if environment::resolve(&places, Layer::default()).0.receipts.repair.value { MAX_REPAIRS } else { 0 };
    let mut checked = Vec::new();
    if let (Some(mut ledger), Some(mut reader)) =
        (open_existing(&place, PATIENCE).map_err(failed)?, reader(&place, PATIENCE).map_err(failed)?)
    {
        for session in chosen(reader.sessions(&Filter::default()).map_err(failed)?, arguments)? {
            checked.push(check(session, &mut *ledger, &mut *reader, repairs).map_err(failed)?);
        }
    }
    if checked.is_empty() && arguments.session.as_deref().is_some_and(|id| id != LAST) {
        return Err(unknown(arguments.session.as_deref().unwrap_or_default()));
    }
    checked.retain(|checked| !checked.receipts.is_empty());
    output::print(&if arguments.json { format!("{:#}\n", as_json(&checked)) } else { as_text(&checked) })?;
    match checked.iter().flat_map(|checked| lost(&checked.receipts)).count() {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} deliveries did not reach the model as a whole")).hint(if repairs > 0 {
            "they are delivered again at the agent's next event, at most twice; `brief log` shows it"
        } else {
            "`receipts.repair = true` in your brief.toml delivers them again"
        })),
    }
}

const LAST: &str = "last";

/// Returns the wanted sessions, the last one seen last. A session comes with its sub-agents.
fn chosen(sessions: Vec<SessionRow>, arguments: &Arguments) -> Result<Vec<SessionRow>, Failure> {
    if arguments.all {
        return Ok(sessions);
    }
    let wanted = match arguments.session.as_deref() {
        None | Some(LAST) => sessions.last().map(|last| last.key.clone()),
        Some(id) => {
            let hashed = SessionKey::new("", id, None).native;
            let plain = id.split('/').next().unwrap_or(id);
            let is_it = |session: &&SessionRow| {
                session.key.native == hashed || session.key.native.starts_with(plain) || session.name.session.starts_with(plain)
            };
            Some(sessions.iter().rev().find(is_it).ok_or_else(|| unknown(id))?.key.clone())
        }
    };
    let is_wanted =
        |session: &SessionRow| wanted.as_ref().is_some_and(|key| key.agent == session.key.agent && key.native == session.key.native);
    Ok(sessions.into_iter().filter(is_wanted).collect())
}

fn unknown(id: &str) -> Failure {
    Failure::new(format!("unknown session `{}`", one_line(id))).hint("`brief log` lists all sessions of the last 30 days")
}

fn check(session: SessionRow, ledger: &mut dyn Ledger, reader: &mut dyn Reader, repairs: u32) -> Result<Checked, StoreError> {
    let mut silence = None;
    if let Some(agent) = briefing_agents::find(&session.name.agent) {
        silence = transcripts::settle(ledger, session.id, agent, &session.key, &Process, Budget::COMMAND, || repairs)?.silence;
    }
    let mut receipts = reader.receipts(Some(&session.key.native))?;
    receipts.retain(|receipt| receipt.session == session.name.session);
    Ok(Checked { session, receipts, silence })
}

/// Returns what the window lacks: what was lost and has not been seen since.
pub(crate) fn lost(receipts: &[ReceiptRow]) -> impl Iterator<Item = &ReceiptRow> {
    let is_settled = |lost: &ReceiptRow| {
        receipts.iter().any(|later| {
            later.verdict == Some(Verdict::Seen)
                && (&later.session, later.epoch, &later.piece) == (&lost.session, lost.epoch, &lost.piece)
                && later.at > lost.at
        })
    };
    receipts.iter().filter(move |receipt| receipt.verdict.is_some_and(Verdict::is_lost) && !is_settled(receipt))
}

/// Returns the word for a verdict, or for none.
fn word(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("open", Verdict::word)
}

/// Returns the number of deliveries by verdict, in a fixed order: `12 seen, 1 cut`.
pub(crate) fn counts<'a>(receipts: impl Iterator<Item = &'a ReceiptRow>) -> BTreeMap<&'static str, usize> {
    receipts.fold(BTreeMap::new(), |mut counts, receipt| {
        *counts.entry(word(receipt.verdict)).or_default() += 1;
        counts
    })
}

/// Returns such numbers as words.
pub(crate) fn counted(counts: &BTreeMap<&'static str, usize>) -> String {
    let order = Verdict::ALL.into_iter().map(Some).chain([None]).map(word);
    let words: Vec<String> = order.filter_map(|word| Some(format!("{} {word}", counts.get(word)?))).collect();
    words.join(", ")
}

fn reason(checked: &Checked, receipt: &ReceiptRow) -> String {
    match (&receipt.verdict, &checked.silence) {
        (Some(_), _) => receipt.proof.clone(),
        (None, Some(silence)) => silence.to_string(),
        (None, None) => "the model has not been asked since".into(),
    }
}

fn as_text(checked: &[Checked]) -> String {
    let mut text = String::new();
    for one in checked {
        let transcript = one.session.transcript.as_deref().map(|path| format!(" ({})", one_line(path))).unwrap_or_default();
        let _ = writeln!(text, "{}{transcript}", one.session.name.session);
        for receipt in &one.receipts {
            let part = if receipt.parts > 1 { format!(", part {} of {}", receipt.part, receipt.parts) } else { String::new() };
            let again = if receipt.is_due_again { ", made due again" } else { "" };
            let path = if receipt.path.is_empty() { "(list of what was left out)".into() } else { one_line(&receipt.path) };
            let event = one_line(&receipt.event);
            let _ = writeln!(text, "  {:<10} {path} ({event}{part}{again}): {}", word(receipt.verdict), one_line(&reason(one, receipt)));
        }
    }
    if text.is_empty() {
        return "Nothing was delivered yet: `brief log` shows the results of the hooks.\n".into();
    }
    let _ = writeln!(text, "{}", counted(&counts(checked.iter().flat_map(|one| &one.receipts))));
    text
}

fn as_json(checked: &[Checked]) -> serde_json::Value {
    let sessions: Vec<_> = checked
        .iter()
        .map(|one| {
            json!({
                "session": one.session.name.session,
                "agent": one.session.name.agent,
                "transcript": one.session.transcript,
                "problem": one.silence.as_ref().map(ToString::to_string),
                "receipts": one.receipts,
            })
        })
        .collect();
    let lost = checked.iter().flat_map(|one| lost(&one.receipts)).count();
    json!({ "sessions": sessions, "counts": counts(checked.iter().flat_map(|one| &one.receipts)), "lost": lost })
}
