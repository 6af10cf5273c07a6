//! What a server meets in real life: broken lines, floods, clients that vanish, projects that are deleted.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use briefing_testkit::mcp::{Era, Server};
use briefing_testkit::{Sandbox, binary};
use serde_json::json;

use crate::mcp::{ROLL_BACK, connect, project};

#[test]
fn broken_lines_cost_nothing_but_themselves() {
    let mut server = connect(&project(), Era::Modern);
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let broken: Vec<Vec<u8>> = vec![
        b"\n".to_vec(),
        b"   \n".to_vec(),
        b"nonsense\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1\n".to_vec(),
        b"\xff\xfe\x00\n".to_vec(),
        b"[]\n[1,2]\n\"text\"\n42\nnull\n".to_vec(),
        b"{}\n".to_vec(),
        b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":1,\"message\":\"x\"}}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"arguments\":\"x\"}}\n".to_vec(),
        deep.into_bytes(),
    ];
    for line in broken {
        server.write_bytes(&line);
        assert!(server.text("select", &json!({ "message": ROLL_BACK })).contains("docs/deploy.md"), "{line:?}");
    }
    assert!(server.end().success());
}

/// A line without an end must not fill the memory, and a request after it is answered.
#[test]
#[cfg(target_os = "linux")]
fn a_line_of_100_megabytes_is_dropped() {
    let mut server = connect(&project(), Era::Modern);
    server.write_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"");
    let chunk = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| server.write_bytes(&chunk));
    server.write_bytes(b"\"}}\n");
    assert!(server.text("select", &json!({ "message": ROLL_BACK })).contains("docs/deploy.md"));
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok()).unwrap();
    assert!(peak < 100 * 1024, "{peak} kB");
}

#[test]
fn unknown_methods_are_refused_and_notifications_ignored() {
    for era in [Era::Legacy, Era::Modern] {
        let mut server = connect(&project(), era);
        for method in ["tools/delete", "sampling/createMessage", "x", "", "logging/setLevel", "resources/subscribe", "tasks/get"] {
            let id = server.send(method, json!({ "uri": "x", "level": "info", "taskId": "x" }));
            let answer = server.answer(id);
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        }
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/nobody/knows", "params": {} }));
        assert_eq!(server.request("tools/list", json!({}))["tools"].as_array().unwrap().len(), 7);
    }
    let mut server = connect(&project(), Era::Modern);
    server.write(&json!({ "jsonrpc": "2.0", "id": "old", "method": "tools/list", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" }, "io.modelcontextprotocol/clientCapabilities": {} } } }));
    let refused = server.message();
    assert!(refused["error"]["data"]["supported"].as_array().is_some_and(|known| known.contains(&json!("2026-07-28"))), "{refused}");
}

#[test]
fn a_thousand_calls_in_flight_are_all_answered() {
    for era in [Era::Legacy, Era::Modern] {
        let mut server = connect(&project(), era);
        let ids: BTreeSet<u64> = (0..1_000)
            .map(|n| match n % 3 {
                0 => server.send("tools/call", json!({ "name": "select", "arguments": { "message": ROLL_BACK } })),
                1 => server.send("tools/call", json!({ "name": "read", "arguments": { "paths": ["docs/deploy.md"] } })),
                _ => server.send("resources/list", json!({})),
            })
            .collect();
        let mut answered = BTreeSet::new();
        while answered.len() < ids.len() {
            let message = server.message();
            assert!(message.get("result").is_some_and(|result| result["isError"] != true), "{message}");
            assert!(answered.insert(message["id"].as_u64().unwrap()), "twice: {message}");
        }
        assert_eq!(answered, ids);
        assert!(server.end().success());
    }
}

/// A project that takes a while to pack.
fn large() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = "some words that a tokenizer has to count, one after the other, in every file\n".repeat(200);
    (0..1_500).for_each(|n| sandbox.write(format!("src/{}/{n}.txt", n % 30), format!("{n}\n{text}")));
    sandbox
}

#[test]
fn a_cancelled_call_is_not_answered_and_stops() {
    let sandbox = large();
    for era in [Era::Legacy, Era::Modern] {
        let mut server = connect(&sandbox, era);
        let ids: Vec<u64> = (0..40)
            .map(|_| server.send("tools/call", json!({ "name": "pack", "arguments": { "paths": ["."], "budget": 900_000 } })))
            .collect();
        for id in &ids {
            server
                .write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "test" } }));
        }
        let started = Instant::now();
        let id = server.send("tools/call", json!({ "name": "maintain", "arguments": {} }));
        let answer = server.message();
        assert_eq!(answer["id"], id, "nothing else is answered: {answer}");
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(server.next_within(Duration::from_millis(500)), None);
    }
}

