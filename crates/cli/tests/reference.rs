//! The pages of `docs/reference/`: made from the program itself and compared with it. `UPDATE_DOCS=1` rewrites them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use briefing_core::settings::{KEYS, Kind, Scope};
use briefing_testkit::Sandbox;
use serde_json::{Value, json};

const NOTICE: &str = "<!-- Made by `UPDATE_DOCS=1 cargo test --workspace --test cli -- reference::`; do not edit. -->\n\n";

/// Compares a page with what it should be, or rewrites it.
fn check(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    let made = format!("{}\n", made.trim_end());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(made.lines()).find(|(is, should)| is != should);
    assert!(page == made, "docs/reference/{name} is out of date, at {differs:?}; run the tests with UPDATE_DOCS=1 to update it");
}

fn help(words: &[String]) -> String {
    // The widest lines of the page, so that they fit without scrolling.
    let sandbox = Sandbox::new().env("COLUMNS", "92");
    sandbox.brief(words.iter().map(String::as_str).chain(["--help"])).success().stdout()
}

/// Returns the names of the commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let mut is_list = false;
    let mut names = Vec::new();
    for line in help.lines() {
        if line.ends_with(':') && !line.starts_with(' ') {
            is_list = !matches!(line, "Options:" | "Arguments:");
        }
        let name = line.strip_prefix("  ").and_then(|rest| rest.split("  ").next()).unwrap_or_default();
        let is_name = !name.is_empty() && name != "help" && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if is_list && is_name && line.len() > name.len() + 2 {
            names.push(name.to_owned());
        }
    }
    names
}

/// Calls a function with the words and the help of every command, each before its own subcommands.
fn for_each_command(words: &mut Vec<String>, visit: &mut impl FnMut(&[String], &str)) {
    let text = help(words);
    visit(words, &text);
    if words.is_empty() || text.contains("<COMMAND>") || text.contains("[COMMAND]") {
        for name in listed(&text) {
            words.push(name);
            for_each_command(words, visit);
            words.pop();
        }
    }
}

#[test]
fn the_page_of_commands_is_up_to_date() {
    let mut page = format!("{NOTICE}# Commands\n\nWhat `--help` prints, for every command.\n");
    page.push_str(
        "\nstdout is data, stderr is talk. Exit codes: 0 success, 1 the request failed, 2 wrong usage. `brief hook` always exits with 0.\n",
    );
    for_each_command(&mut Vec::new(), &mut |words, help| {
        let level = "#".repeat(words.len().min(2) + 2);
        let name = words.iter().fold("brief".to_owned(), |name, word| format!("{name} {word}"));
        let _ = write!(page, "\n{level} {name}\n\n```text\n{}\n```\n", help.trim_end());
    });
    check("commands.md", &page);
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    let mut page = format!("{NOTICE}# Settings\n\n");
    page.push_str(
        "Settings come from, in rising order: the defaults, `~/.config/brief/brief.toml` (yours), `brief.toml` or `.context/brief.toml` (the \
         project's), the environment, and flags. `brief config show` prints every value with its origin, `brief config default` the commented \
         file.\n\n*who*: **anyone** also the project's file; **trusted** the project's file counts after `brief trust`; **you** only your own \
         file and the environment.\n",
    );
    let mut section = None;
    for key in KEYS {
        let (group, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if section != Some(group) {
            let title = if group.is_empty() { "At the top of the file".to_owned() } else { format!("[{group}]") };
            let _ = write!(page, "\n## {title}\n\n| key | value | default | who | what it does |\n|---|---|---|---|---|\n");
            section = Some(group);
        }
        let kind = match key.kind {
            Kind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            other => other.words(),
        };
        let who = match key.scope {
            Scope::Anyone => "anyone",
            Scope::Trusted => "trusted",
            Scope::UserOnly => "you",
        };
        let _ = writeln!(page, "| `{name}` | {} | `{}` | {who} | {} |", cell(&kind), cell(key.default), cell(key.doc));
    }
    page.push_str(
        "\n## Environment\n\nEvery setting has a variable: `BRIEF_` and its name in capitals, with `_` for the dot. Besides:\n\n",
    );
    page.push_str("| variable | what it does |\n|---|---|\n");
    for (name, doc) in variables() {
        let _ = writeln!(page, "| `{name}` | {} |", cell(&doc));
    }
    for (name, doc) in [
        ("XDG_CONFIG_HOME", "Where your settings are: `brief/brief.toml` below it. Default: `~/.config`."),
        ("XDG_STATE_HOME", "Where the ledger is: `brief/` below it. Default: `~/.local/state`."),
        ("XDG_CACHE_HOME", "Where search files are: `brief/` below it. Default: `~/.cache`."),
    ] {
        let _ = writeln!(page, "| `{name}` | {doc} |");
    }
    let example = KEYS[0];
    assert_eq!(example.variable(), format!("BRIEF_{}", example.name.replace('.', "_").to_uppercase()), "as the page says");
    check("settings.md", &page);
}

/// Returns the variables that the program itself defines, with their documentation.
fn variables() -> Vec<(String, String)> {
    let source = include_str!("../src/environment.rs");
    let mut found = Vec::new();
    let mut doc = Vec::new();
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            doc.push(text);
        } else {
            if let Some(name) = line.strip_prefix("pub(crate) const ").and_then(|rest| rest.split(": &str = \"").nth(1)) {
                found.push((name.trim_end_matches("\";").to_owned(), doc.join(" ")));
            }
            doc.clear();
        }
    }
    found
}

