//! Files with instructions: what an agent loads by itself never comes, what it does not load comes once.

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

const RULES: &str = "# Rules for agents\n\nRun the linter before each commit. Deploy with the canary script.\n";
const QUESTION: &str = "how do we deploy with the canary script, and when does the linter run?";

fn project() -> Sandbox {
    Sandbox::new().file(".git/HEAD", "ref: refs/heads/main\n").file("src/api/a.rs", "").file("src/web/b.ts", "")
}

fn tool(sandbox: &Sandbox, agent: &str, event: &str, input: &Value) -> String {
    let id = blake(&input.to_string());
    sandbox.hook([agent, event], &json!({ "tool_name": "Read", "tool_input": input, "tool_use_id": id }))
}

fn blake(text: &str) -> String {
    text.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte))).to_string()
}

fn start(sandbox: &Sandbox, agent: &str) -> String {
    sandbox.hook([agent, "SessionStart"], &json!({ "source": "startup" }))
}

fn say(sandbox: &Sandbox, (agent, event): (&str, &str), message: &str) -> String {
    sandbox.hook([agent, event], &json!({ "prompt": message, "prompt_id": blake(message), "turn_id": blake(message) }))
}

const CLAUDE: (&str, &str) = ("claude", "UserPromptSubmit");
const CODEX: (&str, &str) = ("codex", "UserPromptSubmit");
const GEMINI: (&str, &str) = ("gemini", "BeforeAgent");

#[test]
fn a_file_that_the_agent_loads_is_never_selected() {
    let sandbox = project().file("CLAUDE.md", RULES).file("docs/other.md", "# Billing\n\nInvoices at the end of the month.\n");
    sandbox.brief(["index", "--all"]).success();
    assert!(sandbox.read("docs/index.json").contains("CLAUDE.md"));
    assert_eq!(say(&sandbox, CLAUDE, QUESTION), "", "Claude Code has it from the start");
    let other = say(&sandbox, CODEX, QUESTION);
    assert!(other.contains("CLAUDE.md") && other.contains("canary"), "Codex does not: {other}");
    let explained = sandbox.brief(["preview", "--explain", QUESTION]).success().stdout();
    assert!(explained.contains("CLAUDE.md: Claude Code loads it by itself"), "{explained}");
}

#[test]
fn what_a_loaded_file_imports_or_equals_is_never_injected() {
    let sandbox = project().file("CLAUDE.md", "See @docs/rules.md.\n").file("docs/rules.md", RULES).file("docs/copy.md", RULES);
    sandbox.brief(["index", "--all"]).success();
    assert!(!say(&sandbox, CLAUDE, QUESTION).contains("canary"), "imported, and a copy of what is imported");
    assert!(say(&sandbox, CODEX, QUESTION).contains("canary"));
    // Core files too.
    let sandbox = project()
        .file("CLAUDE.md", "@.context/CONSTITUTION.md\n")
        .file(".context/CONSTITUTION.md", "# Constitution\n\n- Never force-push.\n");
    let sandbox = sandbox.file(".context/CONVENTIONS.md", "# Conventions\n\n- Tabs.\n");
    let gate = sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "1" }] }));
    assert!(gate.contains("Tabs.") && !gate.contains("Never force-push"), "{gate}");
}

#[test]
fn agents_md_comes_to_an_agent_that_does_not_load_it() {
    let sandbox = project().file("AGENTS.md", RULES);
    let first = say(&sandbox, GEMINI, "hello");
    assert!(first.starts_with("=== brief: AGENTS.md (instructions that the agent does not load by itself) ==="), "{first}");
    assert_eq!(say(&sandbox, GEMINI, "hello again"), "", "once");
    for agent in ["claude", "codex", "qwen"] {
        assert_eq!(start(&sandbox, agent), "", "{agent} loads it by itself");
    }
    sandbox.write("AGENTS.md", RULES.replace("canary", "blue-green"));
    let update = say(&sandbox, GEMINI, "and now?");
    assert!(update.contains("blue-green") && update.contains("AGENTS.md"), "a change comes as an update: {update}");
    assert_eq!(sandbox.log()["sessions"].as_array().unwrap().iter().filter(|session| session["agent"] == "gemini").count(), 1);
    let why = sandbox.brief(["why", "AGENTS.md", "--agent", "gemini"]).success().stdout();
    assert!(why.replace('\n', " ").contains("does not load it by itself, so it goes in at the start"), "{why}");
}

