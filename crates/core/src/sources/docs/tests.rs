//! Making, reading and finding indexes in small trees.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Index, IndexFile, Made, Plan, Reach, find, make};
use crate::NoteKind;
use crate::settings::{Layer, LayerKind, Places, Settings};
use crate::tokens::TokenCounter;

struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str, _: &blake3::Hash) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn encoding(&self) -> &'static str {
        "words"
    }
}

/// A counter that must not be called.
struct Never;

impl TokenCounter for Never {
    fn count(&self, text: &str, _: &blake3::Hash) -> u64 {
        panic!("{text:?} was counted again")
    }

    fn encoding(&self) -> &'static str {
        "never"
    }
}

pub(super) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(directory.path()).unwrap().join("project");
    for (name, text) in files {
        write(&root, name, text);
    }
    (directory, root)
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn made(root: &Path, from: &[&str], is_all: bool) -> Made {
    let plan = Plan::new(root, None, None, from.iter().map(PathBuf::from).collect(), is_all).unwrap();
    make(&plan, &Words).unwrap()
}

fn paths(made: &Made) -> Vec<&str> {
    made.documents.iter().map(|document| document.path.as_str()).collect()
}

#[test]
fn references_are_followed_once_through_cycles_inside_the_root() {
    let (_keep, root) = tree(&[
        ("brief.toml", ""),
        ("README.md", "# R\n[a](guide/a.md) [out](../secret.md) `[no](guide/code.md)`"),
        ("guide/a.md", "# A\n[back](../README.md)\n@b.md\n[dead](gone.md)\n"),
        ("guide/b.md", "# B\n[a](a.md)"),
        ("guide/code.md", "# never referred to"),
        ("../secret.md", "# secret"),
    ]);
    let made = made(&root, &[], false);
    assert_eq!(paths(&made), ["README.md", "guide/a.md", "guide/b.md"]);
    let dead: Vec<_> = made.dead.iter().map(|dead| format!("{}:{} {}", dead.path, dead.line, dead.target)).collect();
    assert_eq!(dead, ["guide/a.md:4 gone.md"]);
    assert_eq!(made.notes[0].kind, NoteKind::Outside);
    assert_eq!(paths(&self::made(&root, &["guide/code.md"], false)), ["guide/code.md"]);
    assert_eq!(paths(&self::made(&root, &[], true)).len(), 4);
}

#[test]
fn the_default_index_takes_what_people_write_for_people() {
    let (_keep, root) = tree(&[
        ("brief.toml", ""),
        ("README.md", "# R"),
        ("CONTRIBUTING.md", "# C\n[more](internals/design.md)"),
        ("ARCHITECTURE.markdown", "# A"),
        ("STYLE.md", "# S"),
        ("CHANGELOG.md", "# Log"),
        ("LICENSE.md", "# L"),
        ("CODE_OF_CONDUCT.md", "# C"),
        ("CLAUDE.md", "# For an agent"),
        ("AGENTS.md", "# For agents"),
        ("docs/guide/a.md", "# A"),
        ("doc/b.md", "# B"),
        ("crates/one/README.md", "# One"),
        ("crates/one/notes.md", "# Notes"),
        ("crates/one/fixtures/x/README.md", "# Not ours"),
        ("node_modules/x/README.md", "# Not ours"),
        ("internals/design.md", "# D"),
        ("internals/other.md", "# O"),
        (".hidden/README.md", "# H"),
    ]);
    let made = made(&root, &[], false);
    let expected = [
        "../ARCHITECTURE.markdown",
        "../CONTRIBUTING.md",
        "../README.md",
        "../STYLE.md",
        "../crates/one/README.md",
        "../doc/b.md",
        "../internals/design.md",
        "guide/a.md",
    ];
    assert_eq!(paths(&made), expected);
    assert_eq!(made.left_out, 8, "counted, but neither third-party nor hidden ones");
    assert_eq!(self::made(&root, &[], true).left_out, 0);
}

