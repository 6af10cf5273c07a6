//! `brief man`: prints the manual pages of the program and of every command.

use briefing_core::Failure;
use clap::CommandFactory;

use crate::args::Cli;
use crate::output;

pub(crate) fn run() -> Result<(), Failure> {
    let mut page = Vec::new();
    let mut root = Cli::command();
    root.build();
    render(&root, &mut page)?;
    for command in root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let name: &'static str = Box::leak(format!("brief-{}", command.get_name()).into_boxed_str());
        render(&command.clone().name(name), &mut page)?;
    }
    output::print(&String::from_utf8_lossy(&page))
}

fn render(command: &clap::Command, page: &mut Vec<u8>) -> Result<(), Failure> {
    clap_mangen::Man::new(command.clone()).render(page).map_err(|error| Failure::new("cannot render the manual page").because(&error))
}
