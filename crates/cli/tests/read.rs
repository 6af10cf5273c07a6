//! `brief read`: requests as arguments and on stdin, guards, formats.

use briefing_testkit::{Sandbox, parse_assigns};

fn parsed(stdout: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8(stdout.to_vec()).unwrap();
    let text = text.strip_suffix('\n').unwrap_or(&text);
    parse_assigns(text).unwrap().into_iter().map(|file| (file.path, file.content)).collect()
}

#[track_caller]
fn assert_parsed(stdout: &[u8], expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect();
    assert_eq!(parsed(stdout), expected);
}

#[test]
fn files_are_assigned_in_the_order_of_the_requests() {
    let sandbox = Sandbox::new().file("b.md", "Bee\n").file("docs/a.md", "A\n");
    insta::assert_snapshot!(sandbox.brief(["read", "docs/a.md", "b.md", "gone.md"]), @r#"
    exit code: 0
    ----- stdout -----
    @spec_a assign "docs/a.md"
    @spec_aContent assign
    --begin-context-753dcb14-4663-8e5c-a9e0-bc97b1549104--
    A

    --end-context-753dcb14-4663-8e5c-a9e0-bc97b1549104--
    @spec_b assign "b.md"
    @spec_bContent assign
    --begin-context-f7e3d8f8-3aa1-8c9d-bcac-29c427bd6eda--
    Bee

    --end-context-f7e3d8f8-3aa1-8c9d-bcac-29c427bd6eda--
    @spec_gone assign "gone.md"
    @spec_goneContent assign
    --begin-context-0399a262-33b2-8b6d-9aa7-ad8a236f3d43--
    [Error reading file: ENOENT: no such file or directory, open 'gone.md']
    --end-context-0399a262-33b2-8b6d-9aa7-ad8a236f3d43--
    ----- stderr -----
    warning: `gone.md`: does not exist
    "#);
}

#[test]
fn nothing_to_read_is_nothing_printed() {
    let sandbox = Sandbox::new();
    for input in ["", "\n\n", "[]", "{\"files\":[]}"] {
        let outcome = sandbox.brief_with_input(["read"], input).success();
        assert_eq!((outcome.stdout(), outcome.stderr()), (String::new(), String::new()), "{input}");
    }
}

#[test]
fn json_without_a_list_is_reported() {
    let outcome = Sandbox::new().brief_with_input(["read"], "{\"nope\":1}").success();
    assert_eq!(outcome.stdout(), "");
    assert!(outcome.stderr().starts_with("warning: `standard input`: no file was requested"), "{outcome}");
}

#[test]
fn a_file_named_like_an_item_is_found() {
    let sandbox = Sandbox::new().file("- x", "X").file("x", "other").file("sub/1. a.md", "A");
    for input in ["- x\n", "[\"- x\"]"] {
        assert_parsed(&sandbox.brief_with_input(["read"], input).success().stdout, &[("- x", "X")]);
    }
    assert_parsed(&sandbox.brief_with_input(["read", "--dir", "sub"], "1. a.md").success().stdout, &[("sub/1. a.md", "A")]);
}

#[test]
fn requests_come_on_stdin_as_lines_or_as_models_answer() {
    let sandbox = Sandbox::new().file("a.md", "A").file("b c.md", "B");
    for input in [
        "a.md\nb c.md\n",
        "a.md\r\n\r\nb c.md\r\n",
        r#"["a.md", "b c.md"]"#,
        r#"{"files": ["a.md", "b c.md"], "done": false}"#,
        "Of course:\n\n```json\n{\"files\": [\"a.md\", \"b c.md\"]}\n```\n",
        "```\na.md\nb c.md\n```\n",
        "- `a.md`\n* b c.md\n",
        "{\"files\":[\"a.md\"]}\n{\"files\":[\"b c.md\"]}\n",
    ] {
        let outcome = sandbox.brief_with_input(["read"], input).success();
        assert_parsed(&outcome.stdout, &[("a.md", "A"), ("b c.md", "B")]);
    }
    let outcome = sandbox.brief_with_input(["read", "b c.md", "-"], "a.md").success();
    assert_parsed(&outcome.stdout, &[("b c.md", "B"), ("a.md", "A")]);
}

#[test]
fn includes_come_first_and_count_but_are_not_held_back() {
    let sandbox = Sandbox::new().file("a.md", "A").file("b.md", "B").file("c.rs", "C").file("big.md", "0123456789");
    let read = |arguments: &[&str]| sandbox.brief(["read"].iter().chain(arguments)).success();
    assert_parsed(
        &read(&["a.md", "b.md", "--include", "c.rs", "--filter", "*.md", "--max-files", "2"]).stdout,
        &[("c.rs", "C"), ("a.md", "A")],
    );
    assert_parsed(&read(&["--include", "c.rs", "--include", "a.md", "--max-files", "1", "b.md"]).stdout, &[("c.rs", "C"), ("a.md", "A")]);
    let skipped = "[Skipped: file size 10 bytes exceeds maxFileSize 9]";
    assert_parsed(&read(&["a.md", "--include", "big.md", "--max-file-size", "9"]).stdout, &[("big.md", skipped), ("a.md", "A")]);
}

#[test]
fn what_is_excluded_is_not_read_and_words_for_nothing_ask_for_nothing() {
    let sandbox = Sandbox::new().file("a.md", "A").file("b.lock", "B").file("vendor/c.md", "C");
    let outcome = sandbox.brief(["read", "a.md", "b.lock", "vendor/c.md", "--exclude", "*.lock", "--exclude", "vendor"]).success();
    assert_parsed(&outcome.stdout, &[("a.md", "A")]);
    for nothing in ["I need nothing.", "None", "No further files are needed.\n"] {
        let outcome = sandbox.brief_with_input(["read"], nothing).success();
        assert_eq!((outcome.stdout(), outcome.stderr()), (String::new(), String::new()), "{nothing}");
    }
}

#[test]
fn labels_are_relative_to_the_current_directory() {
    let sandbox = Sandbox::new().file("sub/a.md", "A").file("other/x", "");
    assert_parsed(&sandbox.brief(["read", "--dir", "sub", "a.md"]).success().stdout, &[("sub/a.md", "A")]);
    assert_parsed(&sandbox.at("other").brief(["read", "--dir", "../sub", "a.md"]).success().stdout, &[("../sub/a.md", "A")]);
}

#[test]
fn requests_that_leave_the_directory_are_refused_unless_allowed() {
    let sandbox = Sandbox::new().file("secret", "s").file("sub/x", "").link("sub/way-out", "../secret");
    let outcome = sandbox.brief(["read", "--dir", "sub", "../secret", "/etc/passwd", "way-out"]).success();
    let refused = parsed(&outcome.stdout);
    assert_eq!(refused.len(), 3);
    assert!(refused.iter().all(|(_, content)| content.starts_with("[Error reading file: EPERM: ")), "{outcome}");
    assert!(outcome.stderr().contains("hint: `--allow-outside`"), "{outcome}");
    let outcome = sandbox.brief(["read", "--dir", "sub", "../secret", "way-out", "--allow-outside"]).success();
    assert_parsed(&outcome.stdout, &[("secret", "s"), ("sub/way-out", "s")]);
}

#[test]
fn odd_files_are_entries_and_never_hang() {
    let sandbox = Sandbox::new().file("binary", b"\0\x01").file("latin1", b"\xe9").directory("dir");
    assert!(sandbox.command("mkfifo").arg("pipe").status().unwrap().success());
    let huge = std::fs::File::create(sandbox.path("huge")).unwrap();
    huge.set_len(3 << 40).unwrap();
    let outcome = sandbox.brief(["read", "pipe", "dir", "binary", "latin1", "huge"]).success();
    insta::assert_snapshot!(outcome.stderr(), @r"
    warning: `pipe`: not a regular file but a FIFO
    warning: `dir`: not a regular file but a directory
    warning: `binary`: binary file
    warning: `latin1`: not UTF-8 (first invalid byte at 0)
    warning: `huge`: too large: 3298534883328 bytes, the limit is 33554432
    hint: `brief pack` packs whole directories
    ");
    let contents: Vec<_> = parsed(&outcome.stdout).into_iter().map(|(_, content)| content).collect();
    assert_eq!(contents[4], format!("[Skipped: file size {} bytes exceeds maxFileSize 33554432]", 3_u64 << 40));
}

#[test]
fn names_with_quotes_and_line_breaks_come_back() {
    let sandbox = Sandbox::new().file("a \"b\"\n\\c.md", "1").file("d/a \"b\"\n\\c.md", "2");
    let outcome = sandbox.brief(["read", "a \"b\"\n\\c.md", "d/a \"b\"\n\\c.md"]).success();
    assert_parsed(&outcome.stdout, &[("a \"b\"\n\\c.md", "1"), ("d/a \"b\"\n\\c.md", "2")]);
}

/// Contents that the here-doc form cannot carry, and some that look as if it could not.
fn hostile_contents() -> Vec<String> {
    let mut contents: Vec<String> = [
        "@decorated\ndef f(): pass\n",
        "class A:\n    @property\n    def b(self): ...\n",
        "\t@Override\n",
        "@",
        "\n@\n",
        "# a comment\n# above\n@decorated\n",
        "@spec_a assign \"x\"\n",
        "@spec_h01 assign \"again\"\n@spec_h01Content assign\n",
        "@media print { a { color: red } }\n",
        "/**\n@param x\n*/\n",
        "a\r\nb\r\n",
        "\r",
        "\r\n",
        "a\rb",
        "a\r\r\nb\n",
        "mixed\nends\r\n@here\r",
        "\"quoted\"\n@x \"y\" 'z'\n",
        "back\\slash\\n\n@x\\\n",
        "@\\",
        "@\"",
        "@$variable $other\n",
        "@ # not a comment\n",
        "tab\there\r\n",
        "--end-context--\n@x\n",
        "--begin-context-0--\r\n--end-context-0--\r\n",
        "\n\n\n@x\n\n\n",
        "@ends without a break",
        "caf\u{e9} \u{1F980}\r\n@\u{1F980}\n",
        "mail@host\n# @x in a comment\n",
        "no @ at the beginning\n",
        "\n\n  \n",
        "",
        "\n",
        "--end-context-af1349b9-f5f9-81a6-a040-4dea36dcc949--\n",
        "$variable \"and\" \\n\n",
        "a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}f\n",
    ]
    .map(str::to_owned)
    .into();
    let before = [
        "\u{FEFF}",
        "\u{200B}",
        "\u{200C}",
        "\u{200D}",
        "\u{A0}",
        "\u{2003}",
        "\u{3000}",
        "\u{B}",
        "\u{C}",
        " \u{200B} \u{FEFF}",
        "\u{2060}",
    ];
    contents.extend(before.iter().map(|unseen| format!("x\n{unseen}@y\n")));
    let breaks = ["\u{85}", "\u{2028}", "\u{2029}", "\u{B}", "\u{C}"];
    contents.extend(breaks.iter().map(|line_break| format!("x{line_break}@y\n")));
    contents
}

#[test]
fn hostile_files_come_back_exactly_and_none_spoils_the_document() {
    let contents = hostile_contents();
    assert!(contents.len() >= 50);
    let sandbox = Sandbox::new();
    let mut expected = Vec::new();
    for (number, content) in contents.iter().enumerate() {
        let name = format!("h{number:02}.txt");
        sandbox.write(&name, content);
        let alone = sandbox.brief(["read", &name]).success();
        assert_eq!(alone.stderr(), "", "nothing is lost, so there is nothing to say");
        assert_parsed(&alone.stdout, &[(&name, content)]);
        expected.push((name, content.clone()));
    }
    let names = expected.iter().map(|(name, _)| name.clone());
    let together = sandbox.brief(std::iter::once("read".to_owned()).chain(names)).success();
    assert_eq!(parsed(&together.stdout), expected);
}

#[test]
fn a_file_with_a_decorator_is_quoted_and_others_are_here_docs() {
    let sandbox = Sandbox::new().file("a.py", "@decorated\ndef f():\n\treturn \"x\"\n").file("b.md", "mail@host\n");
    let text = sandbox.brief(["read", "a.py", "b.md"]).success().stdout();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], r#"@spec_aContent assign "@decorated\ndef f():\n\treturn \"x\"\n""#);
    assert_eq!((lines[3], lines[5]), ("@spec_bContent assign", "mail@host"));
    assert!(sandbox.brief(["read", "a.py", "--format", "xml"]).success().stdout().contains("<![CDATA[@decorated\n"));
}

#[test]
fn other_formats_hold_the_same_files() {
    let sandbox = Sandbox::new().file("a.md", "```\nx\n```\n");
    let read = |format: &str| sandbox.brief(["read", "a.md", "gone", "--format", format]).success().stdout();
    assert!(read("markdown").starts_with("### a.md\n\n````markdown\n```\nx\n```\n````\n\n### gone\n\n[Error"), "{}", read("markdown"));
    assert!(read("xml").contains("<file path=\"a.md\" status=\"read\"><![CDATA[```\nx\n```\n]]></file>"), "{}", read("xml"));
    let json: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
    assert_eq!(json["files"][0]["content"], "```\nx\n```\n");
    assert_eq!(json["files"][1]["status"], "error");
    assert_eq!(json["notes"][0]["kind"], "missing");
}

#[test]
fn secrets_stay_at_home() {
    let sandbox = Sandbox::new().file("a", "db = postgres://bob:hunter2@db/x");
    let outcome = sandbox.brief(["read", "a"]).success();
    assert_parsed(&outcome.stdout, &[("a", "db = postgres://bob:[redacted: password]@db/x")]);
    assert!(outcome.stderr().contains("password on line 1 was redacted"), "{outcome}");
}

#[test]
fn a_wrong_directory_is_a_failure_and_ten_thousand_wrong_paths_are_not() {
    let sandbox = Sandbox::new().file("file", "");
    assert!(sandbox.brief(["read", "--dir", "gone", "a"]).code(1).stderr().contains("cannot use `gone` as a directory"));
    assert!(sandbox.brief(["read", "--dir", "file", "a"]).code(1).stderr().contains("not a directory"));
    let many = (0..10_000).map(|number| format!("no/such/{number}.md")).collect::<Vec<_>>().join("\n");
    let outcome = sandbox.brief_with_input(["read"], many).success();
    assert_eq!(parsed(&outcome.stdout).len(), 10_000);
    assert_eq!(outcome.stderr().lines().count(), 21);
}

/// The guide's own examples run, in order, in one directory.
#[test]
fn the_guide_is_true() {
    let sandbox = Sandbox::new();
    let guide = include_str!("../../../docs/read.md");
    let blocks: Vec<_> = guide.split("\n```sh\n").skip(1).filter_map(|rest| rest.split_once("\n```")).map(|(block, _)| block).collect();
    assert!(blocks.len() >= 2);
    let output = sandbox.command("sh").args(["-euc", &blocks.join("\n")]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    assert!(stdout.contains("@spec_retries assign \"retries.md\"") && stdout.contains("@spec_intro assign \"docs/intro.md\""), "{stdout}");
}
