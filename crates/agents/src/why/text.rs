//! The answer as text, for terminals and for models.

use std::fmt::{self, Write as _};

use briefing_core::shown::{first_words, one_line};
use briefing_core::sources::docs::{Decision, Shown, Test, TestKind};
use briefing_core::sources::domains::Mode;
use briefing_core::sources::gate::Strategy;
use briefing_core::sources::instructions::Concern;
use briefing_core::{Note, NoteKind};
use briefing_store::{DeliveryRow, State};

use super::rules::{CoreState, DomainPart, Rule, Unlisted};
use super::{Answer, Change, Replay, Verdict};

/// Formats a time; the library knows no time zone of the user.
pub type Clock<'a> = dyn Fn(i64) -> String + 'a;

/// How many other messages are listed in one line each.
const OTHERS: usize = 5;
/// The longest part of a message that is shown, in characters.
const MESSAGE: usize = 60;

/// Returns how far a test was missed, as a share of what was needed.
pub(super) fn relative_miss(test: &Test) -> f32 {
    test.missed_by() / test.needed.abs().max(0.001)
}

impl Answer {
    /// Returns the answer as text.
    pub fn text(&self, clock: &Clock<'_>) -> String {
        let mut text = String::new();
        self.write(&mut text, clock).expect("a string can be written to");
        text
    }

    fn write(&self, text: &mut String, clock: &Clock<'_>) -> fmt::Result {
        let section = self.subject.section.as_ref().map(|section| format!("#{section}")).unwrap_or_default();
        writeln!(text, "{}{}: {}", one_line(&self.subject.shown), one_line(&section), self.headline())?;
        for rule in &self.rules {
            writeln!(text, "  {}", one_line(&rule.to_string()))?;
        }
        if let Some(decision) = &self.decision {
            write_decision(text, decision, "  ")?;
        }
        for row in &self.deliveries {
            writeln!(text, "  {}", one_line(&delivery(row, clock)))?;
        }
        self.write_elsewhere(text, clock)?;
        self.write_replays(text, clock)?;
        for advice in &self.advice {
            writeln!(text, "to change it: {}", one_line(advice))?;
        }
        Ok(())
    }

    fn headline(&self) -> String {
        let session = self.session.as_ref().map(|name| {
            let title = if name.title.is_empty() { String::new() } else { format!(" “{}”", one_line(&name.title)) };
            format!("{}{title}", name.session)
        });
        let session = session.unwrap_or_default();
        match self.verdict {
            Verdict::Delivered => format!("delivered to {session}"),
            Verdict::Queued => format!("due in {session} with its next event"),
            Verdict::NotDelivered => format!("not delivered to {session}"),
            Verdict::Comes => "this message brings it".into(),
            Verdict::StaysOut => "this message does not bring it".into(),
            Verdict::ByRule => "a rule decides, whatever the message is".into(),
            Verdict::Never => "no source brings it".into(),
        }
    }

    /// Names the other sessions that received it, if this one did not.
    fn write_elsewhere(&self, text: &mut String, clock: &Clock<'_>) -> fmt::Result {
        let Some((last, others)) = self.elsewhere.split_first().filter(|_| self.verdict == Verdict::NotDelivered) else { return Ok(()) };
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        writeln!(text, "  other sessions here received it: {} at {}{more}", last.session, clock(last.at))
    }

    fn write_replays(&self, text: &mut String, clock: &Clock<'_>) -> fmt::Result {
        let Some((closest, others)) = self.replays.split_first() else { return Ok(()) };
        let has_carried = self.deliveries.iter().any(|row| row.carrier == closest.id);
        let lead = match self.replays.len() {
            _ if has_carried => "the message that brought it".to_owned(),
            1 => "the only message".to_owned(),
            count => format!("the closest of {count} messages"),
        };
        writeln!(text, "  {lead}, {} “{}”:", clock(closest.at), first_words(&one_line(&closest.message), MESSAGE))?;
        write_replay(text, closest)?;
        if has_carried {
            return Ok(());
        }
        for other in others.iter().take(OTHERS) {
            writeln!(text, "  {} “{}”: {}", clock(other.at), first_words(&one_line(&other.message), MESSAGE), in_short(other))?;
        }
        if others.len() > OTHERS {
            writeln!(text, "  and {} more that were further away", others.len() - OTHERS)?;
        }
        Ok(())
    }
}

