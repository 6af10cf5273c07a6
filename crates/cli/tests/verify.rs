//! `brief verify`: what the agents' transcripts say, with small transcripts in each agent's own format.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use briefing_testkit::Sandbox;
use jiff::Timestamp;
use serde_json::{Value, json};

/// A session of an agent, with its transcript.
struct Session {
    sandbox: Sandbox,
    agent: &'static str,
    transcript: PathBuf,
    /// The event that delivers, with what is peculiar to its payload.
    event: (&'static str, Value),
}

impl Session {
    /// Makes a session whose project has this text as its only core file.
    fn of(agent: &'static str, text: &str) -> Self {
        let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", text);
        let (event, more) = match agent {
            "claude" => ("PostToolBatch", json!({ "tool_calls": [{ "tool_use_id": "t" }] })),
            "codex" => ("PreToolUse", json!({ "tool_use_id": "t" })),
            "gemini" => ("BeforeAgent", json!({ "prompt": "hello" })),
            "qwen" => ("UserPromptSubmit", json!({ "prompt": "hello", "submitted_prompt": "hello" })),
            "copilot" => ("preToolUse", json!({ "sessionId": "s-1" })),
            _ => panic!("no session of {agent}"),
        };
        let transcript = match agent {
            "copilot" => sandbox.home().join(".copilot/session-state/s-1/events.jsonl"),
            _ => sandbox.home().join("transcript.jsonl"),
        };
        fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        Self { sandbox, agent, transcript, event: (event, more) }
    }

    fn hook(&self, event: &str, more: &Value) -> String {
        let mut payload = json!({ "transcript_path": self.transcript });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.sandbox.hook([self.agent, event, "whole"], &payload)
    }

    /// Lets brief deliver the core file, and returns the context.
    fn deliver(&self) -> String {
        let context = self.hook(self.event.0, &self.event.1);
        assert!(!context.is_empty());
        context
    }

    /// The user sends a message, which is when a hook looks into the transcript.
    fn message(&self, prompt: &str) -> String {
        self.hook("UserPromptSubmit", &json!({ "prompt": prompt, "prompt_id": prompt }))
    }

