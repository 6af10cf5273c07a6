//! A goal on disk: `prompt.yaml` and the files next to it. They are read once and kept in memory, so that the content
//! that was trusted is the content that is rendered.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::FileProblem;
use briefing_core::load::{Root, open_named};
use briefing_core::shown::path_text;
use briefing_core::yaml;
use serde::Deserialize;
use serde_json::Value;

/// The file that makes a directory a goal.
pub(crate) const PROMPT_FILE: &str = "prompt.yaml";
/// The largest file of a goal.
const MAX_BYTES: u64 = 1024 * 1024;
/// The largest number of files next to `prompt.yaml` and below.
const MAX_FILES: usize = 500;
/// The largest depth of directories next to `prompt.yaml`.
const MAX_DEPTH: usize = 16;

/// A goal with all its files.
#[derive(Debug, Clone)]
pub struct Goal {
    /// The name of its directory, which the user types.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// The `name` in `prompt.yaml`.
    pub title: String,
    pub description: Option<String>,
    pub parameters: Vec<Parameter>,
    /// In the order of the file.
    pub scripts: Vec<Script>,
    /// The paths to embed if the caller names none.
    pub context: Vec<String>,
    /// The environment variables that the scripts receive although they look like secrets.
    pub pass_env: Vec<String>,
    /// The prompt, a Tera template.
    pub prompt: String,
    /// The text files next to `prompt.yaml` and below, by path from there, for includes.
    pub files: BTreeMap<String, String>,
    /// The hash of `prompt.yaml` and these files.
    pub hash: blake3::Hash,
}

/// A shell command whose output is available in the prompt as `Context.<name>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub name: String,
    /// A Tera template with `Args`.
    pub command: String,
}

/// A parameter of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub description: String,
    pub is_required: bool,
    pub kind: Kind,
    pub default: Option<String>,
}

/// The type of a parameter's value. In templates, every value is a string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Text,
    Number,
    Boolean,
    /// A file or directory that exists.
    Path,
    Choice(Vec<String>),
}

impl Kind {
    /// Returns the kind's name for users, or the choices.
    pub fn words(&self) -> String {
        match self {
            Self::Text => "string".into(),
            Self::Number => "number".into(),
            Self::Boolean => "boolean".into(),
            Self::Path => "path".into(),
            Self::Choice(choices) => choices.join("|"),
        }
    }
}

/// The content of `prompt.yaml`. Unknown keys are ignored, because other programs may use them.
#[derive(Debug, Deserialize)]
struct Written {
    name: Option<String>,
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Vec<WrittenParameter>>,
    #[serde(default)]
    context_scripts: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    context: Option<OneOrMany>,
    #[serde(default)]
    pass_env: Option<OneOrMany>,
    prompt: String,
}

#[derive(Debug, Deserialize)]
struct WrittenParameter {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    required: bool,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Value>>,
    #[serde(default)]
    default: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Vec<String> {
    fn from(written: OneOrMany) -> Self {
        match written {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        }
    }
}

impl Goal {
    /// Reads the goal in a directory.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let failed = |what: String| Failure::new(format!("cannot use the goal `{name}`: {what}"));
        let file = path.join(PROMPT_FILE);
        let text = open_named(&file)
            .and_then(|opened| opened.text(MAX_BYTES))
            .map_err(|problem| failed(format!("`{}`: {problem}", path_text(&file))))?;
        // Report a mistake in the text first: it is more likely than a problem with the other files.
        parse(&text).map_err(|problem| failed(format!("`{}`{problem}", path_text(&file))))?;
        let files = beside(path).map_err(|problem| failed(format!("`{}`: {problem}", path_text(path))))?;
        Self::parse(&name, path.to_path_buf(), &text, files)
    }