fn write_replay(text: &mut String, replay: &Replay) -> fmt::Result {
    writeln!(text, "    then: {}", one_line(&replay.outcome.to_string()))?;
    for note in &replay.notes {
        writeln!(text, "    noted then: {}", one_line(&note.reason))?;
    }
    match &replay.decision {
        Some(decision) => write_decision(text, decision, "    ")?,
        None => writeln!(text, "    there are no documents to choose from now")?,
    }
    if !replay.changes.is_empty() {
        let words: Vec<&str> = replay.changes.iter().map(|change| change.words()).collect();
        writeln!(text, "    these are today's numbers: {}", words.join("; "))?;
    }
    Ok(())
}

impl Change {
    fn words(self) -> &'static str {
        match self {
            Self::Documents => "the documents have changed since",
            Self::Settings => "the settings have changed since",
            Self::Shortened => "the log has only the first 4 KB of the message",
            Self::Model => "a model chooses in hooks; here its words decide",
        }
    }
}

/// Returns in a few words what a message makes of the file.
fn in_short(replay: &Replay) -> String {
    let Some(decision) = &replay.decision else { return "no documents".into() };
    if !decision.pieces.is_empty() {
        return "brings it".into();
    }
    match (&decision.candidate, decision.abstained) {
        (_, Some(why)) => why.to_string(),
        (None, None) => "shares nothing with it".into(),
        (Some(candidate), None) => match candidate.tests.iter().find(|test| !test.is_passed) {
            Some(test) if test.test == TestKind::Limit => format!("place {:.0}, at most {:.0}", test.had, test.needed),
            Some(test) => format!("{:.3}, needed {:.3}", test.had, test.needed),
            None => "there was no room".into(),
        },
    }
}

fn write_decision(text: &mut String, decision: &Decision, indent: &str) -> fmt::Result {
    let looked = if decision.looked_for.is_empty() { "nothing".to_owned() } else { decision.looked_for.join(", ") };
    writeln!(text, "{indent}looked for: {}", one_line(&looked))?;
    if let Some(why) = decision.abstained {
        writeln!(text, "{indent}no document was chosen: {why}")?;
    }
    match &decision.candidate {
        Some(candidate) => {
            for line in candidate.lines(Shown::All) {
                writeln!(text, "{indent}{}", one_line(&line))?;
            }
        }
        None if decision.documents == 0 => writeln!(text, "{indent}there are no documents")?,
        None => writeln!(
            text,
            "{indent}not among the candidates: none of these words is in it, and it is not close in meaning ({} of {} documents have any of the words)",
            decision.matching, decision.documents
        )?,
    }
    // The tests say the first two with their numbers, the guard has said the third.
    let is_told = |note: &Note| matches!(note.kind, NoteKind::Score | NoteKind::Limit | NoteKind::Redacted);
    for note in decision.notes.iter().filter(|note| !is_told(note)) {
        writeln!(text, "{indent}{}", one_line(&note.reason))?;
    }
    for (path, tokens) in &decision.pieces {
        writeln!(text, "{indent}brings {} ({tokens} tokens)", one_line(path))?;
    }
    Ok(())
}

