//! The commands with which a project is built and tested, as its own files name them.
//!
//! What a project names itself (scripts, targets, recipes) wins over what its language implies.

use serde_json::Value;

use super::Files;
use super::manifest::{Manifest, json_value, toml_value};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Build,
    Test,
    Lint,
    Format,
    Run,
}

impl Purpose {
    const ALL: [Self; 5] = [Self::Build, Self::Test, Self::Lint, Self::Format, Self::Run];

    /// Returns the word at the beginning of a line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Build => "Build",
            Self::Test => "Test",
            Self::Lint => "Check",
            Self::Format => "Format",
            Self::Run => "Run",
        }
    }

    /// Returns the names that scripts, targets and recipes of this kind have.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Build => &["build", "compile"],
            Self::Test => &["test", "tests"],
            Self::Lint => &["lint", "check", "typecheck", "type-check", "check-types"],
            Self::Format => &["format", "fmt"],
            Self::Run => &["dev", "start", "serve", "run"],
        }
    }
}

/// A command of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub purpose: Purpose,
    pub command: String,
    /// The file that names or implies it.
    pub file: &'static str,
}

/// Finds the commands of a directory.
pub(super) fn find(files: &Files, manifests: &[Manifest]) -> Vec<Tool> {
    let mut tools = named(files);
    let implied = implied(files, manifests);
    tools.extend(implied.into_iter().filter(|tool| !tools.iter().any(|other| other.purpose == tool.purpose)).collect::<Vec<_>>());
    tools.sort_by_key(|tool| tool.purpose);
    tools
}

/// Returns the commands that the project names itself.
fn named(files: &Files) -> Vec<Tool> {
    let mut found = Vec::new();
    let mut add = |file: &'static str, prefix: &str, names: &[String]| {
        for purpose in Purpose::ALL {
            for name in purpose.names().iter().filter(|name| names.iter().any(|other| other == *name)) {
                found.push(Tool { purpose, command: format!("{prefix} {name}"), file });
            }
        }
    };
    if let Some(text) = files.read("package.json") {
        let value = json_value(&text);
        // What `npm init` writes is no test.
        let is_real = |(_, script): &(&String, &Value)| !script.as_str().unwrap_or_default().contains("no test specified");
        let scripts = value["scripts"].as_object().into_iter().flatten().filter(is_real);
        add("package.json", package_manager(files, &value), &scripts.map(|(name, _)| name.clone()).collect::<Vec<_>>());
    }
    if let Some(text) = files.read("composer.json") {
        let value = json_value(&text);
        add("composer.json", "composer", &keys(&value["scripts"]));
    }
    for (file, prefix) in [("deno.json", "deno task"), ("deno.jsonc", "deno task")] {
        files.read(file).into_iter().for_each(|text| add(file, prefix, &keys(&json_value(&text)["tasks"])));
    }
    for file in ["Makefile", "makefile", "GNUmakefile"] {
        files.read(file).into_iter().for_each(|text| add(file, "make", &targets(&text)));
    }
    for file in ["justfile", "Justfile", ".justfile"] {
        files.read(file).into_iter().for_each(|text| add(file, "just", &targets(&text)));
    }
    for file in ["Taskfile.yml", "Taskfile.yaml"] {
        files.read(file).into_iter().for_each(|text| add(file, "task", &tasks(&text)));
    }
    found
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// Returns how scripts of `package.json` are run: by the manager it names, or the one that wrote the lock file.
fn package_manager(files: &Files, value: &Value) -> &'static str {
    let named = value["packageManager"].as_str().unwrap_or_default();
    let managers = [
        ("pnpm", "pnpm-lock.yaml", "pnpm"),
        ("yarn", "yarn.lock", "yarn"),
        ("bun", "bun.lock", "bun run"),
        ("bun", "bun.lockb", "bun run"),
    ];
    let is_it = |(name, lock, _): &&(&str, &str, &str)| named.starts_with(name) || files.has(lock);
    managers.iter().find(is_it).map_or("npm run", |(.., command)| command)
}

/// Returns the targets of a makefile or the recipes of a justfile.
fn targets(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '.']));
    let heads = lines.filter_map(|line| line.split_once(':')).filter(|(_, rest)| !rest.starts_with('='));
    // A recipe of `just` may have parameters.
    heads.filter_map(|(head, _)| head.trim_start_matches('@').split_whitespace().next()).map(str::to_owned).collect()
}

