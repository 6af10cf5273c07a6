//! Every setting there is: one row each. The commented default file, `config show`, the environment's names and the
//! checks all come from this table; the typed fields are in `groups.rs`.

use super::choices::{ErrorMode, LinkMode, OnFailure, OneOf, SelectorKind};
use super::value::Value;

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    /// A whole number of at least zero.
    Count,
    Text,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A list of texts; in the environment separated by commas, or as in TOML.
    List,
    /// Names with a text each: a table in TOML; in the environment `name=value,…`, or as in TOML.
    Map,
}

impl Kind {
    /// Returns whether a value is of this kind.
    pub fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Choice(words), Value::Text(word)) => words.contains(&word.as_str()),
            (Self::Bool, Value::Bool(_))
            | (Self::Count, Value::Count(_))
            | (Self::Text, Value::Text(_))
            | (Self::List, Value::List(_))
            | (Self::Map, Value::Map(_)) => true,
            _ => false,
        }
    }

    /// Returns the kind in words, for error messages.
    pub fn words(self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Count => "a whole number, zero or more".into(),
            Self::Text => "a text".into(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::List => "a list of texts".into(),
            Self::Map => "a table of texts".into(),
        }
    }
}

/// Who may set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Any layer, a repository's own included.
    Anyone,
    /// Any layer, but what a repository says counts only once the person has trusted it (`brief trust`). The command
    /// that uses the value asks; the layers merely keep it with its origin.
    Trusted,
    /// The person only: a repository must not decide what runs, what leaves the machine or what configures either.
    UserOnly,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The name as written in `brief.toml`, sections joined by a dot.
    pub name: &'static str,
    pub kind: Kind,
    /// The default as a TOML value.
    pub default: &'static str,
    pub scope: Scope,
    /// Whether `claw.yaml` may set it too, under the same name.
    pub in_claw: bool,
    pub doc: &'static str,
}

impl Key {
    /// Returns the name of the environment variable that sets this key.
    pub fn variable(&self) -> String {
        format!("BRIEF_{}", self.name.replace('.', "_").to_uppercase())
    }
}

const fn claw(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind, default, scope: Scope::Anyone, in_claw: true, doc }
}

const fn anyone(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind, default, scope: Scope::Anyone, in_claw: false, doc }
}

const fn trusted(name: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind: Kind::Text, default, scope: Scope::Trusted, in_claw: true, doc }
}

const fn user_only(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key { name, kind, default, scope: Scope::UserOnly, in_claw: false, doc }
}