#[test]
fn agents_md_stays_out_where_the_agent_has_its_text_already() {
    for own in ["@AGENTS.md\n\nBe kind.\n".to_owned(), format!("# For Gemini\n\n{RULES}\n\nBe kind.\n"), RULES.to_owned()] {
        let sandbox = project().file("AGENTS.md", RULES).file("GEMINI.md", own);
        assert_eq!(say(&sandbox, GEMINI, "hello"), "");
    }
    let sandbox = project().file("AGENTS.md", RULES).file(".gemini/settings.json", r#"{"context":{"fileName":["AGENTS.md","GEMINI.md"]}}"#);
    assert_eq!(say(&sandbox, GEMINI, "hello"), "", "the agent's own settings name it");
    #[cfg(unix)]
    {
        let sandbox = project().file("AGENTS.md", RULES).link("GEMINI.md", "AGENTS.md");
        assert_eq!(say(&sandbox, GEMINI, "hello"), "");
    }
}

#[test]
fn beside_claude_md_it_comes_only_where_the_user_wants_it() {
    let sandbox = project().file("AGENTS.md", RULES).file("CLAUDE.md", "Be kind.\n");
    assert_eq!(start(&sandbox, "claude"), "");
    let sandbox = project().file("AGENTS.md", RULES).file("CLAUDE.md", "Be kind.\n").file("brief.toml", "[instructions]\nbeside = true\n");
    assert!(start(&sandbox, "claude").contains("canary"));
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "1" }] })), "");
    let sandbox =
        project().file("AGENTS.md", RULES).file("CLAUDE.md", "@AGENTS.md\n").file("brief.toml", "[instructions]\nbeside = true\n");
    assert_eq!(start(&sandbox, "claude"), "", "it is imported");
}

#[test]
fn nested_instructions_come_with_the_first_touch_of_their_directory() {
    let sandbox = project().file("AGENTS.md", RULES).file("src/api/AGENTS.md", "API rules.\n").file("src/web/AGENTS.md", "Web rules.\n");
    assert_eq!(start(&sandbox, "codex"), "");
    let read = |path: &str| tool(&sandbox, "codex", "PreToolUse", &json!({ "command": format!("cat {path}") }));
    assert_eq!(read("Cargo.toml"), "");
    let first = read("src/api/a.rs");
    assert!(first.starts_with("=== brief: src/api/AGENTS.md (applies to src/api/; touched: src/api/a.rs) ==="), "{first}");
    assert!(first.contains("API rules.") && !first.contains("Web"));
    assert_eq!(read("./src/api/a.rs"), "", "once");
    assert_eq!(say(&sandbox, CODEX, "now and/or later, look at src/api/ again"), "");
    let second = say(&sandbox, CODEX, "please fix src/web/b.ts:12");
    assert!(second.contains("Web rules.") && !second.contains("API"), "a path in the message: {second}");
    // A change comes once, with the next message; what was not touched stays out.
    sandbox.write("src/api/AGENTS.md", "New API rules.\n");
    let update = say(&sandbox, CODEX, "go on");
    assert!(update.contains("New API rules.") && !update.contains("Web"), "{update}");
    assert_eq!(say(&sandbox, CODEX, "thanks"), "");
    // After compaction, the next touch brings it again.
    sandbox.hook(["codex", "SessionStart"], &json!({ "source": "compact" }));
    assert!(read("src/web/b.ts").contains("Web rules."));
    assert_eq!(read("src/web/b.ts"), "");
}

