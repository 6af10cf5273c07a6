//! The plugin that `brief install opencode` writes, run by node.

use std::os::unix::fs::PermissionsExt;

use briefing_testkit::Sandbox;
use serde_json::Value;

/// Sends one message through the plugin and prints what it adds.
const DRIVER: &str = r#"
const { BriefPlugin } = await import(process.argv[2])
const plugin = await BriefPlugin({ directory: process.cwd() })
const output = { message: { id: "m", sessionID: "s" }, parts: [{ type: "text", text: process.argv[3] }] }
await plugin["chat.message"]({ sessionID: "s" }, output)
process.stdout.write(output.parts[1]?.text ?? "")
"#;

/// Installs the plugin; `program` replaces `brief` in it.
fn installed(sandbox: Sandbox, program: Option<&str>) -> Sandbox {
    let _ = sandbox.brief(["install", "opencode", "--yes"]).success();
    let plugin = std::fs::read_to_string(sandbox.home().join(".config/opencode/plugins/brief.js")).unwrap();
    let plugin = program.map_or(plugin.clone(), |program| plugin.replace("\"brief\"", &Value::from(program).to_string()));
    sandbox.file("~/plugin.mjs", plugin).file("~/driver.mjs", DRIVER)
}

/// Returns the context that the plugin adds to a message.
fn told(sandbox: &Sandbox, message: &str) -> String {
    let [driver, plugin] = ["driver.mjs", "plugin.mjs"].map(|name| sandbox.home().join(name));
    let output = sandbox.command("node").arg(driver).arg(plugin).arg(message).output().expect("node is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn fake(script: &str) -> Sandbox {
    let sandbox = Sandbox::new().file("~/fake", format!("#!/bin/sh\n{script}\n"));
    let program = sandbox.home().join("fake");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    installed(sandbox, Some(program.to_str().unwrap()))
}

#[test]
fn a_long_context_in_chinese_arrives_whole() {
    let line = "知識は力なり。文脈は窓の中にある。\n";
    let sandbox = installed(Sandbox::new().file(".megg/info.md", format!("# 店\n\n{}", line.repeat(1800))), None);
    let context = told(&sandbox, "hello");
    assert!(context.len() > 64 * 1024, "{}", context.len());
    assert_eq!(context.matches(line.trim_end()).count(), 1800);
    assert!(!context.contains('\u{FFFD}'));
}

#[test]
fn a_character_may_come_in_two_chunks() {
    let sandbox = fake(r#"cat >/dev/null; printf '{"context":"\346'; sleep 0.2; printf '\274\242"}'"#);
    assert_eq!(told(&sandbox, "hello"), "漢");
}

#[test]
fn a_program_that_does_not_read_its_input_does_no_harm() {
    let sandbox = fake(r#"exec <&-; printf '{"context":"fine"}'"#);
    assert_eq!(told(&sandbox, &"x".repeat(100_000)), "fine");
    assert_eq!(told(&fake("echo nonsense; exit 3"), "hello"), "");
    assert_eq!(told(&installed(Sandbox::new(), Some("/nowhere/brief")), "hello"), "");
}

#[test]
fn a_cut_emoji_in_the_message_is_no_obstacle() {
    let sandbox = installed(Sandbox::new().file(".megg/info.md", "# Shop\n\nSells things.\n"), None);
    let driver = DRIVER.replace("process.argv[3]", r#""look \ud83d here""#);
    sandbox.write("~/driver.mjs", driver);
    assert!(told(&sandbox, "").contains("Sells things."));
}
