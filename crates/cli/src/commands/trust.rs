//! `brief trust`: agree to what the goals of this project may run.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_goals::{Goal, Level, find};
use clap::Args;

use super::goals::{is_trusted, place, trust};
use crate::{environment, output, prompt, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Agree to everything that is shown, without asking
    #[arg(long)]
    yes: bool,
    /// Print what is trusted, on this machine and by you
    #[arg(long, conflicts_with = "yes")]
    list: bool,
    /// Forget the trust in everything at or below the current directory
    #[arg(long, conflicts_with_all = ["yes", "list"])]
    forget: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    if places.state.is_none() {
        return Err(Failure::new("there is no place to remember trust: no home directory").hint("set HOME or XDG_STATE_HOME"));
    }
    let mut trust = trust(&places);
    if arguments.list {
        return output::print(&trust.paths().map(|path| format!("{path}\n")).collect::<Vec<_>>().concat());
    }
    if arguments.forget {
        let forgotten = trust.forget(&places.here);
        talk::plain(&format!("forgot {forgotten} below {}", path_text(&places.here)));
        return trust.save();
    }

    let found: Vec<_> = find::all(&places).into_iter().filter(|found| found.level == Level::Project).collect();
    for broken in found.iter().filter(|found| found.goal.is_err()) {
        talk::warning(&format!("{} is left out", broken.goal.as_ref().expect_err("it was just seen to be broken")));
    }
    let due: Vec<_> = found.iter().filter(|found| !is_trusted(found, &trust)).filter_map(|found| found.goal.as_ref().ok()).collect();
    if due.is_empty() {
        talk::plain("nothing here waits for trust");
        return Ok(());
    }
    for goal in &due {
        talk::plain(&format!("{} ({})", goal.name, place(&goal.path, &places)));
        show(goal);
    }
    let is_agreed = arguments.yes
        || if prompt::can_ask() {
            prompt::yes("Trust all of this until it changes?")
        } else {
            return Err(Failure::new("nobody is there to agree").hint("read the commands above, then run `brief trust --yes`"));
        };
    if !is_agreed {
        return Err(Failure::new("nothing was trusted"));
    }
    for goal in &due {
        trust.add(&goal.path, &goal.hash);
    }
    trust.save()?;
    talk::plain(&format!("trusted {} of {} goals", due.len(), found.len()));
    Ok(())
}

/// Shows every command of a goal, line by line, so that nothing hides at the end of a long one.
fn show(goal: &Goal) {
    for script in &goal.scripts {
        talk::plain(&format!("  runs {}:", script.name));
        for line in script.command.trim_end().lines() {
            talk::plain(&format!("    {line}"));
        }
    }
    if goal.scripts.is_empty() {
        talk::plain("  runs nothing by itself");
    }
    if !goal.context.is_empty() {
        talk::plain(&format!("  embeds {}", goal.context.join(", ")));
    }
    talk::plain(&format!("  sends a prompt of {} lines to your receiver", goal.prompt.lines().count()));
}
