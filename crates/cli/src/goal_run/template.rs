//! Turns the words of a command and a prompt into an argument list, also for prompts that are too long for an argument.

use std::io::Write;

use briefing_agents::agent::PROMPT;
use briefing_core::Failure;
use tempfile::NamedTempFile;

/// The longest argument that is safe: Linux allows 128 KB including the terminating byte, Windows far less.
const MAX_ARGUMENT: usize = if cfg!(windows) { 30_000 } else { 128 * 1024 - 1 };

/// The arguments of a program, and how it receives the prompt.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) arguments: Vec<String>,
    /// Whether the prompt goes to standard input.
    pub(super) is_piped: bool,
    /// The file with the prompt. It is deleted when this is dropped.
    pub(super) file: Option<NamedTempFile>,
    /// A warning about how the prompt is sent.
    pub(super) remark: Option<&'static str>,
}

impl Invocation {
    pub(super) fn piped(arguments: Vec<String>, remark: Option<&'static str>) -> Self {
        Self { arguments, is_piped: true, file: None, remark }
    }
}

/// Returns whether a text can be one argument of a program.
pub(super) fn fits(text: &str) -> bool {
    text.len() <= MAX_ARGUMENT && !text.contains('\0')
}

/// Splits a setting into words as a shell does.
pub(super) fn split(key: &str, text: &str) -> Result<Vec<String>, Failure> {
    shlex::split(text)
        .ok_or_else(|| Failure::new(format!("`{key}` cannot be split into words: `{text}`")).hint("check for an unclosed quote"))
}

/// Replaces the placeholder with the prompt. Without a placeholder the prompt is sent on standard input.
///
/// A prompt that is too long for an argument is never cut. If the placeholder is a separate word that belongs to no flag,
/// the prompt is sent on standard input instead. Otherwise it is written to a file, and the argument asks the program to
/// read that file.
pub(super) fn fill(words: &[String], prompt: &str) -> Result<Invocation, Failure> {
    if !words.iter().any(|word| word.contains(PROMPT)) {
        return Ok(Invocation::piped(words.to_vec(), None));
    }
    let filled: Vec<String> = words.iter().map(|word| word.replace(PROMPT, prompt)).collect();
    if filled.iter().all(|word| fits(word)) {
        return Ok(Invocation { arguments: filled, is_piped: false, file: None, remark: None });
    }
    let belongs_to_flag = |index: usize| index > 0 && words[index - 1].starts_with('-') && words[index - 1] != "--";
    let is_alone = words.iter().enumerate().all(|(index, word)| {
        let is_plain_word = word == PROMPT && !belongs_to_flag(index);
        is_plain_word || !word.contains(PROMPT)
    });
    if is_alone {
        let arguments = words.iter().filter(|word| *word != PROMPT).cloned().collect();
        return Ok(Invocation::piped(arguments, Some("the prompt is too long for an argument; it is sent on standard input")));
    }
    let failed =
        |error: std::io::Error| Failure::new("the prompt is too long for an argument and cannot be written to a file").because(&error);
    let mut file = tempfile::Builder::new().prefix("brief-prompt-").suffix(".md").tempfile().map_err(failed)?;
    file.write_all(prompt.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    let instead = format!("Read the file {} and do what it says.", file.path().display());
    let arguments = words.iter().map(|word| word.replace(PROMPT, &instead)).collect();
    let remark = Some("the prompt is too long for an argument; the receiver is asked to read it from a file");
    Ok(Invocation { arguments, is_piped: false, file: Some(file), remark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split("prompt_arg_template", text).unwrap()
    }

    #[test]
    fn the_prompt_replaces_the_placeholder() {
        let filled = fill(&words("--model 'a b' --prompt={{prompt}} {{prompt}}"), "it's\n\"so\"").unwrap();
        assert_eq!(filled.arguments, ["--model", "a b", "--prompt=it's\n\"so\"", "it's\n\"so\""]);
        assert!(!filled.is_piped);
        let flags = fill(&words("-p --verbose"), "p").unwrap();
        assert!(flags.is_piped);
        assert_eq!(flags.arguments, ["-p", "--verbose"]);
        assert!(fill(&words(""), "p").unwrap().is_piped);
        assert!(split("llm_command", "open 'quote").is_err());
    }

    #[test]
    fn a_long_prompt_is_never_cut() {
        let prompt = "x".repeat(200 * 1024);
        let piped = fill(&words("--verbose run {{prompt}}"), &prompt).unwrap();
        assert!(piped.is_piped && piped.remark.is_some());
        assert_eq!(piped.arguments, ["--verbose", "run"]);
        for template in ["-i {{prompt}}", "--prompt={{prompt}}"] {
            let filled = fill(&words(template), &prompt).unwrap();
            let path = filled.file.as_ref().unwrap().path().to_path_buf();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), prompt);
            assert!(filled.arguments.concat().contains(path.to_str().unwrap()), "{:?}", filled.arguments);
            drop(filled);
            assert!(!path.exists());
        }
        let edge = "x".repeat(MAX_ARGUMENT);
        assert!(!fill(&words("{{prompt}}"), &edge).unwrap().is_piped);
    }
}
