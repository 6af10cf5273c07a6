//! Parses the arguments after `--` and checks them against the goal's parameters.

use std::collections::BTreeMap;
use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::nearest;

use crate::goal::{Goal, Kind, Parameter};
use crate::uses::{self, Parameters};

/// The values for `Args`.
pub type Arguments = BTreeMap<String, String>;

/// Reads `--name value`, `--name=value` and `--flag`, applies defaults, and reports all problems at once.
///
/// Relative paths are resolved from `here`. As in claw, a parameter need not be declared if a template uses it; one that
/// nothing uses is most likely a typing mistake.
pub fn check(goal: &Goal, typed: &[String], here: &Path) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    let used = uses::parameters(goal);
    for (name, value) in parse(typed)? {
        let name = known(goal, &used, &name).ok_or_else(|| unknown(goal, &used, &name))?;
        arguments.insert(name, value);
    }
    for parameter in &goal.parameters {
        if let (false, Some(default)) = (arguments.contains_key(&parameter.name), &parameter.default) {
            arguments.insert(parameter.name.clone(), default.clone());
        }
    }
    let missing: Vec<_> =
        goal.parameters.iter().filter(|parameter| parameter.is_required && !arguments.contains_key(&parameter.name)).collect();
    if !missing.is_empty() {
        return Err(missing_failure(goal, &missing));
    }
    let wrong = goal.parameters.iter().filter_map(|parameter| {
        let value = arguments.get(&parameter.name)?;
        problem(&parameter.kind, value, here).map(|problem| format!("--{}: `{value}` {problem}", parameter.name))
    });
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() {
        return Ok(arguments);
    }
    let failure = Failure::usage(format!("invalid arguments for the goal `{}`", goal.name));
    Err(wrong.into_iter().fold(failure, Failure::because_of).hint(explained(goal)))
}

/// Returns the name of a parameter as the goal spells it, if the goal declares or uses it. `--style-guide` also means
/// `style_guide`.
fn known(goal: &Goal, used: &Parameters, name: &str) -> Option<String> {
    let names = names(goal, used);
    let same = names.iter().find(|own| **own == name);
    let alike = names.iter().find(|own| own.replace('-', "_") == name.replace('-', "_"));
    let own = same.or(alike).map(|own| (*own).to_owned());
    own.or_else(|| (*used == Parameters::Any).then(|| name.to_owned()))
}

/// Returns the names of the parameters that a goal declares, then those that it only uses.
fn names<'a>(goal: &'a Goal, used: &'a Parameters) -> Vec<&'a str> {
    let declared = goal.parameters.iter().map(|parameter| parameter.name.as_str());
    let only_used = match used {
        Parameters::Any => None,
        Parameters::These(names) => Some(names.iter().map(String::as_str)),
    };
    declared.chain(only_used.into_iter().flatten()).collect()
}

fn unknown(goal: &Goal, used: &Parameters, name: &str) -> Failure {
    let failure = Failure::usage(format!("the goal `{}` has no parameter `{name}`", goal.name));
    let typed = name.replace('-', "_");
    match nearest(&typed, names(goal, used).into_iter()) {
        Some(near) => failure.hint(format!("did you mean `--{near}`?")),
        None => failure,
    }
    .hint(explained(goal))
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
        let prompt = "prompt: '{{ Args.a }}{{ Args.b }}{{ Args.c }}{{ Args.d }}{{ Args.e }}{{ Args.long_name }}'";
        fs::write(path.join("prompt.yaml"), format!("{prompt}\nparameters:\n{yaml}")).unwrap();
        Goal::read(&path).unwrap()
    }

    fn checked(yaml: &str, typed: &[&str]) -> Result<Arguments, Failure> {
        let typed: Vec<_> = typed.iter().map(|word| (*word).to_owned()).collect();
        check(&goal(yaml), &typed, Path::new("/"))
    }

    fn values(yaml: &str, typed: &[&str]) -> Vec<(String, String)> {
        checked(yaml, typed).unwrap().into_iter().collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn all_forms_of_arguments_are_read() {
        let typed = ["--a", "1", "--b=x=y", "--c", "--d=--dashed", "--e", "-5", "--long-name", "two words"];
        let expected = [("a", "1"), ("b", "x=y"), ("c", "true"), ("d", "--dashed"), ("e", "-5"), ("long_name", "two words")];
        assert_eq!(values("  []", &typed), pairs(&expected));
        assert!(checked("  []", &["word"]).unwrap_err().to_string().contains("unexpected argument `word`"));
        assert!(checked("  []", &["--"]).is_err());
    }

    #[test]
    fn defaults_are_applied_and_dashes_mean_underscores() {
        let yaml = "  - {name: style_guide, default: rust}\n  - {name: depth, type: number, default: 3}\n";
        assert_eq!(values(yaml, &[]), pairs(&[("depth", "3"), ("style_guide", "rust")]));
        assert_eq!(values(yaml, &["--style-guide", "go"]), pairs(&[("depth", "3"), ("style_guide", "go")]));
    }

    #[test]
    fn a_parameter_that_nothing_declares_or_uses_is_refused() {
        let failure = checked("  - {name: style_guide}\n", &["--style-giude", "go"]).unwrap_err();
        assert!(failure.is_usage());
        assert_eq!(failure.to_string(), "the goal `review` has no parameter `style-giude`");
        assert!(failure.hints().iter().any(|hint| hint.contains("--explain")), "{failure:?}");
        let failure = checked("  []", &["--long-nmae", "1"]).unwrap_err();
        assert_eq!(failure.hints()[0], "did you mean `--long_name`?", "a name that only the template uses is suggested too");
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
