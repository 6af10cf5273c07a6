//! `brief gather`: lets a model or the local selector choose the files for a task.

use std::time::Duration;

use briefing_core::Failure;
use briefing_core::settings::{Layer, Settings};
use briefing_core::shown::normalize;
use briefing_core::sources::files::Rules;
use briefing_llm::gather::{GatherRequest, GatheredFiles, Round, gather};
use briefing_llm::{Client, Endpoint, Limits as CallLimits};
use clap::{Args, ValueEnum};

use super::read::{self, Limits};
use crate::{environment, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What the files are needed for
    task: String,
    #[command(flatten)]
    limits: Limits,
    /// Descend at most N levels below the directory; 0 takes only its own files
    #[arg(short = 'd', long = "recurse_depth", alias = "recurse-depth", value_name = "N")]
    recurse_depth: Option<usize>,
    /// Choose who selects the files
    #[arg(long, value_name = "SELECTOR", default_value = "openai")]
    selector: Selector,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Selector {
    /// A model at `llm.base_url`; it receives the list of files, and the files it asks for
    Openai,
    /// The local selector: compares words, uses no network
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
    let options = arguments.limits.options(&here, rules.redacts)?;
    let request = GatherRequest { task: &arguments.task, includes: &arguments.limits.include, options, rules: &rules };
    let gathered = match arguments.selector {
        Selector::Openai => ask(&request, &settings).map_err(|failure| failure.hint("`--selector local` chooses without a model"))?,
        Selector::Local => gather(&request, None)?,
    };
    read::print(&gathered.files, &here, arguments.limits.format, "`--dir` sets another directory, `--include` adds a file from anywhere")
}

fn ask(request: &GatherRequest<'_>, settings: &Settings) -> Result<GatheredFiles, Failure> {
    let endpoint = Endpoint::from_settings(settings, environment::variable)?;
    let limits = CallLimits { timeout: Duration::from_millis(settings.llm.timeout_ms.value), ..CallLimits::default() };
    let client = Client::new(endpoint, limits)?;
    let mut model = |round: &Round<'_>| {
        if round.number == 1 {
            let (model, host) = (&client.endpoint().model, client.endpoint().host());
            talk::plain(&format!("asking {model} at {host} about {} files", round.listed));
        }
        client.complete(round.conversation)
    };
    gather(request, Some(&mut model))
}
