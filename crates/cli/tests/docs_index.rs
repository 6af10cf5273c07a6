//! Indexes as users have them: deployed elsewhere, several per project, behind links, broken.

use std::fmt::Write as _;

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

const MOORING: &str = "how is the zeppelin moored at the mast in a thunderstorm?";
const MAST: &str = "# Mooring\n\nA zeppelin is moored at the mast; in a thunderstorm it goes into the hangar.\n";

/// Documents that a message about zeppelins is not about.
fn others(sandbox: Sandbox, directory: &str) -> Sandbox {
    sandbox
        .file(format!("{directory}/auth.md"), "# Authentication\n\nUsers sign in with a session cookie; services use bearer tokens.\n")
        .file(format!("{directory}/logging.md"), "# Logging\n\nStructured log records with levels and sinks.\n")
        .file(format!("{directory}/billing.md"), "# Billing\n\nInvoices are created at the end of the month.\n")
}

fn selected(sandbox: &Sandbox) -> Vec<String> {
    let outcome = sandbox.brief(["select", MOORING]).success();
    serde_json::from_str(&outcome.stdout()).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

/// Returns an index in the YAML format, with these documents relative to a root.
fn snippets(root: &str, paths: &[&str]) -> String {
    let mut text = format!("project_root: {root}\nsnippets_root: {root}/docs\nsnippets:\n");
    for path in paths {
        let id = path.trim_start_matches("docs/").trim_end_matches(".md");
        let _ = writeln!(text, "- id: {id}\n  description: About {id}\n  type: policy\n  scope: global\n  path: {path}");
    }
    text
}

/// The user's own documents are deployed below `~/.handbook/docs/`; the index names them as they were written.
fn deployed(root: &str) -> Sandbox {
    let paths = ["docs/global/general/mast.md", "docs/global/auth.md", "docs/global/logging.md", "docs/global/billing.md"];
    others(Sandbox::new(), "~/.handbook/docs")
        .file("~/.handbook/docs/general/mast.md", MAST)
        .file("~/.handbook/docs/index.yaml", snippets(root, &paths))
        .file("~/.config/brief/brief.toml", "[docs]\nglobal_index = '~/.handbook/docs/index.yaml'\n")
        .file("README.md", "# A project\n")
}

#[test]
fn a_global_index_is_trusted_with_a_root_above_it() {
    for root in ["~/.handbook", "/Users/somebody/.handbook"] {
        let sandbox = deployed(root);
        assert_eq!(selected(&sandbox), ["../home/.handbook/docs/general/mast.md"], "{root}");
        let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": MOORING, "prompt_id": "1" }));
        assert!(told.contains("it goes into the hangar"), "{told}");
    }
    // The same file is not trusted because a repository names it.
    let sandbox = deployed("~/.handbook").file(".git/HEAD", "").file("brief.toml", "[docs]\nindex = '../home/.handbook/docs/index.yaml'\n");
    sandbox.write("~/.config/brief/brief.toml", "");
    let refused = sandbox.brief(["select", MOORING]).code(1);
    assert!(refused.stderr().contains("must be inside"), "{refused}");
}

#[test]
fn a_project_that_is_marked_later_reaches_its_documents() {
    let paths = ["docs/project/mast.md", "docs/project/auth.md", "docs/project/logging.md"];
    let sandbox = others(Sandbox::new(), "docs/project").file("docs/project/mast.md", MAST);
    sandbox.write("docs/project/index.yaml", snippets(&sandbox.root().display().to_string(), &paths));
    std::thread::sleep(std::time::Duration::from_millis(2100));
    for _ in 0..2 {
        assert_eq!(selected(&sandbox), [""; 0], "without a marker, the project is `docs/project`");
    }
    sandbox.write("brief.toml", "");
    assert_eq!(selected(&sandbox), ["docs/project/mast.md"]);
}

#[test]
fn many_problems_of_one_kind_are_one_line_with_a_total() {
    let sandbox = others(Sandbox::new(), "docs").file("docs/mast.md", MAST);
    let gone: Vec<String> = (0..30).map(|number| format!("gone-{number}.md")).collect();
    let all: Vec<&str> = gone.iter().map(String::as_str).chain(["mast.md", "auth.md", "logging.md", "billing.md"]).collect();
    sandbox.write("docs/index.json", json!(all).to_string());
    for _ in 0..2 {
        let told = sandbox.brief(["select", MOORING]).success();
        assert_eq!(told.stdout(), "[\"docs/mast.md\"]\n");
        assert_eq!(told.stderr().lines().count(), 1, "{told}");
        assert!(told.stderr().contains("`docs/index.json`: 30 of 34 documents cannot be read"), "{told}");
    }
    let doctor = sandbox.brief(["doctor"]);
    assert!(doctor.stdout().contains("index: 4 of 34 documents reachable in docs/index.json"), "{doctor}");
    let outside: Vec<String> = (0..30).map(|number| format!("../../{number}.md")).collect();
    sandbox.write("docs/index.json", json!(outside).to_string());
    let told = sandbox.brief(["select", MOORING]).success();
    assert!(told.stderr().contains("30 entries") && told.stderr().lines().count() <= 2, "{told}");
}

#[test]
fn a_broken_index_is_an_error_and_a_finding() {
    for broken in ["{", "42", r#"{"version":7,"docs":[]}"#, "\0"] {
        let sandbox = others(Sandbox::new(), "docs").file("docs/index.json", broken).file("~/.config/brief/index.json", r#"["a.md"]"#);
        let sandbox = sandbox.file("~/.config/brief/a.md", MAST);
        let outcome = sandbox.brief(["select", MOORING]).code(1);
        assert_eq!(outcome.stdout(), "");
        assert!(outcome.stderr().contains("error: cannot read the index `[ROOT]/docs/index.json`"), "{outcome}");
        assert!(outcome.stderr().contains("caused by: ") && outcome.stderr().contains("hint: "), "{outcome}");
        let _ = sandbox.brief_with_input(["select", "--lines"], json!({ "text": MOORING }).to_string()).code(1);
        let doctor = sandbox.brief(["doctor"]).code(1);
        assert!(doctor.stdout().contains("BROKEN index: cannot read the index `docs/index.json`"), "{doctor}");
        assert!(doctor.stdout().contains("index: 1 of 1 documents reachable"), "the other one: {doctor}");
        let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": MOORING, "prompt_id": "1" }));
        assert!(told.contains("it goes into the hangar"), "the hook uses the other one: {told}");
    }
}

#[test]
fn several_indexes_of_a_project_are_one_corpus() {
    let sandbox = others(Sandbox::new(), "docs")
        .file(".git/HEAD", "")
        .file("docs/index.json", r#"["auth.md","logging.md","billing.md"]"#)
        .file("docs/third-party/lib/mast.md", MAST)
        .file(
            "docs/third-party/index.yaml",
            "snippets_root: ~/x/docs/third-party\nsnippets:\n- id: lib/mast\n  description: m\n  scope: global\n  path: lib/mast.md\n",
        )
        .file("docs/index.yaml", snippets("/somewhere/else", &["docs/extra.md"]))
        .file("docs/extra.md", "# Extra\n\nAbout xylophones.\n");
    assert_eq!(selected(&sandbox), ["docs/third-party/lib/mast.md"]);
    let shown = sandbox.brief(["index", "--where"]).success().stdout();
    assert_eq!(shown, "[ROOT]/docs/index.json\n[ROOT]/docs/index.yaml\n[ROOT]/docs/third-party/index.yaml\n");
    let json: Value = serde_json::from_str(&sandbox.brief(["index", "--where", "--json"]).success().stdout()).unwrap();
    assert_eq!((&json["global"], json["project"].as_array().unwrap().len()), (&Value::Null, 3));
    sandbox.write("brief.toml", "[docs]\nindex = ['docs/index.json', 'docs/third-party/index.yaml']\n");
    assert_eq!(selected(&sandbox), ["docs/third-party/lib/mast.md"]);
    assert_eq!(sandbox.brief(["index", "--where"]).success().stdout().lines().count(), 2);
    sandbox.write("brief.toml", "[docs]\nindex = 'docs/index.json'\n");
    assert_eq!(selected(&sandbox), [""; 0]);
}

#[test]
fn an_index_stays_where_it_is_when_other_places_appear() {
    let sandbox = others(Sandbox::new(), "docs").file(".git/HEAD", "").file("README.md", "# Top\n");
    let _ = sandbox.brief(["index"]).success();
    sandbox.write(".context/CONSTITUTION.md", "Rules.\n");
    sandbox.write("docs/mast.md", MAST);
    assert!(sandbox.brief(["index"]).success().stderr().contains("wrote docs/index.json"));
    assert!(!sandbox.path(".context/index.json").exists());
    // An index in `.context/` wins over one in `docs/`, also inside that directory.
    let _ = sandbox.brief(["index", "-o", ".context/index.json"]).success();
    for place in [".", "docs"] {
        let shown = sandbox.at(place).brief(["index", "--where"]).success().stdout();
        assert_eq!(shown, "[ROOT]/.context/index.json\n", "{place}");
    }
    let told = sandbox.brief(["index"]).success();
    assert!(told.stderr().contains("`docs/index.json`: is not used: `.context/index.json` comes first"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_project_leads_to_no_index() {
    let other = |sandbox: Sandbox| {
        others(sandbox, "../other/docs").file("../other/docs/mast.md", MAST).file("../other/.git/HEAD", "").file(
            "../other/.context/index.json",
            r#"{"version":1,"root":"..","docs":[{"path":"../docs/mast.md"},{"path":"../docs/auth.md"},{"path":"../docs/logging.md"}]}"#,
        )
    };
    let base = || other(Sandbox::new().file(".git/HEAD", "").file("README.md", "# A\n"));
    let whole = base().link(".context", "../other/.context");
    let file = base().directory(".context").link(".context/index.json", "../../other/.context/index.json");
    let notes = base().file("~/notes/mast.md", MAST).file("~/notes/index.json", r#"["mast.md"]"#).link("docs", "../home/notes");
    for sandbox in [whole, file, notes] {
        let outcome = sandbox.brief(["select", MOORING]).code(1);
        assert_eq!(outcome.stdout(), "");
        assert!(outcome.stderr().contains("symbolic link that leaves the project"), "{outcome}");
        let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": MOORING, "prompt_id": "1" }));
        assert!(!told.contains("hangar"), "{told}");
        let _ = sandbox.brief(["preview", MOORING]);
    }
    // A link that stays inside the repository is followed, and so is one that the user's own configuration names.
    let inside = others(Sandbox::new(), "packages/a/docs")
        .file(".git/HEAD", "")
        .file("packages/a/docs/mast.md", MAST)
        .file("packages/a/docs/index.json", r#"["mast.md","auth.md","logging.md"]"#)
        .directory("b")
        .link("b/docs", "../packages/a/docs");
    assert_eq!(selected(&inside.at("b")), ["../packages/a/docs/mast.md"]);
    let mine = base().link(".context", "../other/.context").env("BRIEF_DOCS_INDEX", ".context/index.json");
    assert_eq!(selected(&mine), ["../other/docs/mast.md"]);
}

#[test]
fn required_reads_in_the_home_directory_are_followed_into_the_users_own_index() {
    let sandbox = deployed("~/.handbook")
        .file("~/private.md", "# Private\n\nNobody's business.\n")
        .file(".git/HEAD", "")
        .file(
            "docs/airship.md",
            "# Airships\n\nHow an airship is steered through a storm with the rudder.\n\n## Required reads\n\n\
             - @~/.handbook/docs/general/mast.md\n- @~/private.md\n",
        )
        .file("docs/other.md", "# Other\n\nInvoices.\n");
    let made = sandbox.brief(["index"]).success();
    assert!(made.stderr().contains("`docs/airship.md:8`: refers to `~/private.md` outside the root"), "{made}");
    assert!(!made.stderr().contains("mast.md"), "{made}");
    let message = "how is an airship steered through a storm with the rudder?";
    let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": message, "prompt_id": "1" }));
    assert!(told.contains("# Airships") && told.contains("it goes into the hangar"), "{told}");
    assert!(!told.contains("Nobody's business"), "{told}");
    let notes = sandbox.log()["events"].to_string();
    assert!(notes.contains("is neither in its project nor in your own index"), "{notes}");
}

#[test]
fn references_to_generated_pages_do_not_fail_a_check() {
    let sandbox = Sandbox::new()
        .file(".git/HEAD", "")
        .file(".gitignore", "/docs/reference/cli.md\n")
        .file("docs/guide.md", "# Guide\n\n[cli](reference/cli.md#run) [settings](/reference/settings.md) [self](/guide.md)\n");
    let _ = sandbox.brief(["index"]).success();
    let broken = sandbox.brief(["index", "--check"]).code(1);
    assert!(broken.stderr().contains("refers to `/reference/settings.md`"), "{broken}");
    assert!(broken.stderr().contains("hint: fix it, write the document, or name it in `docs.generated`"), "{broken}");
    sandbox.write("brief.toml", "[docs]\ngenerated = [\"docs/reference/*.md\"]\n");
    let _ = sandbox.brief(["index", "--check"]).success();
}

#[test]
fn settings_in_the_context_directory_do_not_make_it_a_project_of_its_own() {
    let sandbox = Sandbox::new()
        .directory(".git")
        .file(".context/brief.toml", "[docs]\nmax_docs = 1\n")
        .file("README.md", "# Canary releases\n\nRoll them back.\n");
    let _ = sandbox.brief(["index"]).success();
    assert_eq!(sandbox.brief(["select", "roll back a canary release"]).success().stdout(), "[\"README.md\"]\n");
}
