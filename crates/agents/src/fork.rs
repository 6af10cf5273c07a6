//! Which session a fork was made from: its window begins with all that the other one's had.
//!
//! No payload says so (measured, `docs/agents-measured.md`). Codex and Claude's `/branch` have written it into the fork's
//! transcript by the time they call us; for `claude --fork-session` there is only the client's command line. Where it
//! cannot be told for certain there is no origin, and the fork counts as new: told twice is better than never.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use briefing_core::fs::open_own;
use jiff::Timestamp;
use serde::Deserialize;

/// Where a fork comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The other session's own id.
    pub(crate) session: String,
    /// Milliseconds since 1970: what it was given later is not in the fork's window.
    pub(crate) until: i64,
}

/// The agent's process, as far as the system tells.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) arguments: Vec<String>,
    pub(crate) started: SystemTime,
}

/// So much of a transcript is read at most.
const MAX_TRANSCRIPT: u64 = 64 * 1024 * 1024;
/// A fork says where it comes from in one of its first lines.
const FIRST_LINES: usize = 20;

/// Finds the origin of the session with this transcript.
pub(crate) fn origin(transcript: &Path, client: Option<&Client>) -> Option<Origin> {
    written(transcript).or_else(|| asked_for(client?, transcript))
}

/// What we read in a line of a transcript; everything else is skipped.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "forkedFrom")]
    forked_from: Option<ForkedFrom>,
    payload: Option<Payload>,
    ordinal: Option<u64>,
    timestamp: Option<String>,
}

/// Claude: in every line that was copied.
#[derive(Deserialize)]
struct ForkedFrom {
    #[serde(rename = "sessionId")]
    session: String,
}

/// Codex: in the first line. The history stays in the other session's file, up to an ordinal.
#[derive(Deserialize)]
struct Payload {
    forked_from_id: Option<String>,
    forked_from_ordinal_exclusive: Option<u64>,
}

fn lines(file: &Path) -> impl Iterator<Item = Line> {
    let reader = open_own(file).ok().map(|file| BufReader::new(file.take(MAX_TRANSCRIPT)));
    reader.into_iter().flat_map(|reader| reader.split(b'\n').map_while(Result::ok)).filter_map(|line| serde_json::from_slice(&line).ok())
}

/// Reads the origin in the fork's own transcript.
fn written(transcript: &Path) -> Option<Origin> {
    lines(transcript).take(FIRST_LINES).find_map(|line| {
        if let Some(from) = line.forked_from {
            return Some(Origin { session: from.session, until: i64::MAX });
        }
        let payload = line.payload?;
        let session = payload.forked_from_id?;
        let until = last_kept(&rollout_of(transcript, &session)?, payload.forked_from_ordinal_exclusive?)?;
        Some(Origin { session, until })
    })
}

/// Returns the moment of the last line that a fork has kept of a Codex transcript: it may go back to an earlier message.
fn last_kept(rollout: &Path, end: u64) -> Option<i64> {
    let mut last = 0;
    for line in lines(rollout) {
        if line.ordinal? >= end {
            return Some(last);
        }
        last = line.timestamp?.parse::<Timestamp>().ok()?.as_millisecond();
    }
    Some(i64::MAX)
}

/// Finds the transcript of another Codex session: `sessions/YEAR/MONTH/DAY/rollout-…-ID.jsonl`, on any day.
fn rollout_of(transcript: &Path, session: &str) -> Option<PathBuf> {
    let ending = format!("-{session}.jsonl");
    let mut places = vec![transcript.ancestors().nth(4)?.to_owned()];
    for _ in 0..4 {
        places = places.iter().flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten()).map(|entry| entry.path()).collect();
    }
    places.into_iter().find(|place| place.to_string_lossy().ends_with(&ending))
}

/// Reads the origin in the command line: `claude --fork-session` with `--resume ID`, or with `--continue`, which takes the
/// newest conversation of the directory.
fn asked_for(client: &Client, transcript: &Path) -> Option<Origin> {
    let has = |names: &[&str]| client.arguments.iter().any(|argument| names.contains(&argument.as_str()));
    // A fork that goes back to an earlier message lacks what came after it.
    if !has(&["--fork-session"]) || client.arguments.iter().any(|argument| argument.starts_with("--resume-session-at")) {
        return None;
    }
    let mut words = client.arguments.iter();
    let resumed = words.find_map(|word| match word.as_str() {
        "--resume" | "-r" => Some(String::new()),
        _ => word.strip_prefix("--resume=").map(str::to_owned),
    });
    let session = match resumed {
        Some(word) if word.is_empty() => words.next().cloned().filter(|word| is_id(word))?,
        Some(word) => Some(word).filter(|word| is_id(word))?,
        None if has(&["--continue", "-c"]) => newest_before(client.started, transcript)?,
        None => return None,
    };
    Some(Origin { session, until: i64::MAX })
}

/// Returns the session whose transcript is the newest beside this one. One that was written to since the client started
/// may not be what the client saw as the newest: then nobody knows.
fn newest_before(started: SystemTime, transcript: &Path) -> Option<String> {
    let mut others = Vec::new();
    for entry in fs::read_dir(transcript.parent()?).ok()?.flatten() {
        let path = entry.path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path != transcript && path.extension().is_some_and(|extension| extension == "jsonl") && is_id(name) {
            others.push((entry.metadata().and_then(|metadata| metadata.modified()).ok()?, name.to_owned()));
        }
    }
    let (modified, name) = others.into_iter().max()?;
    (modified < started).then_some(name)
}