    /// Adds lines to the transcript. `@` in a timestamp is the time of the last delivery, to which milliseconds are added.
    fn add(&self, records: &[Value]) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.transcript).unwrap();
        for record in records {
            let mut record = record.clone();
            if let Some(after) = record["timestamp"].as_str().and_then(|text| text.strip_prefix('@')) {
                let time = Timestamp::from_millisecond(self.delivered_at() + after.parse::<i64>().unwrap()).unwrap();
                record["timestamp"] = json!(time.to_string());
            }
            writeln!(file, "{record}").unwrap();
        }
    }

    fn delivered_at(&self) -> i64 {
        let log = self.sandbox.log();
        let times = log["deliveries"].as_array().unwrap().iter().map(|row| row["at"].as_i64().unwrap());
        times.max().unwrap()
    }

    fn verify(&self) -> (Option<i32>, Value) {
        let outcome = self.sandbox.brief(["verify", "--json"]);
        (outcome.status, serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}")))
    }

    /// Returns the verdicts, each once.
    fn verdicts(&self) -> Vec<String> {
        let (_, found) = self.verify();
        let receipts = found["sessions"][0]["receipts"].as_array().cloned().unwrap_or_default();
        let mut words: Vec<String> = receipts.iter().map(|receipt| receipt["verdict"].as_str().unwrap_or("open").to_owned()).collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

/// What an agent writes after it has received a context: the record with the context, and the model's answer to it.
fn records(agent: &str, context: &str) -> Vec<Value> {
    let escaped = context.replace('<', "&lt;").replace('>', "&gt;");
    match agent {
        "claude" => vec![
            json!({ "type": "new-kind-of-record", "attachment": 7 }),
            json!({ "type": "attachment", "timestamp": "@2", "attachment": { "type": "hook_additional_context", "content": ["first lane", context] } }),
            json!({ "type": "user", "timestamp": "@3", "message": { "role": "user", "content": "result" } }),
            json!({ "type": "assistant", "timestamp": "@9", "message": { "role": "assistant" } }),
        ],
        "codex" => vec![
            json!({ "type": "response_item", "timestamp": "@2", "payload": { "type": "message", "role": "developer", "content": [{ "text": context }] } }),
            json!({ "type": "response_item", "timestamp": "@3", "payload": { "type": "function_call_output", "output": "result" } }),
            json!({ "type": "response_item", "timestamp": "@9", "payload": { "type": "message", "role": "assistant" } }),
        ],
        "gemini" => vec![
            json!({ "$set": { "lastUpdated": "x" } }),
            json!({ "type": "user", "timestamp": "@3", "content": [{ "text": "hello" }, { "text": format!("<hook_context>{escaped}</hook_context>") }] }),
            json!({ "type": "gemini", "timestamp": "@9", "content": "done" }),
        ],
        "qwen" => {
            let tagged = format!("<qwen:user-prompt-submit-context>\n{escaped}\n</qwen:user-prompt-submit-context>");
            vec![
                json!({ "type": "user", "timestamp": "@3", "message": { "parts": [{ "text": "hello" }, { "text": tagged }] } }),
                json!({ "type": "assistant", "timestamp": "@9", "message": { "parts": [] } }),
            ]
        }
        "copilot" => vec![
            json!({ "type": "hook.end", "timestamp": "@1", "data": { "output": { "additionalContext": context } } }),
            json!({ "type": "user.message", "timestamp": "@3", "data": { "transformedContent": "hello" } }),
            json!({ "type": "assistant.message", "timestamp": "@9", "data": {} }),
        ],
        _ => panic!("no records of {agent}"),
    }
}

/// A text with everything that agents escape or that JSON does.
const RULES: &str = "# Rules\n\nBe <kind>, not &lt;unkind&gt; & \"quoted\" \\ ✓ 👩‍💻\n\nAlways.\n";

#[test]
fn every_agents_own_record_proves_a_delivery() {
    for agent in ["claude", "codex", "gemini", "qwen"] {
        let session = Session::of(agent, RULES);
        let context = session.deliver();
        assert_eq!(session.verdicts(), ["open"], "{agent}: there is no transcript yet");
        session.add(&records(agent, &context));
        assert_eq!(session.verdicts(), ["seen"], "{agent}");
        let (code, found) = session.verify();
        assert_eq!((code, &found["lost"]), (Some(0), &json!(0)), "{agent}");
        let proof = found["sessions"][0]["receipts"][0]["proof"].as_str().unwrap();
        assert!(proof.contains(" at byte "), "{agent}: {proof}");
        let log = session.sandbox.brief(["log"]).success().stdout();
        assert!(log.contains("; seen"), "{agent}: {log}");
    }
}

/// What a hook printed proves nothing, and Copilot records nothing else of a tool event.
#[test]
fn an_event_that_is_not_recorded_is_unknowable() {
    let session = Session::of("copilot", RULES);
    let context = session.deliver();
    session.add(&records("copilot", &context));
    assert_eq!(session.verdicts(), ["unknowable"]);
    assert_eq!(session.verify().0, Some(0));
    let generic = Sandbox::new().file(".megg/info.md", "# Shop\n");
    let _ = generic.hook(["generic", "session-start"], &json!({ "session": "g" }));
    let text = generic.brief(["verify"]).success().stdout();
    assert!(text.contains("unknowable") && text.contains("brief cannot read the transcripts of this agent"), "{text}");
}

#[test]
fn copilots_messages_are_found_by_the_hash_of_their_session() {
    let session = Session::of("copilot", RULES);
    session.sandbox.write(".megg/info.md", "# Shop\n\nSells things.\n");
    let context = session.hook("userPromptSubmitted", &json!({ "sessionId": "s-1", "prompt": "hello" }));
    let said = format!("hello\n<system_reminder>\n{context}</system_reminder>");
    session.add(&[json!({ "type": "user.message", "timestamp": "@2", "data": { "transformedContent": said } })]);
    assert_eq!(session.verdicts(), ["seen"], "{}", session.verify().1);
}

/// The last file of a context ends with an empty line, which agents remove.
#[test]
fn an_empty_line_at_the_end_of_a_context_is_no_loss() {
    for agent in ["claude", "codex", "gemini", "qwen"] {
        let session = Session::of(agent, RULES);
        session.sandbox.write(".context/CONVENTIONS.md", "# Conventions\n\nConvention one.\n\n\n");
        let context = session.deliver();
        let file = context.split_inclusive("Convention one.").next().unwrap();
        session.add(&records(agent, file));
        let (_, found) = session.verify();
        let receipts = found["sessions"][0]["receipts"].as_array().unwrap();
        let of_file = receipts.iter().find(|receipt| receipt["path"].as_str().unwrap().ends_with("CONVENTIONS.md")).unwrap();
        assert_eq!(of_file["verdict"], "seen", "{agent}: {of_file:#}");
    }
}

/// Qwen does not record what came with a message that was typed while the model worked, and forgets it at a resume.
#[test]
fn a_message_typed_while_qwen_works_is_kept_like_a_tools_context() {
    let session = Session::of("qwen", RULES);
    let typed = session.hook("UserPromptSubmit", &json!({ "prompt": "hello" }));
    assert!(typed.contains("# Rules"), "{typed}");
    session.add(&[
        json!({ "type": "user", "subtype": "mid_turn_user_message", "timestamp": "@3", "message": { "parts": [{ "text": "hello" }] } }),
        json!({ "type": "assistant", "timestamp": "@9", "message": { "parts": [] } }),
    ]);
    assert_eq!(session.verdicts(), ["unknowable"], "it is not missing");
    assert_eq!(session.hook("UserPromptSubmit", &json!({ "prompt": "on", "submitted_prompt": "on" })), "");
    assert!(session.hook("SessionStart", &json!({ "source": "resume" })).contains("# Rules"), "it is due again");
}

/// Claude Code's hook log holds everything although the model received a preview of 2 KB.
#[test]
fn the_hook_log_of_claude_code_proves_nothing() {
    let session = Session::of("claude", &"Many words in this rule.\n".repeat(200));
    let context = session.deliver();
    let preview =
        format!("<persisted-output>\nOutput too large. Full output saved to: /x\n\nPreview (first 2KB):\n{}\n...", &context[..2000]);
    let mut lines = records("claude", &preview);
    lines.insert(
        0,
        json!({ "type": "attachment", "timestamp": "@1", "attachment": { "type": "hook_success", "stdout": context, "content": context } }),
    );
    session.add(&lines);
    assert_eq!(session.verdicts(), ["cut", "missing"], "the file is cut, the closing line is gone");
    assert_eq!(session.verify().0, Some(1));
    assert!(session.sandbox.brief(["verify"]).code(1).stderr().contains("did not reach the model as a whole"));
}

/// Codex keeps head and tail, so the first and the last line survive.
#[test]
fn a_text_without_its_middle_is_cut() {
    let text = (0..400).map(|number| format!("RULE-{number}\n")).collect::<Vec<_>>().concat();
    let session = Session::of("codex", &text);
    let context = session.deliver();
    let cut = format!("Warning: truncated output\n{}…2000 tokens truncated…{}", &context[..1500], &context[context.len() - 1500..]);
    session.add(&records("codex", &cut));
    let (code, found) = session.verify();
    let receipts = found["sessions"][0]["receipts"].as_array().unwrap();
    let of = |end: &str| receipts.iter().find(|receipt| receipt["path"].as_str().unwrap().ends_with(end)).unwrap();
    assert_eq!((code, &of("CONSTITUTION.md")["verdict"]), (Some(1), &json!("cut")), "{receipts:#?}");
    assert_eq!(of(".context")["verdict"], "seen", "the closing line is in the tail");
}

#[test]
fn nothing_is_missing_before_the_model_was_asked_again() {
    let session = Session::of("claude", RULES);
    session.deliver();
    let user = |at: &str| json!({ "type": "user", "timestamp": at });
    let answer = |at: &str| json!({ "type": "assistant", "timestamp": at });
    session.add(&[user("@-50"), answer("@10")]);
    assert_eq!(session.verdicts(), ["open"], "this answers what was asked before");
    session.add(&[user("@20")]);
    assert_eq!(session.verdicts(), ["open"], "asked, but not answered");
    session.add(&[answer("@30")]);
    assert_eq!(session.verdicts(), ["missing"]);
    assert_eq!(session.verify().0, Some(1));
}

#[test]
fn what_was_lost_comes_again_with_the_next_message_but_not_for_ever() {
    let session = Session::of("claude", RULES);
    session.deliver();
    let asked = [json!({ "type": "user", "timestamp": "@1" }), json!({ "type": "assistant", "timestamp": "@2" })];
    for prompt in ["one", "two"] {
        assert_eq!(session.message(&format!("{prompt}, before the answer")), "", "{prompt}");
        session.add(&asked);
        assert!(session.message(prompt).contains("Be <kind>"), "{prompt}: {}", session.sandbox.brief(["log"]).stdout());
    }
    session.add(&asked);
    assert_eq!(session.message("three"), "", "the client hides it");
    let log = session.sandbox.brief(["log"]).success().stdout();
    assert_eq!(log.matches("CONSTITUTION.md: did not reach the model").count(), 2, "{log}");
    let (code, found) = session.verify();
    let again = found["sessions"][0]["receipts"].as_array().unwrap().iter().filter(|receipt| receipt["is_due_again"] == true).count();
    assert_eq!((code, again), (Some(1), 4), "two pieces, twice: {found:#}");
}

#[test]
fn what_came_again_and_was_seen_is_settled() {
    let session = Session::of("codex", RULES);
    session.deliver();
    session.add(&records("codex", "nothing of ours"));
    assert_eq!(session.verify().0, Some(1), "`brief verify` makes it due again too");
    let context = session.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert!(context.contains("Be <kind>"), "{context}");
    session.add(&records("codex", &context));
    let (code, found) = session.verify();
    assert_eq!((code, &found["lost"]), (Some(0), &json!(0)), "{found:#}");
    assert_eq!(session.verdicts(), ["missing", "seen"], "the first one is still listed");
}

#[test]
fn a_user_can_decide_against_repairs() {
    let session = Session::of("claude", RULES);
    session.sandbox.write("~/.config/brief/brief.toml", "[receipts]\nrepair = false\n");
    session.deliver();
    session.add(&records("claude", "nothing of ours"));
    assert_eq!(session.message("one"), "");
    assert_eq!(session.verdicts(), ["missing"]);
    assert!(session.sandbox.brief(["verify"]).code(1).stderr().contains("receipts.repair = true"));
}

#[test]
fn a_quotation_of_a_label_is_no_cut() {
    let session = Session::of("claude", RULES);
    let context = session.deliver();
    let quoted = json!({ "type": "api-request-blob", "message": { "role": "user", "content": [{ "text": &context[..120] }] } });
    session.add(&[quoted]);
    session.add(&records("claude", "nothing of ours"));
    assert_eq!(session.verdicts(), ["missing"]);
}

#[test]
fn only_what_was_added_is_read() {
    let session = Session::of("codex", RULES);
    session.add(&[json!({ "type": "response_item", "payload": { "role": "developer", "content": [] } })]);
    let context = session.deliver();
    assert_eq!(session.verdicts(), ["open"]);
    // The same file, the same length: only a look at its beginning would find the damage.
    let bytes = fs::read(&session.transcript).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&session.transcript).unwrap();
    file.write_all(&vec![b'x'; bytes.len() - 1]).unwrap();
    session.add(&records("codex", "nothing of ours"));
    assert_eq!(session.verdicts(), ["missing"], "a damaged line before the answer would make it unknowable");
    let _ = context;
}

