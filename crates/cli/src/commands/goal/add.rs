//! `brief goal add NAME`.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::write_atomic;
use briefing_core::project::repository;
use briefing_core::settings::{CLAW, Layer, Places, nearest};
use briefing_core::shown::path_text;
use briefing_core::sources::gate::CONTEXT;
use briefing_goals::{Goal, bundled, deciding, draft, find, project_receivers};
use clap::Args;

use crate::commands::goals::trust;
use crate::goal_run::children;
use crate::goal_run::receiver::{Answer, Receiver};
use crate::trust_prompt::{self, Due};
use crate::{environment, output, prompt, talk};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief goal add review                                       start from a commented template
  brief goal add review --from code-review                    copy a bundled goal and change it
  brief goal add review --with-llm \"review our SQL migrations\"  let a model write it")]
pub(crate) struct Arguments {
    /// The name of the goal, as in `brief run NAME`
    name: String,
    /// Copy a bundled goal
    #[arg(long, value_name = "BUNDLED", conflicts_with = "with_llm")]
    from: Option<String>,
    /// Let a model write it from a description of what it should do
    #[arg(long, value_name = "DESCRIPTION", num_args = 0..=1, default_missing_value = "")]
    with_llm: Option<String>,
    /// Choose the model: command, claude, codex, gemini or openai
    #[arg(long, value_name = "NAME", requires = "with_llm")]
    receiver: Option<String>,
    /// Create it for all your projects instead of this one
    #[arg(long)]
    user: bool,
    /// Trust it to run what is shown, without asking
    #[arg(long)]
    trust: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let name = arguments.name.as_str();
    let is_typeable = find::is_plain(name) && !name.starts_with('-') && !name.chars().any(|c| c.is_whitespace() || c.is_control());
    if !is_typeable {
        return Err(Failure::usage(format!("`{name}` cannot be the name of a goal")).hint("use letters, digits, `-` and `_`"));
    }
    let directory = home(&places, arguments.user)?.join(name);
    if directory.exists() {
        return Err(
            Failure::new(format!("`{}` already exists", path_text(&directory))).hint("choose another name, or edit the existing goal")
        );
    }
    let text = match (&arguments.from, &arguments.with_llm) {
        (Some(bundled), _) => from_bundled(bundled)?,
        (None, Some(description)) => drafted(arguments, description, &places, &directory)?,
        (None, None) => draft::template(name),
    };
    draft::validate(name, &directory, &text)?;
    let file = directory.join("prompt.yaml");
    let failed = |error: &(dyn std::error::Error + 'static)| Failure::new(format!("cannot write `{}`", path_text(&file))).because(error);
    std::fs::create_dir_all(&directory).map_err(|error| failed(&error))?;
    write_atomic(&file, text.as_bytes()).map_err(|problem| failed(&problem))?;
    output::print(&format!("{}\n", path_text(&file)))?;
    let is_users = places.config.as_ref().is_some_and(|config| directory.starts_with(config));
    let is_trusted = is_users || offer_trust(&Goal::read(&directory)?, &places, arguments.trust)?;
    let trusting = if is_trusted { "" } else { ", `brief trust` allows it to run here" };
    talk::hint(&format!("edit it; `brief run {name} --dry-run` shows the prompt{trusting}"));
    Ok(())
}

/// Shows what a new goal runs, and trusts it if the user agrees. Returns whether it is trusted.
fn offer_trust(goal: &Goal, places: &Places, is_agreed: bool) -> Result<bool, Failure> {
    let mut trust = trust(places);
    let due = Due::Goal(goal);
    due.show(&trust, places);
    if places.state.is_none() || !(is_agreed || prompt::can_ask() && prompt::yes("Trust it to run this until it changes?")) {
        return Ok(false);
    }
    trust_prompt::agree(&mut trust, &[due])?;
    talk::plain(&format!("trusted `{}`", goal.name));
    Ok(true)
}

/// Returns the directory for the goal: where the nearest project keeps its goals, in `.context` or `.claw`; else in the
/// repository; else the user's.
fn home(places: &Places, is_users: bool) -> Result<PathBuf, Failure> {
    let is_home = |directory: &&Path| Some(*directory) == places.home.as_deref();
    let of = |directory: &Path| [CONTEXT, CLAW].into_iter().map(|name| directory.join(name)).find(|own| own.exists());
    let near = places.upward().filter(|directory| !is_home(directory)).find_map(of).or_else(|| places.claw_above().next());
    let in_repository = || repository(&places.here).filter(|directory| !is_home(directory)).map(|root| root.join(CONTEXT));
    if let Some(directory) = near.or_else(in_repository).filter(|_| !is_users) {
        return Ok(directory.join("goals"));
    }
    let config = places
        .config
        .as_ref()
        .ok_or_else(|| Failure::new("cannot determine the configuration directory").hint("set HOME or XDG_CONFIG_HOME"))?;
    Ok(config.join("brief/goals"))
}

fn from_bundled(name: &str) -> Result<String, Failure> {
    bundled::text(name).map(str::to_owned).ok_or_else(|| {
        let failure = Failure::usage(format!("there is no bundled goal `{name}`"));
        let failure = match nearest(name, bundled::names()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure,
        };
        failure.hint(format!("bundled goals: {}", bundled::names().collect::<Vec<_>>().join(", ")))
    })
}

/// Lets the model write the goal. An invalid answer is sent back once, with the errors.
fn drafted(arguments: &Arguments, description: &str, places: &Places, directory: &Path) -> Result<String, Failure> {
    let description = match description.trim() {
        "" if prompt::can_ask() => prompt::line("What should the goal do?").unwrap_or_default(),
        text => text.to_owned(),
    };
    if description.trim().is_empty() {
        return Err(Failure::usage("the description of the goal is empty")
            .hint("say what it should do: `--with-llm \"review our SQL migrations\"`"));
    }
    let mut flags = Layer::default();
    if let Some(receiver) = &arguments.receiver {
        flags.flag("receiver_type", "--receiver", receiver.clone());
    }
    let settings = environment::settings(places, flags)?;
    let receiver = Receiver::of(&settings)?;
    if matches!(receiver, Receiver::Pane(_) | Receiver::Stdout) {
        return Err(Failure::new("this receiver returns no answer").hint("use `--receiver claude` (or codex, gemini, openai)"));
    }
    let receivers = project_receivers(places);
    let wanted: Vec<_> = deciding(&receivers, &receiver.origins(&settings)).into_iter().map(Due::Receiver).collect();
    trust_prompt::require(places, &mut trust(places), &wanted)?;
    children::listen();
    let ask = |request: &str| -> Result<String, Failure> {
        let mut kept = Vec::new();
        let asked = receiver.deliver(request, &settings, &mut Answer::Kept(&mut kept));
        if let Some(signal) = children::stopped_by().filter(|_| asked.is_err()) {
            std::process::exit(128 + signal);
        }
        asked.map(|()| draft::answer_text(&String::from_utf8_lossy(&kept)))
    };
    let request = draft::request(&arguments.name, &description);
    let text = ask(&request)?;
    let Err(failure) = draft::validate(&arguments.name, directory, &text) else { return Ok(text) };
    talk::warning(&format!("{failure}; asking the model once more"));
    let wrong = std::iter::once(failure.to_string()).chain(failure.causes().iter().cloned()).collect::<Vec<_>>().join("\n");
    let again = ask(&format!(
        "{request}\nYour last answer was:\n\n````yaml\n{text}````\n\nIt cannot be used:\n\n{wrong}\n\nAnswer with the whole corrected file.\n"
    ))?;
    draft::validate(&arguments.name, directory, &again)
        .map(|_| again)
        .map_err(|failure| failure.hint("nothing was written; describe the goal more precisely, or run `brief goal add` without a model"))
}
