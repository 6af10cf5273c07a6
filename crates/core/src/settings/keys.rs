//! The table of all settings, one row each. The commented default file, `config show`, the names of environment
//! variables and all checks come from this table; the typed fields are in `groups.rs`.

use super::choices::{Announce, ErrorMode, GateOpens, LinkMode, OnFailure, OneOf, SelectorKind};
use super::value::Value;

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    /// A whole number, zero or more.
    Count,
    Text,
    /// One of a fixed set of words.
    Choice(&'static [&'static str]),
    /// A list of strings. An environment variable separates them by commas or uses TOML syntax.
    List,
    /// One string, or a list of strings. An environment variable is written as for a list.
    OneOrMore,
    /// Names with a string each: a table in TOML. An environment variable uses `name=value,…` or TOML syntax.
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
            | (Self::List | Self::OneOrMore, Value::List(_))
            | (Self::Map, Value::Map(_)) => true,
            _ => false,
        }
    }

    /// Returns a description of the kind for error messages.
    pub fn words(self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Count => "a whole number, zero or more".into(),
            Self::Text => "a string".into(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::List => "a list of strings".into(),
            Self::OneOrMore => "a string or a list of strings".into(),
            Self::Map => "a table of strings".into(),
        }
    }
}

/// Which layers may set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Any layer, including a repository's own.
    Anyone,
    /// Any layer, but a repository's value applies only after the user has trusted the repository (`brief trust`). The
    /// command that uses the value checks this; the layers only keep the value with its origin.
    Trusted,
    /// Only the user's own layers: a repository must not decide what runs or what leaves the machine.
    UserOnly,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The name as written in `brief.toml`: section and key, joined by a dot.
    pub name: &'static str,
    pub kind: Kind,
    /// The default as a TOML value.
    pub default: &'static str,
    pub scope: Scope,
    /// Whether `claw.yaml` may also set it, under the same name.
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
    claw("max_file_size_kb", Kind::Count, "1024", "Leave out files larger than this many KB (1024 bytes)."),
    claw(
        "max_files_per_directory",
        Kind::Count,
        "50",
        "Include at most this many text files per directory, the first ones by name.\n`brief pack` has no such limit unless you set one here.",
    ),
    claw(
        "error_handling_mode",
        Kind::Choice(ErrorMode::WORDS),
        "\"flexible\"",
        "What to do about files that cannot be used: `strict` fails and lists them all,\n`flexible` asks whether to continue, `ignore` warns and continues.",
    ),
    claw(
        "excluded_directories",
        Kind::List,
        "[\".git\", \"node_modules\", \"target\", \".venv\", \"__pycache__\"]",
        "Directories to skip while walking, by name or glob. A directory given as an argument is never skipped.",
    ),
    claw(
        "excluded_extensions",
        Kind::List,
        "[\"exe\", \"bin\", \"so\", \"dylib\", \"dll\", \"o\", \"a\"]",
        "File extensions to skip while walking. A file given as an argument is never skipped.",
    ),
    anyone(
        "follow_links",
        Kind::Choice(LinkMode::WORDS),
        "\"inside\"",
        "Symbolic links found while walking: `inside` follows links to files below the argument, `never` follows none.",
    ),
    anyone("gitignore", Kind::Bool, "true", "Whether .gitignore, .git/info/exclude and git's global excludes are respected."),
    anyone("hidden", Kind::Bool, "false", "Whether to include hidden files and directories while walking."),
    anyone(
        "lock_files",
        Kind::Bool,
        "false",
        "Whether to include the lock files of package managers (Cargo.lock, package-lock.json, …) while walking.\nThe files of a goal (`brief run`) include them unless you set this to false.",
    ),
    user_only("redact", Kind::Bool, "true", "Whether to replace text that is clearly a secret by [redacted: kind]."),
    trusted(
        "receiver_type",
        "\"\"",
        "What receives the prompt of a goal: command (`llm_command`), claude, codex, gemini, openai (the API in [llm]),\ntmux:PANE or stdout. If empty: `llm_command` if it is set, otherwise claude.",
    ),
    trusted("llm_command", "\"\"", "The program that receives the prompt of a goal, with its flags, quoted as in a shell."),
    trusted(
        "prompt_arg_template",
        "\"{{prompt}}\"",
        "Additional arguments for `llm_command`. {{prompt}} is replaced by the prompt, as one argument;\nwithout it, the prompt is written to standard input.",
    ),
    anyone(
        "docs.index",
        Kind::OneOrMore,
        "[]",
        "The project's indexes of documents: one path, or a list. They must be inside the project, unless your own\nconfiguration names them. If empty: the nearest .context/index.json, docs/index.json or index.json, from the current\ndirectory upward, and docs/index.yaml and docs/*/index.yaml beside it.",
    ),
    user_only(
        "docs.global_index",
        Kind::Text,
        "\"\"",
        "The index of your own documents, available in every project. If empty: index.json next to your brief.toml.",
    ),
    anyone(
        "docs.generated",
        Kind::List,
        "[]",
        "Pages that a build generates, as globs relative to the root of the index: references to them are not broken.\nWhat .gitignore ignores counts as generated anyway.",
    ),
    anyone(
        "docs.secondary",
        Kind::List,
        "[\"*changelog*\", \"*change log*\", \"changes\", \"*release notes*\", \"releases\", \"history\", \"news\", \"announcements\", \"blog\", \"license\", \"licence\", \"licenses\", \"authors\", \"contributors\", \"acknowledgements\", \"acknowledgments\", \"*code of conduct*\", \"sponsors\", \"governance\", \"generated\"]",
        "Documents that rank below the others unless the message asks for them by these words: change logs, licences, news.\nEach is the name of a directory, a file or a title, in lower case and without its extension; `*` stands for more words.",
    ),
    anyone("docs.max_docs", Kind::Count, "3", "The maximum number of documents to add to one message."),
    anyone("docs.max_tokens", Kind::Count, "4000", "The maximum number of tokens of documents (estimated) to add to one message."),
    user_only(
        "selector.kind",
        Kind::Choice(SelectorKind::WORDS),
        "\"local\"",
        "How to choose the documents for a message: `local` works on this machine and sends nothing,\n`openai` sends the message and the paths, titles, descriptions and tags of the best candidates to the model in [llm].",
    ),
    user_only(
        "selector.on_failure",
        Kind::Choice(OnFailure::WORDS),
        "\"nothing\"",
        "What to do when that model fails or is too slow: choose `nothing`, or let `local` choose.",
    ),
    user_only("selector.timeout_ms", Kind::Count, "2000", "The maximum time for that model's answer, from connecting to the last byte."),
    anyone("goals.script_timeout_ms", Kind::Count, "60000", "Stop a goal's script after this many milliseconds."),
    anyone("goals.script_output_kb", Kind::Count, "1024", "Stop a goal's script when it prints more than this many KB."),
    user_only(
        "goals.pass_env",
        Kind::List,
        "[]",
        "Environment variables that the scripts of every goal receive although they look like secrets: [\"GH_TOKEN\"].\nA goal names its own with `pass_env`.",
    ),
    anyone("goals.answer_timeout_ms", Kind::Count, "600000", "The maximum time for the API's answer to a goal (receiver `openai`)."),
    anyone(
        "gate.directory",
        Kind::Text,
        "\"\"",
        "The directory of the core files, inside the project: `.ctx` or `docs/context`, searched from the current directory upward.\nIf empty: .context, or what CTX_DIR or `context_dir` in .ctxrc names.",
    ),
    anyone(
        "gate.opens",
        Kind::Choice(GateOpens::WORDS),
        "\"work\"",
        "When the core files come: `work` at the first use of a tool (with the first message, where the agent hides context at tools),\n`start` with the first event of a session, before anything is asked.",
    ),
    anyone(
        "gate.files",
        Kind::Map,
        "{}",
        "How individual files in .context/ are delivered: verbatim, index, mention or skip.\nKeys are plain file names: { \"RUNBOOK.md\" = \"verbatim\", \"TASKS.md\" = \"skip\" }",
    ),
    anyone(
        "instructions.files",
        Kind::List,
        "[\"AGENTS.md\"]",
        "The files with instructions that every agent should have. An agent that does not load them by itself receives them:\nthose from the project's root down to the current directory at the start, deeper ones when work first touches their directory.",
    ),
    anyone(
        "instructions.beside",
        Kind::Bool,
        "false",
        "Whether an agent that loads a file of its own instead (Claude Code: CLAUDE.md) receives them as well.",
    ),
    anyone(
        "instructions.rules",
        Kind::List,
        "[]",
        "Directories with rules of one agent that the others should have too: [\".cursor/rules\"].\nA rule with globs comes when work first touches a matching path.",
    ),
    anyone(
        "instructions.max_tokens",
        Kind::Count,
        "4000",
        "The maximum number of tokens (estimated) that touching paths may add at one event. What does not fit is named.",
    ),
    user_only(
        "domains.follow_links",
        Kind::Bool,
        "false",
        "Whether links in .megg may lead out of their repository, to files below the home directory.",
    ),
    user_only(
        "llm.base_url",
        Kind::Text,
        "\"https://api.openai.com/v1\"",
        "Any OpenAI-compatible API, up to and including its version.\nLocal servers: http://localhost:11434/v1 (Ollama), :8080/v1 (llama.cpp), :1234/v1 (LM Studio).",
    ),
    user_only("llm.model", Kind::Text, "\"gpt-5.4-nano\"", "The name of the model at that API."),
    user_only(
        "llm.key_variable",
        Kind::Text,
        "\"OPENAI_API_KEY\"",
        "The NAME of the environment variable that holds the API key; the key itself is never written to a file.\nThis default applies only to the default base_url: for another API, name its variable, or none.",
    ),
    user_only("llm.timeout_ms", Kind::Count, "30000", "The maximum time for one call, from the first step to the last byte."),
    user_only(
        "hook.deadline_ms",
        Kind::Count,
        "1500",
        "The maximum time for one hook, in milliseconds. It delivers what is ready by then.",
    ),
    anyone(
        "hook.announce",
        Kind::Choice(Announce::WORDS),
        "\"start\"",
        "When to tell the user in one line what the agent was told, where the agent can show such a line:\nat the `start` of a session, `always`, or `never`.",
    ),
    user_only(
        "receipts.repair",
        Kind::Bool,
        "true",
        "Whether to deliver again what did not reach the model, according to the agent's own transcript (at most twice).",
    ),
    user_only(
        "log.text_days",
        Kind::Count,
        "7",
        "For how many days the delivered texts are kept on this machine, without secrets, for `brief inspect`. 0 keeps none.",
    ),
    user_only("log.text_mb", Kind::Count, "20", "How many MB of them are kept at most. 0 keeps none."),
    user_only(
        "mcp.write",
        Kind::Bool,
        "false",
        "Whether agents may write knowledge, decisions and learnings through the MCP server where their client cannot ask you first.",
    ),
];

/// Returns the row of a setting.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the known name closest to `name`: one with the same last word, or at most two edits away.
pub(super) fn suggest(name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let same_last = KEYS.iter().find(|key| key.name.rsplit('.').next() == Some(last));
    same_last.map(|key| key.name).or_else(|| crate::settings::nearest(name, KEYS.iter().map(|key| key.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sections_are_contiguous() {
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
    fn a_wrong_section_or_a_typo_gets_a_suggestion() {
        assert_eq!(suggest("pack.max_file_size_kb"), Some("max_file_size_kb"));
        assert_eq!(suggest("hiden"), Some("hidden"));
        assert_eq!(suggest("something_else"), None);
    }
}
