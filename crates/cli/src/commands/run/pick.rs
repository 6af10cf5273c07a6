//! Lets the user choose a goal from a numbered list.

use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_core::shown::one_line;
use briefing_goals::find;

use crate::{prompt, talk};

/// Returns the name of the goal that the user chooses, by number or by name.
///
/// With `has_context`, the error mentions that `-c` may have taken the name as a path.
pub(super) fn goal(places: &Places, has_context: bool) -> Result<String, Failure> {
    let missing = || {
        let failure = Failure::usage("no goal was given").hint("`brief goals` lists them, `brief run NAME` runs one");
        if has_context { failure.hint("put the goal before `-c`, which takes all words after it") } else { failure }
    };
    if !prompt::can_ask() {
        return Err(missing());
    }
    let found = find::all(places);
    let usable: Vec<_> = found.iter().filter(|found| found.shadowed_by.is_none()).filter_map(|found| found.goal.as_ref().ok()).collect();
    let width = usable.iter().map(|goal| goal.name.chars().count()).max().unwrap_or(0);
    for (index, goal) in usable.iter().enumerate() {
        let line =
            format!("{:3}  {:width$}  {}", index + 1, one_line(&goal.name), one_line(goal.description.as_deref().unwrap_or_default()));
        talk::plain(line.trim_end());
    }
    let answer = prompt::line("Which goal?").unwrap_or_default();
    match (answer.trim(), answer.trim().parse::<usize>()) {
        ("", _) => Err(missing()),
        (_, Ok(number)) if (1..=usable.len()).contains(&number) => Ok(usable[number - 1].name.clone()),
        (name, _) => Ok(name.to_owned()),
    }
}
