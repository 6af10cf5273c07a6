//! `brief tmux PANE [FILE|-]`: pastes text into a pane, for agents without hooks.

mod message;

use std::io::{Read, stdin};
use std::path::PathBuf;

use briefing_agents::tmux::{Paste, TmuxProblem, paste};
use briefing_core::Failure;
use briefing_core::load::open_named;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The pane, as tmux names it (`work:1.0`, `%3`)
    pane: String,
    /// The file to paste [default: stdin, also `-`]
    file: Option<PathBuf>,
    /// Send this message after the context that a hook would deliver; nothing is sent twice in a session
    #[arg(long, value_name = "TEXT", conflicts_with = "file", requires = "session")]
    message: Option<String>,
    /// The agent in the pane
    #[arg(long, default_value = "generic", requires = "message")]
    agent: String,
    /// The session of the message: any name, the same for all its messages
    #[arg(long, value_name = "ID", requires = "message")]
    session: Option<String>,
    /// Do not press Enter after pasting
    #[arg(long)]
    no_enter: bool,
    /// Paste everything as one line, for programs without bracketed paste
    #[arg(long)]
    one_line: bool,
    /// Paste even if the program in the pane is asking a question
    #[arg(long)]
    force: bool,
}

/// The longest text to paste, in bytes.
const MAX_TEXT: u64 = 4 * 1024 * 1024;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let (Some(message), Some(session)) = (&arguments.message, &arguments.session) {
        let agent = super::preview::agent(&arguments.agent)?;
        let said = message::Said { agent, session, message };
        return message::send(&said, |text| paste_text(arguments, text));
    }
    let text = match &arguments.file {
        Some(file) if file.as_os_str() != "-" => {
            let text = open_named(file).and_then(|opened| opened.text(MAX_TEXT));
            text.map_err(|problem| Failure::new(format!("cannot read `{}`", file.display())).because(&problem))?
        }
        _ => {
            let mut text = String::new();
            let read = stdin().lock().take(MAX_TEXT).read_to_string(&mut text);
            read.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
            text
        }
    };
    paste_text(arguments, &text)
}

fn paste_text(arguments: &Arguments, text: &str) -> Result<(), Failure> {
    let asked = Paste { pane: &arguments.pane, text, enter: !arguments.no_enter, one_line: arguments.one_line, force: arguments.force };
    paste(&asked).map_err(|problem| explained(&arguments.pane, &problem))
}

/// Returns the failure with a hint for the next step.
pub(crate) fn explained(pane: &str, problem: &TmuxProblem) -> Failure {
    let failure = Failure::new(format!("cannot paste into pane `{pane}`")).because(problem);
    match problem {
        TmuxProblem::NoPane(_) => failure.hint("`tmux list-panes -a` lists all panes"),
        TmuxProblem::CopyMode => failure.hint("leave it with `q` in the pane, then run this again"),
        TmuxProblem::NotBracketed(_) => failure.hint("`brief tmux --one-line` pastes it as a single line"),
        TmuxProblem::Question(_) => failure.hint("answer it in the pane, then run this again; `brief tmux --force` pastes anyway"),
        TmuxProblem::NotSeen => failure.hint("check the pane: the text may be there, waiting for Enter"),
        _ => failure,
    }
}
