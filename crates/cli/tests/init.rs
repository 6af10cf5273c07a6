//! `brief init`: from nothing to an agent that knows the project, and back.

use std::fs;
use std::path::Path;

use briefing_testkit::{Sandbox, binary};

/// A sandbox in which no agent is on PATH but those that have a directory in the home.
fn alone(sandbox: Sandbox) -> Sandbox {
    sandbox.env("PATH", binary().parent().unwrap())
}

/// A project that has a README, rules and documents.
fn shop() -> Sandbox {
    let sandbox = Sandbox::new()
        .directory(".git")
        .file("README.md", "# Shop\n\nSells small things over a slow network, and settles orders later.\n\n## Install\n\nRun it.\n")
        .file("CONTRIBUTING.md", "# Contributing\n\n## Style\n\n- Prices are integers in cents, never floats.\n- We like tea.\n")
        .file("docs/deployment.md", "# Deployment\n\nBuild an image, push it, and roll it out region by region.\n")
        .file("Makefile", "test:\n\ttrue\n")
        .file("src/main.py", "");
    alone(sandbox)
}

fn with_agents(sandbox: Sandbox) -> Sandbox {
    let _ = fs::create_dir_all(sandbox.home().join(".claude"));
    let _ = fs::create_dir_all(sandbox.home().join(".codex"));
    sandbox
}

