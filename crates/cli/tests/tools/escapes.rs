//! What a terminal receives: no command sends it an escape sequence that came from a file, a name or the ledger. A pipe
//! receives every byte.

use briefing_testkit::Sandbox;
use serde_json::json;

use super::terminal::at_terminal;

/// Sets the title, writes to the clipboard, clears the screen; the last one is a single C1 character.
const EVIL: &str = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\u{9b}31m\u{202e}";

fn project() -> Sandbox {
    let sandbox = Sandbox::new()
        .directory(".git")
        .file(".megg/info.md", format!("# Shop {EVIL}\n\nSells {EVIL} things.\n"))
        .file(
            ".megg/knowledge.md",
            format!("# Knowledge\n\n---\n\n## 2026-11-01 - Rule {EVIL}\n**Type:** rule\n**Topics:** a{EVIL}\n\nBody {EVIL}.\n"),
        )
        .file(".megg/state.md", format!("---\nupdated: 2026-11-15T11:00:00Z\nstatus: active\n---\nDo {EVIL} this.\n"))
        .file(".context/CONSTITUTION.md", format!("# Rules {EVIL}\n\n- Never {EVIL} guess.\n"))
        .file(".context/DECISIONS.md", format!("# Decisions\n\n## [2026-01-28-051426] Title {EVIL}\n\nBecause.\n"))
        .file(".context/goals/e\x1b[31mvil/prompt.yaml", "description: x\nprompt: p\n")
        .file(".context/goals/fine/prompt.yaml", "description: \"run \\e[2J it\"\nprompt: \"Do \\e[2J it.\"\n")
        .file("docs/gui\x1b[31mde.md", format!("# Guide to deployment {EVIL}\n\nHow to deploy {EVIL} things.\n"))
        .file("README.md", format!("# Shop {EVIL}\n\nDeploy, deployment, guide.\n"))
        .file("brief.toml", "[docs]\nindex = \".context/index.json\"\n")
        .env("NO_COLOR", "1")
        .env("TERM", "xterm-256color");
    let _ = sandbox.brief(["index", "--all"]).success();
    let _ = sandbox.brief(["trust", "--yes"]).success();
    sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": format!("s{EVIL}") }));
    sandbox
}

#[test]
fn a_terminal_never_receives_an_escape_sequence_of_a_file() {
    let sandbox = project();
    let commands = [
        "preview",
        "preview --event SessionStart",
        "preview how are things deployed",
        "preview --explain how are things deployed",
        "preview --json",
        "trust --list",
        "log",
        "log --json",
        "gate",
        "gate --print",
        "gate --json",
        "context",
        "context --json",
        "select deployment guide",
        "select --explain deployment guide",
        "select --json deployment guide",
        "index --where",
        "goals",
        "goals --json",
        "goal check",
        "run fine --dry-run",
        "run fine --receiver stdout",
        "read README.md docs",
        "pack README.md docs",
        "pack --format json README.md docs",
        "pack --format xml --explain README.md docs",
        "state",
        "state --json",
        "maintain",
        "maintain --json",
        "learn x -t rule -T a --dry-run",
        "config show",
        "doctor",
        "install claude --dry-run",
        "no-such-\u{9b}-command",
    ];
    // All in one terminal: starting one takes a second.
    let script: String = commands.iter().flat_map(|command| ["echo '>>>>'\nbrief ", command, "\n"]).collect();
    sandbox.write("all.sh", script);
    let (screen, code) = at_terminal(&sandbox, "sh all.sh", "true", "");
    assert!(code.is_some_and(|code| code < 128), "{code:?} {screen:?}");
    let screens: Vec<&str> = screen.split(">>>>").skip(1).collect();
    assert_eq!(screens.len(), commands.len());
    for (command, shown) in commands.iter().zip(screens) {
        let bad = shown.chars().find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(bad, None, "`brief {command}`: {shown:?}");
        assert!(shown.trim().len() > 1 || *command == "goal check", "`brief {command}` shows something");
    }
}

#[test]
fn a_pipe_receives_every_byte() {
    let sandbox = project();
    for words in [&["pack", "README.md"][..], &["pack", "--format", "plain", "README.md"]] {
        let told = sandbox.brief(words).success();
        assert!(told.stdout.windows(4).any(|bytes| bytes == b"\x1b[2J"), "{words:?}: {told}");
    }
}
