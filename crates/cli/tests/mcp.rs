//! `brief mcp`: both eras, the tools, resources and prompts.

use briefing_core::tokens::TokenCounter as _;
use briefing_testkit::Sandbox;
use briefing_testkit::mcp::{Era, Server};
use briefing_tokens::ExactCounter;
use serde_json::{Value, json};

pub(crate) const ROLL_BACK: &str = "how do I roll back the canary release when the error budget is gone?";

/// A project with a domain, core files and documents.
pub(crate) fn project() -> Sandbox {
    Sandbox::new()
        .file(".git/HEAD", "")
        .file(".megg/info.md", "# Shop\n\nSells things.\n")
        .file(
            ".megg/knowledge.md",
            "# Knowledge\n\n---\n\n## 2026-11-01 - Use tabs\n**Type:** rule\n**Topics:** style\n\nTabs everywhere.\n\n---\n\n\
             ## 2026-11-02 - Cache the cart\n**Type:** pattern\n**Topics:** cart, speed\n\nFor ten minutes.\n",
        )
        .file(".context/CONSTITUTION.md", "# Constitution\n\n- [ ] Never push on Fridays\n")
        .file(
            ".context/DECISIONS.md",
            "# Decisions\n\n## [2026-01-28-051426] Use SQLite for the ledger\n\n**Context**: one file\n\n**Rationale**: no server\n",
        )
        .file(
            "docs/deploy.md",
            "# Deploying\n\nReleases are rolled out with a canary and its error budget.\n\n## Rolling back\n\n\
             Drain the canary when the error budget of the release is gone.\n\n## Required reads\n\n- @docs/auth.md\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie.\n\ndb = postgres://bob:hunter2@db/x\n")
        .file("docs/index.json", r#"[{"path":"deploy.md","title":"Deploying","tags":["release"]},{"path":"auth.md","tags":["login"]}]"#)
        .file("src/cart.rs", "// The cart of a customer, with its discount.\nfn discount() {}\n")
}

pub(crate) fn connect(sandbox: &Sandbox, era: Era) -> Server {
    Server::connect(sandbox, era, "test", json!({}))
}

#[test]
fn both_eras_are_answered_with_the_same_instructions() {
    let sandbox = project();
    let mut legacy = Server::start(&sandbox);
    for version in ["2025-06-18", "2025-11-25"] {
        let hello = json!({ "jsonrpc": "2.0", "id": version, "method": "initialize", "params": { "protocolVersion": version,
            "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
        legacy.write(&hello);
        let answer = legacy.message();
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        assert!(answer["result"].get("resultType").is_none(), "an earlier revision does not know it: {answer}");
    }
    let mut modern = connect(&sandbox, Era::Modern);
    let discovered = modern.request("server/discover", json!({}));
    assert_eq!(discovered["resultType"], "complete");
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!(version)), "{discovered}");
    }
    let mut legacy = Server::start(&sandbox);
    legacy.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } }));
    let instructions = legacy.message()["result"]["instructions"].clone();
    assert_eq!(instructions, discovered["instructions"]);
    insta::assert_snapshot!(instructions.as_str().unwrap(), @"Project knowledge from Briefing. Here: domains project, topics: cart, speed, style; core files CONSTITUTION.md, DECISIONS.md; 2 documents about login, release. Call `select` with the user's request before working on something unfamiliar, then `read` what fits; `context` for the knowledge about a directory. What hooks have already put into this conversation need not be read again.");
}

#[test]
fn instructions_are_short_and_the_same_for_the_same_project() {
    let mut sandbox = project();
    let documents: Vec<Value> =
        (0..500).map(|n| json!({ "path": format!("d{n}.md"), "tags": [format!("a-long-tag-number-{n}-Ä")] })).collect();
    sandbox = sandbox.file("docs/index.json", Value::from(documents).to_string());
    let topics: Vec<String> =
        (0..300).map(|n| format!("\n---\n\n## 2026-11-01 - T{n}\n**Type:** rule\n**Topics:** topic-number-{n}\n")).collect();
    sandbox.write(".megg/knowledge.md", format!("# Knowledge\n{}", topics.concat()));
    let of = |sandbox: &Sandbox| connect(sandbox, Era::Modern).request("server/discover", json!({}))["instructions"].clone();
    let first = of(&sandbox);
    assert!(first.as_str().unwrap().chars().count() <= 1_000, "{first}");
    assert!(first.as_str().unwrap().ends_with("read again."), "it is whole: {first}");
    assert_eq!(first, of(&sandbox));
}