/// Returns the tasks of a Taskfile: the keys one level below `tasks:`.
fn tasks(text: &str) -> Vec<String> {
    let below =
        text.lines().skip_while(|line| line.trim_end() != "tasks:").skip(1).take_while(|line| line.is_empty() || line.starts_with(' '));
    let names = below.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.trim().strip_suffix(':')).map(|name| name.trim_matches(['"', '\'']).to_owned()).collect()
}

/// Returns the commands that are usual for the languages of the manifests, as far as files confirm them.
fn implied(files: &Files, manifests: &[Manifest]) -> Vec<Tool> {
    let mut found = Vec::new();
    let mut add = |file: &'static str, purpose: Purpose, command: &str| found.push(Tool { purpose, command: command.to_owned(), file });
    for manifest in manifests {
        match manifest.file {
            file @ "Cargo.toml" => {
                add(file, Purpose::Build, "cargo build");
                add(file, Purpose::Test, "cargo test");
                let has_lints = files.has("clippy.toml") || files.read(file).is_some_and(|text| text.contains("lints.clippy]"));
                if has_lints {
                    add(file, Purpose::Lint, "cargo clippy");
                }
                if files.has("rustfmt.toml") || files.has(".rustfmt.toml") {
                    add(file, Purpose::Format, "cargo fmt");
                }
            }
            file @ "pyproject.toml" => python(files, file, &mut add),
            file @ "go.mod" => {
                add(file, Purpose::Build, "go build ./...");
                add(file, Purpose::Test, "go test ./...");
                if [".golangci.yml", ".golangci.yaml", ".golangci.toml"].iter().any(|name| files.has(name)) {
                    add(file, Purpose::Lint, "golangci-lint run");
                }
            }
            file @ "Gemfile" if files.has("spec") => add(file, Purpose::Test, "bundle exec rspec"),
            file @ "Gemfile" if files.has("Rakefile") => add(file, Purpose::Test, "bundle exec rake test"),
            file @ "pom.xml" => {
                let program = if files.has("mvnw") { "./mvnw" } else { "mvn" };
                add(file, Purpose::Build, &format!("{program} package"));
                add(file, Purpose::Test, &format!("{program} test"));
            }
            file @ ("build.gradle" | "build.gradle.kts") => {
                let program = if files.has("gradlew") { "./gradlew" } else { "gradle" };
                add(file, Purpose::Build, &format!("{program} build"));
                add(file, Purpose::Test, &format!("{program} test"));
            }
            file @ "mix.exs" => {
                add(file, Purpose::Test, "mix test");
                if files.has(".formatter.exs") {
                    add(file, Purpose::Format, "mix format");
                }
            }
            file @ "CMakeLists.txt" => {
                add(file, Purpose::Build, "cmake -B build && cmake --build build");
                if files.read(file).is_some_and(|text| text.contains("enable_testing") || text.contains("include(CTest)")) {
                    add(file, Purpose::Test, "ctest --test-dir build");
                }
            }
            file @ "Package.swift" => {
                add(file, Purpose::Build, "swift build");
                add(file, Purpose::Test, "swift test");
            }
            _ => {}
        }
    }
    found
}

fn python(files: &Files, file: &'static str, add: &mut impl FnMut(&'static str, Purpose, &str)) {
    let value = files.read(file).map(|text| toml_value(&text)).unwrap_or_default();
    let tool = |name: &str| value.pointer(&format!("/tool/{name}")).is_some();
    let runner = if files.has("uv.lock") {
        "uv run "
    } else if files.has("poetry.lock") {
        "poetry run "
    } else {
        ""
    };
    if tool("pytest") || files.has("pytest.ini") || files.has("conftest.py") {
        add(file, Purpose::Test, &format!("{runner}pytest"));
    } else if files.has("tox.ini") || tool("tox") {
        add(file, Purpose::Test, "tox");
    } else if files.has("noxfile.py") {
        add(file, Purpose::Test, "nox");
    }
    if tool("ruff") || files.has("ruff.toml") {
        add(file, Purpose::Lint, &format!("{runner}ruff check"));
    }
    if tool("mypy") || files.has("mypy.ini") {
        add(file, Purpose::Lint, &format!("{runner}mypy ."));
    }
    if tool("black") {
        add(file, Purpose::Format, &format!("{runner}black ."));
    } else if value.pointer("/tool/ruff/format").is_some() {
        add(file, Purpose::Format, &format!("{runner}ruff format"));
    }
}
