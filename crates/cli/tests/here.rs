//! `brief` without a command.

use briefing_testkit::{Sandbox, binary};

fn alone(sandbox: Sandbox) -> Sandbox {
    sandbox.env("PATH", binary().parent().unwrap())
}

#[test]
fn outside_a_project_it_is_one_line() {
    let text = alone(Sandbox::new()).brief([""; 0]).success().stdout();
    assert_eq!(text, "No project here: `brief init` sets one up, `brief --help` lists all commands.\n");
}

#[test]
fn in_a_project_it_says_what_is_here_and_what_to_do() {
    let sandbox = alone(Sandbox::new())
        .directory(".git")
        .file("README.md", "# Shop\n\nSells small things over a slow network.\n")
        .file("~/.claude/settings.json", "{}\n");
    let bare = sandbox.brief([""; 0]).success().stdout();
    assert!(bare.contains("Here:\n  nothing yet\n"), "{bare}");
    assert!(bare.contains("  - `brief install claude` adds the hooks of Claude Code\n  - `brief init` sets this project up\n"), "{bare}");
    let _ = sandbox.brief(["init", "--yes"]).success();
    let text = sandbox.brief([""; 0]).success().stdout();
    assert!(text.contains("  .context/index.json: 1 document, up to date\n"), "{text}");
    assert!(text.contains("  .context/ARCHITECTURE.md ("), "{text}");
    assert!(text.contains("Claude Code  hooks are installed, never called so far\n"), "{text}");
    assert!(text.contains("is a draft"), "{text}");
    assert!(text.split_once("Suggestions:\n").unwrap().1.matches("  - ").count() <= 3, "{text}");
    sandbox.hook(["claude", "SessionStart"], &serde_json::json!({"source": "startup"}));
    sandbox.write("README.md", "# Shop\n\nSells other things.\n");
    let text = sandbox.brief([""; 0]).success().stdout();
    assert!(text.contains("last called 20") && text.contains("1 changed since it was made"), "{text}");
}
