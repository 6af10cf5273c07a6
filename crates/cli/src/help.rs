//! `brief --help`: lists the commands in groups, in the order in which people need them.
//!
//! clap cannot group subcommands, so we build the list and insert it into clap's template. Names and texts come from the
//! commands themselves.

use std::fmt::Write as _;

use clap::Command;

/// Lists every visible command exactly once.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Start", &["init", "preview", "doctor"]),
    ("Agents", &["install", "uninstall", "hook", "mcp", "tmux"]),
    ("Knowledge", &["context", "learn", "state", "maintain", "gate", "decision", "learning", "convention", "task"]),
    ("Documents", &["index", "select", "docs"]),
    ("Files", &["pack", "read", "gather", "run", "goals", "goal", "trust"]),
    ("See", &["log", "why", "verify", "status", "report", "inspect"]),
    ("Settings", &["config", "notify", "purge", "completions", "man"]),
];

/// Returns the command with its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let header = command.get_styles().get_header();
    let options = format!("{header}Options:{header:#}\n{{options}}");
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{options}{{after-help}}", groups(&command));
    command.help_template(template)
}

fn groups(command: &Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{:width$}{literal:#}  {about}", subcommand.get_name());
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_is_in_one_group_with_its_own_text_on_one_line() {
        let mut command = grouped(Cli::command());
        let help = command.render_help().to_string();
        for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help") {
            let name = subcommand.get_name();
            let listed = GROUPS.iter().flat_map(|(_, names)| *names).filter(|listed| **listed == name).count();
            assert_eq!(listed, 1, "`{name}` is in {listed} groups");
            let about = subcommand.get_about().expect("every command says what it does").to_string();
            let line = help.lines().find(|line| line.split_whitespace().next() == Some(name)).expect("it is listed");
            assert_eq!(line.trim_start().strip_prefix(name).unwrap().trim(), about);
            assert!(line.len() <= 100, "{line}");
        }
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(command.find_subcommand(name).is_some_and(|subcommand| !subcommand.is_hide_set()), "there is no `{name}`");
        }
    }

    /// An imperative begins with a capital letter and has no full stop; longer texts belong in the long help.
    #[test]
    fn one_line_texts_look_alike() {
        fn check(command: &Command, path: &str) {
            for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
                let path = format!("{path} {}", subcommand.get_name());
                let about = subcommand.get_about().unwrap_or_else(|| panic!("{path} says nothing")).to_string();
                assert!(about.starts_with(char::is_uppercase) && !about.ends_with('.'), "{path}: {about}");
                check(subcommand, &path);
            }
        }
        check(&Cli::command(), "brief");
    }
}
