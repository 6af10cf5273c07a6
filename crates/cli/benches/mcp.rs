//! Measures the MCP server from its start to its first answer: `cargo bench -p briefing --bench mcp`.
//!
//! The candidates take turns in one run on one machine. They are compared with a process that starts the same runtime, reads
//! a line and writes it back, and with an empty process. `--check` makes a missed target an error.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::bench::{Row, empty_program, measured, median, millis, print, time};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

const ROUNDS: usize = 200;
/// Makes this program the one to compare with.
const ECHO: &str = "--echo-one-line";

fn main() {
    if std::env::args().any(|word| word == ECHO) {
        return echo();
    }
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = empty_program(place.path());
    let brief = measured(env!("CARGO_BIN_EXE_brief"));
    let project = project(place.path());
    let echo = || {
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.arg(ECHO);
        command
    };
    let server = || {
        let mut command = Command::new(&brief);
        command.arg("mcp").env_clear().env("HOME", place.path()).current_dir(&project);
        command
    };
    let discover = modern("server/discover", json!({}));
    let initialize = request(
        "initialize",
        &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } }),
    );
    let read = modern("tools/call", json!({ "name": "read", "arguments": { "paths": ["docs/12.md"] } }));
    let select = modern("tools/call", json!({ "name": "select", "arguments": { "message": "how do I roll back the release?" } }));
    let list = modern("tools/list", json!({}));
    // What is prepared once is prepared now.
    first_answer(server(), &select);
    let mut columns: Vec<Vec<Duration>> = vec![Vec::new(); 7];
    for _ in 0..ROUNDS {
        columns[0].push(time((Command::new(&empty), String::new())));
        columns[1].push(first_answer(echo(), &discover));
        for (column, request) in [&discover, &initialize, &list, &read, &select].into_iter().enumerate() {
            columns[column + 2].push(first_answer(server(), request));
        }
    }
    println!("start of the runtime, one line back: {:.2} ms", millis(median(&columns[1])));
    println!("as multiples of that instead of an empty process:");
    print(
        &columns[1],
        &[
            Row { name: "brief mcp, first answer to server/discover", target: Some(3.0), times: &columns[2] },
            Row { name: "brief mcp, first answer to initialize", target: Some(3.0), times: &columns[3] },
            Row { name: "brief mcp, tools/list as the first request", target: Some(3.0), times: &columns[4] },
            Row { name: "brief mcp, read as the first request", target: None, times: &columns[5] },
            Row { name: "brief mcp, select among 100 documents as the first request", target: None, times: &columns[6] },
        ],
    );
    print(
        &columns[0],
        &[
            Row { name: "start of the runtime, one line back", target: None, times: &columns[1] },
            Row { name: "brief mcp, first answer to server/discover", target: None, times: &columns[2] },
        ],
    );
}

/// Starts the runtime of the server, reads a line and writes it back.
fn echo() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut line = String::new();
        tokio::io::BufReader::new(tokio::io::stdin()).read_line(&mut line).await.expect("a line");
        let mut output = tokio::io::stdout();
        output.write_all(line.as_bytes()).await.expect("a reader");
        output.flush().await.expect("a reader");
    });
    runtime.shutdown_background();
}

/// Times a server from its start until its first line.
fn first_answer(mut command: Command, request: &str) -> Duration {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let (mut input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    input.write_all(request.as_bytes()).expect("it reads");
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).expect("it answers");
    let took = begin.elapsed();
    assert!(line.starts_with('{') && !line.contains("\"error\":{") && !line.contains("\"isError\":true"), "{line}");
    drop(input);
    child.wait().expect("a child can be waited for");
    took
}

fn request(method: &str, parameters: &Value) -> String {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters }))
}

fn modern(method: &str, mut parameters: Value) -> String {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(method, &parameters)
}

/// A project with a domain, core files and 100 documents.
fn project(place: &Path) -> std::path::PathBuf {
    let root = place.join("project");
    let write = |path: &str, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write(".megg/info.md", "# Shop\n\nSells things.\n".into());
    write(".megg/knowledge.md", "## 2026-11-01 - Tabs\n**Type:** rule\n**Topics:** style\n\nTabs everywhere.\n".repeat(20));
    write(".context/CONSTITUTION.md", "# Constitution\n\n- Never push on Fridays\n".into());
    let names: Vec<String> = (0..100).map(|number| format!("{number}.md")).collect();
    for name in &names {
        write(&format!("docs/{name}"), format!("# Document {name}\n\n{}", "How a release is rolled out and rolled back.\n".repeat(40)));
    }
    write("docs/index.json", json!(names).to_string());
    root
}
