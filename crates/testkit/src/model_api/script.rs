//! The answers of the mock model, in order.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::request::{ModelRequest, Tool};
use super::{Answer, NamedCall, Role};

/// The answers of a test, in order. After the last one, the model answers `DONE`.
///
/// ```
/// use briefing_testkit::model_api::{Call, Reply, Script};
/// let script = Script::new()
///     .shell("echo one")
///     .reply(Reply::calls([Call::shell("echo two"), Call::read("README.md")]))
///     .reply(Reply::shell("echo three").input_tokens(190_000))
///     .text("that is all")
///     .thread("SUB-TASK", [Reply::shell("echo inside"), Reply::text("inside is done")]);
/// # drop(script);
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Script {
    main: VecDeque<Reply>,
    threads: Vec<Thread>,
    summary_tokens: Option<u64>,
}

/// The answers for requests whose user text contains `needle`: the turns of a sub-agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Thread {
    needle: String,
    replies: VecDeque<Reply>,
}

/// One answer of the model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Reply {
    text: Option<String>,
    calls: Vec<Call>,
    input_tokens: Option<u64>,
}

/// A tool that the model calls, named by its purpose, because each client has its own name for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Call {
    Shell {
        command: String,
    },
    Read {
        path: String,
    },
    /// Starts a sub-agent with this task.
    Agent {
        task: String,
        background: bool,
    },
    /// Any other tool, by its real name.
    Named {
        name: String,
        arguments: Value,
    },
}

impl Script {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer to the main conversation.
    #[must_use]
    pub fn reply(mut self, reply: Reply) -> Self {
        self.main.push_back(reply);
        self
    }

    /// Adds an answer of plain text, which ends the turn.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.reply(Reply::text(text))
    }

    /// Adds an answer that runs one shell command.
    #[must_use]
    pub fn shell(self, command: &str) -> Self {
        self.reply(Reply::shell(command))
    }

    /// Adds separate answers for requests whose user text contains `needle`, such as those of a sub-agent with that task.
    #[must_use]
    pub fn thread(mut self, needle: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.threads.push(Thread { needle: needle.to_owned(), replies: replies.into_iter().collect() });
        self
    }

    /// Returns the number of answers in the main conversation.
    #[must_use]
    pub fn length(&self) -> usize {
        self.main.len()
    }

    /// Reports this many input tokens of every request for a summary. Qwen keeps its window if they are few.
    #[must_use]
    pub fn summary_tokens(mut self, tokens: u64) -> Self {
        self.summary_tokens = Some(tokens);
        self
    }

    /// Returns the answer to a request for a summary.
    pub(super) fn summary(&self, text: &str, serial: usize) -> Answer {
        Answer { text: Some(text.to_owned()), calls: Vec::new(), input_tokens: self.summary_tokens.unwrap_or(10), serial }
    }

    /// Takes the next answer for this request.
    pub(super) fn answer(&mut self, request: &ModelRequest, serial: usize) -> Answer {
        let asked: Vec<String> = request.parts().into_iter().filter(|part| part.role == Role::User).map(|part| part.text).collect();
        let queue = self
            .threads
            .iter_mut()
            .find(|thread| asked.iter().any(|text| text.contains(&thread.needle)))
            .map_or(&mut self.main, |thread| &mut thread.replies);
        let reply = queue.pop_front().unwrap_or_else(|| Reply::text("DONE"));
        let offered = request.tools();
        let mut answer = Answer { text: reply.text, calls: Vec::new(), input_tokens: reply.input_tokens.unwrap_or(10), serial };
        for call in reply.calls {
            if let Some(named) = call.name_among(&offered) {
                answer.calls.push(named);
            } else {
                let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
                // Answer with the reason, so that a test that waits for the tool finds it in the client's output.
                answer.text = Some(format!("TOOL-NOT-OFFERED {call:?}; offered: {}", names.join(" ")));
            }
        }
        answer
    }
}

impl Reply {
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    #[must_use]
    pub fn shell(command: &str) -> Self {
        Self::calls([Call::shell(command)])
    }

    /// Asks for several tools in one response; clients run them in parallel where they can.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self { calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// Starts a sub-agent and waits for it.
    #[must_use]
    pub fn agent(task: &str) -> Self {
        Self::calls([Call::Agent { task: task.to_owned(), background: false }])
    }

    /// Reports this many input tokens, to trigger an automatic compaction.
    #[must_use]
    pub fn input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }
}

impl Call {
    #[must_use]
    pub fn shell(command: &str) -> Self {
        Self::Shell { command: command.to_owned() }
    }

    #[must_use]
    pub fn read(path: &str) -> Self {
        Self::Read { path: path.to_owned() }
    }

    #[must_use]
    pub fn named(name: &str, arguments: Value) -> Self {
        Self::Named { name: name.to_owned(), arguments }
    }

    /// Finds the tool for this call among those that the client offers.
    fn name_among(&self, offered: &[Tool]) -> Option<NamedCall> {
        let find = |names: &[&str]| names.iter().find_map(|name| offered.iter().find(|tool| tool.name == *name));
        let (tool, arguments) = match self {
            Self::Shell { command } => {
                let tool = find(&["Bash", "bash", "exec_command", "shell_command", "run_shell_command", "shell"])?;
                let arguments = match tool.name.as_str() {
                    "exec_command" => json!({"cmd": command}),
                    "shell" => json!({"command": ["bash", "-lc", command]}),
                    _ => json!({"command": command, "description": "asked by the mock model"}),
                };
                (tool, arguments)
            }
            Self::Read { path } => {
                let tool = find(&["Read", "read_file", "read", "view"])?;
                let key = match tool.name.as_str() {
                    "read" => "filePath",
                    "view" => "path",
                    _ => "file_path",
                };
                (tool, json!({key: path}))
            }
            Self::Agent { task, background } => {
                let tool = find(&["Agent", "spawn_agent", "task"])?;
                let arguments = match tool.name.as_str() {
                    "spawn_agent" => json!({"message": task, "task_name": "sub"}),
                    "task" => {
                        json!({"description": "mock", "prompt": task, "subagent_type": "general", "agent_type": "general-purpose", "name": "mock"})
                    }
                    _ => {
                        json!({"description": "mock", "prompt": task, "subagent_type": "general-purpose", "run_in_background": background})
                    }
                };
                (tool, arguments)
            }
            Self::Named { name, arguments } => (find(&[name])?, arguments.clone()),
        };
        Some(NamedCall { name: tool.name.clone(), namespace: tool.namespace.clone(), arguments })
    }
}
