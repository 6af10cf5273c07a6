//! `brief goal check [NAME]`.

use std::fmt::Write as _;

use briefing_core::Failure;
use briefing_core::shown::one_line;
use briefing_goals::{FoundGoal, check, find};
use clap::Args;

use crate::commands::goals::place;
use crate::{environment, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The goal [default: all of them]
    name: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    if let Some(name) = &arguments.name {
        // Fails for an unknown name, with the usual suggestions. Broken goals are reported below.
        if !find::all(&places).iter().any(|found| found.name == *name) {
            find::named(&places, name)?;
        }
    }
    let found = find::all(&places);
    let chosen: Vec<&FoundGoal> = match &arguments.name {
        // The goal that runs comes before those it shadows.
        Some(name) => found.iter().find(|found| found.name == *name).into_iter().collect(),
        None => found.iter().collect(),
    };
    let mut text = String::new();
    let mut broken = Vec::new();
    for found in chosen {
        let (problems, is_broken) = examined(found);
        let verdict = if is_broken { "broken" } else { "ok" };
        let _ = writeln!(text, "{verdict}  {}  ({})", one_line(&found.name), one_line(&place(&found.path, &places)));
        for line in problems {
            let _ = writeln!(text, "    {}", one_line(&line));
        }
        if is_broken {
            broken.push(found.name.clone());
        }
    }
    output::print(&text)?;
    match broken.len() {
        0 => Ok(()),
        1 => Err(Failure::new(format!("the goal `{}` is broken", broken[0]))),
        many => Err(Failure::new(format!("{many} goals are broken"))),
    }
}

/// Returns the problems of a goal, and whether it is broken.
fn examined(found: &FoundGoal) -> (Vec<String>, bool) {
    let goal = match &found.goal {
        Ok(goal) => goal,
        Err(failure) => return (std::iter::once(failure.to_string()).chain(failure.causes().iter().cloned()).collect(), true),
    };
    let problems = check::problems(goal);
    let is_broken = problems.iter().any(|problem| problem.is_error);
    let label = |is_error| if is_error { "error" } else { "warning" };
    (problems.into_iter().map(|problem| format!("{}: {}", label(problem.is_error), problem.text)).collect(), is_broken)
}