fn delivery(row: &DeliveryRow, clock: &Clock<'_>) -> String {
    let part = if row.parts > 1 { format!(", part {} of {}", row.part, row.parts) } else { String::new() };
    let verdict = row.verdict.map(|verdict| format!(", {} according to the transcript", verdict.word())).unwrap_or_default();
    let state = match row.state {
        State::Delivered => "delivered",
        State::Lost => "lost from the window, due again",
        State::Pending => "being printed",
        State::Queued => "waits",
    };
    let section = row.path.strip_prefix(&row.file).and_then(|rest| rest.strip_prefix('#')).filter(|_| !row.file.is_empty());
    let section = section.map(|section| format!("“{section}” ")).unwrap_or_default();
    format!("{}: {section}{state} at {} ({}{part}, {} tokens{verdict})", clock(row.at), row.event, row.reason, row.tokens)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { .. } => f.write_str("nothing has this name"),
            Self::Refused { problem, .. } => write!(f, "cannot be read: {problem}"),
            Self::Redacted { secrets } => write!(f, "parts are replaced: {}", secrets.join("; ")),
            Self::LoadedByAgent { agent } => write!(f, "{agent} loads it by itself, so it is never injected"),
            Self::Instructions { agent, concern } => match concern {
                Concern::Start => write!(f, "{agent} does not load it by itself, so it goes in at the start of a session"),
                Concern::Touch { to } => write!(f, "it goes in when work first touches {to}"),
                Concern::Beside => write!(f, "{agent} loads a file of its own instead"),
            },
            Self::CoreFile { strategy, decided_by, state, tokens } => {
                let by = decided_by.as_deref().map(|by| format!(" [{by}]")).unwrap_or_default();
                let what = match (state, strategy) {
                    (CoreState::Included, Strategy::Index) => {
                        format!("its index ({tokens} tokens) goes in when work begins; its entries are chosen per message")
                    }
                    (CoreState::Included, _) => {
                        format!("all of it ({tokens} tokens) goes in when work begins, or with the next message where tools carry nothing")
                    }
                    (CoreState::Mentioned, _) => "only its name goes in".into(),
                    (CoreState::Skipped, _) => "it is left out".into(),
                    (CoreState::Unfilled, _) => "it has nothing but its template, so it is left out".into(),
                    (CoreState::Unreadable, _) => "it cannot be read, so it is left out".into(),
                    (CoreState::Elsewhere, _) => "the core files of another directory are used here".into(),
                };
                write!(f, "core file, strategy {}{by}: {what}", strategy.word())
            }
            Self::Domain { domain, part } => write!(f, "domain {domain}: {part}"),
            Self::Document { index, title, tokens, problem } => {
                let size = if *tokens > 0 { format!(", {tokens} tokens") } else { String::new() };
                let title = if title.is_empty() { String::new() } else { format!(": “{title}”") };
                write!(f, "document of `{index}`{title}{size}, chosen by messages")?;
                problem.as_deref().map_or(Ok(()), |problem| write!(f, "; cannot be opened: {problem}"))
            }
            Self::Entries { entries } => write!(f, "its {entries} entries are chosen by messages, one by one"),
            Self::Unlisted { because } => write!(f, "in no index: {because}", because = unlisted(because)),
        }
    }
}

impl fmt::Display for DomainPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("its identity goes in at the start of a session"),
            Self::Knowledge { mode: Mode::Full, tokens } => {
                write!(f, "its knowledge ({tokens} tokens) goes in whole at the start of a session")
            }
            Self::Knowledge { mode: Mode::Summary, tokens } => {
                write!(f, "its knowledge has {tokens} tokens, so a summary goes in at the start of a session")
            }
            Self::Knowledge { mode: Mode::Blocked, tokens } => write!(f, "its knowledge has {tokens} tokens, too many to go in"),
            Self::KnowledgeAbove => f.write_str("the knowledge of a domain above is named, and read on demand"),
            Self::HandOff => f.write_str("what the session before left goes in at the start of a session"),
            Self::ExpiredHandOff { reason } => write!(f, "the hand-off is left out: {reason}"),
            Self::OnDemand => f.write_str("it is named, and read on demand"),
            Self::NotInChain => f.write_str("it is not on the way from the root to here, so nothing of it goes in"),
        }
    }
}

fn unlisted(because: &Unlisted) -> String {
    match because {
        Unlisted::NoIndex => "there is no index yet".into(),
        Unlisted::Outdated { indexes } => format!("`{}` is out of date", indexes.join("`, `")),
        Unlisted::NotMarkdown => "indexes have Markdown documents only".into(),
        Unlisted::Outside { root } => format!("it is outside the project `{root}`"),
        Unlisted::ThirdParty { directory } => format!("`{directory}/` holds code of others"),
        Unlisted::Hidden => "it is hidden".into(),
        Unlisted::Ignored { pattern, file } => format!("ignored by `{pattern}` in `{file}`"),
        Unlisted::Refused { note } => note.reason.clone(),
        Unlisted::NotReferenced => "no indexed document refers to it".into(),
        Unlisted::NoProject { problem } => problem.clone(),
    }
}
