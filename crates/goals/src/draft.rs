//! New goals, from a commented template or drafted by a model.

use std::collections::BTreeMap;
use std::path::Path;

use briefing_core::Failure;

use crate::bundled;
use crate::check::problems;
use crate::goal::Goal;

const TEMPLATE: &str = include_str!("../templates/prompt.yaml");
const REQUEST: &str = include_str!("../templates/draft.md");

/// Returns a `prompt.yaml` with comments, to start from.
pub fn template(name: &str) -> String {
    TEMPLATE.replace("NAME", name)
}

/// Returns the prompt that asks a model to draft a goal.
pub fn request(name: &str, task: &str) -> String {
    let example = bundled::text("code-review").expect("is bundled").trim_end();
    REQUEST.replace("EXAMPLE", example).replace("NAME", name).replace("TASK", task.trim())
}

/// Returns the `prompt.yaml` in a model's answer: the first fenced block, or the whole answer if there is none.
pub fn answer_text(answer: &str) -> String {
    let mut lines = answer.trim().lines();
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    match lines.by_ref().find(is_fence) {
        None => answer.trim().to_owned() + "\n",
        Some(fence) => {
            let width = fence.trim_start().chars().take_while(|c| *c == '`').count();
            let is_end = |line: &str| {
                let line = line.trim();
                line.len() >= width && line.chars().all(|c| c == '`')
            };
            lines.take_while(|line| !is_end(line)).flat_map(|line| [line, "\n"]).collect()
        }
    }
}

/// Parses and checks the text of a goal. Reports all errors at once.
pub fn validate(name: &str, path: &Path, text: &str) -> Result<Goal, Failure> {
    let goal = Goal::parse(name, path.to_path_buf(), text, BTreeMap::new())?;
    let errors: Vec<_> = problems(&goal).into_iter().filter(|problem| problem.is_error).collect();
    if errors.is_empty() {
        return Ok(goal);
    }
    let failure = Failure::new(format!("the goal `{name}` is not valid"));
    Err(errors.into_iter().fold(failure, |failure, problem| failure.because_of(problem.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_valid() {
        let goal = validate("mine", Path::new("/x/mine"), &template("mine")).unwrap();
        assert_eq!(goal.title, "mine");
        assert_eq!(problems(&goal), []);
    }

    #[test]
    fn the_goal_is_found_in_an_answer() {
        assert_eq!(answer_text("prompt: p"), "prompt: p\n");
        assert_eq!(answer_text("Here it is:\n\n```yaml\nprompt: |\n  a\n  ```\n```\nEnjoy!"), "prompt: |\n  a\n");
        assert_eq!(answer_text("````yaml\nprompt: |\n  ```\n  x\n  ```\n````\n"), "prompt: |\n  ```\n  x\n  ```\n");
        assert!(request("n", "do {it}").contains("do {it}"));
    }
}
