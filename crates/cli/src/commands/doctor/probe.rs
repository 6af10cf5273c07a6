//! Runs the command that is configured, through the shell that the agent uses, and checks its answer. Only the part that
//! hides a failure is left out. On Windows, where that shell differs between agents and there may be no `sh`, the command's
//! program is started directly.
//!
//! It is run in a directory of its own with a store of its own, on a session that does not exist: nothing is touched.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_agents::agent::{Agent, Shape};
use briefing_agents::install::recipe::{audible, call, own_words};
use serde_json::{Value, json};

use super::{Check, Verdict};

const MARK: &str = "brief-doctor-was-here";
const PATIENCE: Duration = Duration::from_secs(5);

/// The variables by which the command of a plugin may name the plugin's directory.
const PLUGIN_ROOTS: [&str; 3] = ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "extensionPath"];

/// Runs one command of every event that carries context. `root` is the directory of the plugin that has them, if any.
pub(super) fn answers(agent: &Agent, commands: &[String], root: Option<&Path>, fix: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    for event in agent.events.iter().filter(|event| event.carries) {
        let is_for_it = |command: &&String| own_words(agent, command).is_some_and(|words| words.first() == Some(&event.name));
        let Some(command) = commands.iter().find(is_for_it) else { continue };
        let what = format!("answers {}", event.name);
        checks.push(match ask(agent, command, root) {
            Ok(took) => Check::new(agent.name, &what, Verdict::Good, format!("in {:.1} ms", took.as_secs_f64() * 1000.0)),
            Err(problem) => Check::new(agent.name, &what, Verdict::Broken, format!("`{command}`: {problem}")).fix(fix),
        });
    }
    checks
}

fn ask(agent: &Agent, command: &str, root: Option<&Path>) -> Result<Duration, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (project, state) = (directory.path().join("project"), directory.path().join("state"));
    fs::create_dir_all(project.join(".megg")).and_then(|()| fs::create_dir(&state)).map_err(|error| error.to_string())?;
    fs::write(project.join(".megg/info.md"), format!("# {MARK}\n")).map_err(|error| error.to_string())?;
    let fields = &agent.fields;
    let cwd = if fields.cwd_is_list { json!([project]) } else { json!(project) };
    let payload = json!({ fields.session: "brief-doctor", fields.cwd: cwd, fields.message: "Does it work?" });
    let started = Instant::now();
    let mut process = if cfg!(windows) { direct(command, root) } else { in_shell(command, root) };
    // The doctor may itself be run by another agent.
    for variable in agent.foreign {
        process.env_remove(variable);
    }
    let mut child = process
        .current_dir(&project)
        .env("XDG_STATE_HOME", &state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(payload.to_string().as_bytes()));
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("no answer in 5 seconds".into());
            }
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    };
    let took = started.elapsed();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let _ = child.stdout.take().map(|mut pipe| pipe.read_to_string(&mut stdout));
    let _ = child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut stderr));
    if !status.success() {
        return Err(format!("it exited with {status}: {}", stderr.trim()));
    }
    let object: Value = serde_json::from_str(&stdout).map_err(|_| "it printed no JSON object".to_owned())?;
    let context = match agent.shape {
        Shape::Nested { .. } => object.pointer("/hookSpecificOutput/additionalContext"),
        Shape::Flat => object.get("additionalContext"),
        Shape::FlatSnake => object.get("additional_context"),
        Shape::Plain => object.get("context"),
    };
    match context.and_then(Value::as_str) {
        Some(context) if context.contains(MARK) => Ok(took),
        _ => Err("its answer does not contain the context".into()),
    }
}

fn in_shell(command: &str, root: Option<&Path>) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", audible(command)]);
    for variable in PLUGIN_ROOTS {
        root.map(|root| shell.env(variable, root));
    }
    shell
}

fn direct(command: &str, root: Option<&Path>) -> Command {
    let (mut program, words) = call(command).unwrap_or_else(|| (command.to_owned(), Vec::new()));
    for variable in PLUGIN_ROOTS {
        let root = root.map(|root| root.display().to_string()).unwrap_or_default();
        program = program.replace(&format!("${{{variable}}}"), &root);
    }
    let mut process = Command::new(program);
    process.args(words);
    process
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_shell_the_program_is_started_with_its_words() {
        for (command, expected) in [
            (r"'C:\my tools\brief.exe' hook claude SessionStart 2", r"C:\my tools\brief.exe"),
            ("brief hook claude SessionStart 2 2>/dev/null || true", "brief"),
            ("${CLAUDE_PLUGIN_ROOT}/bin/brief hook claude SessionStart 2", "/plugin/bin/brief"),
        ] {
            let process = direct(command, Some(Path::new("/plugin")));
            assert_eq!(process.get_program(), expected);
            assert_eq!(process.get_args().collect::<Vec<_>>(), ["hook", "claude", "SessionStart", "2"], "{command}");
        }
    }
}
