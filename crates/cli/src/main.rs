//! The `brief` program. `main` answers hooks without the argument parser and turns other results into an exit code; [`run`]
//! dispatches the commands.

mod agent_version;
mod args;
mod clipboard;
mod columns;
mod commands;
mod context_place;
mod environment;
mod goal_run;
mod guess;
mod help;
mod host;
mod input;
mod output;
mod pack_report;
mod progress;
mod prompt;
mod state_place;
mod talk;
mod terminal;
mod trust_prompt;
mod walk_flags;
mod webhook;
mod when;
mod wrap;

use std::process::ExitCode;
use std::time::Instant;

use args::Command;
use briefing_core::Failure;

fn main() -> ExitCode {
    let started = Instant::now();
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    if first.as_ref().is_some_and(|word| word == "system") && words.next().is_some_and(|word| word == commands::system::GATE) {
        commands::hook::answer_gate(started);
    }
    if first.as_ref().is_some_and(|word| word == "status")
        && let Some(arguments) = commands::status::read(std::env::args_os().skip(2))
    {
        return ended(commands::status::run(&arguments));
    }
    if first.is_some_and(|word| word == "hook") {
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        // Agents never ask for help, so this call comes from a user.
        if !words.iter().any(|word| word == "--help" || word == "-h") {
            commands::hook::answer(started, &words);
        }
    }
    ended(run())
}

/// Prints a failure, and returns the exit code.
fn ended(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            talk::failure(&failure);
            ExitCode::from(if failure.is_usage() { 2 } else { 1 })
        }
    }
}

fn run() -> Result<(), Failure> {
    let Some(command) = args::parse().command else { return commands::here::run() };
    match command {
        Command::Pack(arguments) => commands::pack::run(&arguments),
        Command::Read(arguments) => commands::read::run(&arguments),
        Command::Gather(arguments) => commands::gather::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Goal(arguments) => commands::goal::run(&arguments),
        Command::Goals(arguments) => commands::goals::run(&arguments),
        Command::Trust(arguments) => commands::trust::run(&arguments),
        Command::Context(arguments) => commands::context::run(&arguments),
        Command::Learn(arguments) => commands::learn::run(&arguments),
        Command::State(arguments) => commands::state::run(&arguments),
        Command::Maintain(arguments) => commands::maintain::run(&arguments),
        Command::Gate(arguments) => commands::gate::run(&arguments),
        Command::Decision(arguments) => commands::record::decision(&arguments),
        Command::Learning(arguments) => commands::record::learning(&arguments),
        Command::Convention(arguments) => commands::convention::run(&arguments),
        Command::Task(arguments) => commands::task::run(&arguments),
        Command::Notify(arguments) => commands::notify::run(&arguments),
        Command::Purge(arguments) => commands::purge::run(&arguments),
        Command::System(arguments) => commands::system::run(&arguments),
        Command::Init(arguments) => commands::init::run(&arguments),
        Command::Preview(arguments) => commands::preview::run(&arguments),
        Command::Install(arguments) => commands::install::install(&arguments),
        Command::Uninstall(arguments) => commands::install::uninstall(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::Mcp => commands::mcp::run(),
        Command::Tmux(arguments) => commands::tmux::run(&arguments),
        Command::Log(arguments) => commands::log::run(&arguments),
        Command::Why(arguments) => commands::why::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Status(arguments) => commands::status::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Hook(arguments) => commands::hook::run_parsed(&arguments),
        Command::Index(arguments) => commands::index::run(&arguments),
        Command::Select(arguments) => commands::select::run(&arguments),
        Command::Docs(arguments) => commands::docs::run(&arguments),
        Command::Config(arguments) => commands::config::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Man => commands::man::run(),
    }
}
