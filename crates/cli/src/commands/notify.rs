//! `brief notify setup|test|show|off`: sets up a webhook that receives how much was injected, never the text.

use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_notify::{Event, Receiver, file, send};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{environment, input, output};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Set the URL that receives notifications
    Setup {
        /// The URL: https, or http on this machine; `-` reads it from stdin, which keeps it out of your shell history
        url: String,
        /// Allow addresses in private networks
        #[arg(long)]
        allow_private: bool,
    },
    /// Send a test notification and show the response
    Test,
    /// Show the URL without its secret part
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop sending notifications and forget the URL
    Off,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = path()?;
    match &arguments.what {
        What::Setup { url, allow_private } => {
            let receiver = Receiver::new(&input::text(url)?, *allow_private).map_err(|problem| {
                let failure = Failure::new("this URL cannot be used").because(&problem);
                match problem {
                    briefing_notify::ReceiverProblem::Private => failure.hint("`--allow-private` allows it"),
                    _ => failure.hint("pass a URL such as https://hooks.example.com/…"),
                }
            })?;
            file::write(&path, &receiver)?;
            output::print(&format!("Notifications go to {}. `brief notify test` sends one.\n", receiver.shown()))
        }
        What::Test => test(&path),
        What::Show { json } => show(&path, *json),
        What::Off => {
            let was_there = file::remove(&path)?;
            output::print(if was_there { "Notifications are off.\n" } else { "Notifications were off already.\n" })
        }
    }
}

fn path() -> Result<PathBuf, Failure> {
    let config = environment::places()?.config;
    config
        .map(|config| file::path(&config))
        .ok_or_else(|| Failure::new("cannot determine the configuration directory").hint("set HOME or XDG_CONFIG_HOME"))
}

fn configured(path: &std::path::Path) -> Result<Receiver, Failure> {
    file::read(path)?.ok_or_else(|| Failure::new("no webhook is set up").hint("`brief notify setup URL` sets one up"))
}

fn test(path: &std::path::Path) -> Result<(), Failure> {
    let receiver = configured(path)?;
    let here = environment::places()?.here;
    let event = Event { event: "test".into(), message: "brief notify test".into(), ..crate::webhook::relay(String::new(), "", &here) };
    match send(&receiver, &event) {
        Ok(status) => output::print(&format!("{} answered with status {status}.\n", receiver.shown())),
        Err(problem) => Err(Failure::new(format!("cannot send to {}", receiver.shown())).because(&problem)),
    }
}

fn show(path: &std::path::Path, as_json: bool) -> Result<(), Failure> {
    let receiver = file::read(path)?;
    let shown = receiver.as_ref().map(Receiver::shown);
    if as_json {
        let all = json!({ "file": path_text(path), "receiver": shown, "allow_private": receiver.is_some_and(|receiver| receiver.allows_private()) });
        return output::print(&format!("{all:#}\n"));
    }
    match shown {
        Some(shown) => output::print(&format!("{shown}\n# from {}\n", path_text(path))),
        None => output::print("Notifications are off.\n"),
    }
}
