//! A client of `brief mcp` that speaks the protocol line by line, so that a test can also send what no client sends.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, binary};

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a handshake: the client's name and capabilities come once.
    Legacy,
    /// 2026-07-28: they come with every request.
    Modern,
}

/// A running server.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    era: Era,
    client: Value,
    capabilities: Value,
    last: u64,
    /// Keeps the project while the server runs.
    _sandbox: Sandbox,
}

impl Server {
    /// Starts the server in a sandbox. Nothing is sent yet.
    pub fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(binary());
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the server starts");
        let (stdout, stdin) = (child.stdout.take().expect("stdout is piped"), child.stdin.take());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(stdout).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok());
        });
        let (client, capabilities) = (json!({ "name": "test", "version": "1" }), json!({}));
        Self { child, stdin, lines, era: Era::Modern, client, capabilities, last: 0, _sandbox: sandbox.clone() }
    }

    /// Starts the server and introduces a client, as its era does.
    pub fn connect(sandbox: &Sandbox, era: Era, client: &str, capabilities: Value) -> Self {
        let mut server = Self::start(sandbox);
        server.era = era;
        server.client = json!({ "name": client, "version": "1" });
        server.capabilities = capabilities;
        if era == Era::Legacy {
            let hello = json!({ "protocolVersion": "2025-11-25", "clientInfo": server.client, "capabilities": server.capabilities });
            server.request("initialize", hello);
            server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        server
    }

    /// Sends a request and returns its id.
    pub fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.era == Era::Modern {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": self.client,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
            for (name, value) in meta.as_object().expect("it is an object") {
                params["_meta"][name] = value.clone();
            }
        }
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// Writes one message.
    pub fn write(&mut self, message: &Value) {
        self.write_bytes(format!("{message}\n").as_bytes());
    }

    /// Writes any bytes.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Returns the next message, if one comes in time.
    pub fn next_within(&mut self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("not the protocol: {error}: {line}")))
    }

    /// Returns the next message.
    #[track_caller]
    pub fn message(&mut self) -> Value {
        self.next_within(PATIENCE).expect("the server answers in time")
    }

    /// Returns the answer to a request; other messages before it are dropped.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let message = self.message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
        panic!("no answer to {id}")
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        answer.get("result").unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    }

    /// Calls a tool and returns its result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool and returns the text of its result, which must be no error.
    #[track_caller]
    pub fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        text_of(&result)
    }

    /// Calls a tool that must fail, and returns what it says.
    #[track_caller]
    pub fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text_of(&result)
    }

    /// Ends the input and waits until the server ends.
    pub fn end(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().expect("a child can be waited for")
    }

    /// Returns the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}")).to_owned()
}
