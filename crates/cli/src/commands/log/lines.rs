//! The lines of `brief log`: a heading per day and session, a line per event, and what happened on the way below it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use briefing_core::project::marked_or_self;
use briefing_core::shown::{first_words, grouped, one_line, relative_text};
use briefing_core::{Level, Note, NoteKind};
use briefing_store::{DeliveryRow, EventRow, Outcome, SessionName, Verdict};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::when;
use crate::wrap::Wrap;

/// Under the time of an event.
const INDENT: usize = 10;
/// The longest part of a message that is shown, in characters.
const MESSAGE: usize = 40;

/// Prints events, and remembers the last headings.
pub(super) struct Printer {
    zone: TimeZone,
    wrap: Wrap,
    date: Option<Date>,
    session: Option<String>,
    projects: HashMap<String, String>,
}

impl Printer {
    pub(super) fn new() -> Self {
        Self { zone: TimeZone::system(), wrap: Wrap::of_terminal(), date: None, session: None, projects: HashMap::new() }
    }

    /// Returns the lines of events, oldest first. `carried` is what they delivered.
    pub(super) fn print(&mut self, events: &[EventRow], carried: &[DeliveryRow]) -> String {
        let mut by_event: HashMap<i64, Vec<&DeliveryRow>> = HashMap::new();
        for row in carried {
            by_event.entry(row.carrier).or_default().push(row);
        }
        let mut text = String::new();
        let mut rest = events;
        while let Some(event) = rest.first() {
            // Silent events that are alike are one line: most tools bring nothing.
            let alike = rest.iter().take_while(|other| is_alike(event, other)).count().max(1);
            let (run, later) = rest.split_at(alike);
            self.heading(&mut text, event);
            let delivered = by_event.get(&event.id).map_or(&[][..], Vec::as_slice);
            self.event(&mut text, run, delivered);
            rest = later;
        }
        text
    }

