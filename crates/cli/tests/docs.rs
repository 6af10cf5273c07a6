//! The documentation's own examples: every `console` block of README.md and docs/ is run and compared.
//!
//! Within one document the blocks run in order, in one fresh project. A line that starts with `$ ` is a command, the
//! lines after it are what it prints (stdout and stderr together); a line `...` matches any number of lines. A
//! command without lines after it is only run. `<!-- run: … -->` runs a command that the reader does not see.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_testkit::Sandbox;

#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// Returns the steps of a document.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_inside = false;
    for (index, line) in text.lines().enumerate() {
        let hidden = line.trim().strip_prefix("<!-- run: ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some(command) = hidden {
            steps.push(Step { line: index + 1, command: command.to_owned(), expected: Vec::new() });
        } else if line.trim_end() == "```console" {
            is_inside = true;
        } else if is_inside && line.trim_end() == "```" {
            is_inside = false;
        } else if is_inside {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step { line: index + 1, command: command.to_owned(), expected: Vec::new() });
            } else if let Some(more) = line.strip_prefix("> ").filter(|_| steps.last().is_some_and(|step| step.expected.is_empty())) {
                let last = steps.last_mut().expect("it was just looked at");
                last.command.push('\n');
                last.command.push_str(more);
            } else if let Some(last) = steps.last_mut() {
                last.expected.push(line.to_owned());
            }
        }
    }
    steps
}

/// Returns whether `actual` matches the expected text, where `...` matches any number of lines.
fn matches(expected: &[String], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first.trim() == "..." => (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..])),
        Some((first, rest)) => {
            actual.split_first().is_some_and(|(line, others)| line.trim_end() == first.trim_end() && matches(rest, others))
        }
    }
}

fn documents(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn every_example_prints_what_the_documentation_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut found = vec![root.join("README.md")];
    documents(&root.join("docs"), &mut found);
    found.sort();
    let mut problems = String::new();
    let mut count = 0;
    for document in found {
        let sandbox = Sandbox::new();
        let name = document.strip_prefix(&root).unwrap().display().to_string();
        for step in steps(&fs::read_to_string(&document).unwrap()) {
            count += 1;
            let output = sandbox.command("bash").args(["-c", &format!("exec 2>&1\n{}", step.command)]).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            let text = text.replace(sandbox.root().to_str().unwrap(), "/project").replace(sandbox.home().to_str().unwrap(), "/home/you");
            let mut expected = step.expected.clone();
            while expected.last().is_some_and(|line| line.trim().is_empty()) {
                expected.pop();
            }
            let actual: Vec<&str> = text.trim_end().lines().collect();
            if !expected.is_empty() && !matches(&expected, &actual) {
                let _ =
                    write!(problems, "{name}:{}: `{}` printed\n{text}\ninstead of\n{}\n\n", step.line, step.command, expected.join("\n"));
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    assert!(count > 0, "the documentation has examples");
}

#[test]
fn the_page_for_people_from_other_tools_names_commands_that_exist() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/migration.md")).unwrap();
    let commands: Vec<&str> = page.split("`brief ").skip(1).filter_map(|rest| rest.split(['`', ' ']).next()).collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands {
        let _ = Sandbox::new().brief([command, "--help"]).success();
    }
    for left_out in
        ["Nudges", "Pause and resume", "ctx agent --budget", "init --info", "options:", "claw pass", "--local", "front matter", "role"]
    {
        assert!(page.contains(left_out), "{left_out}");
    }
}

#[test]
fn every_page_is_linked_from_the_index() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().unwrap();
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let mut pages = Vec::new();
    documents(&docs, &mut pages);
    for page in pages {
        let name = page.strip_prefix(&docs).unwrap().display().to_string();
        assert!(name == "README.md" || index.contains(&format!("]({name})")), "docs/README.md does not link to {name}");
    }
}