#[test]
fn a_transcript_that_was_replaced_is_read_from_its_beginning() {
    let session = Session::of("codex", RULES);
    let context = session.deliver();
    session.add(&vec![json!({ "type": "event_msg", "timestamp": "@1", "payload": "x".repeat(200) }); 20]);
    assert_eq!(session.verdicts(), ["open"]);
    fs::rename(&session.transcript, session.transcript.with_extension("old")).unwrap();
    session.add(&records("codex", &context));
    assert_eq!(session.verdicts(), ["seen"]);
}

#[test]
fn a_line_that_is_still_being_written_is_read_later() {
    let session = Session::of("codex", RULES);
    let context = session.deliver();
    session.add(&records("codex", &context));
    let bytes = fs::read(&session.transcript).unwrap();
    fs::write(&session.transcript, &bytes[..200]).unwrap();
    assert_eq!(session.verdicts(), ["open"]);
    fs::write(&session.transcript, &bytes).unwrap();
    assert_eq!(session.verdicts(), ["seen"]);
}

#[test]
fn damage_makes_it_unknowable_never_missing() {
    for damage in ["{\"type\":\"response_item\",\"payload\"", "\u{0}\u{0}", &"[".repeat(100_000)] {
        let session = Session::of("codex", RULES);
        session.deliver();
        fs::write(&session.transcript, format!("{damage}\n")).unwrap();
        session.add(&records("codex", "nothing of ours"));
        assert_eq!(session.verdicts(), ["unknowable"], "{}", &damage[..damage.len().min(40)]);
        assert_eq!(session.verify().0, Some(0));
    }
}

