//! Every way out of a project that a repository could contain, for every source: nothing outside is ever read, and what is
//! inside still works.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use briefing_testkit::{Sandbox, is_full, tell};
use serde_json::json;

/// Stands in every file outside.
const SECRET: &str = "OUTSIDE-THE-PROJECT";
/// Stands in a file inside that a link may lead to.
const INSIDE: &str = "INSIDE-THE-PROJECT";
const QUESTION: &str = "how do I roll back the canary release when the error budget is gone?";
const TEXT: &str = "# Deploying\n\nRoll back the canary release when the error budget is gone.";

/// A project in a repository, beside another project and a directory of the user with files of every name that counts.
struct House {
    sandbox: Sandbox,
    outside: PathBuf,
}

impl House {
    fn new() -> Self {
        let sandbox = Sandbox::new().file(".git/HEAD", "ref: refs/heads/main\n").file("inside/deploy.md", format!("{TEXT} {INSIDE}\n"));
        let outside = sandbox.root().with_file_name("other");
        for name in
            ["info.md", "knowledge.md", "state.md", "CONSTITUTION.md", "CONVENTIONS.md", "DECISIONS.md", "deploy.md", "secret", "secret.md"]
        {
            let text = if name == "state.md" { "---\nupdated: 2026-11-15T11:00:00Z\nstatus: active\n---\n" } else { "" };
            for directory in ["", ".megg", ".context", "docs"] {
                fs::create_dir_all(outside.join(directory)).unwrap();
                fs::write(outside.join(directory).join(name), format!("{text}{TEXT} {SECRET}\n")).unwrap();
            }
        }
        for directory in ["", ".context", "docs"] {
            fs::write(outside.join(directory).join("index.json"), r#"["deploy.md"]"#).unwrap();
        }
        Self { sandbox, outside }
    }

    /// Ways to write a path outside from a directory of the project that is `depth` below its root.
    fn ways_out(&self, depth: usize, name: &str) -> Vec<PathBuf> {
        let up = "../".repeat(depth + 1);
        let root = self.sandbox.root();
        let (chain, longer, directory) = (root.join("chain"), root.join("longer"), root.join("way"));
        let _ = symlink(self.outside.join(name), &chain);
        let _ = symlink("chain", &longer);
        let _ = symlink(&self.outside, &directory);
        vec![
            self.outside.join(name),
            PathBuf::from(format!("{up}other/{name}")),
            PathBuf::from(format!("./{up}other/./{name}")),
            PathBuf::from(format!("{up}project/../other/{name}")),
            PathBuf::from(format!("/proc/self/cwd/../other/{name}")),
            PathBuf::from(format!("/proc/self/root{}", self.outside.join(name).display())),
            root.join("..").join("other").join(name),
            root.join("inside").join("..").join("..").join("other").join(name),
            root.join("..").join("home").join("..").join("other").join(name),
            PathBuf::from(format!("/proc/thread-self/root{}", self.outside.join(name).display())),
            PathBuf::from(format!("/proc/self/cwd/../../{}/other/{name}", top_name(&root))),
            PathBuf::from(format!("//{}", self.outside.join(name).display())),
            PathBuf::from(format!("{up}.//other//{name}")),
            directory.join(name),
            longer,
            chain,
        ]
    }

    /// Returns everything that any source would show of this project.
    fn shown(&self) -> String {
        let sandbox = &self.sandbox;
        let mut text = String::new();
        for (event, more) in [
            ("SessionStart", json!({ "source": "startup" })),
            ("UserPromptSubmit", json!({ "prompt": QUESTION, "prompt_id": "1" })),
            ("PostToolUse", json!({ "tool_name": "Bash", "tool_use_id": "1" })),
        ] {
            text += &sandbox.hook(["claude", event], &more);
        }
        for words in [&["context"][..], &["select", QUESTION], &["pack", "."], &["read", "docs/deploy.md"]] {
            let outcome = sandbox.brief(words);
            text += &outcome.stdout();
        }
        text
    }
}

/// Returns the name of the directory that contains the project.
fn top_name(root: &Path) -> String {
    root.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned()
}

/// By default one of this many cases runs.
fn step() -> usize {
    if is_full() { 1 } else { 13 }
}

fn plant(target: &Path, link: &Path) {
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(target, link).unwrap();
}

/// What a repository can replace by a link: the path, how deep it is, and the name that it leads to outside.
const FILES: &[(&str, usize, &str)] = &[
    (".megg", 0, ".megg"),
    (".megg", 0, ""),
    (".megg/info.md", 1, "info.md"),
    (".megg/info.md", 1, "secret"),
    (".megg/knowledge.md", 1, "knowledge.md"),
    (".megg/knowledge.md", 1, "secret.md"),
    (".megg/state.md", 1, "state.md"),
    ("sub/.megg", 1, ".megg"),
    ("sub/.megg/info.md", 2, "info.md"),
    (".context", 0, ".context"),
    (".context", 0, ""),
    (".context/CONSTITUTION.md", 1, "CONSTITUTION.md"),
    (".context/CONSTITUTION.md", 1, "secret"),
    (".context/CONVENTIONS.md", 1, "CONVENTIONS.md"),
    (".context/DECISIONS.md", 1, "DECISIONS.md"),
    (".context/index.json", 1, "index.json"),
    (".context/index.json", 1, ".context/index.json"),
    ("docs", 0, "docs"),
    ("docs", 0, ""),
    ("docs/index.json", 1, "docs/index.json"),
    ("docs/deploy.md", 1, "deploy.md"),
    ("docs/deploy.md", 1, "secret"),
    ("index.json", 0, "index.json"),
    ("README.md", 0, "deploy.md"),
    ("src", 0, "docs"),
    ("src/main.md", 1, "secret.md"),
    ("src/deep/er", 2, "docs"),
];

#[test]
fn no_link_leads_out_of_a_project() {
    let ways = House::new().ways_out(0, "").len();
    let all: Vec<_> = FILES.iter().flat_map(|file| (0..ways).map(move |way| (*file, way))).step_by(step()).collect();
    for ((path, depth, name), way) in &all {
        let house = House::new();
        let target = house.ways_out(*depth, name).swap_remove(*way);
        // Something to find around the link.
        if path.starts_with("docs/deploy") {
            house.sandbox.write("docs/index.json", r#"["deploy.md"]"#);
        }
        plant(&target, &house.sandbox.path(path));
        let is_below = path.starts_with("sub");
        let house = if is_below { House { sandbox: house.sandbox.at("sub"), outside: house.outside } } else { house };
        let shown = house.shown();
        assert!(!shown.contains(SECRET), "{path} → {}:\n{shown}", target.display());
    }
    tell(&format!("hostile paths: {} links out of a project, each read by seven commands and events: nothing from outside", all.len()));
}

/// Paths that an index, a reference or a request names, instead of links.
#[test]
fn no_name_leads_out_of_a_project() {
    let house = House::new();
    let mut names: Vec<String> = Vec::new();
    for depth in 0..2 {
        for name in ["deploy.md", "secret", "secret.md", "docs/deploy.md", ".megg/info.md", ".context/CONSTITUTION.md"] {
            names.extend(house.ways_out(depth, name).iter().map(|path| path.display().to_string()));
            names.push(format!("file://{}", house.outside.join(name).display()));
            names.push(format!("docs/../../other/{name}"));
            names.push(format!("docs/%2e%2e/%2e%2e/other/{name}"));
            names.push(format!("docs\\..\\..\\other\\{name}"));
            names.push(format!("../other/{name}\u{0}.md"));
            names.push(format!("../other/{name}/"));
            names.push(format!("..//other//{name}"));
            names.push(format!("~/../other/{name}"));
        }
    }
    names.sort();
    names.dedup();
    let names: Vec<String> = names.into_iter().step_by(step()).collect();
    for name in &names {
        let house = House::new();
        let sandbox = &house.sandbox;
        let quoted = serde_json::to_string(&vec![name]).unwrap();
        sandbox.write("docs/index.json", &quoted);
        sandbox.write("docs/guide.md", format!("# Guide\n\nRead [it]({name}) and @{name} first.\n"));
        sandbox.write(".context/CONSTITUTION.md", format!("See {name}\n"));
        let mut shown = house.shown();
        if !name.contains('\u{0}') {
            shown += &sandbox.brief(["read", name]).stdout();
        }
        let _ = sandbox.brief(["index"]);
        shown += &sandbox.brief(["select", QUESTION]).stdout();
        shown += &sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": "later", "prompt": QUESTION, "prompt_id": "9" }));
        assert!(!shown.contains(SECRET), "{name}:\n{shown}");
    }
    tell(&format!("hostile paths: {} names that lead out of a project, for every source: nothing from outside", names.len()));
}

#[test]
fn a_link_inside_the_repository_works() {
    let house = House::new();
    let sandbox = house.sandbox.clone().file("shared/info.md", format!("# Shared\n\n{INSIDE}\n")).directory("sub");
    plant(Path::new("../shared"), &sandbox.path("sub/.megg"));
    plant(Path::new("../inside/deploy.md"), &sandbox.path(".megg/knowledge.md"));
    let shown = sandbox.brief(["context", "sub"]).success();
    assert!(shown.stdout().contains(INSIDE), "{shown}");
    let shown = sandbox.brief(["context"]).success();
    assert!(shown.stdout().contains(INSIDE), "{shown}");
}

#[test]
fn the_user_can_allow_links_that_leave_the_repository_but_not_the_home() {
    let house = House::new();
    let sandbox = &house.sandbox;
    sandbox.write("~/knowledge/info.md", format!("# Mine\n\n{INSIDE}\n"));
    plant(&sandbox.home().join("knowledge"), &sandbox.path(".megg"));
    plant(&house.outside.join(".megg"), &sandbox.path("sub/.megg"));
    let refused = sandbox.brief(["context"]).success();
    assert!(!refused.stdout().contains(INSIDE), "{refused}");
    assert!(refused.stderr().contains("follow_links = true"), "it says how to allow it: {refused}");
    sandbox.write("brief.toml", "[domains]\nfollow_links = true\n");
    assert!(!sandbox.brief(["context"]).stdout().contains(INSIDE), "a repository cannot allow it");
    fs::remove_file(sandbox.path("brief.toml")).unwrap();
    sandbox.write("~/.config/brief/brief.toml", "[domains]\nfollow_links = true\n");
    let allowed = sandbox.brief(["context"]).success();
    assert!(allowed.stdout().contains(INSIDE), "{allowed}");
    let beyond = sandbox.brief(["context", "sub"]).success();
    assert!(!beyond.stdout().contains(SECRET), "outside the home it is refused: {beyond}");
}
