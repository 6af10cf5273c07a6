//! `brief gather`: a model, or the local selector, chooses files for a task.

use std::time::Duration;

use briefing_core::Failure;
use briefing_core::settings::{Layer, Settings};
use briefing_core::shown::normalize;
use briefing_core::sources::files::Rules;
use briefing_core::sources::requests::{Listing, Options, ReadFiles, choose, read_include_files, read_requested_files};
use briefing_llm::{Client, Endpoint, Limits as CallLimits, gather};
use clap::{Args, ValueEnum};

use super::read::{self, Limits};
use crate::{environment, talk};

/// How many files are taken when --max-files does not say: of a model's wishes, and of the local selector's list.
const MAX_WISHED: usize = 32;
const MAX_CHOSEN: usize = 8;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What the files are needed for
    task: String,
    #[command(flatten)]
    limits: Limits,
    /// Levels of directories to list: 0 is the files of the directory itself
    #[arg(short = 'd', long = "recurse_depth", alias = "recurse-depth", value_name = "N")]
    recurse_depth: Option<usize>,
    /// Who chooses: a model at the endpoint of the settings, or the selector in this program
    #[arg(long, value_name = "SELECTOR", default_value = "openai")]
    selector: Selector,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Selector {
    /// A model at `llm.base_url`: the listing, and the files it asks for, are sent there
    Openai,
    /// By words, on this machine, without any network
    Local,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.task.trim().is_empty() {
        return Err(
            Failure::usage("the task is empty").hint("say what the files are needed for: `brief gather \"add retries to the client\"`")
        );
    }
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let here = normalize(&places.here);
    let rules = Rules::settle(&settings, &[], &[], arguments.recurse_depth)?;
    let mut options = arguments.limits.options(&here, rules.redacts)?;
    options.max_file_size = options.max_file_size.or(Some(rules.max_file_bytes()));

    let mut files = ReadFiles::new();
    read_include_files(&arguments.limits.include, &mut files, &options);
    let listing = Listing::of(&options.dir, options.filter.as_deref(), &rules);
    match arguments.selector {
        Selector::Openai => ask(&arguments.task, &listing, &mut files, &mut options, &settings)?,
        Selector::Local => {
            options.max_files.get_or_insert(MAX_CHOSEN + files.len());
            let room = options.max_files.map_or(0, |max| max.saturating_sub(files.len()));
            let chosen = choose(&arguments.task, &listing, room);
            if chosen.is_empty() {
                talk::warning("no file fits the task; other words may help, or another --dir");
            }
            read_requested_files(&chosen, &mut files, &options);
        }
    }
    read::print(&mut files, &here, arguments.limits.format)
}

fn ask(task: &str, listing: &Listing, files: &mut ReadFiles, options: &mut Options, settings: &Settings) -> Result<(), Failure> {
    let without_model = |failure: Failure| failure.hint("`--selector local` chooses without a model");
    let endpoint = Endpoint::from_settings(settings, environment::variable).map_err(without_model)?;
    let limits = CallLimits { timeout: Duration::from_millis(settings.count("llm.timeout_ms")), ..CallLimits::default() };
    let client = Client::new(endpoint, limits)?;
    options.max_files.get_or_insert(MAX_WISHED + files.len());
    talk::plain(&format!("asking {} at {} about {} files", client.endpoint().model, client.endpoint().host(), listing.paths().len()));
    gather::gather(task, listing, files, options, |conversation| client.complete(conversation)).map_err(without_model)?;
    Ok(())
}
