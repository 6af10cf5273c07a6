//! The receiver of a goal's prompt, as the settings define it.

mod deliver;

pub(crate) use deliver::Answer;

use std::io::{IsTerminal, stdin, stdout};

use briefing_agents::agent::Prompting;
use briefing_agents::{AGENTS, Agent, USUAL, find};
use briefing_core::Failure;
use briefing_core::settings::{Origin, ReceiverSettings, Settings, nearest};

use super::template::{self, Invocation};

/// A program, endpoint or pane that receives prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// A program with its arguments, which may contain the placeholder.
    Command(Vec<String>),
    /// An agent's program. It needs no template: the agent's row defines how it takes a prompt.
    Agent {
        prompting: Prompting,
        program: Vec<String>,
    },
    /// The OpenAI-compatible endpoint of the settings.
    Endpoint,
    /// A pane of tmux.
    Pane(String),
    Stdout,
}

/// Returns the valid values of `receiver_type`.
fn names() -> Vec<&'static str> {
    let agents = AGENTS.iter().filter(|agent| agent.prompting.is_some()).map(|agent| agent.name);
    ["command"].into_iter().chain(agents).chain(["openai", "stdout", "tmux:PANE"]).collect()
}

impl Receiver {
    /// Returns the receiver that the settings name.
    pub(crate) fn of(settings: &Settings) -> Result<Self, Failure> {
        let ReceiverSettings { receiver_type, llm_command, prompt_arg_template } = &settings.receiver;
        let asked = receiver_type.value.trim();
        let command = template::split("llm_command", &llm_command.value)?;
        let lower = asked.to_ascii_lowercase();
        if let Some(pane) = asked.strip_prefix("tmux:").map(str::trim).filter(|pane| !pane.is_empty()) {
            return Ok(Self::Pane(pane.to_owned()));
        }
        let arguments = || template::split("prompt_arg_template", &prompt_arg_template.value);
        let has_own_template = !prompt_arg_template.is_default();
        match lower.as_str() {
            // The two kinds of claw. With `ClaudeCli`, `llm_command` may name another program or the path of claude.
            "claudecli" if !has_own_template || prompt_arg_template.value.trim().is_empty() => {
                Ok(Self::agent(USUAL, command).expect("the usual agent takes prompts"))
            }
            "" | "generic" | "command" if command.is_empty() && !has_own_template => {
                Ok(Self::agent(USUAL, command).expect("the usual agent takes prompts"))
            }
            "claudecli" | "" | "generic" | "command" => {
                Ok(Self::Command(program_or(USUAL, command).into_iter().chain(arguments()?).collect()))
            }
            "openai" => Ok(Self::Endpoint),
            "stdout" => Ok(Self::Stdout),
            name => {
                let agent = find(name).and_then(|agent| Self::agent(agent, Vec::new()));
                agent.ok_or_else(|| unknown(asked, &receiver_type.origin.place))
            }
        }
    }

    /// Returns an agent as a receiver, with its own program unless another one is given. `None` if it takes no prompts.
    fn agent(agent: &Agent, program: Vec<String>) -> Option<Self> {
        Some(Self::Agent { prompting: agent.prompting?, program: program_or(agent, program) })
    }

    pub(crate) fn is_program(&self) -> bool {
        matches!(self, Self::Command(_) | Self::Agent { .. })
    }

    /// Returns the origins of the settings that define this receiver. Those that come from a project need trust.
    pub(crate) fn origins<'a>(&self, settings: &'a Settings) -> Vec<&'a Origin> {
        let ReceiverSettings { receiver_type, llm_command, prompt_arg_template } = &settings.receiver;
        match self {
            Self::Command(_) | Self::Agent { .. } => vec![&receiver_type.origin, &llm_command.origin, &prompt_arg_template.origin],
            Self::Endpoint | Self::Pane(_) | Self::Stdout => vec![&receiver_type.origin],
        }
    }

    /// Describes where a prompt would be sent.
    pub(crate) fn words(&self, prompt: &str) -> Result<String, Failure> {
        Ok(match self {
            Self::Stdout => "standard output".into(),
            Self::Pane(pane) => format!("the tmux pane `{pane}`"),
            Self::Endpoint => "the endpoint of `llm.base_url`".into(),
            Self::Command(_) | Self::Agent { .. } => {
                let (program, invocation) = self.invocation(prompt, is_talking())?;
                let shown = invocation.arguments.iter().map(|word| if fits_a_line(word, prompt) { word.clone() } else { "PROMPT".into() });
                let words: Vec<_> = std::iter::once(program).chain(shown).collect();
                let words = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "));
                if invocation.is_piped { format!("{words} < PROMPT") } else { words }
            }
        })
    }

    /// Returns the program and its arguments. Panics for receivers that are not programs.
    fn invocation(&self, prompt: &str, is_talking: bool) -> Result<(String, Invocation), Failure> {
        let owned = |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
        match self {
            Self::Command(words) => {
                let (program, arguments) = words.split_first().ok_or_else(|| Failure::new("`llm_command` is empty"))?;
                Ok((program.clone(), template::fill(arguments, prompt)?))
            }
            Self::Agent { prompting, program } => {
                let (program, flags) = program.split_first().expect("it has a name");
                // A prompt that starts with a dash would be parsed as a flag, and a single word might be parsed as a subcommand.
                let is_plain = !prompt.starts_with('-') && prompt.contains(char::is_whitespace);
                let can_talk = is_talking && is_plain && template::fits(prompt);
                let words = [flags, &owned(if can_talk { prompting.talking } else { prompting.piped })].concat();
                if can_talk {
                    return Ok((program.clone(), template::fill(&words, prompt)?));
                }
                let remark =
                    is_talking.then_some("the prompt cannot be an argument; it is sent on standard input, and the answer is printed");
                Ok((program.clone(), Invocation::piped(words, remark)))
            }
            Self::Endpoint | Self::Pane(_) | Self::Stdout => unreachable!("only programs are invoked"),
        }
    }
}