#[test]
fn claude_is_not_given_nested_files_that_it_loads_on_its_own() {
    let sandbox = project().file("src/api/AGENTS.md", "API rules.\n").file("src/web/CLAUDE.md", "Web rules.\n");
    let calls = json!({ "tool_calls": [{ "tool_use_id": "1", "tool_input": { "file_path": sandbox.path("src/api/a.rs") } }] });
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &calls), "");
}

#[test]
fn a_document_that_says_where_it_applies_comes_when_work_touches_that() {
    let scoped = "---\ntitle: Handlers\napplies_to: [\"src/api/**\"]\n---\n# Handlers\n\nEvery handler validates its input.\n";
    let sandbox = project()
        .file("docs/handlers.md", scoped)
        .file("docs/zebra.md", "# Zebra\n\nStripes.\n")
        .file("README.md", "# X\n\n[a](docs/handlers.md)\n");
    sandbox.brief(["index"]).success();
    assert!(sandbox.read("docs/index.json").contains(r#""applies_to":["src/api/**"]"#));
    let edit = |turn: &str, path: &str| {
        let calls = json!({ "tool_calls": [{ "tool_use_id": turn, "tool_input": { "file_path": sandbox.path(path), "new_string": "src/api/a.rs" } }] });
        sandbox.hook(["claude", "PostToolBatch"], &calls)
    };
    assert_eq!(edit("1", "src/web/b.ts"), "", "another path");
    let first = edit("2", "src/api/new/c.rs");
    assert!(first.starts_with("=== brief: docs/handlers.md (applies to src/api/**; touched: src/api/new/c.rs) ==="), "{first}");
    assert!(first.contains("validates") && !first.contains("applies_to:"), "without front matter: {first}");
    assert_eq!(edit("3", "src/api/a.rs"), "", "once");
    let preview = sandbox.brief(["preview", "rename the function in src/api/a.rs"]).success().stdout();
    assert!(preview.contains("touched: src/api/a.rs"), "{preview}");
    // A message that is about other paths does not select it either.
    let about = "every handler validates its input: check src/web/b.ts";
    let explained = sandbox.brief(["preview", "--explain", about]).success().stdout();
    assert!(!explained.contains("=== brief: docs/handlers.md"), "{explained}");
}

#[test]
fn rules_of_another_agent_come_where_the_user_wants_them() {
    let sandbox = project()
        .file(".cursor/rules/api.mdc", "---\ndescription: x\nglobs: src/api/**\nalwaysApply: false\n---\nAPI rule.\n")
        .file(".cursor/rules/all.mdc", "---\nalwaysApply: true\n---\nRule for all.\n");
    assert_eq!(start(&sandbox, "claude"), "");
    sandbox.write("brief.toml", "[instructions]\nrules = [\".cursor/rules\"]\n");
    let sandbox = sandbox.at(".");
    let first = sandbox.hook(["codex", "SessionStart"], &json!({ "source": "startup" }));
    assert!(first.contains("Rule for all.") && !first.contains("API rule."), "{first}");
    let touched = tool(&sandbox, "codex", "PreToolUse", &json!({ "command": "sed -n 1p src/api/a.rs" }));
    assert!(touched.contains("API rule.") && touched.contains("applies to src/api/**"), "{touched}");
    assert_eq!(sandbox.hook(["cursor", "sessionStart"], &json!({})), "", "it has them from the start");
}

#[test]
fn what_exceeds_the_budget_is_named() {
    let sandbox = project().file("src/api/AGENTS.md", "word ".repeat(5000)).file("brief.toml", "[instructions]\nmax_tokens = 100\n");
    let text = tool(&sandbox, "codex", "PreToolUse", &json!({ "command": "cat src/api/a.rs" }));
    assert!(text.contains("`src/api/AGENTS.md` (6250 tokens) applies to `src/api/`. Read it before you work there."), "{text}");
    assert!(!text.contains("word word"));
    assert_eq!(tool(&sandbox, "codex", "PreToolUse", &json!({ "command": "head src/api/a.rs" })), "", "once");
}

/// A project that has both files, on a machine with these agents.
fn both(agents: &[&str]) -> Sandbox {
    let sandbox = project()
        .file("AGENTS.md", RULES.repeat(6))
        .file("CLAUDE.md", "Be kind.\n")
        .env("PATH", briefing_testkit::binary().parent().unwrap());
    for agent in agents {
        std::fs::create_dir_all(sandbox.home().join(agent)).unwrap();
    }
    sandbox
}

#[test]
fn init_offers_agents_md_and_the_status_line_and_takes_them_back() {
    let sandbox = both(&[".claude"]);
    let plain = sandbox.brief(["init", "--yes"]).success().stdout();
    assert!(plain.contains("brief init --with agents-md") && plain.contains("brief init --with status-line"), "{plain}");
    assert!(!sandbox.path("brief.toml").exists() && start(&sandbox, "claude").is_empty(), "off until the user wants it");
    let wanted = sandbox.brief(["init", "--yes", "--with", "agents-md", "--with", "status-line"]).success().stdout();
    assert!(wanted.contains("brief.toml") && !wanted.contains("--with"), "{wanted}");
    let settings = || std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap_or_default();
    assert!(settings().contains("\"statusLine\"") && settings().contains("brief status"), "{}", settings());
    assert!(sandbox.read("brief.toml").contains("beside = true"));
    let first = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup", "session_id": "another" }));
    assert!(first.contains("canary"), "{first}");
    let again = sandbox.brief(["init", "--yes", "--with", "agents-md", "--with", "status-line"]).success().stdout();
    assert!(again.contains("Nothing is missing."), "{again}");
    let _ = sandbox.brief(["init", "--undo", "--yes"]).success();
    assert!(!sandbox.path("brief.toml").exists() && !settings().contains("statusLine"), "{}", settings());
}

#[test]
fn the_status_line_is_installed_and_removed_like_hooks() {
    let sandbox = both(&[".claude"]).file("~/.claude/settings.json", "{\n  // mine\n  \"model\": \"x\"\n}\n");
    let before = std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    let diff = sandbox.brief(["install", "claude", "--only", "status-line", "--yes"]).success();
    assert!(diff.stdout().contains("+  \"statusLine\"") && diff.stderr().contains("Claude Code: status line installed"), "{diff}");
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    let removed = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    assert!(removed.stderr().contains("hooks and status line removed"), "{removed}");
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), before);
    sandbox.write(sandbox.home().join(".claude/settings.json"), r#"{"statusLine":{"type":"command","command":"mine.sh"}}"#);
    let taken = sandbox.brief(["install", "claude", "--only", "status-line", "--yes"]).code(1);
    assert!(taken.stderr().contains("call `brief status` from it"), "{taken}");
}

#[test]
fn init_and_doctor_say_which_agent_loads_the_same_text_twice() {
    let sandbox = both(&[".copilot", ".gemini"]);
    sandbox.write("CLAUDE.md", RULES.repeat(6));
    let text = sandbox.brief(["init", "--dry-run"]).success().stdout().replace('\n', " ");
    assert!(text.contains("GitHub Copilot CLI loads AGENTS.md and CLAUDE.md, which have the same text: it reads that 2 times."), "{text}");
    let checks = sandbox.brief(["doctor", "--json"]).stdout();
    assert!(checks.contains("AGENTS.md, CLAUDE.md have the same text, and GitHub Copilot CLI loads all of them"), "{checks}");
    assert!(checks.contains("loads none by itself, receives AGENTS.md"), "Gemini: {checks}");
}
