//! `brief index` as people run it.

use std::path::Path;

use briefing_testkit::{Sandbox, binary};
use serde_json::Value;

fn project() -> Sandbox {
    Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("README.md", "# Project\n\nSee [deploying](docs/deploy.md) and\n[gone](docs/gone.md).\n")
        .file(
            "docs/deploy.md",
            "---\ntags: [release, canary]\ndescription: How it gets out\n---\n# Deploying\n\n## Rolling back\n\nSee @docs/style.md.\n",
        )
        .file("docs/style.md", "# Style\n\n[back](deploy.md)\n")
        .file("notes/private.md", "# Private\n")
}

#[test]
fn the_index_is_written_where_it_is_found_and_only_when_it_changed() {
    let sandbox = project();
    let made = sandbox.brief(["index"]).success();
    insta::assert_snapshot!(made, @r"
    exit code: 0
    ----- stdout -----
    ----- stderr -----
    warning: `README.md:4`: refers to `docs/gone.md`, which does not exist
    wrote docs/index.json: 3 documents, 63 tokens (3 new); 1 other Markdown file is not in it, `--all` takes it
    ");
    let text = sandbox.read("docs/index.json");
    let index: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&index["version"], &index["root"]), (&Value::from(1), &Value::from("..")));
    let deploy = &index["docs"][1];
    assert_eq!(deploy["path"], "deploy.md");
    assert_eq!(deploy["title"], "Deploying");
    assert_eq!(deploy["description"], "How it gets out");
    assert_eq!(deploy["tags"], serde_json::json!(["release", "canary"]));
    assert_eq!(deploy["headings"], serde_json::json!(["Deploying", "Rolling back"]));
    assert_eq!(deploy["hash"].as_str().unwrap().len(), 64);
    let modified = || std::fs::metadata(sandbox.path("docs/index.json")).unwrap().modified().unwrap();
    let before = modified();
    let again = sandbox.at("docs").brief(["index"]).success();
    assert!(again.stderr().contains("index.json: 3 documents, 63 tokens (up to date)"), "{again}");
    assert_eq!((sandbox.read("docs/index.json"), modified()), (text, before));
}

#[test]
fn check_fails_when_the_index_lags_or_a_reference_is_dead() {
    let sandbox = project();
    assert!(sandbox.brief(["index", "--check"]).code(1).stderr().contains("is out of date"));
    assert!(!sandbox.path("docs/index.json").exists(), "--check writes nothing");
    let _ = sandbox.brief(["index"]).success();
    assert!(sandbox.brief(["index", "--check"]).code(1).stderr().contains("a reference is broken"));
    sandbox.write("docs/gone.md", "# Here now\n");
    assert!(sandbox.brief(["index", "--check"]).code(1).stderr().contains("is out of date"));
    let _ = sandbox.brief(["index"]).success();
    let _ = sandbox.brief(["index", "--check"]).success();
}

#[test]
fn all_and_from_and_json() {
    let sandbox = project();
    let value = |arguments: &[&str]| -> Value { serde_json::from_str(&sandbox.brief(arguments).success().stdout()).unwrap() };
    assert_eq!(value(&["index", "--all", "--json", "-o", "all.json"])["documents"], 4);
    let one = value(&["index", "--json", "-o", "one.json", "--from", "notes/private.md"]);
    assert_eq!((&one["documents"], &one["added"][0]), (&Value::from(1), &Value::from("notes/private.md")));
    let dead = value(&["index", "--json", "-o", "all.json"]);
    assert_eq!((&dead["dead"][0]["path"], &dead["dead"][0]["line"]), (&Value::from("README.md"), &Value::from(4)));
    assert_eq!(dead["removed"][0], "notes/private.md");
}

#[test]
fn nothing_above_the_project_is_indexed_and_nothing_outside_the_root_read() {
    let sandbox = project().file("sub/a.md", "# A\n[up](../README.md)\n");
    let refused = sandbox.brief(["index", "..", "-o", "index.json"]).code(1);
    assert!(refused.stderr().contains("cannot include documents in"), "{refused}");
    let _ = sandbox.brief(["index", "sub", "--all", "-o", "sub/index.json"]).success();
    let text = sandbox.read("sub/index.json");
    assert!(text.contains("\"root\":\".\"") && !text.contains("README"), "{text}");
    let outside = sandbox.brief(["index", "sub", "--from", "README.md"]).code(1);
    assert!(outside.stderr().contains("is outside"), "{outside}");
    let empty = Sandbox::new().brief(["index"]).code(1);
    assert!(empty.stderr().contains("no Markdown document to start from"), "{empty}");
}

