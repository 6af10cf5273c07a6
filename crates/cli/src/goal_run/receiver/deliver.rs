//! Sends a prompt to each kind of receiver, and passes the answer on.

use std::fs::File;
use std::io::{IsTerminal, Read, Write, stderr, stdin, stdout};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use briefing_agents::tmux::{Paste, paste};
use briefing_core::Failure;
use briefing_core::settings::Settings;
use briefing_llm::{Client, Endpoint, Limits, Message};

use super::{Receiver, is_talking};
use crate::goal_run::{children, scripts};
use crate::terminal::Terminal;
use crate::{environment, output, talk};

/// The destination of an answer.
pub(crate) enum Answer<'a> {
    /// Our standard output.
    Shown,
    File(&'a mut File),
    /// A buffer in memory.
    Kept(&'a mut Vec<u8>),
}

/// The longest answer that is kept in memory, in bytes.
const MAX_KEPT: u64 = 16 * 1024 * 1024;

impl Receiver {
    /// Sends the prompt and waits until the receiver is done.
    pub(crate) fn deliver(&self, prompt: &str, settings: &Settings, answer: &mut Answer<'_>) -> Result<(), Failure> {
        match self {
            Self::Stdout => write(prompt, answer),
            Self::Pane(pane) => {
                let asked = Paste { pane, text: prompt, enter: true, one_line: false, force: false };
                paste(&asked).map_err(|problem| crate::commands::tmux::explained(pane, &problem))
            }
            Self::Endpoint => ask(prompt, settings, answer),
            Self::Command(_) | Self::Agent { .. } => self.run(prompt, answer),
        }
    }

    fn run(&self, prompt: &str, answer: &mut Answer<'_>) -> Result<(), Failure> {
        let is_talking = is_talking() && matches!(answer, Answer::Shown);
        let (name, invocation) = self.invocation(prompt, is_talking)?;
        if let Some(remark) = invocation.remark {
            talk::warning(remark);
        }
        let program = environment::program(&name).ok_or_else(|| missing(&name))?;
        let mut command = Command::new(program);
        command.args(&invocation.arguments);
        command.stdin(if invocation.is_piped { Stdio::piped() } else { Stdio::inherit() });
        command.stdout(match answer {
            Answer::Shown => Stdio::inherit(),
            Answer::File(file) => Stdio::from(file.try_clone().map_err(|error| Failure::new("cannot write the answer").because(&error))?),
            Answer::Kept(_) => Stdio::piped(),
        });
        let has_terminal = stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal();
        let terminal = Terminal::now();
        let started = children::start_receiver(&mut command, has_terminal);
        let mut child = started.map_err(|error| Failure::new(format!("cannot run the receiver `{name}`")).because(&error))?;
        let status = attend(&mut child, prompt, answer);
        children::receiver_ended();
        drop(invocation.file);
        terminal.restore();
        let status = status.map_err(|error| Failure::new(format!("cannot wait for the receiver `{name}`")).because(&error))?;
        if status.success() || is_unheard(status) {
            return Ok(());
        }
        Err(Failure::new(format!("the receiver `{name}` ended with {}", scripts::words(status)))
            .hint("`--dry-run` prints the prompt and where it would be sent"))
    }
}

/// Writes the prompt to a program, reads its output if we keep it, and waits for its end.
fn attend(child: &mut Child, prompt: &str, answer: &mut Answer<'_>) -> std::io::Result<std::process::ExitStatus> {
    std::thread::scope(|scope| {
        if let Some(mut stdin) = child.stdin.take() {
            // Not an error: a program may stop reading before the end of the prompt.
            scope.spawn(move || drop(stdin.write_all(prompt.as_bytes())));
        }
        if let (Answer::Kept(kept), Some(printed)) = (answer, child.stdout.take()) {
            printed.take(MAX_KEPT).read_to_end(kept)?;
        }
        child.wait()
    })
}

/// Returns whether a program ended because its output pipe was closed (`| head`).
fn is_unheard(status: std::process::ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        status.signal() == Some(signal_hook::consts::SIGPIPE)
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

fn missing(name: &str) -> Failure {
    Failure::new(format!("the receiver `{name}` is not installed, or not on PATH"))
        .hint(format!("set `llm_command` or `receiver_type` in `{}` to use another one", environment::user_file()))
        .hint("`--receiver stdout` prints the prompt instead")
}

fn write(text: &str, answer: &mut Answer<'_>) -> Result<(), Failure> {
    match answer {
        Answer::Shown => output::print(text),
        Answer::File(file) => file.write_all(text.as_bytes()).map_err(|error| Failure::new("cannot write the answer").because(&error)),
        Answer::Kept(kept) => {
            kept.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
}

/// Asks the endpoint and streams the answer.
fn ask(prompt: &str, settings: &Settings, answer: &mut Answer<'_>) -> Result<(), Failure> {
    let endpoint = Endpoint::from_settings(settings, environment::variable)?;
    let limits = Limits { timeout: Duration::from_millis(settings.goals.answer_timeout_ms.value), ..Limits::default() };
    let client = Client::new(endpoint, limits)?;
    talk::plain(&format!("asking {} at {}", client.endpoint().model, client.endpoint().host()));
    let is_shown = matches!(answer, Answer::Shown);
    let mut problem = None;
    let text = client.stream(&[Message::user(prompt)], |piece| match is_shown.then(|| output::print_while_read(piece)) {
        None | Some(Ok(true)) => ControlFlow::Continue(()),
        Some(Ok(false)) => ControlFlow::Break(()),
        Some(Err(failure)) => {
            problem = Some(failure);
            ControlFlow::Break(())
        }
    })?;
    match problem {
        Some(failure) => Err(failure),
        None if is_shown => output::print(if text.ends_with('\n') { "" } else { "\n" }),
        None => write(&text, answer),
    }
}
