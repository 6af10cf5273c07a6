//! `brief run GOAL`: runs the scripts, renders the prompt, appends the files, and sends everything to the receiver.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use briefing_core::Failure;
use briefing_core::fs::{Replacement, write_atomic};
use briefing_core::secrets::redact;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::{normalize, relative_text};
use briefing_core::sources::files::PackRequest;
use briefing_goals::template::{self, Values};
use briefing_goals::{Goal, Kind, Level, arguments, deciding, find, project_receivers};
use clap::Args;

use super::goals::trust;
use crate::goal_run::receiver::{Answer, Receiver};
use crate::goal_run::{children, scripts};
use crate::pack_report::{self, pack_shown};
use crate::trust_prompt::{self, Due};
use crate::walk_flags::WalkFlags;
use crate::{environment, output, talk};

mod explain;
mod pick;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief run review                        run the goal `review`
  brief run review -c src docs/api.md     append these files to the prompt
  brief run review -- --range main        parameters go after --
  brief run review --dry-run              print the prompt without sending it
  brief run review --explain              describe the goal and its parameters")]
pub(crate) struct Arguments {
    /// The goal; `brief goals` lists them
    goal: Option<String>,
    /// Append these files and directories to the prompt instead of those that the goal names
    #[arg(short = 'c', long = "context", value_name = "PATH", num_args = 0..)]
    context: Option<Vec<PathBuf>>,
    #[command(flatten)]
    walk: WalkFlags,
    /// Run the scripts and print the prompt without sending it
    #[arg(long)]
    dry_run: bool,
    /// Write the answer, or the prompt of a dry run, to FILE atomically
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Describe the goal and its parameters without running anything
    #[arg(long)]
    explain: bool,
    /// Send the prompt to: command, claude, codex, gemini, openai, tmux:PANE or stdout
    #[arg(long, value_name = "NAME")]
    receiver: Option<String>,
    /// Parameters of the goal: --name value, --name=value or --name
    #[arg(last = true, value_name = "PARAMETERS")]
    parameters: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let mut flags = arguments.walk.layer();
    if let Some(receiver) = &arguments.receiver {
        flags.flag("receiver_type", "--receiver", receiver.clone());
    }
    let name = match &arguments.goal {
        Some(name) => name.clone(),
        None => pick::goal(&places, arguments.context.is_some())?,
    };
    let (goal, level) = find::named(&places, &name)?;
    let settings = environment::settings(&places, flags)?;
    if arguments.explain {
        return explain::print(&goal, level, &places);
    }
    let target = arguments.output.as_ref().map_or(Ok(None), |path| output::place(path, &places.here))?;
    Run { arguments, places, settings, goal, level, target }.run()
}

/// One run of a goal.
struct Run<'a> {
    arguments: &'a Arguments,
    places: Places,
    settings: Settings,
    goal: Goal,
    level: Level,
    /// The file that the answer is written to.
    target: Option<PathBuf>,
}

