//! A session of a real hook with a transcript, for the tests of `brief report` and `brief inspect`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use briefing_testkit::{Sandbox, binary};
use serde_json::{Value, json};

pub(crate) const HOSTILE: &str = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script> ✓";

/// A project with documents of which one has a hostile title, and the transcripts beside it.
pub(crate) struct Project {
    pub(crate) sandbox: Sandbox,
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

impl Project {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new()
            .file(
                "docs/deploy.md",
                "# Deploying\n\nWhen the error budget is gone, run `shopctl_drain --canary` and roll back the release of the canary.\n\n[gone](nowhere.md)\n",
            )
            .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie named `shop_session`.\n")
            .file("docs/hostile.md", format!("---\ntitle: {}\ndescription: {}\n---\nThe hostile title of penguins, `penguin_count` and `penguin_names`.\n", json!(HOSTILE), json!(HOSTILE)))
            .file(".megg/info.md", "# Shop\n\nSells things.\n");
        sandbox.brief(["index", "--all"]).success();
        Self { sandbox }
    }

    fn transcript(&self, session: &str) -> String {
        self.sandbox.home().join(format!("{session}.jsonl")).to_str().unwrap().to_owned()
    }

    /// Answers an event, and writes into the transcript what an agent would.
    pub(crate) fn hook(&self, session: &str, event: &str, more: &Value) {
        let mut input = json!({
            "session_id": session, "cwd": self.sandbox.root(), "hook_event_name": event, "transcript_path": self.transcript(session),
        });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let printed = self.sandbox.brief_with_input(["hook", "claude", event, "1"], input.to_string()).success().stdout;
        if let Ok(printed) = serde_json::from_slice::<Value>(&printed) {
            let context = &printed["hookSpecificOutput"]["additionalContext"];
            self.record(
                session,
                &json!({ "type": "attachment", "attachment": { "type": "hook_additional_context", "content": [context] } }),
            );
        }
    }

    pub(crate) fn record(&self, session: &str, record: &Value) {
        let mut record = record.clone();
        record["timestamp"] = (now() + 1).into();
        let path = self.transcript(session);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, format!("{before}{record}\n")).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(3));
    }

    pub(crate) fn message(&self, session: &str, text: &str) {
        self.record(session, &json!({ "type": "user", "message": { "role": "user", "content": text } }));
        self.hook(session, "UserPromptSubmit", &json!({ "prompt": text, "prompt_id": format!("{session}-{text}") }));
    }

    pub(crate) fn answer(&self, session: &str, content: &Value) {
        let usage = json!({ "input_tokens": 1000, "cache_read_input_tokens": 234 });
        self.record(session, &json!({ "type": "assistant", "message": { "role": "assistant", "content": [content], "usage": usage } }));
    }

    pub(crate) fn json(&self, words: &[&str]) -> Value {
        serde_json::from_slice(&self.sandbox.brief(words).success().stdout).unwrap()
    }

    /// Adds an event of the ledger so many times.
    pub(crate) fn repeat_events(&self, times: u32) {
        let connection = rusqlite::Connection::open(self.sandbox.home().join(".local/state/brief/ledger.db")).unwrap();
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info('events') WHERE name <> 'id'").unwrap();
        let columns: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        let columns = columns.join(", ");
        connection
            .execute_batch(&format!(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {times})
                 INSERT INTO events ({columns}) SELECT {columns} FROM events, n WHERE events.id = (SELECT min(id) FROM events)"
            ))
            .unwrap();
    }

    /// Starts the server. Returns its process and its address.
    pub(crate) fn serve(&self) -> (Served, String) {
        self.serve_by(&[])
    }

    /// Starts the server by another program, which is replaced by it.
    pub(crate) fn serve_by(&self, by: &[&str]) -> (Served, String) {
        let program = binary();
        let words: Vec<&std::ffi::OsStr> = by.iter().map(|word| std::ffi::OsStr::new(*word)).chain([program.as_os_str()]).collect();
        let mut command = self.sandbox.command(words[0]);
        command.args(&words[1..]).args(["inspect", "--no-open"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (Served(child), line.trim().to_owned())
    }
}

/// A server that ends with its test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(crate) const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
pub(crate) const AUTH: &str = "how do users sign in with a session cookie?";