#[test]
fn links_of_websites_and_to_generated_pages_are_not_broken() {
    let (_keep, root) = tree(&[
        (".git/HEAD", ""),
        (".gitignore", "/docs/reference/cli.md\n"),
        ("docs/.gitignore", "built/\n"),
        ("docs/guide/a.md", "[b](/guide/b.md) [c](/guide/c) [up](/top.md) [cli](../reference/cli.md#x) [x](/built/x.md)\n"),
        ("docs/guide/b.md", "# B\n[settings](/reference/settings.md) [gone](/gone.md)"),
        ("docs/guide/c.md", "# C"),
        ("top.md", "# Top"),
    ]);
    let mut plan = Plan::new(&root, None, None, Vec::new(), false).unwrap();
    let dead = |plan: &Plan| -> Vec<String> { make(plan, &Words).unwrap().dead.into_iter().map(|dead| dead.target).collect() };
    assert_eq!(dead(&plan), ["/gone.md", "/reference/settings.md"]);
    plan.generated = crate::sources::files::Patterns::globs(&["docs/reference/*.md".to_owned()], "docs.generated").unwrap();
    assert_eq!(dead(&plan), ["/gone.md"]);
}

#[test]
fn a_document_that_cannot_be_read_now_does_not_leave_the_index() {
    let (_keep, root) = tree(&[("brief.toml", ""), ("docs/a.md", "# A"), ("docs/b.md", "# B")]);
    let plan = Plan::new(&root, None, None, Vec::new(), false).unwrap();
    let failure = super::failing::during("b.md", || make(&plan, &Words)).unwrap_err();
    assert!(failure.to_string().contains("docs/b.md"), "{failure}");
    assert_eq!(made(&root, &[], false).documents.len(), 2);
}

#[test]
fn the_same_documents_give_the_same_bytes_and_are_not_counted_again() {
    let (_keep, root) = tree(&[("README.md", "# R\n[a](docs/a.md)"), ("docs/a.md", "# A\ntext of a"), (".context/x", "")]);
    let plan = Plan::new(&root, None, None, Vec::new(), false).unwrap();
    assert!(plan.file.ends_with(".context/index.json"));
    let first = make(&plan, &Words).unwrap();
    assert_eq!((first.added.len(), first.is_in_step), (2, false));
    assert!(first.text.starts_with("{\"version\":1,\"root\":\"..\",\"docs\":[\n{\"path\":\"../README.md\""), "{}", first.text);
    fs::write(&plan.file, &first.text).unwrap();
    let second = make(&plan, &Never).unwrap();
    assert!(second.is_in_step && second.added.is_empty() && second.changed.is_empty());
    write(&root, "docs/a.md", "# A\nanother text");
    let third = make(&plan, &Words).unwrap();
    assert_eq!((third.changed, third.is_in_step), (vec!["../docs/a.md".to_owned()], false));
    fs::remove_file(root.join("docs/a.md")).unwrap();
    let fourth = make(&plan, &Words).unwrap();
    assert_eq!((fourth.removed.len(), fourth.dead.len()), (1, 1));
    let read = Index::read(&IndexFile::named(&plan.file), None).unwrap();
    assert_eq!((read.root, read.documents.len(), read.notes.len()), (root.clone(), 2, 0));
    assert_eq!(read.documents[1].file, root.join("docs/a.md"));
}

#[test]
fn the_usual_place_is_one_whose_project_includes_the_root() {
    let (_keep, root) = tree(&[("docs/a.md", "# A")]);
    let place = |root: &Path| Plan::new(root, None, None, Vec::new(), false).unwrap().file;
    assert_eq!(place(&root), root.join("index.json"), "nothing says that this is a project");
    write(&root, "brief.toml", "");
    assert_eq!(place(&root), root.join("docs/index.json"));
    write(&root, ".context/a", "");
    assert_eq!(place(&root), root.join(".context/index.json"));
    let elsewhere = Plan::new(&root, None, Some("../index.json".into()), Vec::new(), false);
    assert!(elsewhere.is_ok(), "a root below the index is fine");
    let above = Plan::new(&root.join("docs"), Some(Path::new("../..")), None, Vec::new(), false).map(|plan| plan.file);
    assert_eq!(above.unwrap(), root.parent().unwrap().join("index.json"));
    let refused = Plan::new(&root.join("docs"), Some(Path::new("../..")), Some("index.json".into()), Vec::new(), false);
    assert!(refused.unwrap_err().to_string().contains("cannot include documents in"));
}

