//! `brief trust`: approves what the goals of this project may run, and the receivers of their prompts.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_goals::{Level, find, project_receivers};
use clap::Args;

use super::goals::{place, trust};
use crate::trust_prompt::{self, Due};
use crate::{environment, output, prompt, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Approve everything that is shown, without asking
    #[arg(long)]
    yes: bool,
    /// List what you have approved on this machine
    #[arg(long, conflicts_with = "yes")]
    list: bool,
    /// Revoke the approval of everything in or below the current directory
    #[arg(long, conflicts_with_all = ["yes", "list"])]
    forget: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    if places.state.is_none() {
        return Err(Failure::new("trust cannot be saved without a home directory").hint("set HOME or XDG_STATE_HOME"));
    }
    let mut trust = trust(&places);
    if arguments.list {
        return output::print(&trust.paths().map(|path| format!("{path}\n")).collect::<Vec<_>>().concat());
    }
    if arguments.forget {
        let forgotten = trust.forget(&places.here);
        talk::plain(&format!("revoked {forgotten} below {}", path_text(&places.here)));
        return trust.save();
    }

    let found: Vec<_> = find::all(&places).into_iter().filter(|found| found.level == Level::Project).collect();
    for broken in found.iter().filter_map(|found| found.goal.as_ref().err()) {
        talk::warning(&format!("{broken}; skipped"));
    }
    let receivers = project_receivers(&places);
    let goals = found.iter().filter_map(|found| found.goal.as_ref().ok()).map(Due::Goal);
    let all: Vec<_> = goals.chain(receivers.iter().map(Due::Receiver)).collect();
    let due: Vec<_> = all.iter().copied().filter(|due| !due.is_trusted(&trust)).collect();
    if due.is_empty() {
        talk::plain("nothing here needs approval");
        return Ok(());
    }
    if let Some(moved) = trust_prompt::moved(&trust, &due) {
        let old = place(&moved.from, &places);
        agreed(arguments.yes, &trust_prompt::moved_question(&old))?;
        trust.follow(&moved);
        trust.save()?;
        talk::plain(&format!("trusted what you had trusted as `{old}`"));
        return Ok(());
    }
    for due in &due {
        due.show(&trust, &places);
    }
    agreed(arguments.yes, "Trust all of this until it changes?")?;
    trust_prompt::agree(&mut trust, &due)?;
    let count = |is_wanted: fn(&Due<'_>) -> bool| due.iter().filter(|due| is_wanted(due)).count();
    let (goals, receivers) = (count(|due| matches!(due, Due::Goal(_))), count(|due| matches!(due, Due::Receiver(_))));
    let counts = [(goals, "goal", "goals"), (receivers, "receiver", "receivers")];
    let counts = counts.into_iter().filter(|(count, _, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect();
    talk::plain(&format!("trusted {}", counts.join(" and ")));
    Ok(())
}

/// Asks a question unless the answer was given as a flag. Any answer but yes is a failure.
fn agreed(is_yes: bool, question: &str) -> Result<(), Failure> {
    if !is_yes && !prompt::can_ask() {
        return Err(Failure::new("cannot ask for approval: not a terminal").hint("review the commands above, then run `brief trust --yes`"));
    }
    if is_yes || prompt::yes(question) { Ok(()) } else { Err(Failure::new("nothing was trusted")) }
}
