//! `brief config default|show`.

use std::fmt::Write as _;

use briefing_core::Failure;
use briefing_core::settings::{Layer, LayerKind, default_file, toml_text};
use briefing_core::shown::path_text;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{environment, output};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the default settings as a commented file
    Default,
    /// Print every value, where it was set, and the files that were read
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.what {
        What::Default => output::print(&default_file()),
        What::Show { json } => show(json),
    }
}

fn show(as_json: bool) -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    if let Some(problem) = places.ignored_project_file() {
        environment::warn(&problem, &places);
    }
    let user_file = places.user_file().map(|path| path_text(&path));
    let project_file = places.project_file().map(|path| path_text(&path));
    if as_json {
        let values: serde_json::Map<_, _> =
            settings.list().into_iter().map(|(key, setting)| (key.name.to_owned(), json!(setting))).collect();
        let all = json!({ "user_file": user_file, "project_file": project_file, "settings": values });
        return output::print(&format!("{all:#}\n"));
    }
    let mut text = format!(
        "# user file: {}\n# project file: {}\n",
        user_file.as_deref().unwrap_or("(no home directory)"),
        project_file.as_deref().unwrap_or("(none found)"),
    );
    let lines: Vec<_> =
        settings.list().into_iter().map(|(key, setting)| (format!("{} = {}", key.name, toml_text(&setting.value)), setting)).collect();
    let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width < 60).max().unwrap_or(0);
    for (line, setting) in lines {
        let overruled: Vec<_> =
            setting.overruled.iter().filter(|origin| origin.source != LayerKind::Default).map(|origin| origin.place.as_str()).collect();
        let overruled = if overruled.is_empty() { String::new() } else { format!(", overrides {}", overruled.join(", ")) };
        let _ = writeln!(text, "{line:width$}  # {}{overruled}", setting.origin.place);
    }
    output::print(&text)
}
