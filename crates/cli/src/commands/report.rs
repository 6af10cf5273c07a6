//! `brief report`: what context cost, and what it was good for.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use briefing_agents::report::{FileRow, Named, Report, Sum, report};
use briefing_agents::transcripts::format::Load;
use briefing_core::Failure;
use briefing_core::shown::{grouped, one_line, path_text};
use briefing_store::Filter;
use clap::Args;

use super::log;
use crate::host::Looking;
use crate::{environment, output, when};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief report --project .                  this project alone
  brief report --since 7d --html > r.html   the last week, as a page")]
pub(crate) struct Arguments {
    /// Count from this time on: `7d`, `yesterday`, `2026-11-17` [default: all that the ledger has, 30 days]
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Count the sessions in a directory and below; `.` is the whole project around the current one
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Print a page for a browser, complete in one file
    #[arg(long)]
    html: bool,
}

/// How many rows of a table are printed.
const ROWS: usize = 10;
/// How wide the text is.
const WIDTH: usize = 80;
const INDENT: &str = "  ";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let since = arguments.since.as_deref().map(|text| when::since("--since", text, &when::now()?)).transpose()?;
    let made = make(since, arguments.project.as_deref())?;
    if arguments.json {
        let value = serde_json::to_value(&made).map_err(|error| Failure::new("cannot print the report").because(&error))?;
        return output::print(&format!("{value:#}\n"));
    }
    if arguments.html {
        return output::print(&briefing_inspect::report_page(&made, &environment::places()?));
    }
    output::print(&text(&made, &path_text(&environment::places()?.here)))
}

/// Makes the report of everything from a moment on, in a project or everywhere.
fn make(since: Option<i64>, project: Option<&Path>) -> Result<Report, Failure> {
    let places = environment::places()?;
    let place = log::place(&places)?;
    let project = project.map(|path| log::project(path, &places.here));
    let filter = Filter { since, project: project.as_deref(), ..Filter::default() };
    match log::open(&place)? {
        Some(mut reader) => report(&mut *reader, &place, &Looking, &filter).map_err(|error| log::unreadable(&place, &error)),
        None => Ok(Report::default()),
    }
}

/// Returns a path from the current directory, or its end if the whole does not fit.
fn ending(path: &str, here: &str, width: usize) -> String {
    let below = path.strip_prefix(here).and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.is_empty());
    let path = one_line(below.unwrap_or(path)).into_owned();
    let length = path.chars().count();
    if length <= width { path } else { format!("…{}", path.chars().skip(length + 1 - width).collect::<String>()) }
}

/// Breaks a sentence into lines.
fn wrapped(text: &mut String, first: &str, rest: &str, sentence: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in sentence.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            rest.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(text, "{line}");
}

fn text(report: &Report, here: &str) -> String {
    let total = report.total;
    if total.deliveries == 0 {
        return "Nothing was delivered in this time: `brief log` shows the results of the hooks, `brief doctor` checks them.\n".into();
    }
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} tokens in {} {} to {} {}",
        grouped(total.tokens),
        grouped(total.deliveries),
        if total.deliveries == 1 { "delivery" } else { "deliveries" },
        grouped(total.sessions),
        plural(total.sessions, "session")
    );
    let _ = writeln!(text, "{INDENT}{}", verdicts(&total));
    for (title, rows) in [("By source", &report.sources), ("By agent", &report.agents)] {
        let _ = writeln!(text, "\n{title}:");
        for Named { name, sum } in rows {
            let share = sum.tokens * 100 / total.tokens.max(1);
            let _ = writeln!(
                text,
                "{INDENT}{:<26}{:>12} tokens {share:>3} %{:>8} deliveries",
                name,
                grouped(sum.tokens),
                grouped(sum.deliveries)
            );
        }
    }
    let _ = writeln!(text, "\nMost expensive:");
    table(&mut text, here, &report.files.iter().take(ROWS).collect::<Vec<_>>());
    let mut useless: Vec<&FileRow> = report.files.iter().filter(|file| file.is_document() && file.used == 0 && file.unused > 0).collect();
    useless.sort_by_key(|file| std::cmp::Reverse((file.unused, file.sum.tokens)));
    if !useless.is_empty() {
        let _ = writeln!(text, "\nDocuments that came for a message and were never used afterwards:");
        table(&mut text, here, &useless.into_iter().take(ROWS).collect::<Vec<_>>());
    }
    if !report.own.is_empty() {
        let _ = writeln!(text, "\nOpened by agents themselves, although an index has them:");
        for own in report.own.iter().take(ROWS) {
            let _ = writeln!(text, "{INDENT}{:>4} {:<8} {}", own.sessions, plural(own.sessions, "session"), ending(&own.path, here, 60));
        }
    }
    if !report.loaded.is_empty() {
        let _ = writeln!(text, "\nWhat else went into the windows, as far as the transcripts show it:");
        for row in &report.loaded {
            let kind = match row.kind {
                Load::Message => "messages of the user",
                Load::Tool => "output of tools",
                Load::Instructions => "the agent's own instructions",
            };
            let _ = writeln!(text, "{INDENT}{:<10}{kind:<30}{:>12} tokens, estimated", row.agent, grouped(row.tokens));
        }
    }
    let _ = writeln!(text);
    let unread: u64 = report.transcripts.unread.values().sum();
    let reasons: Vec<String> = report.transcripts.unread.iter().map(|(why, count)| format!("{count}: {why}")).collect();
    let others = if unread == 0 { String::new() } else { format!(", {unread} could not ({})", reasons.join("; ")) };
    wrapped(
        &mut text,
        "",
        "",
        &format!(
            "Used: later the model named the file to a tool, or wrote a phrase or two identifiers of it that were new to the session; a rule \
             that is obeyed leaves no trace. The transcripts of {} {} could be read{others}. ?: nobody can tell.",
            report.transcripts.read,
            plural(report.transcripts.read, "session")
        ),
    );
    if !report.suggestions.is_empty() {
        let _ = writeln!(text, "\nSuggestions:");
        for suggestion in report.suggestions.iter().take(ROWS) {
            let _ = writeln!(text, "{INDENT}{:<8} {}", suggestion.advice.word(), ending(&suggestion.path, here, 69));
            wrapped(&mut text, "           ", "           ", &format!("{}: {}", suggestion.why, suggestion.next));
        }
        let more = report.suggestions.len().saturating_sub(ROWS);
        if more > 0 {
            let _ = writeln!(text, "{INDENT}and {more} more: `brief report --json`");
        }
    }
    text
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

fn verdicts(sum: &Sum) -> String {
    let words = [
        (sum.seen, "seen"),
        (sum.cut, "cut"),
        (sum.missing, "missing"),
        (sum.unknowable, "unknowable"),
        (sum.open, "not looked for yet (`brief verify --all`)"),
    ];
    let words: Vec<String> =
        words.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{} {word}", grouped(*count))).collect();
    words.join(", ")
}

fn table(text: &mut String, here: &str, files: &[&FileRow]) {
    let _ = writeln!(text, "{INDENT}{:>10} {:>8} {:>5} {:>6} {:>4}  file", "tokens", "sessions", "used", "unused", "?");
    for file in files {
        let _ = writeln!(
            text,
            "{INDENT}{:>10} {:>8} {:>5} {:>6} {:>4}  {}",
            grouped(file.sum.tokens),
            grouped(file.sum.sessions),
            grouped(file.used),
            grouped(file.unused),
            grouped(file.unknown),
            ending(&file.shown, here, 39)
        );
    }
}
