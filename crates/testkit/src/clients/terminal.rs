//! A client in a terminal, controlled through tmux, for features of interactive sessions such as `/clear` and `/compact`.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::place::write;
use super::session::Client;
use crate::model_api::{Kind, ModelRequest, Script};

/// An interactive client; it ends when dropped.
pub struct Terminal<'client> {
    client: &'client mut Client,
    socket: PathBuf,
    /// Position of the first request of this session.
    start: usize,
}

/// The longest wait for a screen or a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// If the expected request does not arrive for this long, the Enter was probably lost.
const SWALLOWED: Duration = Duration::from_secs(8);

/// Clients show a typed text of up to this length in full.
const SHORT: usize = 60;

/// If a text does not appear on the screen for this long, it was probably lost.
const ECHO: Duration = Duration::from_secs(6);

/// If the screen does not change for this long, the client is idle, because all clients show a spinner while they work.
const REST: Duration = Duration::from_millis(1200);

impl<'client> Terminal<'client> {
    pub(super) fn open(client: &'client mut Client) -> Self {
        let start = client.cell().request_count();
        // Use a separate socket: a server that is shutting down still listens for a moment.
        let socket = client.place.root().join(format!("tmux-{}", client.runs));
        let argv = client.interactive_argv();
        let project = client.place.project().display().to_string();
        let mut terminal = Self { client, socket, start };
        // The last words of a client that ends stay on the screen.
        let mut arguments = vec!["start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"];
        arguments.extend(["new-session", "-d", "-s", "test", "-x", "140", "-y", "50", "-c", &project]);
        arguments.extend(argv.iter().map(String::as_str));
        terminal.tmux(&arguments);
        terminal.settle();
        terminal
    }

    /// Pastes a text, submits it, and waits until the client is idle again.
    pub fn submit(&mut self, text: &str) -> &mut Self {
        self.paste(text);
        self.enter()
    }

    fn paste(&mut self, text: &str) {
        let buffer = self.client.place.root().join("paste");
        write(&buffer, text);
        let buffer = buffer.display().to_string();
        self.put(text, |terminal| {
            terminal.tmux(&["load-buffer", "-b", "test", &buffer]);
            terminal.tmux(&["paste-buffer", "-p", "-d", "-b", "test", "-t", "test"]);
        });
    }

    /// Returns the client, to run another process of it beside this one.
    pub fn client(&mut self) -> &mut Client {
        self.client
    }

    /// Sets what the model answers from now on.
    pub fn script(&mut self, script: Script) -> &mut Self {
        self.client.script(script);
        self
    }

    /// Pastes a text and submits it, and returns while the client works on it.
    pub fn begin(&mut self, text: &str) -> &mut Self {
        self.paste(text);
        self.settle();
        let (start, before) = (self.start, self.requests().len());
        self.press_enter();
        let is_sent = self.client.cell().wait_for_requests(start, PATIENCE, |requests| requests.len() > before);
        assert!(is_sent, "the message was not sent:\n{}", self.screen());
        self
    }

    /// Submits a text while the client works.
    pub fn interject(&mut self, text: &str) -> &mut Self {
        self.put(text, |terminal| {
            terminal.tmux(&["send-keys", "-t", "test", "-l", text]);
        });
        thread::sleep(Duration::from_millis(300));
        self.press_enter();
        self
    }

    /// Types a slash command, submits it, and waits until the client is idle again.
    pub fn command(&mut self, command: &str) -> &mut Self {
        self.put(command, |terminal| {
            terminal.tmux(&["send-keys", "-t", "test", "-l", command]);
        });
        self.enter()
    }

    /// Enters a text into the client's input. Tries again if the client loses it, which happens while it starts.
    fn put(&mut self, text: &str, put: impl Fn(&mut Self)) {
        for _ in 0..3 {
            put(self);
            let deadline = Instant::now() + ECHO;
            while Instant::now() < deadline {
                // A long text is shown abbreviated, so it cannot be found on the screen.
                if text.len() > SHORT || self.screen().contains(text) {
                    return;
                }
                thread::sleep(Duration::from_millis(100));
            }
        }
    }

    fn enter(&mut self) -> &mut Self {
        // An Enter that follows too quickly becomes part of the text.
        self.settle();
        self.press_enter();
        self.settle();
        self
    }

    fn press_enter(&mut self) {
        self.tmux(&["send-keys", "-t", "test", "Enter"]);
    }