#[test]
fn where_names_the_users_index_first() {
    let sandbox = project().file("~/.config/brief/index.json", "[]");
    assert_eq!(sandbox.brief(["index", "--where"]).success().stdout(), "[HOME]/.config/brief/index.json\n");
    let _ = sandbox.brief(["index"]).success();
    let found = sandbox.at("notes").brief(["index", "--where"]).success();
    assert_eq!(found.stdout(), "[HOME]/.config/brief/index.json\n[ROOT]/docs/index.json\n");
    sandbox.write("brief.toml", "[docs]\nindex = 'notes/mine.json'\nglobal_index = 'evil.json'\n");
    let warned = sandbox.brief(["index", "--where"]);
    assert!(warned.stderr().contains("notes/mine.json`: this index does not exist"), "{warned}");
    let _ = sandbox.brief(["index"]).success();
    let named = sandbox.brief(["index", "--where"]).success();
    assert_eq!(named.stdout(), "[HOME]/.config/brief/index.json\n[ROOT]/notes/mine.json\n");
}

/// Contributors to Briefing use it themselves, so its own index must be up to date.
#[test]
fn our_own_index_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let checked = Sandbox::new().command(binary()).args(["index", "--check"]).current_dir(root).output().unwrap();
    assert!(checked.status.success(), "{}run `brief index`", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn files_of_other_programs_are_not_overwritten() {
    let sandbox = Sandbox::new()
        .file(".git/HEAD", "")
        .file("docs/a.md", "# A\n")
        .file("package.json", "{\"name\":\"x\"}\n")
        .file("old.yaml", "documents:\n- docs/a.md\n");
    for name in ["package.json", "docs/a.md", "old.yaml"] {
        let before = sandbox.read(name);
        let refused = sandbox.brief(["index", "-o", name]).code(1);
        assert!(refused.stderr().contains("was not written by `brief index`") && refused.stderr().contains("-o FILE"), "{refused}");
        assert_eq!(sandbox.read(name), before);
    }
    sandbox.write("docs/index.json", "{\n  \"version\": 1,\n  \"root\": \"..\",\n<<<<<<< ours\n");
    sandbox.brief(["index"]).success();
    assert!(sandbox.read("docs/index.json").contains("a.md"), "an index of ours is rebuilt even if it is damaged");
}

#[test]
fn what_a_repository_says_never_leads_out_of_it() {
    let sandbox = Sandbox::new().file("r/docs/a.md", "# A\n").file("r/.git/HEAD", "").file("bashrc", "alias x=y\n");
    sandbox.write("r/brief.toml", "[docs]\nindex = \"../bashrc\"\n");
    let inside = sandbox.at("r");
    let refused = inside.brief(["index"]).code(1);
    assert!(refused.stderr().contains("must be inside") && refused.stderr().contains("brief.toml"), "{refused}");
    std::fs::remove_file(sandbox.path("r/brief.toml")).unwrap();
    let sandbox = sandbox.link("r/docs/index.json", "../../bashrc");
    let refused = inside.brief(["index"]).code(1);
    assert!(refused.stderr().contains("a link that is broken or leads out of the project"), "{refused}");
    assert_eq!(sandbox.read("bashrc"), "alias x=y\n");
}

#[test]
fn secrets_in_titles_and_headings_stay_out_of_index_and_search() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3));
    let text =
        format!("# Rotating the deploy token {token}\n\n## Since {token}\n\nHow we rotate the deploy token for the release pipeline.\n");
    let sandbox = Sandbox::new().file(".git/HEAD", "").file("docs/s.md", text);
    sandbox.brief(["index"]).success();
    assert!(sandbox.read("docs/index.json").contains("Rotating the deploy token [redacted: GitHub token]"));
    let explained = sandbox.brief(["select", "--explain", "how do we rotate the deploy token for the release pipeline?"]).success();
    assert!(explained.stdout().contains("[redacted") && !explained.to_string().contains(&token), "{explained}");
}