/// All settings, in the order of the default file. Keys without a section come first.
pub const KEYS: &[Key] = &[
    claw("max_file_size_kb", Kind::Count, "1024", "Files larger than this many KB (1024 bytes) are left out."),
    claw("max_files_per_directory", Kind::Count, "50", "At most this many text files of one directory are taken, the first by name."),
    claw(
        "error_handling_mode",
        Kind::Choice(ErrorMode::WORDS),
        "\"flexible\"",
        "What a file that cannot be used means: strict fails and names all of them,\nflexible asks, ignore warns and goes on.",
    ),
    claw(
        "excluded_directories",
        Kind::List,
        "[\".git\", \"node_modules\", \"target\", \".venv\", \"__pycache__\"]",
        "Directories that are never entered, by name or glob. A directory named as an argument is entered all the same.",
    ),
    claw(
        "excluded_extensions",
        Kind::List,
        "[\"exe\", \"bin\", \"so\", \"dylib\", \"dll\", \"o\", \"a\"]",
        "Extensions that are never taken while walking. A file named as an argument is taken all the same.",
    ),
    anyone(
        "follow_links",
        Kind::Choice(LinkMode::WORDS),
        "\"inside\"",
        "Symbolic links met while walking: inside follows links to files that stay below the argument, never follows none.",
    ),
    anyone("gitignore", Kind::Bool, "true", "Whether .gitignore, .git/info/exclude and git's global excludes are honoured."),
    anyone("hidden", Kind::Bool, "false", "Whether hidden files and directories are taken while walking."),
    user_only("redact", Kind::Bool, "true", "Whether what is surely a secret is replaced by [redacted: kind]."),
    trusted(
        "receiver_type",
        "\"\"",
        "Who gets the prompt of a goal: command (`llm_command`), claude, codex, gemini, openai (the endpoint below),\ntmux:PANE or stdout. Without it: `llm_command` if that is set, else claude.",
    ),
    trusted("llm_command", "\"\"", "The program that gets the prompt of a goal, with its flags, as in a shell."),
    trusted(
        "prompt_arg_template",
        "\"{{prompt}}\"",
        "More words for `llm_command`. Where {{prompt}} stands the prompt is put, as one argument;\nwithout it the words are flags and the prompt goes to standard input.",
    ),
    anyone(
        "docs.index",
        Kind::Text,
        "\"\"",
        "The project's index of documents, inside the project.\nWithout it .context/index.json, docs/index.json and index.json are looked for, from here upward.",
    ),
    user_only(
        "docs.global_index",
        Kind::Text,
        "\"\"",
        "The index of documents that are yours in every project. Without it: index.json beside the user's brief.toml.",
    ),
    anyone("docs.max_docs", Kind::Count, "3", "At most this many documents are given to an agent for one message."),
    anyone("docs.max_tokens", Kind::Count, "4000", "At most this many tokens (estimated) of documents are given for one message."),
    user_only(
        "selector.kind",
        Kind::Choice(SelectorKind::WORDS),
        "\"local\"",
        "Who chooses the documents for a message: local (on this machine, nothing is sent)\nor openai (the model of [llm] sees the message, and paths, titles and tags of the likeliest documents).",
    ),
    user_only(
        "selector.on_failure",
        Kind::Choice(OnFailure::WORDS),
        "\"nothing\"",
        "What happens when that model fails or is too slow: nothing is chosen, or local chooses.",
    ),
    user_only("selector.timeout_ms", Kind::Count, "2000", "How long that model may take, from connecting to the last byte."),
    anyone("goals.script_timeout_ms", Kind::Count, "60000", "A script of a goal that takes longer than this many milliseconds is ended."),
    anyone("goals.script_output_kb", Kind::Count, "1024", "A script of a goal that prints more than this many KB is ended."),
    anyone("goals.answer_timeout_ms", Kind::Count, "600000", "How long the endpoint may take to answer a goal (receiver `openai`)."),
    anyone(
        "gate.files",
        Kind::Map,
        "{}",
        "How single files of .context/ go into the window: verbatim, index, mention or skip.\nKeys are plain names, core files or others: { \"RUNBOOK.md\" = \"verbatim\", \"TASKS.md\" = \"skip\" }",
    ),
    user_only(
        "llm.base_url",
        Kind::Text,
        "\"https://api.openai.com/v1\"",
        "Any OpenAI-compatible API, up to and including its version.\nLocal servers: http://localhost:11434/v1 (Ollama), :8080/v1 (llama.cpp), :1234/v1 (LM Studio).",
    ),
    user_only("llm.model", Kind::Text, "\"gpt-5.4-nano\"", "The model that is asked, by its name at that API."),
    user_only(
        "llm.key_variable",
        Kind::Text,
        "\"OPENAI_API_KEY\"",
        "The NAME of the environment variable that holds the key; the key itself stands in no file.\nThis default is used with the default base_url only: name a variable for another one, or none.",
    ),
    user_only("llm.timeout_ms", Kind::Count, "30000", "How long one call may take, from the first step to the last byte."),
    user_only(
        "hook.deadline_ms",
        Kind::Count,
        "1500",
        "A hook takes no longer than this many milliseconds; what is ready by then goes out.",
    ),
];

/// Returns the row of a setting.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the known name nearest to `name`: the same last word, or at most two edits away.
pub(super) fn suggest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let same_last = KEYS.iter().find(|key| key.name.rsplit('.').next() == Some(last));
    same_last.map(|key| key.name).or_else(|| crate::settings::nearest(name, KEYS.iter().map(|key| key.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sections_stand_together() {
        let names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        let mut sections: Vec<_> = names.iter().map(|name| name.rsplit_once('.').map_or("", |(section, _)| section)).collect();
        sections.dedup();
        let count = sections.len();
        sections.sort_unstable();
        sections.dedup();
        assert_eq!(sections.len(), count, "a section is interrupted by another");
    }

    #[test]
    fn a_wrong_section_or_a_slip_is_recognised() {
        assert_eq!(suggest("pack.max_file_size_kb"), Some("max_file_size_kb"));
        assert_eq!(suggest("hiden"), Some("hidden"));
        assert_eq!(suggest("something_else"), None);
    }
}