impl Run<'_> {
    fn run(&self) -> Result<(), Failure> {
        let checked = arguments::check(&self.goal, &self.arguments.parameters, &self.places.here)?;
        let receiver = Receiver::of(&self.settings)?;
        if matches!(receiver, Receiver::Pane(_)) && self.target.is_some() && !self.arguments.dry_run {
            return Err(Failure::usage("`--output` needs an answer, and a tmux pane returns none"));
        }
        self.require_trust(&receiver)?;
        children::listen();

        let base = self.base();
        let passed = [self.goal.pass_env.as_slice(), &self.settings.goals.pass_env.value].concat();
        let environment = environment::of_goal(&passed);
        let readable = environment.plain.iter().filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())));
        let mut values = Values { arguments: self.seen_from(checked, &base), environment: readable.collect(), ..Values::default() };
        let commands = template::commands(&self.goal, &values)?;
        let frame = scripts::Frame {
            directory: &base,
            environment: &environment.scripts,
            timeout: Duration::from_millis(self.settings.goals.script_timeout_ms.value),
            max_bytes: usize::try_from(self.settings.goals.script_output_kb.value).unwrap_or(usize::MAX).saturating_mul(1024),
        };
        let ran = scripts::run(&self.goal.name, &commands, &frame);
        values.context = self.guarded(ran.map_err(|failure| with_withheld(failure, &environment.withheld))?);
        let mut prompt = template::prompt(&self.guarded_goal(), &values)?;
        if let Some(files) = self.files(&values, &base)? {
            prompt.push_str("\n\n");
            prompt.push_str(&files);
        }
        if self.arguments.dry_run {
            let names: Vec<_> = commands.iter().map(|command| command.name.as_str()).collect();
            match names.len() {
                0 => {}
                1 => talk::plain(&format!("ran 1 script: {}", names[0])),
                many => talk::plain(&format!("ran {many} scripts: {}", names.join(", "))),
            }
            talk::plain(&format!("{} bytes would be sent to: {}", prompt.len(), receiver.words(&prompt)?));
            return self.print(&prompt);
        }
        let result = self.send(&receiver, &prompt);
        match children::stopped_by().filter(|_| result.is_err()) {
            // Not earlier: temporary files must be removed first.
            Some(signal) => {
                talk::plain("stopped");
                std::process::exit(128 + signal)
            }
            None => result,
        }
    }

    /// Redacts secrets in the output of scripts, as in files.
    fn guarded(&self, context: BTreeMap<String, String>) -> BTreeMap<String, String> {
        let guard = |(name, text): (String, String)| {
            let text = self.without_secrets(&format!("script `{name}`"), text);
            (name, text)
        };
        context.into_iter().map(guard).collect()
    }

    /// Returns the goal for rendering, with secrets redacted in the files that its prompt includes. The prompt itself stays as
    /// its author wrote it.
    fn guarded_goal(&self) -> Goal {
        let mut goal = self.goal.clone();
        for (name, text) in template::included(&self.goal) {
            let text = self.without_secrets(&format!("`{name}`"), text);
            goal.files.insert(name, text);
        }
        goal
    }

    fn without_secrets(&self, whose: &str, text: String) -> String {
        if !self.settings.guards.redact.value {
            return text;
        }
        let redacted = redact(&text);
        for secret in &redacted.secrets {
            talk::warning(&format!("{whose}: {} on line {} was redacted", secret.kind, secret.line));
        }
        redacted.text.into_owned()
    }

    /// Asks for trust in a goal and a receiver that come from the project. A dry run does not start the receiver.
    fn require_trust(&self, receiver: &Receiver) -> Result<(), Failure> {
        let receivers = project_receivers(&self.places);
        let mut wanted = Vec::new();
        if self.level == Level::Project {
            wanted.push(Due::Goal(&self.goal));
        }
        if !self.arguments.dry_run {
            wanted.extend(deciding(&receivers, &receiver.origins(&self.settings)).into_iter().map(Due::Receiver));
        }
        trust_prompt::require(&self.places, &mut trust(&self.places), &wanted)
    }

    /// Returns the working directory of the scripts, which the goal's own paths are relative to: the project's root for a goal
    /// in `.context/goals`, else the current directory. Goals in `.claw` run in the current directory, as in claw.
    fn base(&self) -> PathBuf {
        let home = self.goal.path.parent().and_then(Path::parent);
        match home.filter(|home| self.level == Level::Project && home.file_name().is_some_and(|name| name == ".context")) {
            Some(home) => home.parent().unwrap_or(home).to_path_buf(),
            None => self.places.here.clone(),
        }
    }

    /// Rewrites path parameters, which are relative to the current directory, so that they are correct from `base`.
    fn seen_from(&self, mut values: BTreeMap<String, String>, base: &Path) -> BTreeMap<String, String> {
        if base == self.places.here {
            return values;
        }
        for parameter in self.goal.parameters.iter().filter(|parameter| parameter.kind == Kind::Path) {
            let Some(value) = values.get_mut(&parameter.name).filter(|value| !value.is_empty()) else { continue };
            let full = normalize(&self.places.here.join(&value));
            let below = full.strip_prefix(base).unwrap_or(&full);
            if let Some(text) = below.to_str() {
                *value = if text.is_empty() { ".".to_owned() } else { text.to_owned() };
            }
        }
        values
    }

    /// Returns the packed files that the caller or else the goal names, if any.
    fn files(&self, values: &Values, base: &Path) -> Result<Option<String>, Failure> {
        let (paths, here) = match &self.arguments.context {
            Some(paths) => (paths.clone(), self.places.here.as_path()),
            None => (template::paths(&self.goal, values)?.into_iter().map(PathBuf::from).collect(), base),
        };
        if paths.is_empty() {
            return Ok(None);
        }
        let walk = &self.arguments.walk;
        let mut rules = walk.rules(&self.settings)?.for_goal();
        rules.own_output.clone_from(&self.target);
        let packed = pack_shown(&PackRequest::new(&paths, here, &rules), false)?;
        pack_report::warn(&packed, false, false);
        pack_report::confirm(&packed, self.settings.files.error_handling_mode.value, walk.yes, false)?;
        let document = packed.text()?;
        talk::plain(&pack_report::summary(&packed, None));
        Ok(Some(document))
    }

    /// Prints a text, or writes it to the output file.
    fn print(&self, text: &str) -> Result<(), Failure> {
        let Some(target) = &self.target else { return output::print(text) };
        write_atomic(target, text.as_bytes()).map_err(|problem| self.unwritten(target, &problem))
    }

    fn send(&self, receiver: &Receiver, prompt: &str) -> Result<(), Failure> {
        let Some(target) = &self.target else { return receiver.deliver(prompt, &self.settings, &mut Answer::Shown) };
        if !receiver.is_program() {
            let mut kept = Vec::new();
            receiver.deliver(prompt, &self.settings, &mut Answer::Kept(&mut kept))?;
            return write_atomic(target, &kept).map_err(|problem| self.unwritten(target, &problem));
        }
        let mut replacement = Replacement::beside(target).map_err(|error| self.unwritten(target, &error))?;
        receiver.deliver(prompt, &self.settings, &mut Answer::File(replacement.file()))?;
        replacement.commit().map_err(|error| self.unwritten(target, &error))
    }

    fn unwritten(&self, target: &Path, error: &(dyn std::error::Error + 'static)) -> Failure {
        let shown = relative_text(target, &self.places.here);
        Failure::new(format!("cannot write `{shown}`")).because(error)
    }
}

/// The number of withheld variables that a hint names.
const NAMED: usize = 6;

/// Adds a hint about the variables that scripts did not receive: `gh` and database clients need some of them.
fn with_withheld(failure: Failure, withheld: &[String]) -> Failure {
    if withheld.is_empty() {
        return failure;
    }
    let more = if withheld.len() > NAMED { ", …" } else { "" };
    let names = withheld[..withheld.len().min(NAMED)].join(", ");
    failure
        .hint(format!("scripts do not receive variables that look like secrets ({names}{more}); `pass_env: [NAME]` in the goal passes one"))
}