/// The shape of JSON values, merged over all that were seen.
#[derive(Default)]
struct Shape {
    kinds: BTreeSet<&'static str>,
    /// The fields of objects, and in how many objects each was.
    fields: BTreeMap<String, (usize, Shape)>,
    objects: usize,
    elements: Option<Box<Shape>>,
}

impl Shape {
    fn see(&mut self, value: &Value) {
        self.kinds.insert(match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        });
        match value {
            Value::Array(values) => {
                let elements = self.elements.get_or_insert_default();
                for value in values {
                    elements.see(value);
                }
            }
            Value::Object(fields) => {
                self.objects += 1;
                for (name, value) in fields {
                    // The names of settings and paths are data, not fields.
                    let name = if name.contains(['.', '/']) || is_setting(name) { "<name>" } else { name };
                    let (times, shape) = self.fields.entry(name.to_owned()).or_default();
                    *times += 1;
                    shape.see(value);
                }
            }
            _ => {}
        }
    }

    fn words(&self) -> String {
        let of = |kind: &&'static str| match (*kind, &self.elements) {
            ("array", Some(elements)) if !elements.kinds.is_empty() => format!("array of {}", elements.words()),
            (kind, _) => kind.to_owned(),
        };
        self.kinds.iter().map(of).collect::<Vec<_>>().join(" or ")
    }

    fn print(&self, depth: usize, page: &mut String) {
        if let Some(elements) = &self.elements {
            elements.print(depth, page);
        }
        for (name, (times, shape)) in &self.fields {
            let sometimes = if *times < self.objects { ", not always" } else { "" };
            let _ = writeln!(page, "{}- `{name}`: {}{sometimes}", "  ".repeat(depth), shape.words());
            shape.print(depth + 1, page);
        }
    }
}

fn is_setting(name: &str) -> bool {
    KEYS.iter().any(|key| key.name == name)
}

/// A project in which every command has something to print.
fn project() -> Sandbox {
    let sandbox = Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("README.md", "# Shop\n\nSells things.\n")
        .file("src/main.rs", "fn main() {}\n")
        .file(".context/CONSTITUTION.md", "# Constitution\n\n1. Never log a card number. See `src/gone.rs`.\n")
        .file(".context/DECISIONS.md", "# Decisions\n\n## [2026-11-01] Cents\n\nMoney is an integer of cents.\n")
        .file(".megg/info.md", "# Shop\n\n## Context\nSells things to people.\n")
        .file("web/.megg/info.md", "# Web\n\n## Context\nThe shop's pages.\n")
        .file("docs/deploy.md", "# Deploying\n\nDrain the canary when the error budget of the release is gone.\n")
        .file("docs/errors.md", "# Logs\n\nAn error is logged with the release that it came from.\n")
        .file(".claw/goals/greet/prompt.yaml", "name: greet\ndescription: Says hello\nprompt: Hello {{ Args.name }}\n");
    for words in [
        &["learn", "Pool size", "--type", "gotcha", "--topics", "database", "The pool has five connections."][..],
        &["state", "The checkout is half done."],
        &["index"],
        &["install", "claude", "--yes"],
    ] {
        let _ = sandbox.brief(words.iter().copied()).success();
    }
    let message = "how do I drain the canary when the error budget of the release is gone?";
    let _ = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    let _ = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": message, "prompt_id": "1" }));
    let _ = sandbox.hook(["claude", "PostToolBatch"], &json!({}));
    let _ = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": "thanks", "prompt_id": "2" }));
    sandbox
}

/// Every command that prints JSON, as an example.
const EXAMPLES: &[&[&str]] = &[
    &["config", "show", "--json"],
    &["context", "--json"],
    &["docs", "get", "docs/deploy.md", "--json"],
    &["docs", "list", "--json"],
    &["doctor", "--json"],
    &["gate", "--check", "--json"],
    &["gate", "--json"],
    &["goals", "--json"],
    &["index", "--where", "--json"],
    &["init", "--dry-run", "--json"],
    &["log", "--json"],
    &["maintain", "--json"],
    &["notify", "show", "--json"],
    &["pack", "src", "--format", "json"],
    &["report", "--json"],
    &["select", "--json", "how do I drain the canary when the error budget is gone?"],
    &["state", "--json"],
    &["status", "--json"],
    &["verify", "--all", "--json"],
    &["why", "--json", "docs/deploy.md"],
];

#[test]
fn the_page_of_json_is_up_to_date() {
    let sandbox = project();
    let mut page =
        format!("{NOTICE}# JSON\n\nThe fields that commands print with `--json`, seen in a small project. New fields may be added; ");
    page.push_str("fields keep their names and types. *Not always*: absent from some objects.\n");
    for words in EXAMPLES {
        let outcome = sandbox.brief(words.iter().copied());
        let value: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}\n{outcome}"));
        let mut shape = Shape::default();
        shape.see(&value);
        let words: Vec<String> = words.iter().map(|word| if word.contains(' ') { "MESSAGE".into() } else { (*word).to_owned() }).collect();
        let _ = write!(page, "\n## brief {}\n\n{}\n\n", words.join(" "), shape.words());
        shape.print(0, &mut page);
    }
    check("json.md", &page);
}

#[test]
fn every_command_with_json_is_on_the_page() {
    let mut missing = Vec::new();
    for_each_command(&mut Vec::new(), &mut |words, help| {
        let has_json = help.lines().any(|line| line.trim_start().starts_with("--json"));
        let is_shown =
            EXAMPLES.iter().any(|example| words.iter().zip(*example).all(|(word, shown)| word == shown) && example.contains(&"--json"));
        if has_json && !is_shown {
            missing.push(words.join(" "));
        }
    });
    assert!(missing.is_empty(), "add examples for: {missing:?}");
}