    /// Makes a goal from the text of its `prompt.yaml` and the files next to it.
    pub fn parse(name: &str, path: PathBuf, text: &str, files: BTreeMap<String, String>) -> Result<Self, Failure> {
        let failed = |what: String| Failure::new(format!("cannot use the goal `{name}`: {what}"));
        let written = parse(text).map_err(|problem| failed(format!("`{PROMPT_FILE}`{problem}")))?;
        let mut hasher = blake3::Hasher::new();
        // Hash the length of each part too, so that moving text from one part to the next changes the hash.
        for part in std::iter::once(text).chain(files.iter().flat_map(|(name, text)| [name.as_str(), text])) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let mut goal = Self {
            title: written.name.unwrap_or_else(|| name.to_owned()),
            description: written.description.filter(|text| !text.trim().is_empty()),
            parameters: Vec::new(),
            scripts: Vec::new(),
            context: written.context.map(Vec::from).unwrap_or_default(),
            pass_env: written.pass_env.map(Vec::from).unwrap_or_default(),
            prompt: written.prompt,
            files,
            hash: hasher.finalize(),
            path,
            name: name.to_owned(),
        };
        if let Some(wrong) = goal.pass_env.iter().find(|name| !is_variable(name)) {
            return Err(failed(format!("`{wrong}` in `pass_env` is not the name of an environment variable")));
        }
        for parameter in written.parameters.unwrap_or_default() {
            goal.parameters.push(settle(parameter).map_err(&failed)?);
        }
        for (name, command) in written.context_scripts.unwrap_or_default() {
            let command = scalar(&command).ok_or_else(|| failed(format!("the script `{name}` is not a string")))?;
            goal.scripts.push(Script { name, command });
        }
        Ok(goal)
    }
}

/// Returns whether a text can be the name of an environment variable, in full: patterns would pass more than was shown.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Parses `prompt.yaml`. An error starts with its position: `:3:5: …`.
fn parse(text: &str) -> Result<Written, String> {
    // Only `true` and `false` are booleans: `choices: [y, n]` means the letters.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let (position, words) = yaml::problem(&error);
        format!("{position}: {words}")
    })
}

fn settle(written: WrittenParameter) -> Result<Parameter, String> {
    let name = written.name;
    let texts = |values: &[Value]| values.iter().map(scalar).collect::<Option<Vec<_>>>();
    let choices = match &written.choices {
        None => None,
        Some(choices) => {
            Some(texts(choices).ok_or_else(|| format!("a choice of the parameter `{name}` is not a string, number or boolean"))?)
        }
    };
    let kind = match (written.kind.as_deref().map(str::to_ascii_lowercase).as_deref(), choices) {
        (None | Some("choice"), Some(choices)) => Kind::Choice(choices),
        (None | Some("string" | "text"), _) => Kind::Text,
        (Some("number" | "integer" | "float"), _) => Kind::Number,
        (Some("boolean" | "bool"), _) => Kind::Boolean,
        (Some("path" | "file" | "directory"), _) => Kind::Path,
        (Some("choice"), None) => return Err(format!("the parameter `{name}` is a choice but has no `choices`")),
        (Some(other), _) => {
            return Err(format!("the parameter `{name}` has the unknown type `{other}`; use string, number, boolean, path or choice"));
        }
    };
    let default = match &written.default {
        None | Some(Value::Null) => None,
        Some(value) => {
            Some(scalar(value).ok_or_else(|| format!("the default of the parameter `{name}` is not a string, number or boolean"))?)
        }
    };
    Ok(Parameter { name, description: written.description.unwrap_or_default(), is_required: written.required, kind, default })
}

