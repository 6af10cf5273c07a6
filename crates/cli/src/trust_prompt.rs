//! Shows what a project wants to run, and asks the user to approve it.

use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::{Layer, Places};
use briefing_goals::{Goal, Moved, ProjectReceiver, Trust};

use crate::commands::goals::place;
use crate::{environment, prompt, talk};

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
                show_goal(goal, places);
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

/// Prints what a goal runs, receives, embeds and sends.
fn show_goal(goal: &Goal, places: &Places) {
    for script in &goal.scripts {
        talk::plain(&format!("  runs {}:", script.name));
        for line in script.command.trim_end().lines() {
            talk::plain(&format!("    {line}"));
        }
    }
    if goal.scripts.is_empty() {
        talk::plain("  runs no scripts");
    } else {
        let settings = environment::resolve(places, Layer::default()).0;
        let own = settings.goals.pass_env.value.iter().filter(|name| !goal.pass_env.contains(name));
        let own = own.map(|name| format!("{name} (your `goals.pass_env`)"));
        let passed: Vec<_> = goal.pass_env.iter().cloned().chain(own).collect();
        if !passed.is_empty() {
            talk::plain(&format!("  receives {}", passed.join(", ")));
        }
    }
    if !goal.context.is_empty() {
        talk::plain(&format!("  embeds {}", goal.context.join(", ")));
    }
    let lines = goal.prompt.lines().count();
    talk::plain(&format!("  sends a prompt of {lines} {} to your receiver", if lines == 1 { "line" } else { "lines" }));
}

/// Returns from where all of these were moved, if they were trusted in a project that no longer exists.
pub(crate) fn moved(trust: &Trust, due: &[Due<'_>]) -> Option<Moved> {
    let first = due.first()?;
    let moved = trust.moved(first.path(), first.hash())?;
    due.iter().all(|due| trust.moved(due.path(), due.hash()).as_ref() == Some(&moved)).then_some(moved)
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
    if let Some(moved) = moved(trust, &due) {
        return follow(places, trust, &moved);
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

/// Asks whether a project that was moved is trusted at its new place, and saves the answer. Fails without a terminal.
fn follow(places: &Places, trust: &mut Trust, moved: &Moved) -> Result<(), Failure> {
    let old = place(&moved.from, places);
    if !prompt::can_ask() {
        return Err(Failure::new("this project is not trusted at its new place")
            .because_of(format!("you trusted it as `{old}`, which is gone"))
            .hint("run `brief trust` to trust it here as well, or `brief trust --yes` without a terminal"));
    }
    if !prompt::yes(&moved_question(&old)) {
        return Err(Failure::new("nothing was run"));
    }
    trust.follow(moved);
    trust.save()
}

/// Returns the question about a project that was trusted at its old place.
pub(crate) fn moved_question(old: &str) -> String {
    format!("You trusted this project as `{old}`, which is gone. Trust it here as well?")
}
