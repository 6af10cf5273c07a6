//! `brief run`, end to end: a real receiver program that records its input. AC1 to AC10 of spec 4 by name.

use std::os::unix::fs::PermissionsExt;

use briefing_testkit::Sandbox;

/// Records its arguments, one file each, and its standard input; prints an answer.
const RECEIVER: &str = "#!/bin/sh
mkdir -p got; i=0
for word; do i=$((i+1)); printf %s \"$word\" > got/argument$i; done
echo $i > got/count
if [ -n \"$READS\" ]; then cat > got/stdin; fi
echo the answer
";

pub(crate) const GOAL: &str = "name: Review\nprompt: |-\n  Please review.\n";

/// A project with the goal `review` of the user, and a recording receiver.
pub(crate) fn project() -> Sandbox {
    let sandbox = Sandbox::new().directory(".git").file("~/.config/brief/goals/review/prompt.yaml", GOAL).file("~/receiver", RECEIVER);
    let program = sandbox.home().join("receiver");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.file("~/.config/brief/brief.toml", format!("llm_command = '{}'\n", program.display()))
}

/// Runs a goal and returns the prompt that the receiver received as its only argument.
fn prompt(sandbox: &Sandbox, words: &[&str]) -> String {
    let outcome = sandbox.brief(std::iter::once(&"run").chain(words)).success();
    assert_eq!(outcome.stdout(), "the answer\n", "{outcome}");
    assert_eq!(sandbox.read("got/count"), "1\n");
    sandbox.read("got/argument1")
}

#[test]
fn ac1_basic_file_inclusion() {
    let sandbox = project().file("notes.txt", "UNIQUE-CONTENT\n").file("other.txt", "OTHER");
    let prompt = prompt(&sandbox, &["review", "--context", "notes.txt"]);
    assert!(prompt.starts_with("Please review.\n\n# Context Files\n"), "{prompt}");
    assert!(prompt.contains("### notes.txt\n\n```\nUNIQUE-CONTENT\n```"), "{prompt}");
    assert!(!prompt.contains("OTHER"));
}

#[test]
fn ac2_directory_inclusion_with_recursion() {
    let sandbox = project().file("src/a.rs", "AAA").file("src/deep/er/b.rs", "BBB");
    let prompt = prompt(&sandbox, &["review", "-c", "src"]);
    assert!(prompt.contains("### src/a.rs") && prompt.contains("AAA"), "{prompt}");
    assert!(prompt.contains("### src/deep/er/b.rs") && prompt.contains("BBB"), "{prompt}");
}

#[test]
fn ac3_recursion_depth_limit() {
    let sandbox = project().file("src/a.rs", "AAA").file("src/one/b.rs", "BBB").file("src/one/two/c.rs", "CCC");
    for flag in ["--recurse_depth", "--recurse-depth", "-d"] {
        let prompt = prompt(&sandbox, &["review", "-c", "src", flag, "1"]);
        assert!(prompt.contains("AAA") && prompt.contains("BBB") && !prompt.contains("CCC"), "{prompt}");
        assert!(prompt.contains("Recursion depth: 1"), "{prompt}");
    }
}

#[test]
fn ac4_size_limit_enforcement() {
    let sandbox =
        project().file(".claw/claw.yaml", "max_file_size_kb: 1\nerror_handling_mode: strict\n").file("large.txt", "x".repeat(1025));
    let outcome = sandbox.brief(["run", "review", "-c", "large.txt"]).code(1);
    assert!(outcome.stderr().contains("large.txt") && outcome.stderr().contains("too large: 1025 bytes, the limit is 1024"), "{outcome}");
    assert!(!sandbox.path("got").exists(), "nothing was sent");
}

#[test]
fn ac5_directory_file_count_limit() {
    let mut sandbox = project();
    for index in 0..60 {
        sandbox = sandbox.file(format!("many/{index:02}.txt"), format!("CONTENT-{index:02}"));
    }
    let words = ["run", "review", "-c", "many"];
    let refused = sandbox.brief(words).code(1);
    assert!(refused.stderr().contains("60") && refused.stderr().contains("50") && refused.stderr().contains("--yes"), "{refused}");
    assert!(!sandbox.path("got").exists());
    let prompt = prompt(&sandbox, &["review", "-c", "many", "--yes"]);
    assert_eq!(prompt.matches("CONTENT-").count(), 50);
}

#[test]
fn ac6_exclusion_filters() {
    let sandbox = project()
        .file("p/.git/config", "GIT")
        .file("p/node_modules/x.js", "NODE")
        .file("p/tool.exe", "EXE")
        .file("p/target/out.txt", "TARGET")
        .file("p/main.rs", "MAIN");
    let prompt = prompt(&sandbox, &["review", "-c", "p"]);
    assert!(prompt.contains("### p/main.rs"), "{prompt}");
    let files = prompt.split_once("## Directory Structure").unwrap().1;
    for word in ["GIT", "NODE", "EXE", "TARGET", "tool.exe"] {
        assert!(!files.contains(word), "{word}: {files}");
    }
}

#[test]
fn ac7_error_mode_ignore() {
    let sandbox = project()
        .file(".claw/claw.yaml", "max_file_size_kb: 1\nerror_handling_mode: ignore\n")
        .file("p/large.txt", "x".repeat(3000))
        .file("p/binary.dat", b"\x00\x01\x02")
        .file("p/good.txt", "GOOD");
    let outcome = sandbox.brief(["run", "review", "-c", "p", "missing.txt"]).success();
    for name in ["p/large.txt", "p/binary.dat", "missing.txt"] {
        assert!(outcome.stderr().contains(name), "{outcome}");
    }
    let prompt = sandbox.read("got/argument1");
    assert!(prompt.contains("GOOD") && !prompt.contains("xxx"), "{prompt}");
}

#[test]
fn ac8_markdown_format() {
    let sandbox = project().file("a/one.md", "ONE\n").file("b/two.md", "TWO ``` fence\n");
    let prompt = prompt(&sandbox, &["review", "-c", "b", "a"]);
    let parts = [
        "# Context Files\n",
        "## Purpose\n",
        "## Format\n",
        "## Usage Guidelines\n",
        "## Notes\n",
        "- Maximum file size: 1024 KB\n",
        "## Directory Structure\n",
        "a/\n└── one.md\n",
        "## Files\n",
        "### a/one.md\n\n```markdown\nONE\n```\n",
        "### b/two.md\n\n````markdown\nTWO ``` fence\n````",
    ];
    let mut from = 0;
    for part in parts {
        from += prompt[from..].find(part).unwrap_or_else(|| panic!("{part:?} is missing or out of order in\n{prompt}"));
    }
}

#[test]
fn ac9_backward_compatibility() {
    let sandbox = project();
    assert_eq!(prompt(&sandbox, &["review"]), "Please review.", "byte for byte");
    let dry = sandbox.brief(["run", "review", "--dry-run"]).success();
    assert_eq!(dry.stdout, b"Please review.", "no line break is added");
    // `-c` without a path embeds nothing either.
    assert_eq!(prompt(&sandbox, &["review", "-c"]), "Please review.");
}

#[test]
fn ac10_goal_refactoring() {
    let by_script = "prompt: |-\n  Explain this.\n\n  {{ Context.files }}\ncontext_scripts:\n  files: for f in src/*.rs; do echo \"### $f\"; cat \"$f\"; done\n";
    let by_context = "prompt: Explain this.\ncontext: src\n";
    let sandbox = project()
        .file("~/.config/claw/goals/old/prompt.yaml", by_script)
        .file("~/.config/brief/goals/new/prompt.yaml", by_context)
        .file("src/a.rs", "fn a() {}\n")
        .file("src/b.rs", "fn b() {}\n");
    let (old, new) = (prompt(&sandbox, &["old"]), prompt(&sandbox, &["new"]));
    for part in ["Explain this.", "### src/a.rs", "fn a() {}", "### src/b.rs", "fn b() {}"] {
        assert!(old.contains(part) && new.contains(part), "{part}\n{old}\n{new}");
    }
    // Paths that the caller names replace the goal's own.
    let other = prompt(&sandbox, &["new", "-c", "src/b.rs"]);
    assert!(!other.contains("fn a()") && other.contains("fn b()"), "{other}");
}

#[test]
fn files_of_a_goal_keep_the_rules_of_the_spec() {
    let sandbox = project().file("p/Cargo.lock", "LOCK\n").file("p/image.png", b"\x89PNG\0".repeat(300_000));
    let got = prompt(&sandbox, &["review", "-c", "p"]);
    assert!(got.contains("LOCK") && got.contains("- Maximum files per directory: 50\n"), "{got}");
    sandbox.write("p/large.txt", "x".repeat(1_100_000));
    let refused = sandbox.brief(["run", "review", "-c", "p"]).code(1);
    assert!(refused.stderr().contains("error: 1 path cannot be used") && refused.stderr().contains("p/large.txt"), "{refused}");
    std::fs::remove_file(sandbox.path("p/large.txt")).unwrap();
    sandbox.write("p/latin1.txt", b"caf\xe9");
    let _ = sandbox.brief(["run", "review", "-c", "p"]).success();
    let strict = sandbox.brief(["run", "review", "-c", "p", "--errors", "strict"]).code(1);
    assert!(strict.stderr().contains("1 path cannot be used") && strict.stderr().contains("p/latin1.txt"), "{strict}");
    let without = sandbox.clone().env("BRIEF_LOCK_FILES", "false");
    assert!(!prompt(&without, &["review", "-c", "p"]).contains("LOCK"));
}

#[test]
fn scripts_and_parameters_reach_the_prompt() {
    let goal = "parameters:\n  - {name: who, required: true}\n  - {name: loud, type: boolean, default: false}\ncontext_scripts:\n  one: printf '%s' {{ Args.who | sh }}\n  two: |\n    echo\n    pwd\n    echo\nprompt: \"{{ Context.one }}|{{ Context.two }}|{{ Args.loud }}|{{ Args.extra | default(value='none') }}\"\n";
    let sandbox = project().file("~/.config/brief/goals/hello/prompt.yaml", goal);
    let got = prompt(&sandbox, &["hello", "--", "--who", "it's; $HOME"]);
    assert_eq!(got, format!("it's; $HOME|{}|false|none", sandbox.root().display()));
    // As in claw, a parameter need not be declared if the template uses it.
    let undeclared = sandbox.brief(["run", "hello", "--", "--who=x", "--extra", "1"]).success();
    assert!(sandbox.read("got/argument1").ends_with("|false|1"));
    assert_eq!(undeclared.stderr(), "");
}

#[test]
fn a_parameter_that_nothing_uses_is_an_error_with_a_suggestion() {
    let sandbox = project()
        .file("~/.config/brief/goals/a/prompt.yaml", "parameters:\n  - {name: range, default: x}\ncontext_scripts:\n  s: echo {{ Args.since | default(value='') | sh }}\ncontext: \"{{ Args.path | default(value='') }}\"\nprompt: '{{ Args.range }} {{ Context.s }} {% include \"more.md\" %}'\n")
        .file("~/.config/brief/goals/a/more.md", "{{ Args[\"deep\"] | default(value=\"\") }}")
        .file("~/.config/brief/goals/any/prompt.yaml", "prompt: '{{ Args | json_encode() }}'\n")
        .file("notes.txt", "n");
    let outcome = sandbox.brief(["run", "a", "--", "--rnage", "main"]).code(2);
    insta::assert_snapshot!(outcome.stderr(), @r"
    error: the goal `a` has no parameter `rnage`
    hint: did you mean `--range`?
    hint: run `brief run a --explain` to see its parameters
    ");
    assert!(!sandbox.path("got").exists(), "nothing was sent");
    let _ = sandbox.brief(["run", "a", "--", "--since=1", "--path", "notes.txt", "--deep", "2"]).success();
    // A template that uses all of them takes any.
    assert_eq!(prompt(&sandbox, &["any", "--", "--whatever", "1"]), "{\"whatever\":\"1\"}");
    let _ = sandbox.brief(["run", "review", "--", "--x", "1"]).code(2);
}

#[test]
fn includes_in_nested_directories_work() {
    let sandbox = project()
        .file("~/.config/claw/goals/n/prompt.yaml", "prompt: '{% include \"parts/rules/style.md\" %}'\n")
        .file("~/.config/claw/goals/n/parts/rules/style.md", "S {% include \"parts/deep/er/still/x.md\" %}")
        .file("~/.config/claw/goals/n/parts/deep/er/still/x.md", "X");
    assert_eq!(prompt(&sandbox, &["n"]), "S X");
}

#[test]
fn chosen_variables_reach_scripts() {
    let goal = "pass_env: [GH_TOKEN]\ncontext_scripts:\n  s: echo \"$GH_TOKEN/$DB_PASSWORD/$OTHER_TOKEN\"\nprompt: '{{ Context.s }}'\n";
    let sandbox = project()
        .file(".context/goals/g/prompt.yaml", goal)
        .env("GH_TOKEN", "visible-one")
        .env("DB_PASSWORD", "visible-two")
        .env("OTHER_TOKEN", "hidden");
    sandbox.write("~/.config/brief/brief.toml", "receiver_type = 'stdout'\n[goals]\npass_env = ['DB_PASSWORD']\n");
    let trust = sandbox.brief(["trust", "--yes"]).success();
    assert!(trust.stderr().contains("  receives GH_TOKEN, DB_PASSWORD (your `goals.pass_env`)\n"), "{trust}");
    let outcome = sandbox.brief(["run", "g"]).success();
    assert_eq!(outcome.stdout(), "visible-one/visible-two/", "{outcome}");
    // A project's settings cannot pass anything, and a template sees none of it.
    sandbox.write("brief.toml", "[goals]\npass_env = ['OTHER_TOKEN']\n");
    assert_eq!(sandbox.brief(["run", "g"]).success().stdout(), "visible-one/visible-two/");
    let peek =
        sandbox.clone().file("~/.config/brief/goals/p/prompt.yaml", "pass_env: GH_TOKEN\nprompt: '{{ get_env(name=\"GH_TOKEN\") }}'\n");
    assert!(peek.brief(["run", "p"]).code(1).stderr().contains("goals may not read it"));
    let explained = sandbox.brief(["run", "g", "--explain"]).success().stdout();
    assert!(explained.contains("Receives from the environment:\n  GH_TOKEN\n"), "{explained}");
    let json: serde_json::Value = serde_json::from_str(&sandbox.brief(["goals", "--json"]).success().stdout()).unwrap();
    let g = json["goals"].as_array().unwrap().iter().find(|goal| goal["name"] == "g").unwrap();
    assert_eq!(g["pass_env"], serde_json::json!(["GH_TOKEN"]));
}

#[test]
fn a_script_that_fails_names_the_variables_it_did_not_get() {
    let goal = "context_scripts:\n  s: test -n \"$GH_TOKEN\"\nprompt: p\n";
    let sandbox = project().file("~/.config/brief/goals/g/prompt.yaml", goal).env("GH_TOKEN", "x").env("MY_SECRET", "y");
    let outcome = sandbox.brief(["run", "g"]).code(1);
    assert!(
        outcome.stderr().contains(
            "hint: scripts do not receive variables that look like secrets (GH_TOKEN, MY_SECRET); `pass_env: [NAME]` in the goal passes one"
        ),
        "{outcome}"
    );
}

#[test]
fn a_template_without_a_placeholder_means_standard_input() {
    let sandbox = project().env("READS", "1").env("BRIEF_PROMPT_ARG_TEMPLATE", "--model 'a b'");
    let _ = sandbox.brief(["run", "review"]).success();
    assert_eq!(sandbox.read("got/count"), "2\n");
    assert_eq!((sandbox.read("got/argument1"), sandbox.read("got/argument2")), ("--model".into(), "a b".into()));
    assert_eq!(sandbox.read("got/stdin"), "Please review.");
}

#[test]
fn a_prompt_too_long_for_an_argument_arrives_whole() {
    let long = "long line of text\n".repeat(20_000);
    let sandbox = project().env("READS", "1").file("long.txt", &long);
    let outcome = sandbox.brief(["run", "review", "-c", "long.txt"]).success();
    assert!(outcome.stderr().contains("is sent on standard input"), "{outcome}");
    assert_eq!(sandbox.read("got/count"), "0\n");
    assert!(sandbox.read("got/stdin").contains(&long));
    let by_flag = sandbox.clone().env("BRIEF_PROMPT_ARG_TEMPLATE", "--prompt={{prompt}}");
    let outcome = by_flag.brief(["run", "review", "-c", "long.txt"]).success();
    assert!(outcome.stderr().contains("from a file"), "{outcome}");
    assert!(by_flag.read("got/argument1").starts_with("--prompt=Read the file /"), "{}", by_flag.read("got/argument1"));
}

#[test]
fn a_dry_run_prints_the_prompt_and_tells_what_would_happen() {
    let goal = "context_scripts:\n  branch: echo main\nprompt: On {{ Context.branch }}.\n";
    let sandbox = project().file("~/.config/brief/goals/b/prompt.yaml", goal);
    let outcome = sandbox.brief(["run", "b", "--dry-run"]).success();
    insta::assert_snapshot!(outcome, @r"
    exit code: 0
    ----- stdout -----
    On main.----- stderr -----
    ran 1 script: branch
    8 bytes would be sent to: [HOME]/receiver PROMPT
    ");
    let _ = sandbox.brief(["run", "b", "--dry-run", "-o", "out.md"]).success();
    assert_eq!(sandbox.read("out.md"), "On main.");
    assert!(!sandbox.path("got").exists());
}

#[test]
fn the_answer_can_go_to_a_file() {
    let sandbox = project();
    let outcome = sandbox.brief(["run", "review", "-o", "answer.md"]).success();
    assert_eq!((outcome.stdout().as_str(), sandbox.read("answer.md").as_str()), ("", "the answer\n"));
    let printed = sandbox.brief(["run", "review", "--receiver", "stdout"]).success();
    assert_eq!(printed.stdout, b"Please review.");
}

#[test]
fn explain_tells_what_a_goal_wants() {
    let goal = "name: Hello\ndescription: Says hello\nparameters:\n  - {name: who, description: Whom, required: true}\n  - {name: n, type: number, default: 3}\ncontext_scripts:\n  s: |\n    echo a\n    echo b\ncontext: [src]\nprompt: p\n";
    let sandbox = project().file(".context/goals/hello/prompt.yaml", goal);
    insta::assert_snapshot!(sandbox.brief(["run", "hello", "--explain"]).success().stdout(), @r"
    hello: Hello
    Says hello
    .context/goals/hello  (not trusted yet: `brief trust`)

    Parameters, after `--`:
      --who <string>  Whom (required)
      --n <number> (default: 3)

    Scripts:
      s:
        echo a
        echo b

    Embeds, unless `-c` names other paths:
      src
    ");
}

#[test]
fn goals_of_a_project_start_from_its_directory() {
    let goal = "parameters:\n  - {name: file, type: path}\ncontext_scripts:\n  where: pwd\n  text: cat {{ Args.file | sh }}\ncontext: docs\nprompt: '{{ Context.where }} {{ Context.text }} {{ Args.file }}'\n";
    let sandbox = project().file(".context/goals/g/prompt.yaml", goal).file("sub/x.txt", "X").file("docs/d.md", "DOC");
    let _ = sandbox.brief(["trust", "--yes"]).success();
    let outcome = sandbox.at("sub").brief(["run", "g", "--receiver", "stdout", "--", "--file", "x.txt"]).success();
    assert!(outcome.stdout().starts_with("[ROOT] X sub/x.txt\n\n# Context"), "{outcome}");
    assert!(outcome.stdout().contains("### docs/d.md"), "{outcome}");
}

#[test]
fn an_answer_that_cannot_be_written_is_refused_before_any_script_runs() {
    let goal = "context_scripts:\n  s: touch ran\nprompt: p\n";
    let sandbox = Sandbox::new().directory("src").file("~/.config/brief/goals/g/prompt.yaml", goal);
    let refused = sandbox.brief(["run", "g", "-o", "src"]).code(1);
    assert!(refused.stderr().contains("it is a directory"), "{refused}");
    assert!(!sandbox.path("ran").exists());
}
