//! `brief tmux`, and a goal that goes to a pane, against a real tmux.

use std::process::Output;

use briefing_testkit::{Sandbox, wait_until};

/// A separate tmux server that ends with the test.
struct Server {
    sandbox: Sandbox,
    socket: String,
}

impl Server {
    fn start(program: &str) -> Self {
        Self::start_in(Sandbox::new(), program)
    }

    fn start_in(sandbox: Sandbox, program: &str) -> Self {
        let socket = sandbox.root().join("tmux.socket").to_string_lossy().into_owned();
        let server = Self { sandbox, socket };
        let output = server.tmux(&["new-session", "-d", "-x", "150", "-y", "40", "-s", "t", program]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        server
    }

    fn tmux(&self, words: &[&str]) -> Output {
        let mut command = self.sandbox.command("tmux");
        command.args(["-S", &self.socket]).args(words).output().expect("tmux is installed")
    }

    /// Returns the sandbox with the server in its environment, as inside a pane.
    fn inside(&self) -> Sandbox {
        self.sandbox.clone().env("TMUX", format!("{},1,0", self.socket))
    }

    fn brief(&self, words: &[&str], input: &str) -> briefing_testkit::Outcome {
        self.inside().brief_with_input(std::iter::once(&"tmux").chain(words), input)
    }

    fn screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-t", "t"]).stdout).unwrap()
    }

    fn wait_for(&self, text: &str) {
        wait_until(&format!("`{text}` is on the screen"), || self.screen().contains(text));
    }

    /// Returns everything that [`READER`] received, once it ends with an Enter after paste number `pastes`.
    fn got(&self, pastes: usize) -> String {
        let read = || std::fs::read_to_string(self.sandbox.path("got")).unwrap_or_default();
        wait_until(&format!("paste {pastes} is followed by an Enter"), || {
            read().matches("\u{1b}[201~").count() >= pastes && read().ends_with(['\r', '\n'])
        });
        read()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

/// A program that turns bracketed paste on and reports what it reads, one line per submission.
const READER: &str = r#"bash -c 'stty -icanon -echo; printf "\033[?2004hREADY\n"; exec 3>got; while IFS= read -r -n1 -d "" c; do printf "%s" "$c" >&3; printf "%s" "$c"; done'"#;

#[test]
fn a_text_of_many_lines_arrives_as_one_paste_and_enter_comes_after() {
    let server = Server::start(READER);
    server.wait_for("READY");
    let text = "first \"line\" $HOME\n\n\tthird € line\x1b[201~ evil\nlast line of it\n";
    let _ = server.brief(&["t", "-"], text).success();
    let got = server.got(1);
    let (start, end) = ("\u{1b}[200~", "\u{1b}[201~");
    assert_eq!(got.matches(start).count(), 1, "{got:?}");
    assert_eq!(got.matches(end).count(), 1, "the text cannot end its own paste: {got:?}");
    let inside = got.split_once(start).unwrap().1.split_once(end).unwrap();
    assert_eq!(inside.0.replace('\r', "\n"), "first \"line\" $HOME\n\n\tthird € line[201~ evil\nlast line of it");
    assert!(matches!(inside.1, "\r" | "\n"), "then one Enter: {:?}", inside.1);
}

#[test]
fn what_cannot_work_is_refused_with_the_next_step() {
    let server = Server::start("PS1='ready> ' sh");
    let missing = server.brief(&["nosuch:9.9"], "x").code(1);
    assert!(missing.stderr().contains("list-panes"), "{missing}");
    server.wait_for("ready>");
    let plain = server.brief(&["t"], "echo one\necho two\n").code(1);
    assert!(plain.stderr().contains("--one-line"), "{plain}");
    let _ = server.brief(&["t", "--one-line"], "echo o\"n\"e\necho t\"w\"o\n").success();
    server.wait_for("one echo two");
    assert!(server.tmux(&["copy-mode", "-t", "t"]).status.success());
    let copying = server.brief(&["t"], "x").code(1);
    assert!(copying.stderr().contains("copy mode"), "{copying}");
    let _ = server.brief(&["t"], "  ").code(1);
}

#[test]
fn a_message_brings_its_document_into_the_pane_once() {
    let server = Server::start(READER);
    server.wait_for("READY");
    let message = "how do I roll back the canary release when the error budget is gone?";
    server.sandbox.write("brief.toml", "[docs]\nmax_docs = 1\n");
    server.sandbox.write("docs/index.json", r#"["deploy.md","auth.md","logging.md","billing.md"]"#);
    server.sandbox.write(
        "docs/deploy.md",
        "# Deploying\n\nA release is rolled out with a canary.\n\n## Rolling back\n\nWhen the error budget is gone, drain the canary and roll back the release.\n",
    );
    for (name, text) in
        [("auth", "Users sign in with a cookie."), ("logging", "Records have levels."), ("billing", "Invoices are made monthly.")]
    {
        server.sandbox.write(format!("docs/{name}.md"), format!("# {name}\n\n{text}\n"));
    }
    let send = |pane: &str| server.brief(&[pane, "--session", "s", "--message", message], "");
    let lost = send("nosuch:9.9").code(1);
    assert!(lost.stderr().contains("list-panes"), "{lost}");
    let _ = send("t").success();
    let first = server.got(1);
    assert!(first.contains("docs/deploy.md (matches: ") && first.contains("drain the canary"), "{first:?}");
    assert!(first.find("drain the canary") < first.find("how do I roll back"), "the message comes last: {first:?}");
    let _ = send("t").success();
    let second = server.got(2)[first.len()..].to_owned();
    assert!(second.contains("how do I roll back") && !second.contains("drain the canary"), "{second:?}");
}

#[test]
fn a_question_on_the_screen_is_not_answered_by_a_paste() {
    let asking = READER.replacen("READY", "Run it?\\n ❯ 1. Yes\\n   2. No\\n", 1);
    assert_ne!(asking, READER);
    let server = Server::start(&asking);
    server.wait_for("2. No");
    let refused = server.brief(&["t", "-"], "a text").code(1);
    assert!(refused.stderr().contains("is waiting for an answer (`❯ 1. Yes`)") && refused.stderr().contains("--force"), "{refused}");
    assert_eq!(std::fs::read_to_string(server.sandbox.path("got")).unwrap(), "", "no key was pressed");
    let _ = server.brief(&["t", "-", "--force"], "a text").success();
    server.wait_for("a text");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pane_gets_a_goals_prompt_as_one_paste() {
    let server = Server::start_in(crate::run::project(), READER);
    server.wait_for("READY");
    let run = |pane: &str, more: &[&str]| server.inside().brief(["run", "review", "--receiver", pane].iter().chain(more));
    assert_eq!(run("tmux:t", &[]).success().stdout(), "");
    assert!(server.got(1).starts_with("\u{1b}[200~Please review.\u{1b}[201~"), "{:?}", server.got(1));
    let missing = run("tmux:nosuch", &[]).code(1);
    assert!(missing.stderr().contains("list-panes"), "{missing}");
    let _ = run("tmux:t", &["-o", "x"]).code(2);
}
