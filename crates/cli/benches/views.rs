//! Measures the views of the ledger, as ratios to an empty process: `cargo bench -p briefing --bench views`.
//!
//! Each is measured on a ledger with 40 events and on one with 100,000 events of 500 sessions: the newest lines must not
//! cost more because there are older ones. `--check` makes a missed target an error.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::bench::{Row, empty_program, measured, median, millis, print, time};
use rusqlite::Connection;

const ROUNDS: usize = 200;
/// How often a session is opened.
const OPENED: usize = 20;
const SESSIONS: i64 = 500;
const EVENTS: i64 = 100_000;
/// The events of the session that is opened.
const LONG: i64 = 1_000;

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = empty_program(place.path());
    let brief = measured(env!("CARGO_BIN_EXE_brief"));
    let homes = ["small", "large"].map(|name| home(&brief, &place.path().join(name)));
    grow(&homes[0], 2, 40);
    grow(&homes[1], SESSIONS, EVENTS);
    let call = |home: &Path, words: &[&str]| {
        let mut command = Command::new(&brief);
        command.args(words).env_clear().env("HOME", home).current_dir(home);
        (command, String::new())
    };
    let mut columns: Vec<Vec<Duration>> = vec![Vec::new(); 5];
    for _ in 0..ROUNDS {
        columns[0].push(time((Command::new(&empty), String::new())));
        for (number, home) in homes.iter().enumerate() {
            columns[1 + number].push(time(call(home, &["log", "-n", "20"])));
            columns[3 + number].push(time(call(home, &["status"])));
        }
    }
    let opened = open(&brief, &homes[1]);
    let ratio = millis(median(&columns[2])) / millis(median(&columns[1]));
    println!("{EVENTS} events of {SESSIONS} sessions; `brief log -n 20` takes {ratio:.2} x as long as with 40 events");
    print(
        &columns[0],
        &[
            Row { name: "brief log -n 20, 40 events", target: None, times: &columns[1] },
            Row { name: "brief log -n 20, large ledger", target: None, times: &columns[2] },
            Row { name: "brief status, 40 events", target: Some(3.0), times: &columns[3] },
            Row { name: "brief status, large ledger", target: Some(3.0), times: &columns[4] },
            Row { name: "brief inspect opens a session of 1,000 events in the large ledger", target: None, times: &opened },
        ],
    );
    assert!(median(&opened) < Duration::from_secs(1), "a session opens in under a second");
}

/// Makes a home that is a project, too, with a session that received something.
fn home(brief: &Path, root: &Path) -> PathBuf {
    std::fs::create_dir_all(root.join(".megg")).expect("a domain");
    std::fs::write(root.join(".megg/info.md"), "# A domain\n").expect("its identity");
    for event in ["SessionStart", "UserPromptSubmit"] {
        let mut command = Command::new(brief);
        command.args(["hook", "claude", event]).env_clear().env("HOME", root).current_dir(root);
        let payload = format!(
            r#"{{"session_id":"first","cwd":"{}","source":"startup","prompt":"how is this done?","prompt_id":"p"}}"#,
            root.display()
        );
        time((command, payload));
    }
    root.to_path_buf()
}

/// Copies the rows of the only session until there are many.
fn grow(home: &Path, sessions: i64, events: i64) {
    let ledger = Connection::open(home.join(".local/state/brief/ledger.db")).expect("the ledger");
    let columns = |table: &str, own: &[(&str, &str)]| {
        let mut statement = ledger.prepare(&format!("SELECT name FROM pragma_table_info('{table}')")).expect("a table");
        let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("its columns").map(|name| name.expect("a name"));
        let names: Vec<String> = names.filter(|name| name != "id").collect();
        let values = names.iter().map(|name| own.iter().find(|(column, _)| column == name).map_or(name.as_str(), |(_, value)| value));
        (names.join(", "), values.collect::<Vec<_>>().join(", "))
    };
    let numbers = |count: i64| format!("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count})");
    // The first session stays the newest, and has as many events as a long one; most of them are silent, as they are in life.
    let (names, values) = columns("sessions", &[("native", "printf('%064x', x)"), ("last_seen", "last_seen - x * 60000")]);
    let copies = format!("{} INSERT INTO sessions ({names}) SELECT {values} FROM sessions, n WHERE sessions.id = 1", numbers(sessions - 1));
    let of = format!("CASE WHEN x <= {LONG} THEN 1 ELSE 2 + x % {} END", sessions - 1);
    let (names, values) = columns("events", &[("session", &of), ("at", "at - x * 300")]);
    let lines =
        format!("{} INSERT INTO events ({names}) SELECT {values} FROM events, n WHERE events.id = 1 ORDER BY x DESC", numbers(events));
    let (names, values) =
        columns("deliveries", &[("session", "events.session"), ("carrier", "events.id"), ("at", "events.at"), ("epoch", "events.epoch")]);
    let values = values.split(", ").map(|value| if value.contains('.') { value.to_owned() } else { format!("first.{value}") });
    let values = values.collect::<Vec<_>>().join(", ");
    let deliveries = format!(
        "INSERT INTO deliveries ({names}) SELECT {values} FROM events, (SELECT * FROM deliveries LIMIT 1) AS first WHERE events.id % iif(events.session = 1, 50, 3) = 0"
    );
    for statement in [copies, lines, deliveries, "PRAGMA wal_checkpoint(TRUNCATE)".into()] {
        ledger.execute_batch(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// Opens the newest session in the page's server, again and again.
fn open(brief: &Path, home: &Path) -> Vec<Duration> {
    let mut command = Command::new(brief);
    command.args(["inspect", "--no-open"]).env_clear().env("HOME", home).current_dir(home).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Stopped(command.spawn().expect("the server starts"));
    let mut address = String::new();
    BufReader::new(server.0.stdout.take().expect("its output")).read_line(&mut address).expect("its address");
    let (port, token) = address.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once("/?token=")).expect("an address");
    let ask = |path: &str, more: &str| {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("the server listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let given = ask(&format!("/?token={token}"), "");
    let cookie = given.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")?.split(';').next()).expect("a cookie");
    let cookie = format!("Cookie: {cookie}\r\n");
    let sessions = ask("/api/sessions", &cookie);
    let answer: serde_json::Value = serde_json::from_str(sessions.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
    let name = answer["sessions"][0]["session"].as_str().expect("a session").replace(':', "%3A");
    let timed = |_| {
        let begin = Instant::now();
        let session = ask(&format!("/api/session?id={name}"), &cookie);
        assert!(session.matches("\"micros\":").count() >= usize::try_from(LONG).expect("a number"), "{}", &session[..300]);
        begin.elapsed()
    };
    (0..OPENED).map(timed).collect()
}

/// A server that ends with the benchmark.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