/// Requests need no handshake in either era, and in any order: a request is answered from its own content.
#[test]
fn every_request_may_be_the_first() {
    let sandbox = project();
    let mut server = Server::start(&sandbox);
    server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    server.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    assert_eq!(server.message()["result"]["tools"].as_array().unwrap().len(), TOOLS.len());
    server.write(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }));
    assert_eq!(server.message()["result"], json!({}));
    let discovered = server.request("server/discover", json!({}));
    assert_eq!(discovered["resultType"], "complete");
    assert!(server.text("select", &json!({ "message": ROLL_BACK })).contains("docs/deploy.md"));
}

pub(crate) const TOOLS: [&str; 7] = ["context", "select", "read", "pack", "learn", "maintain", "why"];

#[test]
fn the_list_of_tools_is_cheap_and_says_what_loads_at_once() {
    let mut server = connect(&project(), Era::Modern);
    let listed = server.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    let counter = ExactCounter::new("o200k_base", None).unwrap();
    let text = listed["tools"].to_string();
    let tokens = counter.count(&text, &briefing_core::hash(text.as_bytes()));
    assert!(tokens <= 1_500, "{tokens} tokens");
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"] == true, ["select", "read"].contains(&name), "{tool}");
        let is_long = tool["_meta"].get("anthropic/maxResultSizeChars").is_some();
        assert_eq!(is_long, ["context", "read", "pack"].contains(&name), "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"] == true, name != "learn", "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(!tool["inputSchema"].to_string().contains("null"), "some clients reject it: {tool}");
    }
}

