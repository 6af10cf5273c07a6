//! Checks a goal without running or sending anything.

use crate::arguments;
use crate::goal::Goal;
use crate::template;
use crate::uses::{self, between, used};

/// An error or warning about a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether the problem prevents the goal from running.
    pub is_error: bool,
    pub text: String,
}

fn error(text: impl Into<String>) -> Problem {
    Problem { is_error: true, text: text.into() }
}

fn warning(text: impl Into<String>) -> Problem {
    Problem { is_error: false, text: text.into() }
}

/// Returns all problems of a goal.
pub fn problems(goal: &Goal) -> Vec<Problem> {
    let mut problems: Vec<_> = template::syntax(goal).into_iter().map(error).collect();
    for missing in template::missing_includes(goal) {
        problems.push(error(format!("the prompt includes `{missing}`, which is not in the goal's directory")));
    }
    for parameter in &goal.parameters {
        // Whether a path exists depends on the directory in which the goal runs.
        let default = parameter.default.as_deref().filter(|_| parameter.kind != crate::Kind::Path);
        if let Some(problem) = default.and_then(|default| arguments::problem(&parameter.kind, default, &goal.path)) {
            problems.push(error(format!("the default of --{} {problem}", parameter.name)));
        }
        if parameter.is_required && parameter.default.is_some() {
            problems.push(warning(format!("--{} is required but has a default, so it is never missing", parameter.name)));
        }
    }
    let prompt = template::texts(goal);
    let all = uses::texts(goal);
    for name in used(&prompt, "Context.") {
        if !goal.scripts.iter().any(|script| script.name == name) {
            problems.push(error(format!("the prompt uses `Context.{name}`, but no script has that name")));
        }
    }
    for script in &goal.scripts {
        let is_bare =
            |tag: &&str| tag.contains("Args.") && !tag.split('|').any(|filter| filter.trim().trim_end_matches('-').trim() == "sh");
        for tag in between(&script.command, "{{", "}}").filter(is_bare) {
            let tag = tag.trim();
            problems.push(warning(format!("the script `{}` inserts `{tag}` unquoted; add `| sh` to quote it for the shell", script.name)));
        }
    }
    let names = used(&all, "Args.");
    for name in names.iter().filter(|name| !goal.parameters.iter().any(|parameter| parameter.name == **name)) {
        problems.push(warning(format!("`Args.{name}` is used, but there is no parameter with that name")));
    }
    for parameter in goal.parameters.iter().filter(|parameter| !names.contains(&parameter.name.as_str())) {
        if !all.contains(&format!("Args[\"{}\"]", parameter.name)) && !all.contains(&format!("Args['{}']", parameter.name)) {
            problems.push(warning(format!("the parameter --{} is never used", parameter.name)));
        }
    }
    if goal.scripts.is_empty() && !goal.pass_env.is_empty() {
        problems.push(warning("`pass_env` has no effect: there are no scripts"));
    }
    for script in goal.scripts.iter().filter(|script| !prompt.contains(&format!("Context.{}", script.name)) && !prompt.contains("Context["))
    {
        problems.push(warning(format!("the output of the script `{}` is never used", script.name)));
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    fn checked(yaml: &str) -> Vec<String> {
        let goal = Goal::parse("g", PathBuf::from("/g"), yaml, BTreeMap::new()).unwrap();
        problems(&goal)
            .into_iter()
            .map(|problem| format!("{}: {}", if problem.is_error { "error" } else { "warning" }, problem.text))
            .collect()
    }

    #[test]
    fn a_valid_goal_has_no_problems() {
        let yaml =
            "parameters: [{name: a, default: x}]\ncontext_scripts: {s: 'echo {{ Args.a | sh }}'}\nprompt: '{{ Context.s }} Args.none'\n";
        assert_eq!(checked(yaml), Vec::<String>::new());
        assert_eq!(
            checked("prompt: '{% for p in Args.list %}{{ p }}{% endfor %}'"),
            ["warning: `Args.list` is used, but there is no parameter with that name"]
        );
    }

    #[test]
    fn all_problems_are_found_at_once() {
        let yaml = "parameters:\n  - {name: n, type: number, default: many}\n  - {name: c, choices: [a], default: b, required: true}\ncontext_scripts:\n  bad: echo {{ x\n  unused: ls {{ Args.n }}\nprompt: |\n  {{ Context.nope }}\n  {% include \"gone.md\" %}\n  {% if %}\n";
        let found = checked(yaml).join("\n");
        for part in [
            "error: the default of --n is not a number",
            "error: the default of --c is not one of a",
            "warning: --c is required but has a default",
            "error: the script `bad`: ",
            "error: the prompt: ",
            "error: the prompt uses `Context.nope`",
            "error: the prompt includes `gone.md`",
            "warning: the parameter --c is never used",
            "warning: the script `unused` inserts `Args.n` unquoted",
            "warning: the output of the script `unused` is never used",
        ] {
            assert!(found.contains(part), "{part} is not in\n{found}");
        }
    }
}