/// Half a character, as JavaScript writes it, is not damage.
#[test]
fn half_a_character_is_read() {
    let session = Session::of("codex", RULES);
    let context = session.deliver();
    fs::write(&session.transcript, "{\"type\":\"response_item\",\"payload\":{\"text\":\"\\ud83d\"}}\n").unwrap();
    session.add(&records("codex", &context));
    assert_eq!(session.verdicts(), ["seen"]);
}

#[cfg(unix)]
#[test]
fn a_transcript_that_is_no_file_of_the_user_is_not_opened() {
    let problem = |session: &Session| session.verify().1["sessions"][0]["problem"].as_str().unwrap_or_default().to_owned();
    let session = Session::of("codex", RULES);
    let context = session.deliver();
    let elsewhere = session.transcript.with_extension("elsewhere");
    session.add(&records("codex", &context));
    fs::rename(&session.transcript, &elsewhere).unwrap();
    assert!(problem(&session).contains("not found"), "{}", problem(&session));
    std::os::unix::fs::symlink(&elsewhere, &session.transcript).unwrap();
    assert!(problem(&session).contains("symbolic link"), "{}", problem(&session));
    fs::remove_file(&session.transcript).unwrap();
    fs::create_dir(&session.transcript).unwrap();
    assert!(problem(&session).contains("not a regular file"), "{}", problem(&session));
    fs::remove_dir(&session.transcript).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&session.transcript).status().unwrap().success());
    assert!(problem(&session).contains("not a regular file"), "{}", problem(&session));
    fs::remove_file(&session.transcript).unwrap();
    fs::write(session.transcript.with_extension("jsonl.zst"), "x").unwrap();
    assert!(problem(&session).contains("compressed"), "{}", problem(&session));
    assert_eq!(session.verdicts(), ["open"]);
    fs::rename(&elsewhere, &session.transcript).unwrap();
    assert_eq!(session.verdicts(), ["seen"], "nothing was decided meanwhile");
}