/// Tells whether a word has the form of a session id, so that a name or a search word is not taken for one.
fn is_id(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

impl Client {
    /// Looks a process up. Only Linux tells.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let arguments = arguments.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything: fields are counted from its end. The 22nd is the start, in ticks.
        let ticks: u64 = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(19)?.parse().ok()?;
        let since_boot = Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second());
        let uptime: f64 = fs::read_to_string("/proc/uptime").ok()?.split_ascii_whitespace().next()?.parse().ok()?;
        let age = Duration::from_secs_f64(uptime).saturating_sub(since_boot);
        Some(Self { arguments, started: SystemTime::now() - age })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: u32) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORK: &str = "11111111-2222-3333-4444-555555555555";
    const OTHER: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
    const THIRD: &str = "99999999-bbbb-cccc-dddd-eeeeeeeeeeee";

    fn client(arguments: &[&str], age: u64) -> Client {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Client { arguments, started: SystemTime::now() - Duration::from_secs(age) }
    }

    /// A directory with transcripts, each so many seconds old.
    fn transcripts(ages: &[(&str, u64)]) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        for (session, age) in ages {
            let file = fs::File::create(directory.path().join(format!("{session}.jsonl"))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(*age)).unwrap();
        }
        let fork = directory.path().join(format!("{FORK}.jsonl"));
        (directory, fork)
    }

    fn found(arguments: &[&str], ages: &[(&str, u64)]) -> Option<String> {
        let (_directory, fork) = transcripts(ages);
        origin(&fork, Some(&client(arguments, 10))).map(|origin| origin.session)
    }

    #[test]
    fn a_command_line_names_the_origin_or_nobody_does() {
        let other = Some(OTHER.to_owned());
        assert_eq!(found(&["claude", "--resume", OTHER, "--fork-session"], &[]), other);
        assert_eq!(found(&["claude", "--fork-session", "-r", OTHER, "-p", "go"], &[]), other);
        assert_eq!(found(&["claude", &format!("--resume={OTHER}"), "--fork-session"], &[]), other);
        for unknown in [
            &["claude", "--resume", OTHER][..],
            &["claude", "--resume", "my work", "--fork-session"],
            &["claude", "--resume", "--fork-session"],
            &["claude", "--fork-session"],
            &["claude", "--resume", OTHER, "--fork-session", "--resume-session-at", "x"],
        ] {
            assert_eq!(found(unknown, &[(OTHER, 60)]), None, "{unknown:?}");
        }
    }

    #[test]
    fn continuing_takes_the_newest_that_was_there_when_the_client_started() {
        let line = ["claude", "-p", "go", "--continue", "--fork-session"];
        assert_eq!(found(&line, &[(OTHER, 60), (THIRD, 90), ("agent-123", 20)]).as_deref(), Some(OTHER));
        assert_eq!(found(&line, &[(OTHER, 60), (THIRD, 5)]), None, "written to since: the client may have seen another order");
        assert_eq!(found(&line, &[]), None);
    }

    #[test]
    fn claude_writes_the_origin_into_every_copied_line() {
        let (_directory, fork) = transcripts(&[]);
        let text = format!(
            "{{\"type\":\"mode\"}}\nbroken\n{{\"uuid\":\"x\",\"forkedFrom\":{{\"sessionId\":\"{OTHER}\",\"messageUuid\":\"y\"}}}}\n"
        );
        fs::write(&fork, text).unwrap();
        assert_eq!(origin(&fork, None), Some(Origin { session: OTHER.into(), until: i64::MAX }));
    }

    #[test]
    fn codex_names_the_origin_and_where_it_left_it() {
        let directory = tempfile::tempdir().unwrap();
        let day = |day: &str| directory.path().join("sessions/2026/11").join(day);
        for name in ["15", "16"] {
            fs::create_dir_all(day(name)).unwrap();
        }
        let rows = (0..6).map(|ordinal| {
            format!("{{\"timestamp\":\"2026-11-15T00:00:0{ordinal}.5Z\",\"ordinal\":{ordinal},\"type\":\"x\",\"payload\":{{}}}}\n")
        });
        fs::write(day("15").join(format!("rollout-2026-11-15T00-00-00-{OTHER}.jsonl")), rows.collect::<String>()).unwrap();
        let fork = day("16").join(format!("rollout-2026-11-16T00-00-00-{FORK}.jsonl"));
        let forked_at = |ordinal: u64| {
            let meta = format!(
                "{{\"ordinal\":{ordinal},\"payload\":{{\"forked_from_id\":\"{OTHER}\",\"forked_from_ordinal_exclusive\":{ordinal}}}}}\n"
            );
            fs::write(&fork, meta).unwrap();
            origin(&fork, None).map(|origin| (origin.session, origin.until))
        };
        assert_eq!(forked_at(6), Some((OTHER.into(), i64::MAX)), "all of it");
        let moment: Timestamp = "2026-11-15T00:00:02.5Z".parse().unwrap();
        assert_eq!(forked_at(3), Some((OTHER.into(), moment.as_millisecond())), "three lines of it");
        fs::remove_dir_all(day("15")).unwrap();
        assert_eq!(forked_at(3), None, "nobody knows what was left");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_command_line_and_an_age() {
        let me = Client::of(std::process::id()).unwrap();
        assert_eq!(me.arguments[0], std::env::args().next().unwrap());
        assert!(me.started <= SystemTime::now() && me.started.elapsed().unwrap() < Duration::from_secs(600));
    }
}
