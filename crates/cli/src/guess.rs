//! Wrong use of the command line: commands that people guess, and messages that are safe to print.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use briefing_core::Failure;
use briefing_core::settings::nearest;
use briefing_core::shown::is_deceptive;

use crate::talk;

/// Words that people try first, each with what they probably want.
const GUESSES: &[(&[&str], &str)] = &[
    (&["version"], "`brief --version` prints the version"),
    (&["list", "ls"], "`brief goals` lists goals, `brief log` lists sessions, `brief index --where` lists indexes"),
    (&["check", "health", "test"], "`brief doctor` checks the installation"),
    (&["setup", "start", "enable", "hooks"], "`brief install AGENT` adds the hooks, `brief init` creates what is missing"),
    (&["remove", "rm", "delete", "disable"], "`brief uninstall AGENT` removes the hooks"),
    (&["clean", "clear", "reset", "cache"], "`brief purge` shows our state and cache, then removes them"),
    (&["update", "upgrade"], "`brief` does not update itself; install the new version in the same way as this one"),
    (&["add", "new", "note", "remember", "save"], "`brief learn` adds knowledge, `brief decision add` a decision, `brief goal add` a goal"),
    (&["search", "find", "query", "ask"], "`brief select MESSAGE` selects the documents that fit a message"),
    (&["show", "view", "print", "get"], "`brief preview [MESSAGE]` shows what an agent would receive here"),
    (&["explain", "reason"], "`brief why PATH` explains why an agent receives a file, or does not"),
    (&["history", "sessions", "stats", "logs"], "`brief log` shows what each session received"),
    (&["settings", "set", "configure"], "`brief config show` prints every setting, `brief config default` the commented file"),
    (&["embed", "bundle", "copy", "cat"], "`brief pack PATH` packs files into one document, `brief read` reads files for a model"),
    (&["knowledge", "domains", "domain"], "`brief context` shows the domains from the root down to here"),
    (&["agents"], "`brief doctor` looks at every agent on this machine"),
];

/// Ends the program with the message that fits an error of the parser.
pub(crate) fn exit(error: &clap::Error, command: &Command, first: Option<&str>) -> ! {
    if let (ErrorKind::InvalidSubcommand, Some(word)) = (error.kind(), invalid(error))
        && first == Some(word)
    {
        talk::failure(&unknown(word, command));
        std::process::exit(2);
    }
    let plain = error.render().to_string();
    // The message repeats what was typed, which may come from a file name.
    if error.use_stderr() && plain.chars().any(|c| is_deceptive(c) && c != '\n') {
        talk::plain(plain.trim_end());
        std::process::exit(error.exit_code());
    }
    error.exit()
}

fn invalid(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

fn unknown(word: &str, command: &Command) -> Failure {
    let failure = Failure::usage(format!("there is no command `{word}`"));
    if let Some((_, hint)) = GUESSES.iter().find(|(words, _)| words.contains(&word)) {
        return failure.hint(*hint);
    }
    let names = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).map(Command::get_name);
    match nearest(word, names) {
        Some(near) => failure.hint(format!("did you mean `brief {near}`?")),
        None => failure.hint("`brief --help` lists all commands"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn guesses_lead_to_commands_that_exist_and_are_none_themselves() {
        let command = Cli::command();
        for (words, hint) in GUESSES {
            for word in *words {
                assert!(command.find_subcommand(word).is_none(), "`brief {word}` exists");
            }
            for quoted in hint.split('`').skip(1).step_by(2) {
                let mut words = quoted.split(' ').skip(1).take_while(|word| word.starts_with(char::is_lowercase));
                let first = words.next().map(|word| command.find_subcommand(word).unwrap_or_else(|| panic!("{quoted}")));
                if let (Some(first), Some(second)) = (first, words.next()) {
                    assert!(first.find_subcommand(second).is_some(), "{quoted}");
                }
            }
        }
    }
}
