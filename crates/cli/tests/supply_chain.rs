//! The rules of `deny.toml` for licences, duplicates and bans, checked without `cargo deny`, and the list of direct
//! dependencies in `docs/dependencies.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toml::Table;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table(file: &str) -> Table {
    std::fs::read_to_string(repository().join(file)).unwrap().parse().unwrap()
}

/// Returns the packages that this machine builds, without our own, as (name, version, licence).
fn packages() -> Vec<(String, String, String)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host];
    let output = Command::new(cargo).args(arguments).current_dir(repository()).output().unwrap();
    let metadata: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let used: BTreeSet<&str> = metadata["resolve"]["nodes"].as_array().unwrap().iter().filter_map(|node| node["id"].as_str()).collect();
    let text = |package: &Value, name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let all = metadata["packages"].as_array().unwrap().iter();
    let foreign = all.filter(|package| !package["source"].is_null() && used.contains(package["id"].as_str().unwrap()));
    foreign.map(|package| (text(package, "name"), text(package, "version"), text(package, "license"))).collect()
}

/// Returns the packages in `Cargo.lock` that depend on one.
fn users_of(name: &str) -> BTreeSet<String> {
    let lock = table("Cargo.lock");
    let packages = lock["package"].as_array().unwrap().iter();
    let uses = |package: &&toml::Value| {
        let dependencies = package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten();
        dependencies.filter_map(toml::Value::as_str).any(|dependency| dependency.split(' ').next() == Some(name))
    };
    packages.filter(uses).map(|package| package["name"].as_str().unwrap().to_owned()).collect()
}

/// Returns whether a licence expression can be satisfied with the allowed licences.
fn is_satisfied(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "+WITH+");
    let words: Vec<String> = spaced.split_whitespace().map(|word| word.replace("+WITH+", " WITH ")).collect();
    let mut at = 0;
    let satisfied = either(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "cannot read the licence `{expression}`");
    satisfied
}

fn either(words: &[String], at: &mut usize, allowed: &[&str]) -> bool {
    let mut satisfied = both(words, at, allowed);
    while words.get(*at).is_some_and(|word| word == "OR") {
        *at += 1;
        satisfied |= both(words, at, allowed);
    }
    satisfied
}

fn both(words: &[String], at: &mut usize, allowed: &[&str]) -> bool {
    let mut satisfied = one(words, at, allowed);
    while words.get(*at).is_some_and(|word| word == "AND") {
        *at += 1;
        satisfied &= one(words, at, allowed);
    }
    satisfied
}

fn one(words: &[String], at: &mut usize, allowed: &[&str]) -> bool {
    let word = words.get(*at).map_or("", String::as_str);
    *at += 1;
    if word != "(" {
        return allowed.contains(&word);
    }
    let satisfied = either(words, at, allowed);
    *at += 1;
    satisfied
}

#[test]
fn licence_expressions_are_read_as_they_are_meant() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("(MIT OR ISC) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", false),
    ] {
        assert_eq!(is_satisfied(expression, &["MIT", "ISC", "Apache-2.0"]), expected, "{expression}");
    }
}

#[test]
fn every_licence_is_allowed() {
    let rules = table("deny.toml");
    let allowed: Vec<&str> = rules["licenses"]["allow"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
    let packages = packages();
    assert!(packages.len() > 100, "{}", packages.len());
    for (name, version, licence) in packages {
        assert!(is_satisfied(&licence, &allowed), "{name} {version}: `{licence}` is not allowed by `deny.toml`");
    }
}

#[test]
fn no_crate_is_banned_or_there_twice_without_a_reason() {
    let bans = &table("deny.toml")["bans"];
    let names = |key: &str| -> BTreeSet<String> {
        let entries = bans[key].as_array().unwrap().iter();
        let entries = entries.inspect(|entry| assert!(entry["reason"].as_str().is_some_and(|reason| reason.len() > 5), "{entry}"));
        entries.map(|entry| entry["crate"].as_str().unwrap().split('@').next().unwrap().to_owned()).collect()
    };
    let (mut banned, skipped) = (names("deny"), names("skip"));
    // What only the crates of a list may use is checked with them.
    for entry in bans["deny"].as_array().unwrap() {
        let Some(wrappers) = entry.get("wrappers").and_then(toml::Value::as_array) else { continue };
        let name = entry["crate"].as_str().unwrap();
        let allowed: BTreeSet<&str> = wrappers.iter().filter_map(toml::Value::as_str).collect();
        let users = users_of(name);
        assert!(users.iter().all(|user| allowed.contains(user.as_str())), "{name} is used by {users:?}; `deny.toml` allows {allowed:?}");
        banned.remove(name);
    }
    let mut versions: BTreeMap<String, usize> = BTreeMap::new();
    for (name, version, _) in packages() {
        assert!(!banned.contains(&name), "{name} {version} is banned by `deny.toml`");
        *versions.entry(name).or_default() += 1;
    }
    for (name, count) in versions {
        assert!(count == 1 || skipped.contains(&name), "{name} is there {count} times; `deny.toml` gives no reason");
    }
}

/// Returns the direct dependencies, each with the crates of ours that use it: in the program, or in tests only.
fn direct() -> (BTreeMap<String, BTreeSet<String>>, BTreeSet<String>) {
    let (mut program, mut tests) = (BTreeMap::<String, BTreeSet<String>>::new(), BTreeSet::new());
    for entry in std::fs::read_dir(repository().join("crates")).unwrap() {
        let user = entry.unwrap().file_name().into_string().unwrap();
        let manifest = table(&format!("crates/{user}/Cargo.toml"));
        let targets = manifest.get("target").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let tables = std::iter::once(manifest).chain(targets.into_iter().filter_map(|(_, rules)| rules.as_table().cloned()));
        for (kind, listed) in tables.flatten().filter_map(|(kind, listed)| Some((kind, listed.as_table()?.clone()))) {
            for name in listed.keys().filter(|name| !name.starts_with("briefing-")) {
                match kind.as_str() {
                    "dependencies" | "build-dependencies" if user != "testkit" => {
                        program.entry(name.clone()).or_default().insert(user.clone());
                    }
                    "dependencies" | "build-dependencies" | "dev-dependencies" => {
                        tests.insert(name.clone());
                    }
                    _ => {}
                }
            }
        }
    }
    tests.retain(|name| !program.contains_key(name));
    (program, tests)
}

#[test]
fn the_list_of_dependencies_is_complete() {
    let text = std::fs::read_to_string(repository().join("docs/dependencies.md")).unwrap();
    let (listed, listed_tests) = text.split_once("## In tests only").unwrap();
    let listed_tests = listed_tests.split("\n## ").next().unwrap();
    let rows = |text: &str| -> Vec<Vec<String>> {
        let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
        rows.map(|row| row.split(" | ").map(|cell| cell.trim_matches('`').to_owned()).collect()).collect()
    };
    let (program, tests) = direct();
    let users: BTreeMap<String, BTreeSet<String>> =
        rows(listed).into_iter().map(|row| (row[0].clone(), row[1].split(", ").map(str::to_owned).collect())).collect();
    assert_eq!(users, program, "`docs/dependencies.md` and the manifests differ");
    let in_tests: BTreeSet<String> = rows(listed_tests).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(in_tests, tests);
    assert!(
        rows(listed).iter().all(|row| row[2].len() > 10) && rows(listed_tests).iter().all(|row| row[1].len() > 10),
        "each has a reason"
    );
}