/// Returns whether both standard input and output are terminals.
fn is_talking() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

fn fits_a_line(word: &str, prompt: &str) -> bool {
    prompt.is_empty() || !word.contains(prompt)
}

/// Returns the words of a command, or the agent's own program if there are none.
fn program_or(agent: &Agent, words: Vec<String>) -> Vec<String> {
    if words.is_empty() { vec![agent.program.to_owned()] } else { words }
}

fn unknown(asked: &str, place: &str) -> Failure {
    let failure = Failure::new(format!("unknown receiver `{asked}` ({place})"));
    let failure = match nearest(&asked.to_ascii_lowercase(), names().into_iter()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    };
    failure.hint(format!("`receiver_type` is one of {}", names().join(", ")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use briefing_core::settings::{Layer, LayerKind};

    use super::*;

    fn receiver(toml: &str) -> Result<Receiver, Failure> {
        let layers = vec![Layer::defaults(), Layer::from_toml(LayerKind::User, Path::new("brief.toml"), toml)];
        Receiver::of(&Settings::resolve(layers).0)
    }

    fn invoked(toml: &str, prompt: &str, is_talking: bool) -> (Vec<String>, bool) {
        let (program, invocation) = receiver(toml).unwrap().invocation(prompt, is_talking).unwrap();
        (std::iter::once(program).chain(invocation.arguments).collect(), invocation.is_piped)
    }

    #[track_caller]
    fn assert_invoked(toml: &str, is_talking: bool, expected: &[&str], is_piped: bool) {
        let (words, piped) = invoked(toml, "P q", is_talking);
        assert_eq!(words, expected, "{toml}");
        assert_eq!(piped, is_piped, "{toml}");
    }

    #[test]
    fn settings_name_the_receiver() {
        assert_invoked("", true, &["claude", "P q"], false);
        assert_invoked("", false, &["claude", "-p"], true);
        assert_invoked("llm_command = 'my llm'", true, &["my", "llm", "P q"], false);
        assert_invoked("llm_command = 'x'\nprompt_arg_template = ''", true, &["x"], true);
        assert_invoked("llm_command = 'x'\nprompt_arg_template = '-q --p={{prompt}}'", false, &["x", "-q", "--p=P q"], false);
        assert_invoked("receiver_type = 'Generic'\nllm_command = 'x'", false, &["x", "P q"], false);
        assert_invoked(
            "receiver_type = 'ClaudeCli'\nllm_command = '/opt/claude'\nprompt_arg_template = ''",
            false,
            &["/opt/claude", "-p"],
            true,
        );
        assert_invoked("receiver_type = 'codex'\nllm_command = 'x'", false, &["codex", "exec", "--skip-git-repo-check", "-"], true);
        assert_invoked("receiver_type = 'gemini'", true, &["gemini", "-i", "P q"], false);
        assert_eq!(receiver("receiver_type = 'tmux:work:1.0'").unwrap(), Receiver::Pane("work:1.0".into()));
        assert_eq!(receiver("receiver_type = 'openai'").unwrap(), Receiver::Endpoint);
        assert_eq!(receiver("receiver_type = 'stdout'").unwrap(), Receiver::Stdout);
        let failure = receiver("receiver_type = 'stdou'").unwrap_err();
        assert_eq!(failure.hints()[0], "did you mean `stdout`?");
        assert!(receiver("receiver_type = 'tmux:'").is_err());
    }

    #[test]
    fn what_cannot_be_an_argument_is_piped() {
        for prompt in ["- a list".to_owned(), "x".repeat(200_000)] {
            assert_eq!(invoked("", &prompt, true), (vec!["claude".to_owned(), "-p".to_owned()], true));
        }
    }
}