#[test]
fn documents_are_selected_with_reasons_and_files_for_a_task() {
    for era in [Era::Legacy, Era::Modern] {
        let mut server = connect(&project(), era);
        let result = server.call("select", &json!({ "message": ROLL_BACK }));
        let first = &result["structuredContent"]["selected"][0];
        assert_eq!((&first["name"], &first["title"]), (&json!("docs/deploy.md"), &json!("Deploying")), "{result}");
        assert!(first["reason"].as_str().unwrap().contains("canary"), "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().starts_with("- docs/deploy.md: Deploying. (matches: "), "{result}");
        let files = server.call("select", &json!({ "message": "change the discount of the cart", "kind": "files", "limit": 1 }));
        assert_eq!(files["structuredContent"]["selected"][0]["name"], "src/cart.rs", "{files}");
        let none = server.text("select", &json!({ "message": "xylophone zeppelin" }));
        assert!(none.contains("nothing fits") && none.contains("next: "), "{none}");
    }
}

#[test]
fn what_was_selected_can_be_read() {
    let mut server = connect(&project(), Era::Modern);
    let decision = server.call("select", &json!({ "message": "why did we use SQLite for the ledger?" }));
    let name = decision["structuredContent"]["selected"][0]["name"].clone();
    assert_eq!(name, ".context/DECISIONS.md#2026-01-28-051426-use-sqlite-for-the-ledger");
    assert!(server.text("read", &json!({ "paths": [name] })).contains("**Rationale**: no server"));
    let text = server.text("read", &json!({ "paths": ["docs/deploy.md#rolling-back", "docs/auth.md", "src/cart.rs", "docs/gone.md"] }));
    assert!(text.starts_with("cannot read `docs/gone.md`\ncaused by: does not exist\nnext: "), "{text}");
    assert!(text.contains("=== brief: docs/deploy.md#Deploying › Rolling back (requested) ===\n## Rolling back\n\nDrain"), "{text}");
    assert!(text.contains("[redacted: password]") && !text.contains("hunter2"), "{text}");
    assert!(text.contains("fn discount() {}"), "{text}");
    let whole = server.call("read", &json!({ "paths": ["docs/deploy.md"] }));
    assert!(whole["content"][0]["text"].as_str().unwrap().ends_with("note: `docs/deploy.md` requires docs/auth.md\n"), "{whole}");
    assert_eq!(whole["_meta"]["brief/about"]["read"][0]["required"][0], "docs/auth.md");
    assert!(whole.get("structuredContent").is_none(), "Claude Code and Codex would drop the text: {whole}");
}

#[test]
fn errors_say_what_to_do_next() {
    let mut server = connect(&project(), Era::Modern);
    for (tool, arguments, cause, next) in [
        ("read", json!({ "paths": ["docs/deploi.md"] }), "does not exist", "did you mean `docs/deploy.md`?"),
        ("read", json!({ "paths": ["/etc/passwd"] }), "outside", "only files of this project"),
        ("read", json!({ "paths": ["docs"] }), "directory", "`pack` returns the files of a directory"),
        ("read", json!({ "paths": ["docs/deploy.md#nothing"] }), "its sections: Deploying", ""),
        ("read", json!({ "paths": [] }), "`paths` is empty", "`select` finds them"),
        ("read", json!({ "path": "docs/deploy.md" }), "unknown field `path`", "input schema"),
        ("read", json!({ "paths": ["docs/deploy.md"], "cursor": "7-00000000" }), "changed", "without `cursor`"),
        ("select", json!({ "message": " " }), "the message is empty", "next: "),
        ("select", json!({ "message": "x", "kind": "songs" }), "songs", "input schema"),
        ("pack", json!({ "paths": ["../home"] }), "outside the project", "next: "),
        ("pack", json!({ "paths": ["gone"] }), "gone", "check the path"),
        ("learn", json!({ "kind": "decision", "title": "x" }), "`context` and `rationale`", "next: "),
    ] {
        let said = server.error(tool, &arguments);
        assert!(said.contains(cause) && said.contains(next), "{tool} {arguments}: {said}");
    }
    let id = server.send("tools/call", json!({ "name": "reed", "arguments": {} }));
    let answer = server.answer(id);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("context, select, read"), "{answer}");
}

#[test]
fn the_knowledge_about_a_path_comes_with_its_topics() {
    let sandbox = project().file("api/.megg/info.md", "# API\n\nThe interface.\n");
    let mut server = connect(&sandbox, Era::Modern);
    let text = server.text("context", &json!({ "path": "api/handlers/x.rs" }));
    assert!(text.contains("Sells things.") && text.contains("The interface."), "{text}");
    let cart = server.call("context", &json!({ "topic": "cart" }));
    let text = cart["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("For ten minutes.") && !text.contains("Tabs everywhere."), "{text}");
    assert_eq!(cart["_meta"]["brief/about"]["topics"], json!(["cart", "speed", "style"]));
    let none = connect(&Sandbox::new(), Era::Modern).error("context", &json!({}));
    assert!(none.contains("no domain") && none.contains("next: "), "{none}");
    let report = server.call("maintain", &json!({}));
    assert_eq!(report["structuredContent"]["domains"].as_array().unwrap().len(), 2, "{report}");
}

/// Long results come in pages, each as long as its client takes.
#[test]
fn a_long_result_goes_on_with_a_cursor() {
    let lines: Vec<String> = (0..9_000).map(|n| format!("line {n} of a long document\n")).collect();
    let sandbox = project().file("docs/long.md", format!("# Long\n\n{}", lines.concat())).file("docs/index.json", r#"["long.md"]"#);
    for (client, cap) in [("gemini-cli-mcp-client", 38_000), ("somebody", 38_000), ("claude-code", 100_000)] {
        for (tool, name) in [("read", "docs/long.md"), ("pack", "docs/long.md")] {
            let mut server = Server::connect(&sandbox, Era::Modern, client, json!({}));
            let (mut cursor, mut all, mut pages) = (Value::Null, String::new(), 0);
            loop {
                let arguments = match &cursor {
                    Value::Null => json!({ "paths": [name] }),
                    cursor => json!({ "paths": [name], "cursor": cursor }),
                };
                let result = server.call(tool, &arguments);
                let text = result["content"][0]["text"].as_str().unwrap();
                assert!(text.chars().count() <= cap + 200, "{tool} for {client}: {}", text.len());
                pages += 1;
                all.push_str(text);
                cursor = result["_meta"]["brief/about"]["next_cursor"].clone();
                assert_eq!(cursor.is_null(), !text.contains("[more follows"), "{text}");
                if cursor.is_null() {
                    break;
                }
            }
            assert!(pages >= 240_000 / cap && pages < 12, "{tool} for {client}: {pages} pages");
            let numbers: Vec<usize> = all.lines().filter_map(|line| line.strip_prefix("line ")?.split(' ').next()?.parse().ok()).collect();
            assert!(numbers.iter().copied().eq(0..9_000), "{tool} for {client}: every line, once, in order");
        }
    }
}

#[test]
fn a_pack_has_the_files_of_a_directory_within_its_budget() {
    let mut server = connect(&project(), Era::Modern);
    let result = server.call("pack", &json!({ "paths": ["docs", "src"] }));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("fn discount() {}") && text.contains("# Deploying"), "{text}");
    assert_eq!(result["_meta"]["brief/about"]["files"], 4, "{result}");
    let small = server.call("pack", &json!({ "paths": ["docs", "src"], "budget": 430 }));
    let about = &small["_meta"]["brief/about"];
    assert!(!about["left_out"].as_array().unwrap().is_empty() && about["tokens"].as_u64().unwrap() < 430, "{about}");
}

#[test]
fn core_files_domains_and_documents_are_resources() {
    let sandbox = project().file("docs/a b#c.md", "# Odd\n").file("docs/index.json", r#"["deploy.md","auth.md","a b#c.md"]"#);
    for era in [Era::Legacy, Era::Modern] {
        let mut server = connect(&sandbox, era);
        let listed = server.request("resources/list", json!({}));
        let uris: Vec<&str> = listed["resources"].as_array().unwrap().iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
        assert_eq!(
            uris,
            [
                "brief://core/.context/CONSTITUTION.md",
                "brief://core/.context/DECISIONS.md",
                "brief://domain/.megg/info.md",
                "brief://domain/.megg/knowledge.md",
                "brief://doc/docs/deploy.md",
                "brief://doc/docs/auth.md",
                "brief://doc/docs/a%20b%23c.md"
            ]
        );
        for uri in uris {
            let read = server.request("resources/read", json!({ "uri": uri }));
            assert!(read["contents"][0]["text"].as_str().unwrap().starts_with('#'), "{uri}: {read}");
        }
        let templates = server.request("resources/templates/list", json!({}));
        assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 3, "{templates}");
        for uri in ["brief://doc/docs/gone.md", "brief://doc/../../etc/passwd", "file:///etc/passwd", ""] {
            let id = server.send("resources/read", json!({ "uri": uri }));
            let answer = server.answer(id);
            let code = if era == Era::Modern { -32602 } else { -32002 };
            assert_eq!(answer["error"]["code"], code, "{uri}: {answer}");
        }
    }
}

#[test]
fn a_long_list_of_resources_has_pages() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..450).map(|n| format!("d{n}.md")).collect();
    for name in &names {
        sandbox.write(format!("docs/{name}"), "# D\n");
    }
    sandbox.write("docs/index.json", json!(names).to_string());
    let mut server = connect(&sandbox, Era::Modern);
    let (mut cursor, mut sizes) = (Value::Null, Vec::new());
    loop {
        let page = server.request("resources/list", if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) });
        sizes.push(page["resources"].as_array().unwrap().len());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(sizes, [200, 200, 50]);
}

