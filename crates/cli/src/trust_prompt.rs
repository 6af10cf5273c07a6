//! Shows what a project wants to run, and asks the user to approve it.

use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_goals::{Goal, ProjectReceiver, Trust};

use crate::commands::goals::place;
use crate::{prompt, talk};

/// Something that must not run until the user trusts it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due<'a> {
    Goal(&'a Goal),
    Receiver(&'a ProjectReceiver),
}

impl<'a> Due<'a> {
    fn path(self) -> &'a Path {
        match self {
            Self::Goal(goal) => &goal.path,
            Self::Receiver(receiver) => &receiver.file,
        }
    }

    fn hash(self) -> &'a blake3::Hash {
        match self {
            Self::Goal(goal) => &goal.hash,
            Self::Receiver(receiver) => &receiver.hash,
        }
    }

    pub(crate) fn is_trusted(self, trust: &Trust) -> bool {
        trust.is_trusted(self.path(), self.hash())
    }

    /// Prints every command line by line, so that nothing is hidden at the end of a long line.
    pub(crate) fn show(self, trust: &Trust, places: &Places) {
        let changed = if trust.has_changed(self.path(), self.hash()) { ", changed since it was trusted" } else { "" };
        match self {
            Self::Goal(goal) => {
                talk::plain(&format!("{} ({}{changed})", goal.name, place(&goal.path, places)));
                show_goal(goal);
            }
            Self::Receiver(receiver) => {
                talk::plain(&format!("the receiver of prompts ({}{changed})", place(&receiver.file, places)));
                for (key, value) in &receiver.values {
                    talk::plain(&format!("  {key}: {value}"));
                }
            }
        }
    }
}

fn show_goal(goal: &Goal) {
    for script in &goal.scripts {
        talk::plain(&format!("  runs {}:", script.name));
        for line in script.command.trim_end().lines() {
            talk::plain(&format!("    {line}"));
        }
    }
    if goal.scripts.is_empty() {
        talk::plain("  runs no scripts");
    }
    if !goal.context.is_empty() {
        talk::plain(&format!("  embeds {}", goal.context.join(", ")));
    }
    let lines = goal.prompt.lines().count();
    talk::plain(&format!("  sends a prompt of {lines} {} to your receiver", if lines == 1 { "line" } else { "lines" }));
}

/// Saves the user's approval of all of these.
pub(crate) fn agree(trust: &mut Trust, due: &[Due<'_>]) -> Result<(), Failure> {
    for due in due {
        trust.add(due.path(), due.hash());
    }
    trust.save()
}

/// Asks the user to trust what is about to run, and saves the answer. Fails without a terminal.
pub(crate) fn require(places: &Places, trust: &mut Trust, wanted: &[Due<'_>]) -> Result<(), Failure> {
    let due: Vec<_> = wanted.iter().copied().filter(|due| !due.is_trusted(trust)).collect();
    if due.is_empty() {
        return Ok(());
    }
    for due in &due {
        due.show(trust, places);
    }
    let refused = Failure::new("this project is not trusted to run the above");
    if places.state.is_none() {
        return Err(refused.because_of("trust cannot be saved without a home directory").hint("set HOME or XDG_STATE_HOME"));
    }
    if !prompt::can_ask() {
        return Err(refused.hint("review it, then run `brief trust`, or `brief trust --yes` without a terminal"));
    }
    if !prompt::yes("Trust this until it changes, and continue?") {
        return Err(Failure::new("nothing was run"));
    }
    agree(trust, &due)
}