    /// Writes the day and the session, where they differ from those of the last event.
    fn heading(&mut self, text: &mut String, event: &EventRow) {
        let at = when::local(event.at, &self.zone);
        if let Some(at) = at.filter(|at| self.date != Some(at.date())) {
            let gap = if self.date.is_some() { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", at.strftime("%A, %-d %B %Y (times in %Z, UTC%:z)"));
            (self.date, self.session) = (Some(at.date()), None);
        }
        if self.session.as_deref() != Some(&event.name.session) {
            let name = self.name(&event.name);
            let _ = writeln!(text, "{}", self.wrap.line(&name, 2));
            self.session = Some(event.name.session.clone());
        }
    }

    /// Returns the name of a session: agent, project, first words, and the short form for `--session`.
    fn name(&mut self, name: &SessionName) -> String {
        let project = self.projects.entry(name.directory.clone()).or_insert_with(|| project_name(&name.directory)).clone();
        let title = if name.title.is_empty() { String::new() } else { format!("“{}”", one_line(&name.title)) };
        let parts = [name.agent.as_str(), &project, &title, &name.session];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Writes the line of an event, or of several that are alike, and its notes.
    fn event(&self, text: &mut String, run: &[EventRow], delivered: &[&DeliveryRow]) {
        let event = &run[0];
        let time = when::local(event.at, &self.zone).map(|at| at.strftime("%H:%M:%S").to_string()).unwrap_or_default();
        let times = if run.len() > 1 { format!(" ×{}", run.len()) } else { String::new() };
        let said =
            if event.message.is_empty() { String::new() } else { format!(" “{}”", first_words(&one_line(&event.message), MESSAGE)) };
        let micros = run.iter().map(|event| event.micros).max().unwrap_or_default();
        let what = what(event, delivered);
        let line = format!("{time}  {}{times}{said}: {what} ({})", one_line(&event.event), milliseconds(micros));
        let _ = writeln!(text, "{}", self.wrap.line(&line, INDENT));
        for note in event.notes.iter().filter(|note| is_shown(note)) {
            let line = format!("{:INDENT$}{}", "", about(note, &event.name.directory));
            let _ = writeln!(text, "{}", self.wrap.line(&line, INDENT + 2));
        }
    }
}

/// Tells whether an event is silent for the same reason as the one before it.
fn is_alike(one: &EventRow, other: &EventRow) -> bool {
    let key = |event: &EventRow| (event.name.session.clone(), event.event.clone(), event.message.clone());
    let is_silent = |event: &EventRow| event.outcome.silence().is_some() && event.notes.is_empty() && event.message.is_empty();
    std::ptr::eq(one, other) || (is_silent(one) && is_silent(other) && one.outcome == other.outcome && key(one) == key(other))
}

/// Returns the name of the project around a directory.
fn project_name(directory: &str) -> String {
    let directory = Path::new(directory);
    let project = if directory.is_dir() { marked_or_self(directory) } else { directory };
    project.file_name().map(|name| one_line(&name.to_string_lossy()).into_owned()).unwrap_or_default()
}

fn milliseconds(micros: u64) -> String {
    format!("{:.1}ms", micros as f64 / 1000.0)
}

/// Returns what came of an event: what was delivered and what waits, or why nothing came.
fn what(event: &EventRow, delivered: &[&DeliveryRow]) -> String {
    let mut words = Vec::new();
    match &event.outcome {
        Outcome::Delivered if delivered.is_empty() => words.push(format!("{} delivered", size(event))),
        Outcome::Delivered => {
            let tokens: u64 = delivered.iter().map(|row| row.tokens).sum();
            words.push(format!("{} tokens: {}", grouped(tokens), files(delivered, &event.name.directory)));
        }
        outcome => words.push(one_line(&outcome.to_string()).into_owned()),
    }
    words.extend(proven(delivered));
    if event.queued > 0 {
        words.push(format!("{} queued for the next event", event.queued));
    }
    let count = |kind: NoteKind| event.notes.iter().filter(|note| note.kind == kind).count();
    if count(NoteKind::Redacted) > 0 {
        words.push(format!("{} redacted", count(NoteKind::Redacted)));
    }
    words.join("; ")
}

/// Returns what the agent's transcript says about deliveries, where it says something: `seen`, `3 seen`, `1 cut`.
fn proven(delivered: &[&DeliveryRow]) -> Vec<String> {
    let count = |verdict: Verdict| delivered.iter().filter(|row| row.verdict == Some(verdict)).count();
    let known = [Verdict::Seen, Verdict::Cut, Verdict::Missing].into_iter().filter(|verdict| count(*verdict) > 0);
    let words = |verdict: Verdict| match (verdict, count(verdict)) {
        (Verdict::Seen, all) if all == delivered.len() => "seen".to_owned(),
        (verdict, number) => format!("{number} {}", verdict.word()),
    };
    known.map(words).collect()
}

fn size(event: &EventRow) -> String {
    let unit = briefing_agents::find(&event.name.agent).map_or("characters", |agent| agent.unit.words());
    format!("{} {unit}", grouped(event.size))
}

/// Returns the files of deliveries in order, each once: `docs/a.md (3 sections)`, `b.md (part 2 of 3)`.
fn files(delivered: &[&DeliveryRow], directory: &str) -> String {
    let mut order: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, Vec<&DeliveryRow>> = BTreeMap::new();
    for row in delivered {
        // Text about several files has no file of its own.
        let file = if row.file.is_empty() { row.path.as_str() } else { &row.file };
        if !rows.contains_key(file) {
            order.push(file);
        }
        rows.entry(file).or_default().push(row);
    }
    let described = |file: &str| {
        let rows = &rows[file];
        let name = if rows[0].file.is_empty() { one_line(&rows[0].reason.to_string()).into_owned() } else { short(file, directory) };
        let parts: Vec<String> = rows.iter().filter(|row| row.parts > 1).map(|row| row.part.to_string()).collect();
        let sections = rows.iter().filter(|row| row.path != row.file && !row.file.is_empty()).count();
        let detail = match (parts.len(), sections, rows.len()) {
            (0, 0, 1) => String::new(),
            (0, 0, many) => format!(" ({many} pieces)"),
            (0, 1, _) => {
                rows.iter().find_map(|row| row.path.strip_prefix(file)).map(|name| one_line(name).into_owned()).unwrap_or_default()
            }
            (0, sections, _) => format!(" ({sections} sections)"),
            (1, ..) => format!(" (part {} of {})", parts[0], rows[0].parts),
            _ => format!(" (parts {} of {})", parts.join(", "), rows[0].parts),
        };
        format!("{name}{detail}")
    };
    order.into_iter().map(described).collect::<Vec<_>>().join(", ")
}

/// Returns a path relative to the directory of its session.
fn short(path: &str, directory: &str) -> String {
    one_line(&relative_text(Path::new(path), Path::new(directory))).into_owned()
}

/// Tells whether a note is worth a line: what was left out, and every warning. Counts have said the rest.
fn is_shown(note: &Note) -> bool {
    note.level > Level::Info || matches!(note.kind, NoteKind::Score | NoteKind::Limit | NoteKind::Budget)
}

fn about(note: &Note, directory: &str) -> String {
    let path = short(&note.path, directory);
    let decided = note.decided_by.as_deref().map(|by| format!(" [{}]", one_line(by))).unwrap_or_default();
    let reason = one_line(&note.reason);
    if path.is_empty() { format!("{reason}{decided}") } else { format!("{path}: {reason}{decided}") }
}