#[test]
fn a_long_pack_tells_how_far_it_is() {
    let sandbox = large();
    let mut server = connect(&sandbox, Era::Modern);
    let id = server.send(
        "tools/call",
        json!({ "name": "pack", "arguments": { "paths": ["."], "budget": 900_000 }, "_meta": { "progressToken": "p-1" } }),
    );
    let mut told = Vec::new();
    loop {
        let message = server.message();
        if message["id"] == id {
            assert_ne!(message["result"]["isError"], true, "{message}");
            break;
        }
        assert_eq!(
            (&message["method"], &message["params"]["progressToken"]),
            (&json!("notifications/progress"), &json!("p-1")),
            "{message}"
        );
        told.push(message["params"]["progress"].as_f64().unwrap());
        assert_eq!(message["params"]["total"], 1_500.0, "{message}");
    }
    assert!(!told.is_empty() && told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
}

/// The client dies while calls run: the server ends, and does not hang or complain.
#[test]
fn a_client_that_vanishes_ends_the_server() {
    let sandbox = large();
    let mut command = sandbox.command(binary());
    let mut child = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for id in 0..20 {
        writeln!(
            stdin,
            "{}",
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "pack", "arguments": { "paths": ["."] } } })
        )
        .unwrap();
    }
    drop(child.stdout.take());
    std::thread::sleep(Duration::from_millis(100));
    drop(stdin);
    let started = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

#[test]
fn the_server_ends_with_its_input_and_answers_what_it_has_read() {
    let sandbox = project();
    let requests: Vec<String> = (1..=20)
        .map(|id| format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "read", "arguments": { "paths": ["docs/deploy.md"] } } })))
        .collect();
    let outcome = sandbox.brief_with_input(["mcp"], requests.concat()).success();
    assert_eq!(outcome.stdout().lines().filter(|line| line.contains("Drain the canary")).count(), 20, "{outcome}");
    assert_eq!(outcome.stderr(), "");
    assert_eq!(sandbox.brief_with_input(["mcp"], "").success().stdout(), "");
}

#[test]
#[cfg(unix)]
fn a_deleted_project_is_an_error_that_says_so() {
    let sandbox = project();
    let mut server = connect(&sandbox, Era::Modern);
    assert!(server.text("select", &json!({ "message": ROLL_BACK })).contains("docs/deploy.md"));
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    for (tool, arguments) in [
        ("read", json!({ "paths": ["docs/deploy.md"] })),
        ("select", json!({ "message": "x" })),
        ("context", json!({})),
        ("pack", json!({ "paths": ["."] })),
    ] {
        let said = server.error(tool, &arguments);
        assert!(said.contains("directory is gone") && said.contains("next: "), "{tool}: {said}");
    }
    assert!(server.request("server/discover", json!({}))["instructions"].as_str().unwrap().contains("gone"));
    let id = server.send("resources/list", json!({}));
    assert!(server.answer(id)["error"]["message"].as_str().unwrap().contains("gone"));
    // The same path, made again, is the project again for a server that was started by path.
    assert!(server.end().success());
}

/// The directory that the client names counts, not the one that it happened to start the server in.
#[test]
fn the_client_says_which_project_it_is() {
    let sandbox = project();
    let root = sandbox.root().display().to_string();
    for (client, variable, value) in [
        ("claude-code", "CLAUDE_PROJECT_DIR", root.clone()),
        ("qwen-cli-mcp-client-brief", "QWEN_CODE_PROJECT_DIR", root.clone()),
        ("cursor-vscode", "WORKSPACE_FOLDER_PATHS", format!("{root},/elsewhere")),
    ] {
        for era in [Era::Legacy, Era::Modern] {
            let elsewhere = Sandbox::new().env(variable, &value);
            let mut server = Server::connect(&elsewhere, era, client, json!({}));
            assert!(server.text("select", &json!({ "message": ROLL_BACK })).contains("docs/deploy.md"), "{client}");
            // An agent that was started by another one inherits its variables.
            let mut other = Server::connect(&elsewhere, era, "codex-mcp-client", json!({}));
            assert!(other.error("select", &json!({ "message": ROLL_BACK })).contains("no index"), "{client}");
        }
    }
}

/// Settings, documents and knowledge may change while the server runs.
#[test]
fn nothing_is_remembered_of_the_project() {
    let sandbox = project();
    let mut server = connect(&sandbox, Era::Modern);
    assert!(server.text("read", &json!({ "paths": ["docs/auth.md"] })).contains("[redacted: password]"));
    sandbox.write("~/.config/brief/brief.toml", "redact = false\n");
    assert!(server.text("read", &json!({ "paths": ["docs/auth.md"] })).contains("hunter2"));
    sandbox.write("docs/index.json", r#"["new.md"]"#);
    sandbox.write("docs/new.md", "# Xylophones\n\nHow to tune a xylophone.\n");
    assert!(server.text("select", &json!({ "message": "how do I tune the xylophone?" })).contains("docs/new.md"));
}

#[test]
fn logs_go_to_stderr_and_only_on_request() {
    let sandbox = project().file("brief.toml", "nonsense = 1\n");
    let request = format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "select", "arguments": { "message": ROLL_BACK } } })
    );
    let silent = sandbox.brief_with_input(["mcp"], &request).success();
    assert_eq!(silent.stderr(), "");
    let logged = sandbox.clone().env("BRIEF_LOG", "1").brief_with_input(["mcp"], &request).success();
    assert!(logged.stderr().contains("nonsense"), "{logged}");
    assert_eq!(logged.stdout(), silent.stdout());
    let mut server = Server::start(&sandbox);
    server.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    assert_eq!(server.message()["id"], 1);
}