#[test]
fn every_format_is_read() {
    let (_keep, root) = tree(&[
        ("brief.toml", ""),
        ("docs/project/design/a.md", "# A"),
        ("docs/project/b.md", "# B"),
        ("docs/third-party/lib/c.md", "# C"),
        ("docs/d.md", "# D"),
    ]);
    let read = |name: &str, text: &str| {
        write(&root, name, text);
        Index::read(&IndexFile::named(root.join(name)), Some(Path::new("/nowhere"))).unwrap()
    };
    let files = |index: &Index| -> Vec<String> {
        index.documents.iter().map(|entry| entry.file.strip_prefix(&root).unwrap().display().to_string()).collect()
    };
    let array = read("docs/1.json", r#"[{"path":"d.md","tags":["x","y"]},"project/b.md",{"tags":[]}]"#);
    assert_eq!((files(&array), array.documents[0].tags.join(" ")), (vec!["docs/d.md".into(), "docs/project/b.md".into()], "x y".into()));
    assert_eq!(array.notes[0].kind, NoteKind::Format);
    let map = read("docs/2.json", r#"{"d.md":["x"],"project/b.md":"y, z"}"#);
    assert_eq!((files(&map).len(), map.documents[1].tags.join(" ")), (2, "y z".into()));
    let g2 = read(
        "docs/project/index.yaml",
        "project_root: /Users/somebody/project\nsnippets_root: /Users/somebody/project/docs\nsnippets:\n- id: project/design/a\n  \
         description: About A\n  type: design\n  scope: project\n  path: docs/project/design/a.md\n  requires: [project/b]\n\
         - id: project/b\n  description: B\n  type: spec\n  scope: project\n  path: docs/project/b.md\n  visibility: internal\n  \
         domain: software\n  activation_trigger: null\n  delivered_by: []\n",
    );
    assert_eq!(files(&g2), ["docs/project/design/a.md", "docs/project/b.md"]);
    assert_eq!((g2.documents[0].title.as_str(), g2.documents[0].requires.join(" ")), ("project/design/a", "docs/project/b.md".into()));
    assert_eq!(g2.notes[0].kind, NoteKind::Fallback);
    let third = read(
        "docs/third-party/index.yaml",
        "snippets_root: ~/x/docs/third-party\nsnippets:\n- id: third-party/lib/c\n  description: C\n  scope: global\n  path: lib/c.md\n",
    );
    assert_eq!(files(&third), ["docs/third-party/lib/c.md"]);
}

#[test]
fn nothing_outside_the_root_is_an_entry() {
    let (_keep, root) = tree(&[("brief.toml", ""), ("docs/a.md", "# A"), ("../secret.md", "# S")]);
    write(
        &root,
        "docs/index.json",
        r#"{"version":1,"docs":[{"path":"a.md"},{"path":"../../secret.md"},{"path":"/etc/passwd"},{"path":"a\nb.md"}]}"#,
    );
    let index = Index::read(&IndexFile::named(root.join("docs/index.json")), None).unwrap();
    assert_eq!(index.documents.len(), 1);
    let kinds: Vec<_> = index.notes.iter().map(|note| note.kind).collect();
    assert_eq!(kinds, [NoteKind::Outside, NoteKind::Outside, NoteKind::Format]);
    for (text, words) in [
        (r#"{"version":1,"root":"../..","docs":[]}"#, "cannot include documents in"),
        (r#"{"version":2,"docs":[]}"#, "cannot read"),
        ("{\"docs\": [", "cannot read"),
        ("42", "cannot read"),
        (r#"{"version":1}"#, "cannot read"),
    ] {
        write(&root, "docs/index.json", text);
        let failure = Index::read(&IndexFile::named(root.join("docs/index.json")), None).unwrap_err();
        assert!(failure.to_string().contains(words), "{text}: {failure}");
    }
    write(&root, "docs/index.json", r#"{"version":1,"root":"/home/somebody/else","docs":[{"path":"a.md"}]}"#);
    let foreign = Index::read(&IndexFile::named(root.join("docs/index.json")), None).unwrap();
    assert_eq!((foreign.documents.len(), foreign.notes[0].kind), (1, NoteKind::Fallback));
}

#[test]
fn indexes_are_found_and_named() {
    let (keep, root) = tree(&[
        (".git/x", ""),
        ("docs/index.json", "[]"),
        ("index.json", "[]"),
        ("sub/a.md", ""),
        ("../home/.config/brief/index.json", "[]"),
        ("../home/notes/index.json", "[]"),
        ("../outside.json", "[]"),
    ]);
    let top = fs::canonicalize(keep.path()).unwrap();
    let home = top.join("home");
    let places = Places { here: root.join("sub"), home: Some(home.clone()), config: Some(home.join(".config")), state: None, cache: None };
    let settings = |user: &str, project: &str| {
        let user = Layer::from_toml(LayerKind::User, Path::new("user.toml"), user);
        let project = Layer::from_toml(LayerKind::Project, Path::new("brief.toml"), project);
        Settings::resolve(vec![Layer::defaults(), user, project]).0
    };
    let files = |found: &super::IndexFiles| -> Vec<PathBuf> { found.files().into_iter().map(|index| index.file).collect() };
    let found = find(&places, &settings("", ""));
    assert_eq!(files(&found), [home.join(".config/brief/index.json"), root.join("docs/index.json")]);
    assert_eq!((&found.global.unwrap().reach, &found.project[0].reach), (&Reach::Anywhere, &Reach::Below(root.clone())));
    assert!(super::may_be_here(&places));
    let named = find(&places, &settings("docs.global_index = '~/notes/index.json'", "docs.index = 'index.json'"));
    assert_eq!(files(&named), [home.join("notes/index.json"), root.join("index.json")]);
    let several = find(&places, &settings("", "docs.index = ['index.json', 'docs/index.json', 'gone.json']"));
    assert_eq!((several.project.len(), several.notes.len()), (2, 1));
    let mine = find(&places, &settings("docs.index = '~/notes/index.json'", ""));
    assert_eq!(mine.project, [IndexFile { file: home.join("notes/index.json"), reach: Reach::Anywhere }]);
    let outside = find(&places, &settings("", "docs.index = '../outside.json'\ndocs.global_index = 'x'"));
    assert_eq!((outside.project, outside.notes[0].kind), (Vec::new(), NoteKind::Outside));
    assert!(outside.global.is_some(), "a repository does not decide on the user's index");
    let missing = find(&places, &settings("", "docs.index = 'gone.json'"));
    assert_eq!((missing.project, missing.notes[0].kind), (Vec::new(), NoteKind::Missing));
}

#[test]
fn an_index_is_read_alike_by_lines_and_as_a_whole() {
    let (_keep, root) = tree(&[("README.md", "# Top\n\n[a](a.md)\n"), ("a.md", "# A, and \"more\"\n"), (".git/HEAD", "x")]);
    let plan = Plan::new(&root, None, None, Vec::new(), false).unwrap();
    let text = make(&plan, &Words).unwrap().text;
    let read = |text: &str| {
        fs::write(root.join("index.json"), text).unwrap();
        Index::read(&IndexFile::named(root.join("index.json")), None)
    };
    let by_lines = read(&text).unwrap();
    assert_eq!(by_lines.documents.len(), 2);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read(&serde_json::to_string_pretty(&value).unwrap()).unwrap(), by_lines);
    assert_eq!(read(&text.replace('\n', "\r\n")).unwrap(), by_lines);
    assert!(read(&text.replacen("\"title\"", "title", 1)).is_err());
    assert!(read(&text.replace("\"version\":1", "\"version\":9")).is_err());
}