/// Goals of a project are prompts once they are trusted; getting one runs nothing.
#[test]
fn trusted_goals_are_prompts_and_run_no_script() {
    let sandbox = project().file(
        ".context/goals/ship/prompt.yaml",
        "name: Ship it\ndescription: Prepares a release\nparameters:\n- name: version\n  required: true\ncontext_scripts:\n  \
         changes: touch ran-{{ Args.version }}\ncontext: docs\nprompt: |\n  Ship {{ Args.version }}: {{ Context.changes }}\n",
    );
    let mut server = connect(&sandbox, Era::Modern);
    let names = |listed: &Value| -> Vec<String> {
        listed["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
    };
    let before = server.request("prompts/list", json!({}));
    assert!(names(&before).contains(&"code-review".to_owned()) && !names(&before).contains(&"ship".to_owned()), "{before}");
    let id = server.send("prompts/get", json!({ "name": "ship", "arguments": { "version": "2" } }));
    let refused = server.answer(id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("brief trust"), "{refused}");
    let _ = sandbox.brief(["trust", "--yes"]).success();
    assert!(names(&server.request("prompts/list", json!({}))).contains(&"ship".to_owned()));
    let got = server.request("prompts/get", json!({ "name": "ship", "arguments": { "version": "2" } }));
    let text = got["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("Ship 2: [run this and use its output: touch ran-2]"), "{text}");
    assert!(text.contains("The files of this goal: docs."), "{text}");
    assert!(!sandbox.path("ran-2").exists(), "no script ran");
    let id = server.send("prompts/get", json!({ "name": "ship" }));
    assert!(server.answer(id)["error"]["message"].as_str().unwrap().contains("--version"));
}