/// Returns every file below a directory with its content.
fn tree(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_directory = path.is_dir();
        found.push((path.display().to_string(), if is_directory { Vec::new() } else { fs::read(&path).unwrap() }));
        if is_directory {
            found.extend(tree(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn one_command_from_a_readme_to_an_agent_that_is_told() {
    let sandbox = with_agents(shop());
    insta::assert_snapshot!(sandbox.brief(["init", "--yes"]), @r#"
    exit code: 0
    ----- stdout -----
    [ROOT]
    A Python project with README.md, CONTRIBUTING.md and docs/.
    Agents receive nothing here yet. On this machine: Claude Code and Codex CLI.

    brief will
      write .context/CONVENTIONS.md   a draft: commands, 1 rule from CONTRIBUTING.md
      write .context/ARCHITECTURE.md  a draft: what README.md says, 1 directory
      write .context/brief.toml       agents get these files when a session starts
      write .context/index.json       3 documents, 63 tokens
      write ~/.claude/settings.json   hooks for Claude Code
      write ~/.claude.json            MCP server for Claude Code
      write ~/.codex/hooks.json       hooks for Codex CLI
      write ~/.codex/config.toml      MCP server for Codex CLI
    `.context` because this is one project; a repository of several would get
    `.megg` domains. Read the drafts: they hold only what the project already says.

    Only if you want it:
    - show in the status line of Claude Code what it has received (`brief status`)
      brief init --with status-line

    Done. `brief init --undo` takes it back.

    What Claude Code will receive here:
      at the start of a session:
          .context/CONVENTIONS.md, .context/ARCHITECTURE.md (55 tokens)
      for the message "explain Deployment":
          docs/deployment.md (18 tokens)

    Next:
      brief preview 'explain Deployment'  shows the exact text
      brief log                           shows what your agents have received
    ----- stderr -----
    Claude Code can show in its status bar what its window holds:
    `brief status --help` has the line for it.
    Codex runs a hook only after you approve it: start `codex` and answer its
    question, or type /hooks.
    "#);
    insta::assert_snapshot!(sandbox.read(".context/CONVENTIONS.md"), @r#"
    # Conventions

    <!-- Draft by `brief init`, from Makefile and CONTRIBUTING.md.
    Read it, correct it, then delete this comment. -->

    ## Commands

    - Test: `make test`

    ## Style

    - Prices are integers in cents, never floats.
    "#);
    insta::assert_snapshot!(sandbox.read(".context/ARCHITECTURE.md"), @r#"
    # Architecture

    <!-- Draft by `brief init`, from README.md and the directories.
    Read it, correct it, then delete this comment. -->

    Sells small things over a slow network, and settles orders later.

    ## Layout

    - `src/`: Python
    "#);
    let settings = fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
    assert!(settings.contains("hook claude SessionStart"), "{settings}");
    let told = sandbox.hook(["claude", "SessionStart"], &serde_json::json!({"source": "startup"}));
    assert!(told.contains("never floats") && told.contains("make test") && told.contains("slow network"), "{told}");
    assert!(!told.contains("Draft"), "agents receive no comments: {told}");
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &serde_json::json!({})), "", "once is enough");
}

#[test]
fn running_it_again_changes_nothing_and_undo_takes_everything_back() {
    let sandbox = with_agents(shop()).file("~/.claude/settings.json", "{\n  // mine\n  \"model\": \"x\"\n}\n");
    let before = [tree(&sandbox.root()), tree(&sandbox.home())];
    let dry = sandbox.brief(["init", "--dry-run"]).success().stdout();
    assert!(dry.contains("edit  ~/.claude/settings.json"), "{dry}");
    assert_eq!(before[0], tree(&sandbox.root()), "a dry run writes nothing");
    let _ = sandbox.brief(["init", "--yes"]).success();
    let made = [tree(&sandbox.root()), tree(&sandbox.home())];
    let again = sandbox.brief(["init", "--yes"]).success().stdout();
    assert!(again.contains("`.context` is there and stays as it is. Nothing is missing."), "{again}");
    assert!(again.contains("What Claude Code will receive here:"), "{again}");
    assert_eq!(made, [tree(&sandbox.root()), tree(&sandbox.home())]);
    insta::assert_snapshot!(sandbox.brief(["init", "--undo", "--yes"]), @r#"
    exit code: 0
    ----- stdout -----
    brief will
      delete  .context/CONVENTIONS.md
      delete  .context/ARCHITECTURE.md
      delete  .context/brief.toml
      delete  .context/index.json
      restore ~/.claude/settings.json  to what it was before
      delete  ~/.claude.json
      delete  ~/.codex/hooks.json
      delete  ~/.codex/config.toml
    ----- stderr -----
    Done.
    "#);
    let cache = sandbox.home().join(".cache").display().to_string();
    let after = [tree(&sandbox.root()), tree(&sandbox.home())]
        .map(|tree| tree.into_iter().filter(|(path, _)| !path.starts_with(&cache)).collect::<Vec<_>>());
    assert_eq!(before, after);
    assert!(sandbox.brief(["init", "--undo"]).success().stderr().contains("has made nothing here"));
}

#[test]
fn what_was_changed_since_stays_and_is_named() {
    let sandbox = with_agents(shop());
    let _ = sandbox.brief(["init", "--yes"]).success();
    sandbox.write(".context/CONVENTIONS.md", "# Mine\n\n- Be kind.\n");
    let settings = sandbox.home().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap().replacen('{', "{\n  \"model\": \"y\",", 1);
    fs::write(&settings, text).unwrap();
    let undone = sandbox.brief(["init", "--undo", "--yes"]).success().stdout();
    assert!(undone.contains("keep    .context/CONVENTIONS.md  it has changed since"), "{undone}");
    assert!(undone.contains("edit    ~/.claude/settings.json"), "{undone}");
    assert_eq!(sandbox.read(".context/CONVENTIONS.md"), "# Mine\n\n- Be kind.\n");
    assert!(!sandbox.path(".context/ARCHITECTURE.md").exists());
    let left = fs::read_to_string(&settings).unwrap();
    assert!(left.contains("\"model\": \"y\"") && !left.contains("brief"), "{left}");
}

#[test]
fn hooks_that_were_there_before_stay_after_an_undo() {
    let sandbox = with_agents(shop());
    let _ = sandbox.brief(["install", "codex", "--yes"]).success();
    let _ = sandbox.brief(["init", "--yes"]).success();
    let _ = sandbox.brief(["init", "--undo", "--yes"]).success();
    assert!(sandbox.home().join(".codex/hooks.json").exists(), "`brief init` did not install them");
    // Hooks and server in one file: only what `brief init` added goes.
    let gemini = shop().file("~/.gemini/settings.json", "{}\n");
    let _ = gemini.brief(["install", "gemini", "--only", "hooks", "--yes"]).success();
    let before = fs::read_to_string(gemini.home().join(".gemini/settings.json")).unwrap();
    let _ = gemini.brief(["init", "--yes"]).success();
    assert!(fs::read_to_string(gemini.home().join(".gemini/settings.json")).unwrap().contains("mcpServers"));
    let _ = gemini.brief(["init", "--undo", "--yes"]).success();
    assert_eq!(fs::read_to_string(gemini.home().join(".gemini/settings.json")).unwrap(), before);
    assert!(!sandbox.home().join(".claude/settings.json").exists());
}

#[test]
fn rules_that_agents_load_already_are_not_written_twice() {
    let rules = "# Rules\n\n".to_owned() + &"Every change needs a test that fails without it. ".repeat(5);
    let sandbox = with_agents(shop().file("AGENTS.md", &rules).file("CLAUDE.md", "@AGENTS.md\n"));
    let text = sandbox.brief(["init", "--yes"]).success().stdout();
    assert!(text.contains("For agents it has `AGENTS.md` and `CLAUDE.md`."), "{text}");
    assert!(text.contains("No `.context`: `AGENTS.md` has the rules already"), "{text}");
    let made: Vec<_> = fs::read_dir(sandbox.path(".context")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(made, ["index.json"]);
    // A file that says nothing yet is no reason to leave the draft out.
    let bare = shop().file("CLAUDE.md", "# Claude\n");
    let text = bare.brief(["init", "--dry-run"]).success().stdout();
    assert!(text.contains(".context/CONVENTIONS.md"), "{text}");
}

#[test]
fn a_monorepo_gets_domains_and_a_line_in_gitignore() {
    let sandbox = alone(Sandbox::new())
        .directory(".git")
        .file(".gitignore", "node_modules")
        .file("README.md", "# Acme\n\nEverything that Acme runs, in one place.\n")
        .file("web/package.json", r#"{"name":"web","scripts":{"test":"x"}}"#)
        .file("web/README.md", "# Web\n\nThe shop's front, in one page.\n")
        .file("api/go.mod", "module acme/api\n")
        .file("api/README.md", "# API\n\nAnswers what the shop's front asks.\n");
    insta::assert_snapshot!(sandbox.brief(["init", "--yes"]), @r#"
    exit code: 0
    ----- stdout -----
    [ROOT]
    A directory of 2 packages with README.md.
    Agents receive nothing here yet. No supported agent was found on this machine
    (`brief install AGENT` adds the hooks later).

    brief will
      write .megg/info.md        a draft: what README.md says
      write api/.megg/info.md    a draft: what README.md says, commands
      write web/.megg/info.md    a draft: what README.md says, commands
      write .context/index.json  3 documents, 37 tokens
      edit  .gitignore           `**/.megg/state.md`: the hand-off between your
                                 sessions
    `.megg` domains because 2 packages here have a README of their own; one project
    would get `.context`. Read the drafts: they hold only what the project already
    says.

    Done. `brief init --undo` takes it back.

    What Claude Code will receive here:
      at the start of a session:
          .megg/info.md (122 tokens)
      for the message "explain API":
          api/README.md (11 tokens)

    Next:
      brief preview 'explain API'  shows the exact text
      brief log                    shows what your agents have received
    ----- stderr -----
    "#);
    assert_eq!(sandbox.read(".gitignore"), "node_modules\n**/.megg/state.md\n");
    let context = sandbox.at("web").brief(["context"]).success().stdout();
    assert!(
        context.contains("Everything that Acme runs") && context.contains("The shop's front") && context.contains("npm run test"),
        "{context}"
    );
    // Only our line goes if there are others by now.
    sandbox.write(".gitignore", "node_modules\n**/.megg/state.md\ndist\n");
    let _ = sandbox.brief(["init", "--undo", "--yes"]).success();
    assert_eq!(sandbox.read(".gitignore"), "node_modules\ndist\n");
    assert!(!sandbox.path(".megg").exists() && !sandbox.path("web/.megg").exists());
}

#[test]
fn existing_directories_win() {
    let context = shop().file(".context/CONSTITUTION.md", "- Never push.\n");
    let text = context.brief(["init", "--yes"]).success().stdout();
    assert!(text.contains("`.context` is there and stays as it is."), "{text}");
    assert!(!context.path(".context/CONVENTIONS.md").exists());
    assert!(context.path(".context/index.json").exists());
    let domain = shop().file(".megg/info.md", "# Shop\n");
    let text = domain.brief(["init", "--dry-run"]).success().stdout();
    assert!(text.contains("`.megg` is there and stays as it is."), "{text}");
    let index = shop().file("docs/index.json", r#"{"version":1,"root":"..","docs":[{"path":"docs/deployment.md"}]}"#);
    let text = index.brief(["init", "--yes"]).success().stdout();
    assert!(!index.path(".context/index.json").exists(), "{text}");
    // A domain above the project: its knowledge holds here too.
    let above = alone(Sandbox::new())
        .file(".megg/info.md", "# Company\n")
        .directory("shop/.git")
        .file("shop/README.md", "# Shop\n\nSells small things to people.\n");
    let text = above.at("shop").brief(["init", "--dry-run"]).success().stdout();
    assert!(text.contains("A `.megg` domain because there is one above it"), "{text}");
}

#[test]
fn an_empty_directory_is_told_what_to_write() {
    let text = alone(Sandbox::new()).brief(["init"]).success().stdout();
    assert!(text.contains("There is nothing to tell an agent yet: write a README.md"), "{text}");
    assert!(text.contains("No supported agent was found"), "{text}");
}

#[test]
fn it_asks_and_without_a_terminal_it_says_how() {
    let sandbox = shop();
    let outcome = sandbox.brief(["init"]).code(1);
    assert!(outcome.stdout().contains("brief will"), "{outcome}");
    assert_eq!(outcome.stderr(), "error: nothing was changed: not a terminal\nhint: `brief init --yes` does it without asking\n");
    assert!(!sandbox.path(".context").exists());
}

#[test]
fn without_a_home_it_does_what_it_can_and_says_what_it_cannot() {
    let sandbox = shop();
    let mut command = sandbox.command(binary());
    let output = command.args(["init", "--yes"]).env_remove("HOME").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(sandbox.path(".context/index.json").exists() && sandbox.path(".context/CONVENTIONS.md").exists());
    assert!(text.contains("`brief init --undo` cannot take this back"), "{text}");
    assert!(text.contains("- no home directory is known") && text.contains("  fix: set HOME"), "{text}");
    let home = Sandbox::new();
    let home = home.clone().env("HOME", home.root());
    assert!(home.brief(["init"]).code(1).stderr().contains("is your home directory, not a project"));
}

#[test]
#[cfg(unix)]
fn what_cannot_be_written_is_named_and_the_rest_is_done() {
    // The superuser may write anything, so a file stands where a directory should be.
    let sandbox = with_agents(shop()).file("~/.local/state", "a file");
    let text = sandbox.brief(["init", "--yes"]).success().stdout();
    assert!(sandbox.path(".context/index.json").exists());
    assert!(text.contains("no copy of the agents' settings can be kept in"), "{text}");
    assert!(!sandbox.home().join(".claude/settings.json").exists(), "what was there could not be restored");
    let broken = with_agents(shop()).file("~/.claude/settings.json", "{ nonsense");
    let text = broken.brief(["init", "--yes"]).success().stdout();
    assert!(text.contains("fix: correct the file, then run the same command again"), "{text}");
    assert!(broken.home().join(".codex/hooks.json").exists());
    assert_eq!(fs::read_to_string(broken.home().join(".claude/settings.json")).unwrap(), "{ nonsense");
}

#[test]
fn every_line_fits_80_columns() {
    for arguments in [["init", "--yes"], ["init", "--yes"], ["init", "--undo"]] {
        let sandbox = with_agents(shop());
        let text = sandbox.brief(arguments).stdout();
        for line in text.lines() {
            assert!(line.chars().count() <= 80 || line.contains("brief-test-"), "{line}");
        }
    }
}

#[test]
fn programs_get_the_plan_as_json() {
    let sandbox = with_agents(shop());
    let plan: serde_json::Value = serde_json::from_str(&sandbox.brief(["init", "--dry-run", "--json"]).success().stdout()).unwrap();
    assert_eq!(plan["knowledge"]["kind"], "context");
    let parts: Vec<_> = plan["changes"].as_array().unwrap().iter().map(|change| change["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["knowledge", "knowledge", "settings", "index", "agent", "agent", "agent", "agent"]);
    assert_eq!(plan["done"], false);
    let done: serde_json::Value = serde_json::from_str(&sandbox.brief(["init", "--yes", "--json"]).success().stdout()).unwrap();
    assert_eq!(done["done"], true);
}
