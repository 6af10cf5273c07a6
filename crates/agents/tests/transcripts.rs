//! Transcripts in a database, as OpenCode keeps them. Those in files are tested with `brief verify`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use briefing_agents::host::Embedded;
use briefing_agents::transcripts::{self, Budget, Settled, Silence};
use briefing_agents::{Request, find, window};
use briefing_store::{Filter, Place, SessionRow, Verdict};
use jiff::Timestamp;
use rusqlite::{Connection, params};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(5);

/// A session with a database beside it.
struct Session {
    top: TempDir,
    host: Embedded,
    context: String,
    row: SessionRow,
}

impl Session {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        let (project, home) = (top.path().join("project"), top.path().join("home"));
        fs::create_dir_all(project.join(".megg")).unwrap();
        fs::create_dir_all(home.join(".local/share/opencode")).unwrap();
        fs::write(project.join(".megg/info.md"), "# Shop\n\nSells <things> \"here\".\n").unwrap();
        let host = Embedded { home, now: Timestamp::now() };
        let mut context = String::new();
        let request = Request::message(find("opencode").unwrap(), "ses_1", project, "hello", "1").unwrap();
        let _ = window::brief(&request, &host, &mut context);
        assert!(context.contains("Sells <things>"), "{context}");
        let row = place(&host).sessions(&Filter::default()).unwrap().pop().unwrap();
        Self { top, host, context, row }
    }

    fn database(&self) -> PathBuf {
        self.host.home.join(".local/share/opencode/opencode.db")
    }

    /// Makes the database, with a user's message that has these parts, and an answer.
    fn recorded(&self, session: &str, parts: &[&str]) {
        let connection = Connection::open(self.database()).unwrap();
        let tables = "CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY);
            CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
            CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);";
        connection.execute_batch(tables).unwrap();
        let now = Timestamp::now().as_millisecond() + 100;
        connection.execute("INSERT INTO session VALUES (?1)", [session]).unwrap();
        for (role, time) in [("user", now), ("assistant", now + 100)] {
            let id = format!("{session}-{role}");
            let data = serde_json::json!({ "role": role }).to_string();
            connection.execute("INSERT INTO message VALUES (?1, ?2, ?3)", params![id, session, data]).unwrap();
            let texts: &[&str] = if role == "user" { parts } else { &["done"] };
            for (number, text) in texts.iter().enumerate() {
                let data = serde_json::json!({ "type": "text", "text": text }).to_string();
                let part = params![format!("{id}-{number}"), id, session, time, data];
                connection.execute("INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?5)", part).unwrap();
            }
        }
    }

    fn settle(&self) -> Settled {
        let mut ledger = briefing_store::open_existing(&Place::below(&self.host.home.join("state")), PATIENCE).unwrap().unwrap();
        let agent = find("opencode").unwrap();
        transcripts::settle(&mut *ledger, self.row.id, agent, &self.row.key, &self.host, Budget::COMMAND, || 2).unwrap()
    }

    fn verdicts(&self) -> Vec<Option<Verdict>> {
        place(&self.host).receipts(None).unwrap().iter().map(|receipt| receipt.verdict).collect()
    }
}

fn place(host: &Embedded) -> Box<dyn briefing_store::Reader> {
    briefing_store::reader(&Place::below(&host.home.join("state")), PATIENCE).unwrap().unwrap()
}

#[test]
fn a_part_of_the_users_message_proves_it() {
    let session = Session::new();
    assert_eq!(session.settle().silence, Some(Silence::NotFound));
    session.recorded("ses_1", &["hello", &session.context]);
    assert_eq!(session.settle(), Settled::default());
    assert!(session.verdicts().iter().all(|verdict| *verdict == Some(Verdict::Seen)), "{:?}", session.verdicts());
}

#[test]
fn the_parts_of_another_session_prove_nothing() {
    let session = Session::new();
    session.recorded("ses_2", &[&session.context]);
    assert_eq!(session.settle().silence, Some(Silence::NotFound));
    session.recorded("ses_1", &["hello"]);
    assert_eq!(session.settle().again.len(), session.verdicts().len(), "all of it is due again");
    assert!(session.verdicts().iter().all(|verdict| *verdict == Some(Verdict::Missing)), "{:?}", session.verdicts());
}

/// A table may be a view that never ends, and a file may be anything.
#[test]
fn a_hostile_database_costs_a_bounded_time() {
    let session = Session::new();
    let endless = "CREATE TABLE message (id TEXT, data TEXT); CREATE TABLE session (id TEXT); INSERT INTO session VALUES ('ses_1');
        INSERT INTO message VALUES ('m', '{}');
        CREATE VIEW part AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT x AS rowid, 'm' AS message_id, 'ses_1' AS session_id, x AS time_created, '{}' AS data FROM n;";
    Connection::open(session.database()).unwrap().execute_batch(endless).unwrap();
    let started = Instant::now();
    assert!(matches!(session.settle().silence, Some(Silence::Unreadable(_))), "{:?}", session.settle());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    fs::write(session.database(), "no database at all").unwrap();
    assert!(matches!(session.settle().silence, Some(Silence::Unreadable(_))));
    let elsewhere = session.top.path().join("elsewhere.db");
    fs::rename(session.database(), &elsewhere).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&elsewhere as &Path, session.database()).unwrap();
        assert!(matches!(session.settle().silence, Some(Silence::NotTrusted(_))));
    }
    assert!(session.verdicts().iter().all(Option::is_none), "nothing was decided");
}
