//! Parses the arguments after `--` and checks them against the goal's parameters.

use std::collections::BTreeMap;
use std::path::Path;

use briefing_core::Failure;

use crate::goal::{Goal, Kind, Parameter};

/// The values for `Args`, and warnings about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    pub values: BTreeMap<String, String>,
    pub warnings: Vec<String>,
}

/// Reads `--name value`, `--name=value` and `--flag`, applies defaults, and reports all problems at once.
///
/// Relative paths are resolved from `here`.
pub fn check(goal: &Goal, typed: &[String], here: &Path) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    for (name, value) in parse(typed)? {
        let name = declared(goal, &name).map_or(name.clone(), |parameter| parameter.name.clone());
        if declared(goal, &name).is_none() && !goal.parameters.is_empty() {
            arguments.warnings.push(format!("the goal `{}` declares no parameter `{name}`; passing it on anyway", goal.name));
        }
        arguments.values.insert(name, value);
    }
    for parameter in &goal.parameters {
        if let (false, Some(default)) = (arguments.values.contains_key(&parameter.name), &parameter.default) {
            arguments.values.insert(parameter.name.clone(), default.clone());
        }
    }
    let missing: Vec<_> =
        goal.parameters.iter().filter(|parameter| parameter.is_required && !arguments.values.contains_key(&parameter.name)).collect();
    if !missing.is_empty() {
        return Err(missing_failure(goal, &missing));
    }
    let wrong = goal.parameters.iter().filter_map(|parameter| {
        let value = arguments.values.get(&parameter.name)?;
        problem(&parameter.kind, value, here).map(|problem| format!("--{}: `{value}` {problem}", parameter.name))
    });
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() {
        return Ok(arguments);
    }
    let failure = Failure::usage(format!("invalid arguments for the goal `{}`", goal.name));
    Err(wrong.into_iter().fold(failure, Failure::because_of).hint(explained(goal)))
}

/// Returns the parameter with this name. `--style-guide` also matches `style_guide`.
fn declared<'a>(goal: &'a Goal, name: &str) -> Option<&'a Parameter> {
    let same = |parameter: &&Parameter| parameter.name == name;
    let alike = |parameter: &&Parameter| parameter.name.replace('-', "_") == name.replace('-', "_");
    goal.parameters.iter().find(same).or_else(|| goal.parameters.iter().find(alike))
}

fn explained(goal: &Goal) -> String {
    format!("run `brief run {} --explain` to see its parameters", goal.name)
}

fn missing_failure(goal: &Goal, missing: &[&Parameter]) -> Failure {
    let failure = Failure::usage(format!("missing arguments for the goal `{}`", goal.name));
    let causes = missing.iter().map(|parameter| {
        let description = if parameter.description.is_empty() { String::new() } else { format!(": {}", parameter.description) };
        format!("--{} <{}> is missing{description}", parameter.name, parameter.kind.words())
    });
    let example: Vec<_> = missing.iter().map(|parameter| format!("--{} …", parameter.name)).collect();
    causes.fold(failure, Failure::because_of).hint(format!("run `brief run {} -- {}`", goal.name, example.join(" "))).hint(explained(goal))
}

fn parse(typed: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut pairs = Vec::new();
    let mut words = typed.iter().peekable();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty() && !name.starts_with('=')) else {
            return Err(Failure::usage(format!("unexpected argument `{word}`"))
                .hint("write arguments after `--` as `--name value` or `--name=value`, and quote values that contain spaces"));
        };
        pairs.push(match name.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => match words.next_if(|next| !next.starts_with("--")) {
                Some(value) => (name.to_owned(), value.clone()),
                None => (name.to_owned(), "true".to_owned()),
            },
        });
    }
    Ok(pairs)
}

/// Returns why a value is not of this kind.
pub(crate) fn problem(kind: &Kind, value: &str, here: &Path) -> Option<String> {
    let is_fine = match kind {
        Kind::Text => true,
        Kind::Number => value.trim().parse::<f64>().is_ok_and(f64::is_finite),
        Kind::Boolean => matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "1" | "0"),
        Kind::Path => here.join(value).exists(),
        Kind::Choice(choices) => choices.iter().any(|choice| choice == value),
    };
    let problem = || match kind {
        Kind::Text | Kind::Number => "is not a number".to_owned(),
        Kind::Boolean => "is not true or false".to_owned(),
        Kind::Path => "does not exist".to_owned(),
        Kind::Choice(choices) => format!("is not one of {}", choices.join(", ")),
    };
    (!is_fine).then(problem)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn goal(yaml: &str) -> Goal {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("review");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("prompt.yaml"), format!("prompt: p\nparameters:\n{yaml}")).unwrap();
        Goal::read(&path).unwrap()
    }

    fn checked(yaml: &str, typed: &[&str]) -> Result<Arguments, Failure> {
        let typed: Vec<_> = typed.iter().map(|word| (*word).to_owned()).collect();
        check(&goal(yaml), &typed, Path::new("/"))
    }

    fn values(yaml: &str, typed: &[&str]) -> Vec<(String, String)> {
        checked(yaml, typed).unwrap().values.into_iter().collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn all_forms_of_arguments_are_read() {
        let typed = ["--a", "1", "--b=x=y", "--c", "--d=--dashed", "--e", "-5", "--f", "two words"];
        let expected = [("a", "1"), ("b", "x=y"), ("c", "true"), ("d", "--dashed"), ("e", "-5"), ("f", "two words")];
        assert_eq!(values("  []", &typed), pairs(&expected));
        assert!(checked("  []", &["word"]).unwrap_err().to_string().contains("unexpected argument `word`"));
        assert!(checked("  []", &["--"]).is_err());
    }

    #[test]
    fn defaults_are_applied_and_dashes_mean_underscores() {
        let yaml = "  - {name: style_guide, default: rust}\n  - {name: depth, type: number, default: 3}\n";
        assert_eq!(values(yaml, &[]), pairs(&[("depth", "3"), ("style_guide", "rust")]));
        assert_eq!(values(yaml, &["--style-guide", "go"]), pairs(&[("depth", "3"), ("style_guide", "go")]));
        let odd = checked(yaml, &["--extra", "1"]).unwrap();
        assert_eq!(odd.values["extra"], "1");
        assert_eq!(odd.warnings.len(), 1);
    }

    #[test]
    fn all_missing_arguments_are_listed_at_once() {
        let yaml = "  - {name: spec, description: The specification, required: true}\n  - {name: level, choices: [a, b], required: true}\n";
        let failure = checked(yaml, &[]).unwrap_err();
        assert!(failure.is_usage());
        assert_eq!(failure.causes(), ["--spec <string> is missing: The specification", "--level <a|b> is missing"]);
        assert_eq!(failure.hints()[0], "run `brief run review -- --spec … --level …`");
    }

    #[test]
    fn values_are_checked_against_their_kind() {
        let yaml = "  - {name: n, type: number}\n  - {name: b, type: boolean}\n  - {name: p, type: path}\n  - {name: c, choices: [x, y]}\n";
        assert!(checked(yaml, &["--n", "1.5e3", "--b", "False", "--p", "tmp", "--c", "y"]).is_ok());
        let failure = checked(yaml, &["--n", "many", "--b", "perhaps", "--p", "no/such", "--c", "z"]).unwrap_err();
        assert_eq!(
            failure.causes(),
            [
                "--n: `many` is not a number",
                "--b: `perhaps` is not true or false",
                "--p: `no/such` does not exist",
                "--c: `z` is not one of x, y"
            ]
        );
    }
}