/// A hook reads a bounded part of a huge transcript, and later hooks go on; nothing is called missing on the way.
#[test]
fn a_huge_transcript_delays_no_hook() {
    let session = Session::of("claude", RULES);
    let context = session.deliver();
    let noise = json!({ "type": "user", "timestamp": "@3", "message": { "content": "y".repeat(60_000) } });
    session.add(&vec![noise; 100]);
    session.add(&[json!({ "type": "user", "content": "z".repeat(5 << 20) }), json!({ "type": "assistant", "timestamp": "@4" })]);
    session.add(&records("claude", &context));
    for prompt in ["one", "two", "three", "four", "five", "six"] {
        let started = Instant::now();
        assert_eq!(session.message(prompt), "", "{prompt}");
        assert!(started.elapsed() < Duration::from_secs(2), "{prompt}: {:?}", started.elapsed());
    }
    let log = session.sandbox.brief(["log"]).success().stdout();
    assert!(log.contains("; seen"), "the hooks have found it: {log}");
}

/// A text that begins like ours ten thousand times is not compared ten thousand times.
#[test]
fn a_transcript_full_of_our_labels_is_given_up() {
    let session = Session::of("codex", &"Many words in this rule.\n".repeat(1000));
    let context = session.deliver();
    let flood = context[..80].repeat(40_000);
    session.add(&records("codex", &flood));
    let started = Instant::now();
    assert!(session.verdicts().iter().all(|verdict| ["cut", "missing", "unknowable"].contains(&verdict.as_str())));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn sessions_are_chosen_by_name() {
    let session = Session::of("codex", RULES);
    session.deliver();
    let other =
        session.sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": "other", "tool_calls": [{ "tool_use_id": "t" }] }));
    assert!(!other.is_empty());
    let chosen = |words: &[&str]| session.sandbox.brief(["verify"].iter().chain(words)).success().stdout();
    assert!(chosen(&[]).contains("claude:") && !chosen(&[]).contains("codex:"), "{}", chosen(&[]));
    assert_eq!(chosen(&["--session", "last"]), chosen(&[]));
    assert!(chosen(&["--session", "s-1"]).contains("codex:") && chosen(&["--session", "codex:"]).contains("codex:"));
    assert!(chosen(&["--all"]).contains("codex:") && chosen(&["--all"]).contains("claude:"));
    let unknown = session.sandbox.brief(["verify", "--session", "nobody"]).code(1);
    assert!(unknown.stderr().contains("unknown session `nobody`"), "{unknown}");
    let empty = Sandbox::new().brief(["verify"]).success();
    assert!(empty.stdout().contains("Nothing was delivered yet"), "{empty}");
}

#[test]
fn doctor_counts_verdicts_per_agent() {
    let session = Session::of("codex", RULES);
    let context = session.deliver();
    session.add(&records("codex", &context));
    assert_eq!(session.verdicts(), ["seen"]);
    session.sandbox.write("~/.codex/hooks.json", "{}");
    let _ = session.sandbox.brief(["install", "codex", "--yes"]).success();
    let doctor = session.sandbox.brief(["doctor"]);
    assert!(doctor.stdout().contains("receipts: deliveries of the last 30 days: 2 seen"), "{doctor}");
}

/// What a command printed came with a tool's output, which the agent may have cut in its own way.
#[test]
fn a_document_that_was_asked_for_is_unknowable() {
    let session = Session::of("claude", RULES);
    session.sandbox.write("docs/a.md", "# A\n\nWords.\n");
    session.sandbox.write("docs/index.json", r#"["a.md"]"#);
    let asked = session.sandbox.brief(["docs", "get", "docs/a.md", "--agent", "claude", "--session", "s-1"]).success();
    assert!(asked.stdout().contains("Words."), "{asked}");
    let _ = session.deliver();
    session.add(&records("claude", "nothing of ours"));
    assert_eq!(session.verdicts(), ["missing", "unknowable"], "{:#}", session.verify().1);
}
