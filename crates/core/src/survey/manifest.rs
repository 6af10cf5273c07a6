//! The manifests of package managers: what a package is called, what it says of itself, and whether it has others in it.

use serde_json::Value;

use super::Files;

/// A manifest in a project's root or in one of its packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The name of the file.
    pub file: &'static str,
    pub language: &'static str,
    pub name: Option<String>,
    pub description: Option<String>,
    /// Whether it declares other packages in its directory.
    pub is_workspace: bool,
}

/// Manifests and the language that each one indicates.
const MANIFESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("go.mod", "Go"),
    ("composer.json", "PHP"),
    ("Gemfile", "Ruby"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("mix.exs", "Elixir"),
    ("CMakeLists.txt", "C++"),
    ("Package.swift", "Swift"),
    ("pubspec.yaml", "Dart"),
    ("deno.json", "TypeScript"),
];

/// Files that make their directory a workspace, whatever the manifests say.
const WORKSPACES: [&str; 8] =
    ["pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json", "rush.json", "go.work", "settings.gradle", "settings.gradle.kts"];

/// Returns whether a file of this name is a manifest.
pub(super) fn is_manifest(name: &str) -> bool {
    MANIFESTS.iter().any(|(manifest, _)| *manifest == name)
}

/// Reads the manifests of a directory.
pub(super) fn read(files: &Files) -> Vec<Manifest> {
    let is_workspace = WORKSPACES.iter().any(|name| files.has(name));
    let read = |(file, language): &(&'static str, &'static str)| {
        let text = files.read(file)?;
        let mut manifest = of(file, language, &text);
        manifest.is_workspace |= is_workspace;
        Some(manifest)
    };
    MANIFESTS.iter().filter_map(read).collect()
}

fn of(file: &'static str, language: &'static str, text: &str) -> Manifest {
    let mut manifest = Manifest { file, language, name: None, description: None, is_workspace: false };
    let value = match file {
        "Cargo.toml" | "pyproject.toml" => toml_value(text),
        "package.json" | "composer.json" => json_value(text),
        "go.mod" => {
            let module = text.lines().find_map(|line| line.strip_prefix("module "));
            manifest.name = module.and_then(|module| module.trim().rsplit('/').next()).map(str::to_owned);
            return manifest;
        }
        "pom.xml" => {
            manifest.is_workspace = text.contains("<modules>");
            return manifest;
        }
        _ => return manifest,
    };
    let sections = ["/package", "/project", "/tool/poetry", ""];
    let said = |key: &str| {
        sections.iter().find_map(|section| value.pointer(&format!("{section}/{key}"))?.as_str().map(str::trim).map(str::to_owned))
    };
    manifest.name = said("name").filter(|name| !name.is_empty());
    manifest.description = said("description").filter(|words| !words.is_empty());
    manifest.is_workspace = ["/workspace", "/workspaces", "/tool/uv/workspace"].iter().any(|place| value.pointer(place).is_some());
    manifest
}

/// Returns a TOML or JSON file as a value; one that cannot be read says nothing.
pub(super) fn toml_value(text: &str) -> Value {
    text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default()
}

pub(super) fn json_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