    /// Presses keys, by tmux's names for them, and waits until the client is idle again.
    pub fn keys(&mut self, keys: &[&str]) -> &mut Self {
        for key in keys {
            self.tmux(&["send-keys", "-t", "test", key]);
            // Some clients take two keys that follow too quickly for one.
            thread::sleep(Duration::from_millis(200));
        }
        self.settle();
        self
    }

    /// Waits until this session has this many conversation steps, and the client is idle.
    pub fn wait_for_turns(&mut self, count: usize) -> &mut Self {
        self.wait_for(&format!("{count} turns"), |requests| requests.iter().filter(|request| request.kind == Kind::Turn).count() >= count)
    }

    /// Waits until `wanted` holds for this session's requests, and the client is idle.
    pub fn wait_for(&mut self, what: &str, wanted: impl Fn(&[ModelRequest]) -> bool) -> &mut Self {
        let start = self.start;
        let deadline = Instant::now() + PATIENCE;
        while !self.client.cell().wait_for_requests(start, SWALLOWED, &wanted) {
            if Instant::now() < deadline {
                // A client that is still starting may lose the key. On an empty line the key does nothing.
                self.press_enter();
                continue;
            }
            let seen: Vec<String> = self.requests().iter().map(|request| format!("{:?} {}", request.kind, request.path)).collect();
            panic!("timed out waiting for {what}\nrequests: {seen:#?}\nscreen:\n{}", self.screen());
        }
        self.settle();
        self
    }

    /// Sends a message before and after a compaction, and one after a clear. Returns the three turns.
    pub fn compact_and_clear(&mut self) -> Vec<ModelRequest> {
        self.submit("PROMPT-ONE").wait_for_turns(1);
        self.command("/compact").wait_for_compaction();
        self.submit("PROMPT-TWO").wait_for_turns(2);
        self.command("/clear");
        self.submit("PROMPT-THREE").wait_for_turns(3);
        self.turns()
    }

    /// Waits until the client has asked the model for a summary of its window.
    pub fn wait_for_compaction(&mut self) -> &mut Self {
        self.wait_for("a compaction", |requests| requests.iter().any(|request| request.kind == Kind::Compaction))
    }

    /// Returns this session's requests so far.
    pub fn requests(&mut self) -> Vec<ModelRequest> {
        let start = self.start;
        self.client.cell().requests_from(start)
    }

    /// Returns this session's conversation steps so far.
    pub fn turns(&mut self) -> Vec<ModelRequest> {
        self.requests().into_iter().filter(|request| request.kind == Kind::Turn).collect()
    }

    /// Returns the socket of the terminal's tmux server. The client is in the pane `test`.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns what the terminal shows.
    pub fn screen(&mut self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "test"])
    }

    /// Waits until the terminal shows a text, and the client is idle.
    pub fn wait_for_screen(&mut self, text: &str) -> &mut Self {
        let deadline = Instant::now() + PATIENCE;
        while !self.screen().contains(text) {
            assert!(Instant::now() < deadline, "timed out waiting for `{text}` on the screen:\n{}", self.screen());
            thread::sleep(Duration::from_millis(100));
        }
        self.settle();
        self
    }

    /// Waits until the screen stops changing.
    fn settle(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let (mut last, mut since) = (String::new(), Instant::now());
        while Instant::now() < deadline {
            thread::sleep(Duration::from_millis(100));
            let screen = self.screen();
            if screen != last {
                (last, since) = (screen, Instant::now());
            } else if since.elapsed() > REST && !last.trim().is_empty() {
                return;
            }
        }
        panic!("the screen never stopped changing:\n{last}");
    }

    fn tmux(&mut self, arguments: &[&str]) -> String {
        let mut argv = vec!["tmux".to_owned(), "-S".to_owned(), self.socket.display().to_string()];
        argv.extend(["-f", "/dev/null"].map(str::to_owned));
        argv.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let mut env = self.client.environment();
        env.push(("TERM".to_owned(), "xterm-256color".to_owned()));
        let outcome = self.client.execute(argv, env, None);
        assert!(outcome.code == Some(0), "tmux {arguments:?} failed\n{outcome}");
        outcome.stdout
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // If the test is panicking, the cell ends anyway, and a second panic would hide the first.
        if !thread::panicking() {
            self.tmux(&["kill-server"]);
        }
    }
}