/// Returns a scalar as text, because users write `false` and `3` without quotes.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Reads the text files next to `prompt.yaml` and in the directories there. Other files are skipped.
fn beside(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let root = Root::open(path).map_err(|problem| problem.to_string())?;
    let mut files = BTreeMap::new();
    let mut directories = vec![(path.to_path_buf(), String::new(), 0)];
    while let Some((directory, prefix, depth)) = directories.pop() {
        let entries = fs::read_dir(&directory).map_err(|error| FileProblem::from(error).to_string())?;
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let full = format!("{prefix}{name}");
            if kind.is_dir() && depth < MAX_DEPTH {
                directories.push((entry.path(), format!("{full}/"), depth + 1));
            } else if kind.is_file() && full != PROMPT_FILE {
                if files.len() == MAX_FILES {
                    return Err(format!("there are more than {MAX_FILES} files next to {PROMPT_FILE} and below"));
                }
                if let Ok(text) = root.open_plain(Path::new(&full)).and_then(|opened| opened.text(MAX_BYTES)) {
                    files.insert(full, text);
                }
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Result<Goal, Failure> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(PROMPT_FILE), yaml).unwrap();
        fs::write(dir.path().join("guide.md"), "be kind").unwrap();
        fs::write(dir.path().join("logo.png"), b"\0\xff").unwrap();
        Goal::read(dir.path())
    }

    #[test]
    fn goals_of_claw_are_read_unchanged() {
        let goal = read(
            "name: Review\ndescription: Reviews a diff\nauthor: somebody\nparameters:\n  - name: style_guide\n    description: Which\n    required: false\n    type: string\n    default: \"rust\"\n  - name: verbose\n    description: More\n    required: true\n    default: false\n    type: Boolean\ncontext_scripts:\n  zebra: git diff\n  apple: |\n    git log {{ Args.n | default(value=\"3\") }}\nprompt: |\n  Hello {{ Args.style_guide }}\n",
        )
        .unwrap();
        assert_eq!((goal.title.as_str(), goal.description.as_deref()), ("Review", Some("Reviews a diff")));
        assert_eq!(
            goal.scripts.iter().map(|script| script.name.as_str()).collect::<Vec<_>>(),
            ["zebra", "apple"],
            "in the order of the file"
        );
        assert_eq!(goal.parameters[0].default.as_deref(), Some("rust"));
        assert_eq!(
            goal.parameters[1],
            Parameter {
                name: "verbose".into(),
                description: "More".into(),
                is_required: true,
                kind: Kind::Boolean,
                default: Some("false".into())
            }
        );
        assert_eq!(goal.files.keys().collect::<Vec<_>>(), ["guide.md"]);
        assert_eq!(goal.prompt, "Hello {{ Args.style_guide }}\n");
    }

    #[test]
    fn the_new_keys_are_read_too() {
        let goal =
            read("prompt: p\ncontext: src\nparameters:\n  - {name: level, choices: [low, 2], default: 2}\n  - {name: file, type: path}\n")
                .unwrap();
        assert_eq!(goal.context, ["src"]);
        assert_eq!(goal.parameters[0].kind, Kind::Choice(vec!["low".into(), "2".into()]));
        assert_eq!(goal.parameters[0].default.as_deref(), Some("2"));
        assert_eq!(goal.parameters[1].kind, Kind::Path);
        assert_eq!(read("prompt: p\ncontext: [a, b]").unwrap().context, ["a", "b"]);
        assert_eq!(read("prompt: p\npass_env: [GH_TOKEN, _x1]").unwrap().pass_env, ["GH_TOKEN", "_x1"]);
    }

    #[test]
    fn errors_name_the_position() {
        for (yaml, expected) in [
            ("name: x\n", "missing field `prompt`"),
            ("prompt: [\n", "prompt.yaml`:"),
            ("prompt: p\nparameters:\n  - {name: a, type: colour}\n", "the unknown type `colour`"),
            ("prompt: p\nparameters:\n  - {name: a, type: choice}\n", "has no `choices`"),
            ("prompt: p\nparameters:\n  - {name: a, default: [1]}\n", "is not a string, number or boolean"),
            ("prompt: p\ncontext_scripts:\n  a: [x]\n", "the script `a` is not a string"),
            ("prompt: p\npass_env: [GH_*]\n", "`GH_*` in `pass_env` is not the name of an environment variable"),
        ] {
            let message = read(yaml).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let message = read("prompt: p\nparameters:\n  - name: a\n    required: maybe\n").unwrap_err().to_string();
        assert!(message.contains("prompt.yaml`:4:"), "{message}");
    }

    #[test]
    fn every_change_changes_the_hash() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        let hash = || Goal::read(dir.path()).unwrap().hash;
        write(PROMPT_FILE, "prompt: p");
        let first = hash();
        assert_eq!(first, hash());
        write("guide.md", "a");
        let second = hash();
        assert_ne!(first, second);
        write("guide.md", "b");
        assert_ne!(second, hash());
        fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
        let third = hash();
        write("a/b/c/deep.md", "d");
        assert_ne!(third, hash(), "trust covers the whole directory");
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join(PROMPT_FILE), "prompt: p").unwrap();
        assert_eq!(first, Goal::read(copy.path()).unwrap().hash, "the path is no part of the content");
    }
}
