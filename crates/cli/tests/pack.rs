//! `brief pack`: arguments, formats, limits and messages.

use briefing_testkit::Sandbox;

fn project() -> Sandbox {
    Sandbox::new()
        .file("README.md", "# Title\n")
        .file("src/main.rs", "fn main() {}\n")
        .file("src/deep/util.rs", "// util")
        .file("node_modules/x/index.js", "x")
        .file("tool.exe", "MZ")
}

#[test]
fn markdown_has_the_structure_of_the_spec() {
    insta::assert_snapshot!(project().brief(["pack", "."]).success());
}

#[test]
fn the_same_bytes_on_every_run_and_for_every_number_of_threads() {
    let mut sandbox = Sandbox::new();
    for i in 0..120 {
        sandbox = sandbox.file(format!("d{}/f{i}.txt", i % 7), format!("content {i}\n").repeat(i + 1));
    }
    let one = sandbox.brief(["pack", ".", "-j", "1"]).success();
    for threads in ["1", "2", "3", "8"] {
        let again = sandbox.brief(["pack", ".", "-j", threads]).success();
        assert!(one.stdout == again.stdout, "{threads} threads give other bytes");
    }
}

/// Large enough for the document to be built in place, with everything that makes its header differ from the estimate.
#[test]
fn a_large_document_in_a_file_has_the_same_bytes_as_on_stdout() {
    let mut sandbox = Sandbox::new()
        .file("a/binary.dat", "\0".repeat(5000))
        .file("b/latin1.txt", b"caf\xe9")
        .file("b/utf16.txt", b"\xFF\xFEh\0i\0")
        .file("b/mark.md", "\u{FEFF}marked\n")
        .file("b/fence.md", "````\ncode\n````\n")
        .file("c/secret.env", format!("KEY=ghp_{}\n", "a1B2".repeat(9)))
        .file("z/large.txt", "x".repeat(2_000_000));
    for i in 0..90 {
        sandbox = sandbox.file(format!("d{}/f{i}.rs", i % 3), format!("let x = {i};\n").repeat(4000));
    }
    let sandbox = sandbox.directory("out");
    for more in
        [&[][..], &["--format", "json"], &["--format", "xml"], &["--format", "jsonl"], &["--max-files-per-directory", "7"], &["--tokens"]]
    {
        let arguments = |tail: &[&'static str]| [&["pack", ".", "--errors", "ignore"], more, tail].concat();
        let printed = sandbox.brief(arguments(&[])).success();
        assert!(printed.stdout.len() > 500_000, "{more:?}");
        for threads in ["1", "4"] {
            sandbox.brief(arguments(&["-j", threads, "-o", "out/document"])).success();
            assert!(std::fs::read(sandbox.path("out/document")).unwrap() == printed.stdout, "{more:?} {threads}");
            assert_eq!(std::fs::read_dir(sandbox.path("out")).unwrap().count(), 1, "nothing else is left");
            std::fs::remove_file(sandbox.path("out/document")).unwrap();
        }
    }
    sandbox.write("out/document", "old");
    sandbox.brief(["pack", ".", "--errors", "strict", "-o", "out/document"]).code(1);
    assert_eq!(sandbox.read("out/document"), "old", "a failure changes nothing");
}

#[test]
fn files_directories_lists_and_globs_mix() {
    let sandbox = project();
    let packed = |arguments: &[&str], input: &str| {
        let mut all = vec!["pack", "--tree"];
        all.extend(arguments);
        sandbox.brief_with_input(all, input).success().stdout()
    };
    assert_eq!(packed(&["README.md", "src"], ""), "README.md\nsrc/\n├── deep/\n│   └── util.rs\n└── main.rs\n");
    assert_eq!(packed(&["-c", "README.md", "src/main.rs"], ""), "README.md\nsrc/\n└── main.rs\n");
    assert_eq!(packed(&["-"], "README.md\r\nsrc/main.rs\n"), "README.md\nsrc/\n└── main.rs\n");
    assert_eq!(packed(&["--files-from", "-"], "README.md\0src/main.rs\0"), "README.md\nsrc/\n└── main.rs\n");
    assert_eq!(packed(&[".", "--include", "*.rs", "--exclude", "deep/"], ""), "src/\n└── main.rs\n");
    let absolute = sandbox.path("src/main.rs");
    assert_eq!(packed(&[absolute.to_str().unwrap()], ""), "src/\n└── main.rs\n", "absolute paths below here are shown relative");
    let outside = sandbox.at("src").brief(["pack", "--tree", "../README.md"]).success().stdout();
    assert_eq!(outside, "../\n└── README.md\n");
}

#[test]
fn depth_zero_is_the_directory_itself_and_one_adds_its_children() {
    let sandbox = project().file("src/deep/deeper/x.rs", "x");
    let tree = |flag: &str, depth: &str| sandbox.brief(["pack", "--tree", "src", flag, depth]).success().stdout();
    assert_eq!(tree("-d", "0"), "src/\n└── main.rs\n");
    assert_eq!(tree("--recurse_depth", "1"), "src/\n├── deep/\n│   └── util.rs\n└── main.rs\n");
    assert!(tree("--recurse-depth", "2").contains("x.rs"));
    let wrong = sandbox.brief(["pack", "src", "-d", "many"]).code(2);
    assert!(wrong.stderr().contains("many"), "{wrong}");
}

#[test]
fn a_named_file_bypasses_exclusions_but_not_checks() {
    let sandbox =
        project().file(".gitignore", "secret.txt\n").file("secret.txt", "shown\n").file("target/out.txt", "built\n").file("blob.exe", "\0");
    let outcome = sandbox.brief(["pack", "secret.txt", "node_modules/x/index.js", "target"]).success();
    for expected in ["### secret.txt", "### node_modules/x/index.js", "### target/out.txt"] {
        assert!(outcome.stdout().contains(expected), "{outcome}");
    }
    let outcome = sandbox.brief(["pack", "blob.exe", "--errors", "strict"]).code(1);
    assert!(outcome.stderr().contains("`blob.exe`: binary file"), "{outcome}");
}

#[test]
fn limits_come_from_flags_files_environment_and_claw() {
    let sandbox = Sandbox::new().file("a/big.txt", "x".repeat(3000));
    let refused = |sandbox: &Sandbox, more: &[&str]| {
        let mut all = vec!["pack", "a", "--errors", "strict"];
        all.extend(more);
        let outcome = sandbox.brief(all).code(1);
        assert!(outcome.stderr().contains("`a/big.txt`: too large: 3000 bytes, the limit is 2048"), "{outcome}");
        assert!(outcome.stdout.is_empty(), "strict prints nothing on failure");
    };
    refused(&sandbox, &["--max-file-size-kb", "2"]);
    refused(&sandbox.clone().env("BRIEF_MAX_FILE_SIZE_KB", "2"), &[]);
    sandbox.write(".claw/claw.yaml", "max_file_size_kb: 2\nllm_command: claude\n");
    refused(&sandbox, &[]);
    sandbox.write("brief.toml", "max_file_size_kb = 4\n");
    sandbox.brief(["pack", "a"]).success();
    sandbox.write("brief.toml", "max_file_size_kb = 2\n");
    refused(&sandbox, &[]);
}

#[test]
fn sizes_are_compared_in_bytes() {
    let sandbox = Sandbox::new().file("a/fits", "x".repeat(1024)).file("a/not", "x".repeat(1025));
    let outcome = sandbox.brief(["pack", "a", "--max-file-size-kb", "1", "--errors", "ignore"]).success();
    assert!(outcome.stdout().contains("### a/fits") && !outcome.stdout().contains("### a/not"), "{outcome}");
    assert!(outcome.stderr().contains("warning: `a/fits`: 1024 of at most 1024 bytes, close to the size limit"), "{outcome}");
}

#[test]
fn a_directory_over_its_limit_is_told_once_with_the_full_count() {
    let mut sandbox = Sandbox::new().file("d/image.bin", "\0");
    for i in 0..60 {
        sandbox = sandbox.file(format!("d/f{i:02}.txt"), "x\n");
    }
    let outcome = sandbox.brief(["pack", "d", "--max-files-per-directory", "50"]).success();
    let stderr = outcome.stderr();
    assert!(stderr.contains("skipped 10 over the directory limit, 1 excluded"), "{stderr}");
    assert!(stderr.contains("`d`: too many files in the directory: 60, the limit is 50"), "{stderr}");
    assert_eq!(stderr.matches("too many files").count(), 1);
    assert_eq!(outcome.stdout().matches("\n### ").count(), 50);
    assert!(outcome.stdout().contains("### d/f49.txt") && !outcome.stdout().contains("### d/f50.txt"));
    let near = sandbox.brief(["pack", "d", "--max-files-per-directory", "64"]).success();
    assert!(near.stderr().contains("60 of at most 64 text files, close to the limit"), "{near}");
    let listed: Vec<String> = (0..60).map(|i| format!("d/f{i:02}.txt")).collect();
    let named = sandbox.brief(["pack".to_owned()].into_iter().chain(listed)).success();
    assert_eq!(named.stdout().matches("\n### ").count(), 60, "files named one by one are all wanted");
}

#[test]
fn strict_names_all_errors_and_prints_nothing() {
    let sandbox = Sandbox::new().file("a/ok.txt", "x").file("a/big.txt", "x".repeat(2000));
    insta::assert_snapshot!(sandbox.brief(["pack", "a", "missing", "--errors", "strict", "--max-file-size-kb", "1"]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: 2 paths cannot be used
      caused by: `a/big.txt`: too large: 2000 bytes, the limit is 1024
      caused by: `missing`: does not exist
    hint: `--max-file-size-kb N` raises the limit
    hint: `--errors ignore` leaves such files out and continues
    ");
}

#[test]
fn flexible_without_a_terminal_fails_and_says_how_to_go_on() {
    let sandbox = Sandbox::new().file("ok.txt", "fine\n");
    insta::assert_snapshot!(sandbox.brief(["pack", "ok.txt", "missing"]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: 1 path cannot be used
      caused by: `missing`: does not exist
    hint: pass `--yes` or `--errors ignore` to continue with the 1 file that can be used
    ");
    let outcome = sandbox.brief(["pack", "ok.txt", "missing", "--yes", "--format", "plain"]).success();
    assert!(outcome.stdout().contains("fine\n") && outcome.stderr().contains("warning: `missing`: does not exist"), "{outcome}");
}

#[test]
fn when_no_file_can_be_used_there_is_no_hint_to_continue() {
    let failed = Sandbox::new().brief(["pack", "nope"]).code(1);
    insta::assert_snapshot!(failed.stderr(), @r"
    error: 1 path cannot be used
      caused by: `nope`: does not exist
    hint: no file would be left to pack; check the path
    ");
}

#[test]
fn an_empty_directory_is_success_with_a_warning() {
    let sandbox = Sandbox::new().directory("empty");
    let outcome = sandbox.brief(["pack", "empty"]).success();
    assert!(outcome.stdout().contains("(no files)\n```"), "{outcome}");
    assert!(outcome.stderr().contains("warning: `empty`: the directory contains no files to include"), "{outcome}");
}

#[test]
fn no_path_is_wrong_usage() {
    let outcome = Sandbox::new().brief(["pack"]).code(2);
    assert!(outcome.stderr().contains("hint: `brief pack .` packs this directory"), "{outcome}");
}

#[test]
fn json_is_one_object_and_jsonl_one_line_per_file() {
    let sandbox = project();
    let outcome = sandbox.brief(["pack", ".", "--format", "json", "--tokens"]).success();
    let value: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(value["files"].as_array().unwrap().len(), 3);
    assert_eq!(value["files"][1], serde_json::json!({ "path": "src/deep/util.rs", "bytes": 7, "tokens": 2, "content": "// util" }));
    assert_eq!(value["summary"]["files"], 3);
    assert_eq!(value["summary"]["encoding"], "o200k_base");
    let outcome = sandbox.brief(["pack", ".", "--format", "jsonl"]).success();
    let paths: Vec<String> = outcome
        .stdout()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(paths, ["README.md", "src/deep/util.rs", "src/main.rs"]);
    let none: serde_json::Value =
        serde_json::from_slice(&Sandbox::new().directory("e").brief(["pack", "e", "--format", "json"]).success().stdout).unwrap();
    assert_eq!(none["files"], serde_json::json!([]));
}

#[test]
fn plain_and_xml_and_line_numbers() {
    let sandbox = Sandbox::new().file("a.txt", "one\ntwo\n");
    insta::assert_snapshot!(sandbox.brief(["pack", "a.txt", "--format", "plain", "--line-numbers"]).success().stdout(), @r"
    a.txt

    ======== a.txt ========
    1: one
    2: two
    ");
    insta::assert_snapshot!(sandbox.brief(["pack", "a.txt", "--format", "xml"]).success().stdout(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <context>
    <summary>
    This document contains user-provided files that are relevant to the current task.
    <limits max_file_size_kb="1024" max_files_per_directory="unlimited" excluded_directories=".git, node_modules, target, .venv, __pycache__" excluded_extensions="exe, bin, so, dylib, dll, o, a" recurse_depth="unlimited"/>
    <totals files="1" bytes="8"/>
    </summary>
    <directory_structure><![CDATA[a.txt
    ]]></directory_structure>
    <files>
    <file path="a.txt"><![CDATA[one
    two
    ]]></file>
    </files>
    </context>
    "#);
}

#[test]
fn tokens_are_exact_and_cached() {
    let sandbox = Sandbox::new().file("d/a.txt", "hello world").file("d/b.txt", "hello world, hello");
    let outcome = sandbox.brief(["pack", "d", "--tokens", "--tree"]).success();
    assert_eq!(outcome.stdout(), "d/ (6 tokens)\n├── a.txt (2 tokens)\n└── b.txt (4 tokens)\n");
    assert!(outcome.stderr().ends_with("packed 2 files, 29 B, 6 tokens (o200k_base)\n"), "{outcome}");
    assert!(sandbox.home().join(".cache/brief/tokens-o200k_base").is_file());
    assert_eq!(sandbox.brief(["pack", "d", "--tokens", "--tree"]).success().stdout(), outcome.stdout());
    let other = sandbox.brief(["pack", "d", "--tokens", "--encoding", "cl100k_base"]).success();
    assert!(other.stderr().contains("(cl100k_base)"), "{other}");
    sandbox.brief(["pack", "d", "--tokens", "--encoding", "klingon"]).code(2);
}

#[test]
fn a_budget_is_never_exceeded_and_what_is_left_out_is_listed() {
    let mut sandbox = Sandbox::new();
    for i in 0..20 {
        sandbox = sandbox.file(format!("d/f{i:02}.txt"), format!("some words about topic {i}\n").repeat(10 + i * 3));
    }
    let total = |format: &str, budget: u64| -> (u64, String) {
        let outcome = sandbox.brief(["pack", "d", "--budget", &budget.to_string(), "--format", format, "-o", "out"]).success();
        let counted = sandbox.brief(["pack", "out", "--tokens", "--format", "jsonl", "--max-file-size-kb", "9999"]).success();
        let row: serde_json::Value = serde_json::from_slice(&counted.stdout).unwrap();
        (row["tokens"].as_u64().unwrap(), outcome.stderr())
    };
    for format in ["markdown", "xml", "json", "jsonl", "plain"] {
        for budget in [1200, 2000, 5000] {
            let (tokens, stderr) = total(format, budget);
            assert!(tokens <= budget, "{format}: {tokens} > {budget}");
            assert!(tokens > budget / 2, "{format}: {tokens} of {budget} is wasteful\n{stderr}");
            assert!(stderr.contains("left out for the budget"), "{stderr}");
        }
    }
    let outcome = sandbox.brief(["pack", "d", "--budget", "1200"]).success();
    assert!(outcome.stdout().contains("- Left out for the token budget: "), "{outcome}");
    let outcome = sandbox.brief(["pack", "d", "--budget", "5"]).code(1);
    assert!(outcome.stderr().contains("too small: without any file the document takes"), "{outcome}");
}

#[test]
fn a_budget_holds_for_long_names_and_every_order() {
    let mut sandbox = Sandbox::new();
    for i in 0..30 {
        sandbox = sandbox.file(format!("d/z{i:02}"), "word ".repeat(2000 - i));
        sandbox = sandbox.file(format!("d/{}{i:02}/{}.txt", "a-qxj7-".repeat(12), "-kzv9-".repeat(12)), "word ".repeat(300 - i));
    }
    for (budget, sort, format) in [
        (1000, "size", "markdown"),
        (1000, "path", "xml"),
        (2500, "path", "plain"),
        (12_000, "path", "json"),
        (20_000, "tokens", "markdown"),
    ] {
        sandbox.brief(["pack", "d", "--budget", &budget.to_string(), "--sort", sort, "--format", format, "-q", "-o", "out"]).success();
        let counted = sandbox.brief(["pack", "out", "--tokens", "--format", "jsonl", "--max-file-size-kb", "9999"]).success();
        let row: serde_json::Value = serde_json::from_slice(&counted.stdout).unwrap();
        let tokens = row["tokens"].as_u64().unwrap();
        assert!(tokens <= budget && tokens > budget / 4, "{format} by {sort}: {tokens} of {budget}");
    }
}

#[test]
fn the_document_says_what_is_missing() {
    let sandbox = Sandbox::new().file("d/a.txt", "x\n").file("d/big.txt", "x".repeat(3000));
    for format in ["markdown", "xml", "plain", "json"] {
        let outcome = sandbox.brief(["pack", "d", "--errors", "ignore", "--max-file-size-kb", "2", "--format", format]).success();
        assert!(outcome.stdout().contains("big.txt") && outcome.stdout().contains("too large: 3000 bytes"), "{outcome}");
    }
}

#[test]
fn paths_and_patterns_reach_outside_the_working_directory() {
    let sandbox = Sandbox::new().file("docs/x.md", "x\n").file("vendor/v.c", "v\n").file("vendor/w.h", "w\n");
    let docs = sandbox.at("docs");
    assert_eq!(docs.brief(["pack", "../vendor", "--tree"]).success().stdout(), "../\n└── vendor/\n    ├── v.c\n    └── w.h\n");
    for pattern in ["../vendor/*.c", "*.c", "v.c"] {
        let tree = docs.brief(["pack", "../vendor", "--tree", "--include", pattern]).success().stdout();
        assert_eq!(tree, "../\n└── vendor/\n    └── v.c\n", "{pattern}");
    }
    for pattern in ["vendor", "vendor/", "vendor/*"] {
        assert_eq!(sandbox.brief(["pack", ".", "--tree", "--exclude", pattern]).success().stdout(), "docs/\n└── x.md\n", "{pattern}");
    }
    let tree = sandbox
        .clone()
        .file("a/b/c.txt", "")
        .brief(["pack", ".", "--tree", "--exclude-dir", "a/b", "--exclude", "vendor"])
        .success()
        .stdout();
    assert_eq!(tree, "docs/\n└── x.md\n");
}

#[test]
fn lists_come_from_pipes_too() {
    let sandbox = project();
    let output = sandbox.command("bash").args(["-c", "brief pack --tree -q --files-from <(echo README.md)"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "README.md\n");
    let outcome = sandbox.brief(["pack", "-c", "-"]).success();
    assert!(outcome.stderr().contains("warning: the list of paths is empty"), "{outcome}");
}

#[test]
fn a_problem_is_reported_once_however_often_its_path_is_given() {
    let sandbox = project();
    let outcome = sandbox.brief(["pack", "nope", "nope", "./nope", "src", "src/."]).code(1);
    assert!(outcome.stderr().contains("error: 1 path cannot be used"), "{outcome}");
}

#[test]
fn only_trusted_directories_configure() {
    let sandbox = Sandbox::new().file("brief.toml", "hidden = true\nredact = false\n").file("sub/x", "");
    let outcome = sandbox.at("sub").brief(["config", "show"]).success();
    assert!(
        outcome.stdout().contains("# project file: (none found)"),
        "outside of a home and a repository only this directory counts: {outcome}"
    );
    let outcome = sandbox.brief(["config", "show"]).success();
    assert!(outcome.stdout().contains("hidden = true") && outcome.stdout().contains("redact = true"), "{outcome}");
    assert!(outcome.stderr().contains("`redact` is ignored here"), "{outcome}");
}

#[test]
fn explain_names_anchored_rules_and_what_is_taken_back() {
    let sandbox = Sandbox::new()
        .file(".gitignore", "/root.txt\nbuild/*\n!.keep\n")
        .file("root.txt", "")
        .file("build/x.txt", "")
        .file(".keep/k.txt", "kept\n")
        .file("big.txt", "x".repeat(3000));
    let outcome = sandbox.brief(["pack", ".", "--tree", "--explain", "--quiet", "--errors", "ignore", "--max-file-size-kb", "2"]).success();
    let stderr = outcome.stderr();
    assert!(stderr.contains("`root.txt`: ignored by `/root.txt` [.gitignore]"), "{outcome}");
    assert!(stderr.contains("`build/x.txt`: ignored by `build/*` [.gitignore]"), "{outcome}");
    assert!(outcome.stdout().contains("k.txt") && !stderr.contains(".keep"), "{outcome}");
    assert!(stderr.contains("`big.txt`: too large"), "errors are explained too: {outcome}");
}

#[test]
fn files_can_be_sorted() {
    let sandbox = Sandbox::new().file("d/a", "1").file("d/b", "333").file("d/c", "22");
    let order = |sort: &str| {
        let outcome = sandbox.brief(["pack", "d", "--sort", sort, "--format", "jsonl"]).success();
        outcome
            .stdout()
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().unwrap().trim_start_matches("d/").to_owned()
            })
            .collect::<String>()
    };
    assert_eq!(order("path"), "abc");
    assert_eq!(order("size"), "bca");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    std::fs::File::options().write(true).open(sandbox.path("d/b")).unwrap().set_modified(old).unwrap();
    assert!(order("mtime").ends_with('b'));
}

#[test]
fn secrets_are_redacted_with_a_note_unless_turned_off() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1z2A");
    let sandbox = Sandbox::new().file("config.env", format!("TOKEN={token}\n"));
    let outcome = sandbox.brief(["pack", "config.env"]).success();
    assert!(outcome.stdout().contains("TOKEN=[redacted: GitHub token]"), "{outcome}");
    assert!(!outcome.to_string().contains(&token));
    assert!(outcome.stderr().contains("warning: `config.env`: GitHub token on line 1 was redacted"), "{outcome}");
    assert!(sandbox.brief(["pack", "config.env", "--no-redact"]).success().stdout().contains(&token));
}

#[test]
fn output_to_a_file_is_atomic_and_leaves_stdout_alone() {
    let sandbox = project();
    let outcome = sandbox.brief(["pack", "src", "-o", "out.md"]).success();
    assert_eq!(outcome.stdout(), "");
    assert!(sandbox.read("out.md").contains("### src/main.rs"));
    sandbox.brief(["pack", "src", "missing", "-o", "out.md", "--errors", "strict"]).code(1);
    assert!(sandbox.read("out.md").contains("### src/main.rs"), "a failed pack does not touch the old result");
    for (output, why) in [("no/such/dir/out.md", "its directory does not exist"), ("src", "it is a directory")] {
        let outcome = sandbox.brief(["pack", "src", "missing", "-o", output]).code(1);
        assert!(outcome.stderr().contains(&format!("cannot write `{output}`\n  caused by: {why}")), "{outcome}");
        assert!(!outcome.stderr().contains("missing"), "said before any work: {outcome}");
    }
    let left: Vec<_> = std::fs::read_dir(sandbox.root())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_output_never_packs_itself() {
    let sandbox = project();
    for _ in 0..2 {
        sandbox.brief(["pack", ".", "-o", "out.md"]).success();
        assert!(!sandbox.read("out.md").contains("### out.md"));
    }
    for _ in 0..2 {
        let status = sandbox.command("sh").args(["-c", "brief pack . --exclude out.md >redirected.md 2>/dev/null"]).status().unwrap();
        assert!(status.success());
        assert!(!sandbox.read("redirected.md").contains("### redirected.md"));
    }
}

#[test]
fn quiet_says_nothing_and_explain_says_everything() {
    let sandbox = project().file(".gitignore", "*.log\n").file("x.log", "l").file(".hidden", "h").file("blob", "\0");
    assert_eq!(sandbox.brief(["pack", ".", "--quiet"]).success().stderr(), "");
    insta::assert_snapshot!(sandbox.brief(["pack", ".", "--explain", "--tree"]).success(), @r"
    exit code: 0
    ----- stdout -----
    README.md
    src/
    ├── deep/
    │   └── util.rs
    └── main.rs
    ----- stderr -----
    `.gitignore`: hidden; `--hidden` includes it [hidden (default)]
    `.hidden`: hidden; `--hidden` includes it [hidden (default)]
    `blob`: binary file
    `node_modules/`: excluded by name; the directory was not entered [excluded_directories (default)]
    `tool.exe`: has the excluded extension `exe` [excluded_extensions (default)]
    `x.log`: ignored by `*.log` [.gitignore]
    packed 3 files, 28 B; skipped 1 binary, 1 ignored, 2 hidden, 2 excluded
    ");
}

#[test]
fn copying_without_a_clipboard_says_what_is_missing() {
    let sandbox = project().env("PATH", "/nonexistent");
    let outcome = sandbox.brief(["pack", "src", "--copy"]).code(1);
    assert!(outcome.stderr().contains("hint: `-o FILE` writes to a file instead"), "{outcome}");
}

#[test]
fn an_input_is_never_written_over() {
    let sandbox = Sandbox::new().file("in.rs", "precious\n").file("other.rs", "other\n").link("alias.rs", "in.rs");
    for (input, output) in [("in.rs", "./in.rs"), ("alias.rs", "in.rs"), ("in.rs", "alias.rs")] {
        let refused = sandbox.brief(["pack", input, "other.rs", "--errors", "ignore", "-o", output]).code(1);
        assert!(refused.stderr().contains("cannot be packed into itself") && refused.stderr().contains("-o FILE"), "{refused}");
        assert_eq!(sandbox.read("in.rs"), "precious\n");
    }
}

#[test]
fn standard_output_has_names_and_is_never_replaced() {
    let sandbox = Sandbox::new().file("a.rs", "fn a() {}\n").file("log.txt", "old\n");
    for name in ["-", "/dev/stdout"] {
        let log = std::fs::File::options().append(true).open(sandbox.path("log.txt")).unwrap();
        let mut command = sandbox.command(briefing_testkit::binary());
        assert!(command.args(["pack", "a.rs", "-f", "plain", "-q", "-o", name]).stdout(log).status().unwrap().success());
    }
    let log = sandbox.read("log.txt");
    assert!(log.starts_with("old\n") && log.matches("fn a() {}").count() == 2, "{log}");
    assert!(!sandbox.path("-").exists());
}

#[test]
fn a_gitignore_ends_where_the_next_repository_begins() {
    let sandbox = Sandbox::new().file(".git/HEAD", "").file(".gitignore", "*\n").file("p/.git/HEAD", "").file("p/.gitignore", "*.o\n");
    let sandbox = sandbox.file("p/src/m.c", "int m;\n").file("p/src/m.o", "o").file("p/.ignore", "*.bak\n").file("p/x.bak", "x");
    for (here, shown) in [("p", "src/m.c"), ("p/src", "m.c")] {
        let outcome = sandbox.at(here).brief(["pack", ".", "-f", "jsonl", "--explain"]).success();
        assert!(outcome.stdout().contains(shown) && outcome.stderr().contains("1 file"), "{outcome}");
    }
    let outcome = sandbox.brief(["pack", ".", "-f", "jsonl"]).success();
    assert!(outcome.stderr().contains("packed 0 files") && outcome.stderr().contains("hint: `--explain` says why"), "{outcome}");
}

#[test]
fn a_limit_that_was_met_says_how_to_raise_it() {
    let sandbox = (0..4).fold(Sandbox::new(), |sandbox, n| sandbox.file(format!("d/{n}.txt"), "x\n")).file("big.txt", "x".repeat(3000));
    let many = sandbox.brief(["pack", "d", "--max-files-per-directory", "3", "--errors", "strict"]).code(1);
    assert!(many.stderr().contains("`--max-files-per-directory N` raises the limit"), "{many}");
    let large = sandbox.brief(["pack", "big.txt", "--max-file-size-kb", "1"]).code(1);
    assert!(large.stderr().contains("`--max-file-size-kb N` raises the limit") && !large.stderr().contains("check the path"), "{large}");
}

#[test]
fn ignore_rules_hold_behind_links_and_outside_of_repositories() {
    let sandbox = Sandbox::new().file("plain/.gitignore", "secret.txt\n").file("plain/secret.txt", "hush\n").file("plain/a.txt", "a\n");
    let sandbox = sandbox.file("repo/.git/HEAD", "").link("repo/link", "../plain");
    let outcome = sandbox.at("repo").brief(["pack", "link"]).success();
    assert!(outcome.stdout().contains("a.txt") && !outcome.stdout().contains("hush"), "{outcome}");
    let sandbox = sandbox.file("plain/r/.git/HEAD", "").file("plain/r/secret.txt", "hush\n").link("plain/alias.txt", "r/secret.txt");
    let outcome = sandbox.brief(["pack", "plain", "--follow-links"]).success();
    assert!(!outcome.stdout().contains("hush"), "{outcome}");
}
