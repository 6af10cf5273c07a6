//! Printing never decides whether the work is done: with a reader that has gone, or a full disk behind stdout, a command
//! changes the same files and ends with the same success or failure.

#![cfg(unix)]

#[cfg(target_os = "linux")]
use std::fs::File;
use std::process::Stdio;

use briefing_testkit::{Sandbox, binary};

/// Returns a project in which every command below has something to do.
fn project() -> Sandbox {
    let old = "\n---\n\n## 2020-01-01 - Ancient\n**Type:** decision\n**Topics:** a\n\nIt was.\n";
    Sandbox::new()
        .directory(".git")
        .file(".megg/info.md", "# Shop\n\nSells things.\n")
        .file(".megg/knowledge.md", format!("# Knowledge\n\n{old}"))
        .file(".context/TASKS.md", "# Tasks\n\n- [ ] Old task\n")
        .file(".context/DECISIONS.md", "# Decisions\n")
        .file(".context/LEARNINGS.md", "# Learnings\n")
        .file(".context/goals/mine/prompt.yaml", "prompt: Please review.\n")
        .file("docs/guide.md", "# Guide\n\nHow to.\n")
        .file("README.md", "# Shop\n\nSee [the guide](docs/guide.md).\n")
}

/// The commands that write files, each with the file and the text that it must contain afterwards; without a text, the
/// file must be gone.
const WORK: &[(&str, &str, Option<&str>)] = &[
    ("install claude --yes", "~/.claude/settings.json", Some("hook claude")),
    ("uninstall cursor --yes", "~/.cursor/hooks.json", None),
    ("index", ".context/index.json", Some("docs/guide.md")),
    ("index --json", ".context/index.json", Some("docs/guide.md")),
    ("learn NEW-TITLE --type gotcha --topics a text", ".megg/knowledge.md", Some("NEW-TITLE")),
    ("maintain --apply --yes", ".megg/archive/2020.md", Some("Ancient")),
    ("state HANDED-OVER", ".megg/state.md", Some("HANDED-OVER")),
    ("decision add NEW-TITLE --context c --rationale r --consequence q", ".context/DECISIONS.md", Some("NEW-TITLE")),
    ("learning add NEW-TITLE --context c --lesson l --application a", ".context/LEARNINGS.md", Some("NEW-TITLE")),
    ("task add NEW-TASK", ".context/TASKS.md", Some("NEW-TASK")),
    ("task done Old", ".context/TASKS.md", Some("[x] Old task")),
    ("init domain sub", "sub/.megg/info.md", Some("sub")),
    ("init context fresh", "fresh/.context/CONSTITUTION.md", Some("#")),
    ("trust --yes", "~/.local/state/brief/trust.json", Some("mine")),
    ("goal add another", ".context/goals/another/prompt.yaml", Some("prompt")),
    ("notify setup https://hooks.example.com/x", "~/.config/brief/notify.toml", Some("hooks.example.com")),
    ("pack README.md -o out.md", "out.md", Some("the guide")),
    ("doctor --fix", "~/.copilot/hooks/brief.json", Some("sessionStart")),
];

fn after(sandbox: &Sandbox, words: &str, stdout: Stdio) -> Option<i32> {
    let mut command = sandbox.command(binary());
    let output = command.args(words.split(' ')).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.code()
}

fn prepared(words: &str) -> Sandbox {
    let sandbox = project();
    std::fs::create_dir_all(sandbox.path("sub")).unwrap();
    std::fs::create_dir_all(sandbox.path("fresh")).unwrap();
    if words.starts_with("uninstall") {
        let _ = sandbox.brief(["install", "cursor", "--yes"]).success();
    }
    if words.starts_with("doctor") {
        let _ = sandbox.brief(["install", "copilot", "--yes"]).success();
        sandbox.write("~/.copilot/hooks/brief.json", "{\"version\": 1, \"hooks\": {}}");
    }
    sandbox
}

#[track_caller]
fn assert_done(sandbox: &Sandbox, words: &str, file: &str, expected: Option<&str>, how: &str) {
    let path = file.strip_prefix("~/").map_or_else(|| sandbox.path(file), |name| sandbox.home().join(name));
    let content = std::fs::read_to_string(&path).ok();
    match expected {
        Some(expected) => {
            assert!(content.as_ref().is_some_and(|content| content.contains(expected)), "{how}: `brief {words}`: {content:?}");
        }
        None => assert_eq!(content, None, "{how}: `brief {words}`"),
    }
}

#[test]
fn a_reader_that_has_gone_stops_no_work() {
    for (words, file, expected) in WORK {
        let sandbox = prepared(words);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(after(&sandbox, words, writer.into()), Some(0), "{words}");
        assert_done(&sandbox, words, file, *expected, "closed pipe");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_stops_no_work() {
    for (words, file, expected) in WORK {
        let sandbox = prepared(words);
        after(&sandbox, words, File::options().write(true).open("/dev/full").unwrap().into());
        assert_done(&sandbox, words, file, *expected, "full disk");
    }
}

/// What the change would be cannot be seen, so nobody can agree to it.
#[cfg(target_os = "linux")]
#[test]
fn without_a_printed_change_nothing_is_installed_unasked() {
    let sandbox = project();
    assert_eq!(after(&sandbox, "install claude", File::options().write(true).open("/dev/full").unwrap().into()), Some(1));
    assert!(!sandbox.home().join(".claude").exists());
}

#[test]
fn the_exit_code_does_not_depend_on_the_reader() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", "{ broken").file("docs/index.json", "{}").file("README.md", "# R\n");
    for words in ["doctor", "doctor --json", "index --check --json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(after(&sandbox, words, writer.into()), Some(1), "{words}");
    }
}

/// `yes … | brief select --lines | head -1` must end.
#[test]
fn a_stream_ends_with_its_reader() {
    let sandbox = project();
    let _ = sandbox.brief(["index"]).success();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let (input, mut feeder) = std::io::pipe().unwrap();
    let mut command = sandbox.command(binary());
    let mut child = command.args(["select", "--lines"]).stdin(input).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let feeding = std::thread::spawn(move || {
        use std::io::Write;
        while feeder.write_all(b"{\"text\": \"guide\"}\n").is_ok() {}
    });
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while child.try_wait().unwrap().is_none() {
        if std::time::Instant::now() > deadline {
            let _ = child.kill();
            panic!("it still reads");
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    feeding.join().unwrap();
}
