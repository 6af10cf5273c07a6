//! The plugins that `brief system plugins` writes. That the real clients take them is in `tests/clients/plugins.rs`.

use std::fs;

use briefing_testkit::Sandbox;

#[test]
fn plugins_are_written_into_an_empty_directory_only() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["system", "plugins", "out"]).success();
    assert!(sandbox.path("out/claude/hooks/hooks.json").is_file() && sandbox.path("out/.agents/plugins/marketplace.json").is_file());
    let again = sandbox.brief(["system", "plugins", "out"]).code(1);
    assert!(again.stderr().contains("error: `out` is not empty\nhint: name a new directory"), "{again}");
}

/// Returns the commands in a skill: what is in backticks and begins with `brief`.
fn commands(skill: &str) -> Vec<Vec<&str>> {
    let code = skill.split('`').skip(1).step_by(2);
    code.filter_map(|code| code.strip_prefix("brief ")).map(|words| words.split(' ').collect()).collect()
}

#[test]
fn every_command_and_flag_of_the_skill_exists() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["system", "plugins", "out"]).success();
    let skill = fs::read_to_string(sandbox.path("out/claude/skills/brief/SKILL.md")).unwrap();
    let commands = commands(&skill);
    assert!(commands.len() > 8, "{commands:?}");
    for words in commands.iter().filter(|words| words[0] != "COMMAND") {
        let names: Vec<&str> = words.iter().copied().take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).collect();
        let help = sandbox.brief(names.iter().copied().chain(["--help"])).success();
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.stdout().contains(*flag), "{words:?}: {help}");
        }
    }
    // Its description is in every request, the rest only when an agent opens it.
    let description = skill.lines().find(|line| line.starts_with("description: ")).unwrap();
    assert!(description.len() < 400 && skill.len() < 2_500, "{} of {}", description.len(), skill.len());
}

#[test]
fn the_documentation_has_the_commands_of_the_table() {
    let page = include_str!("../../../docs/plugins.md");
    for plugins in briefing_agents::AGENTS.iter().filter_map(|agent| agent.plugins) {
        for command in plugins.layout.install {
            assert!(page.contains(&format!("`{command}`")), "{command}");
        }
    }
}
