//! Finds the session that a fork was made from. A fork's window begins with everything in that session's window.
//!
//! No payload names that session (`docs/agents-measured.md`). Codex and Claude's `/branch` write it into the fork's
//! transcript before they run the hook; for `claude --fork-session`, only the client's command line shows it. If the
//! origin is uncertain, the fork counts as a new session: delivering twice is better than not delivering.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use briefing_core::fs::open_own;
use jiff::Timestamp;
use serde::Deserialize;

/// The session that a fork was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The agent's id of that session.
    pub(crate) session: String,
    /// Milliseconds since 1970. What the session received later is not in the fork's window.
    pub(crate) until: i64,
}

/// The agent's process.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) arguments: Vec<String>,
    pub(crate) started: SystemTime,
}

/// The limit for reading a transcript.
const MAX_TRANSCRIPT: u64 = 64 * 1024 * 1024;
/// The number of lines in which the origin is searched for.
const FIRST_LINES: usize = 20;

/// Finds the origin of the session with this transcript.
pub(crate) fn origin(transcript: &Path, client: Option<&Client>) -> Option<Origin> {
    written(transcript).or_else(|| asked_for(client?, transcript))
}

/// The fields that we read in a line of a transcript.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "forkedFrom")]
    forked_from: Option<ForkedFrom>,
    payload: Option<Payload>,
    ordinal: Option<u64>,
    timestamp: Option<String>,
}

/// Claude's format, in every copied line.
#[derive(Deserialize)]
struct ForkedFrom {
    #[serde(rename = "sessionId")]
    session: String,
}

/// Codex's format, in the first line. The history stays in the other session's file, up to an ordinal.
#[derive(Deserialize)]
struct Payload {
    forked_from_id: Option<String>,
    forked_from_ordinal_exclusive: Option<u64>,
}

fn lines(file: &Path) -> impl Iterator<Item = Line> {
    let reader = open_own(file).ok().map(|file| BufReader::new(file.take(MAX_TRANSCRIPT)));
    reader.into_iter().flat_map(|reader| reader.split(b'\n').map_while(Result::ok)).filter_map(|line| serde_json::from_slice(&line).ok())
}

/// Reads the origin from the fork's own transcript.
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

/// Returns the time of the last line of a Codex transcript that belongs to the fork, which may go back to an earlier
/// message.
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

/// Finds the transcript of another Codex session: `sessions/YEAR/MONTH/DAY/rollout-…-ID.jsonl`, of any day.
fn rollout_of(transcript: &Path, session: &str) -> Option<PathBuf> {
    let ending = format!("-{session}.jsonl");
    let mut places = vec![transcript.ancestors().nth(4)?.to_owned()];
    for _ in 0..4 {
        places = places.iter().flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten()).map(|entry| entry.path()).collect();
    }
    places.into_iter().find(|place| place.to_string_lossy().ends_with(&ending))
}

/// Reads the origin from the command line: `claude --fork-session` with `--resume ID`, or with `--continue`, which
/// takes the newest conversation of the directory.
fn asked_for(client: &Client, transcript: &Path) -> Option<Origin> {
    let has = |names: &[&str]| client.arguments.iter().any(|argument| names.contains(&argument.as_str()));
    // A fork that goes back to an earlier message lacks everything after that message.
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

/// Returns the session with the newest transcript in this directory. Returns `None` if that transcript was written
/// after the client started: at its start the client may have seen another one as the newest.
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

/// Returns whether a word has the form of a session id. `--resume` also takes names and search words.
fn is_id(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

impl Client {
    /// Looks up a process. Works on Linux only.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(pid: u32) -> Option<Self> {
        use std::time::Duration;
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let arguments = arguments.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain anything, so fields are counted from its end. The 22nd is the start time.
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
    use std::time::Duration;

    use super::*;

    const FORK: &str = "11111111-2222-3333-4444-555555555555";
    const OTHER: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
    const THIRD: &str = "99999999-bbbb-cccc-dddd-eeeeeeeeeeee";

    fn client(arguments: &[&str], age: u64) -> Client {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        Client { arguments, started: SystemTime::now() - Duration::from_secs(age) }
    }

    /// Creates a directory with transcripts of these ages, in seconds.
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
    fn the_origin_is_read_from_the_command_line() {
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
    fn continue_takes_the_newest_session_at_the_start_of_the_client() {
        let line = ["claude", "-p", "go", "--continue", "--fork-session"];
        assert_eq!(found(&line, &[(OTHER, 60), (THIRD, 90), ("agent-123", 20)]).as_deref(), Some(OTHER));
        assert_eq!(found(&line, &[(OTHER, 60), (THIRD, 5)]), None, "written after the start: the client may have seen another order");
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
        assert_eq!(forked_at(3), None, "the origin's transcript is gone");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_command_line_and_an_age() {
        let me = Client::of(std::process::id()).unwrap();
        assert_eq!(me.arguments[0], std::env::args().next().unwrap());
        assert!(me.started <= SystemTime::now() && me.started.elapsed().unwrap() < Duration::from_secs(600));
    }
}
