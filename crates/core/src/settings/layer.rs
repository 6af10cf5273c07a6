//! One source of settings: a TOML file, a `claw.yaml`, the environment or the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, KEYS, Kind, Scope};
use super::value::Value;
use crate::fs;
use crate::project::{Ceiling, SETTINGS_FILES, is_users_own, upward};
use crate::shown::path_text;
use crate::yaml;

/// Where a value can come from, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerKind {
    Default,
    ClawUser,
    User,
    ClawProject,
    CtxProject,
    Project,
    Environment,
    Flag,
}

impl LayerKind {
    /// Returns whether the user controls this source, and not the author of the repository.
    pub fn is_the_persons(self) -> bool {
        !matches!(self, Self::ClawProject | Self::CtxProject | Self::Project)
    }
}

/// Where a value was set: the kind of source and the exact place (`brief.toml:3`, `BRIEF_HIDDEN`, `--hidden`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    pub source: LayerKind,
    pub place: String,
}

/// One value and where it was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    pub key: &'static str,
    pub value: Value,
    pub origin: Origin,
}

/// A problem in a settings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ConfigProblem {
    pub place: String,
    pub problem: String,
    pub hint: Option<ConfigHint>,
    /// Whether the problem leaves a setting undecided. Settings that are merely unused are not errors.
    pub is_error: bool,
}

/// What to do about a problem in a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigHint {
    /// This name may be meant.
    Spelling(&'static str),
    MoveToUserFile,
    KeepOneFile,
}

impl ConfigHint {
    /// Returns the hint for the user with these places.
    pub fn words(self, places: &Places) -> String {
        match (self, places.user_file()) {
            (Self::Spelling(near), _) => format!("did you mean `{near}`?"),
            (Self::MoveToUserFile, Some(file)) => format!("move it to `{}`", path_text(&file)),
            (Self::MoveToUserFile, None) => "your own configuration needs a home directory; set HOME or XDG_CONFIG_HOME".into(),
            (Self::KeepOneFile, _) => "keep only one of them".into(),
        }
    }
}

/// The values of one source, and its problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layer {
    pub values: Vec<KeyValue>,
    pub problems: Vec<ConfigProblem>,
}

/// The variable in which another tool has the gate's directory.
const CTX_DIR: &str = "CTX_DIR";
const GATE_DIRECTORY: &str = "gate.directory";

impl Layer {
    /// Returns the layer of built-in defaults.
    pub fn defaults() -> Self {
        let mut layer = Self::default();
        for key in KEYS {
            let text = format!("value = {}", key.default);
            let table = DeTable::parse(&text).expect("defaults are valid TOML");
            let value = toml_value(key.kind, table.get_ref()["value"].get_ref()).expect("defaults have their key's kind");
            let origin = Origin { source: LayerKind::Default, place: "default".into() };
            layer.values.push(KeyValue { key: key.name, value, origin });
        }
        layer
    }

    /// Adds a value given on the command line.
    pub fn flag(&mut self, key: &'static str, flag: &str, value: impl Into<Value>) {
        let value = value.into();
        debug_assert!(keys::find(key).is_some_and(|key| key.kind.accepts(&value)), "{value:?} cannot be the value of `{key}`");
        self.values.push(KeyValue { key, value, origin: Origin { source: LayerKind::Flag, place: flag.into() } });
    }

    /// Reads a `brief.toml`. A file that is not valid TOML results in an empty layer with a problem.
    pub fn from_toml(source: LayerKind, path: &Path, text: &str) -> Self {
        let mut layer = Self::default();
        let file = path_text(path);
        match DeTable::parse(text) {
            Ok(table) => layer.add_table(source, &file, text, "", table.get_ref()),
            Err(error) => {
                let line = error.span().map_or(1, |span| line_of(text, span.start));
                layer.problem(format!("{file}:{line}"), format!("not valid TOML: {}", error.message()));
            }
        }
        layer
    }

    fn add_table(&mut self, source: LayerKind, file: &str, text: &str, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let full = if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            let place = format!("{file}:{}", line_of(text, name.span().start));
            match (keys::find(&full), value.get_ref()) {
                (Some(key), value) => match toml_value(key.kind, value) {
                    Some(value) => self.add(key, value, Origin { source, place }),
                    None => self.problem(place, format!("`{full}` must be {}", key.kind.words())),
                },
                (None, DeValue::Table(inner)) => self.add_table(source, file, text, &full, inner),
                (None, _) => self.unknown(place, &full),
            }
        }
    }

    /// Reads from a `claw.yaml` the keys that both tools share, and ignores all others.
    pub fn from_claw(source: LayerKind, path: &Path, text: &str) -> Self {
        let mut layer = Self::default();
        let place = path_text(path);
        let table: BTreeMap<String, serde_json::Value> = match serde_saphyr::from_str::<Shared>(text) {
            Ok(Shared(table)) => table,
            Err(_) if text.trim().is_empty() => return layer,
            Err(error) => {
                let (position, words) = yaml::problem(&error);
                layer.problem(format!("{place}{position}"), words);
                return layer;
            }
        };
        for key in KEYS.iter().filter(|key| key.in_claw) {
            let Some(value) = table.get(key.name).filter(|value| !value.is_null()) else { continue };
            match json_value(key.kind, value) {
                Some(value) => layer.add(key, value, Origin { source, place: place.clone() }),
                None => layer.problem(place.clone(), format!("`{}` must be {}", key.name, key.kind.words())),
            }
        }
        layer
    }

    /// Reads from a `.ctxrc` the name of the gate's directory, and ignores everything else.
    pub fn from_ctxrc(path: &Path, text: &str) -> Self {
        #[derive(serde::Deserialize)]
        struct Ctxrc {
            context_dir: Option<String>,
        }
        let mut layer = Self::default();
        let place = path_text(path);
        match serde_saphyr::from_str::<Ctxrc>(text) {
            Ok(Ctxrc { context_dir: Some(directory) }) => {
                let key = keys::find(GATE_DIRECTORY).expect("it is a row of the table");
                layer.add(key, Value::Text(directory), Origin { source: LayerKind::CtxProject, place });
            }
            Ok(_) => {}
            Err(_) if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) => {}
            Err(error) => {
                let problem = format!("not a YAML mapping: {}", error.to_string().lines().next().unwrap_or_default());
                layer.problems.push(ConfigProblem { place, problem, hint: None, is_error: false });
            }
        }
        layer
    }

    /// Reads the environment. Ignores `BRIEF_…` variables that are not settings; they have meanings of their own.
    pub fn from_environment(variables: impl Iterator<Item = (String, String)>) -> Self {
        let mut layer = Self::default();
        let is_known = |name: &str| name.starts_with("BRIEF_") || name == CTX_DIR;
        let mut variables: Vec<_> = variables.filter(|(name, _)| is_known(name)).collect();
        // The last one wins, and a variable of our own is stronger than that of another tool.
        variables.sort_by_key(|(name, _)| (name != CTX_DIR, name.clone()));
        for (name, text) in variables {
            let is_ours =
                |key: &&keys::Key| if name == CTX_DIR { key.name == GATE_DIRECTORY && !text.is_empty() } else { key.variable() == name };
            let Some(key) = KEYS.iter().find(is_ours) else { continue };
            match parse_words(key.kind, &text) {
                Some(value) => layer.add(key, value, Origin { source: LayerKind::Environment, place: name }),
                None => layer.problem(name, format!("`{text}` must be {}", key.kind.words())),
            }
        }
        layer
    }

    fn add(&mut self, key: &'static keys::Key, value: Value, origin: Origin) {
        if key.scope == Scope::UserOnly && !origin.source.is_the_persons() {
            self.problems.push(ConfigProblem {
                place: origin.place,
                problem: format!("`{}` is ignored here: only your own configuration can set it", key.name),
                hint: Some(ConfigHint::MoveToUserFile),
                is_error: false,
            });
            return;
        }
        self.values.push(KeyValue { key: key.name, value, origin });
    }

    fn unknown(&mut self, place: String, name: &str) {
        let hint = keys::suggest(name).map(ConfigHint::Spelling);
        let problem = format!("unknown setting `{name}`");
        self.problems.push(ConfigProblem { place, problem, hint, is_error: false });
    }

    fn problem(&mut self, place: String, problem: String) {
        self.problems.push(ConfigProblem { place, problem, hint: None, is_error: true });
    }
}

/// The keys of a `claw.yaml` that both tools know. The others may hold any value.
struct Shared(BTreeMap<String, serde_json::Value>);

impl<'de> serde::Deserialize<'de> for Shared {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Shared;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a mapping of settings")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Shared, A::Error> {
                let mut shared = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    if KEYS.iter().any(|key| key.in_claw && key.name == name) {
                        shared.insert(name, map.next_value()?);
                    } else {
                        map.next_value::<serde::de::IgnoredAny>()?;
                    }
                }
                Ok(Shared(shared))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..offset.min(text.len())]).count() + 1
}

fn toml_value(kind: Kind, value: &DeValue<'_>) -> Option<Value> {
    match (kind, value) {
        (Kind::Bool, DeValue::Boolean(value)) => Some(Value::Bool(*value)),
        (Kind::Count, DeValue::Integer(value)) => u64::from_str_radix(value.as_str(), value.radix()).ok().map(Value::Count),
        (Kind::Text | Kind::Choice(_), DeValue::String(value)) => checked(kind, value.to_string()),
        (Kind::OneOrMore, DeValue::String(item)) => Some(Value::List(vec![item.to_string()])),
        (Kind::List | Kind::OneOrMore, DeValue::Array(items)) => {
            items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect::<Option<_>>().map(Value::List)
        }
        (Kind::Map, DeValue::Table(table)) => {
            let pair = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let name: &toml::de::DeString<'_> = name.get_ref();
                Some((name.to_string(), value.get_ref().as_str()?.to_owned()))
            };
            table.iter().map(pair).collect::<Option<_>>().map(Value::Map)
        }
        _ => None,
    }
}

fn json_value(kind: Kind, value: &serde_json::Value) -> Option<Value> {
    match kind {
        Kind::Bool => value.as_bool().map(Value::Bool),
        Kind::Count => value.as_u64().map(Value::Count),
        Kind::Text | Kind::Choice(_) => checked(kind, value.as_str()?.to_owned()),
        Kind::List | Kind::OneOrMore => value.as_array()?.iter().map(scalar_text).collect::<Option<_>>().map(Value::List),
        Kind::Map => None,
    }
}

/// Converts a scalar to a string: YAML reads an unquoted `7z` as a string but `1` as a number, and in a list of names
/// both are names.
fn scalar_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(_) | serde_json::Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Parses a value from the environment: plain words, or a list or table in TOML syntax.
///
/// Text that starts like TOML but is not valid TOML is taken as plain words, because it may be a glob: `[ab]*,c`.
fn parse_words(kind: Kind, text: &str) -> Option<Value> {
    if matches!((kind, text.trim_start().chars().next()), (Kind::List | Kind::OneOrMore, Some('[')) | (Kind::Map, Some('{')))
        && let Some(value) = parse_toml(kind, text)
    {
        return Some(value);
    }
    let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
    match kind {
        Kind::Bool => match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(Value::Bool(true)),
            "0" | "false" | "no" | "off" | "" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Count => text.trim().parse().ok().map(Value::Count),
        Kind::Text | Kind::Choice(_) => checked(kind, text.to_owned()),
        Kind::List | Kind::OneOrMore => Some(Value::List(items().map(str::to_owned).collect())),
        Kind::Map => items()
            .map(|item| item.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())))
            .collect::<Option<_>>()
            .map(Value::Map),
    }
}

fn parse_toml(kind: Kind, text: &str) -> Option<Value> {
    let line = format!("value = {}", text.trim());
    let table = DeTable::parse(&line).ok()?;
    toml_value(kind, table.get_ref().get("value")?.get_ref())
}

fn checked(kind: Kind, text: String) -> Option<Value> {
    let value = Value::Text(text);
    kind.accepts(&value).then_some(value)
}

/// The directories in which settings are looked up. The caller reads the environment; the core does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The directory that the request is about.
    pub here: PathBuf,
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, or `~/.config` if it is not set.
    pub config: Option<PathBuf>,
    /// `$XDG_STATE_HOME`, or `~/.local/state` if it is not set.
    pub state: Option<PathBuf>,
    /// `$XDG_CACHE_HOME`, or `~/.cache` if it is not set.
    pub cache: Option<PathBuf>,
}

/// The directory with claw's goals and settings.
pub const CLAW: &str = ".claw";

/// The maximum size of a settings file.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

impl Places {
    /// Returns the places of a request without a user: only `here` (absolute) is read or written.
    pub fn at(here: impl Into<PathBuf>) -> Self {
        Self { here: here.into(), home: None, config: None, state: None, cache: None }
    }

    /// Returns the path of the user's `brief.toml`, whether or not it exists.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("brief").join("brief.toml"))
    }

    /// Returns the project's settings file: the nearest `brief.toml` or `.context/brief.toml` from here upward.
    ///
    /// The search stops at the root of the repository or, outside a repository, at the home directory: a file in a
    /// directory that other users can write to must not configure anything.
    pub fn project_file(&self) -> Option<PathBuf> {
        for directory in self.trusted_upward() {
            for name in SETTINGS_FILES {
                let path = directory.join(name);
                if path.is_file() {
                    return Some(path);
                }
            }
        }
        None
    }

    /// Returns a problem if a `.context/brief.toml` is ignored because there is a `brief.toml` next to it.
    pub fn ignored_project_file(&self) -> Option<ConfigProblem> {
        let used = self.project_file()?;
        let other = used.parent()?.join(".context/brief.toml");
        (other != used && other.is_file()).then(|| ConfigProblem {
            place: path_text(&other),
            problem: format!("is ignored: `{}` is read instead", path_text(&used)),
            hint: Some(ConfigHint::KeepOneFile),
            is_error: false,
        })
    }

    /// Returns the `claw.yaml` of the nearest `.claw` directory from here upward.
    pub fn claw_project_file(&self) -> Option<PathBuf> {
        let near = self.trusted_upward().map(|directory| directory.join(CLAW)).find(|directory| directory.is_dir());
        near.or_else(|| self.claw_above().next()).map(|directory| directory.join("claw.yaml"))
    }

    /// Returns the `.claw` directories above the repository (or above the home directory, or above the current one) that
    /// belong to the user, nearest first. claw looks that far, too.
    pub fn claw_above(&self) -> impl Iterator<Item = PathBuf> {
        let below = self.trusted_upward().last().unwrap_or(&self.here);
        below.ancestors().skip(1).map(|directory| directory.join(CLAW)).filter(|directory| is_users_own(directory))
    }

    /// Returns claw's own directories in the user's configuration, in the order in which they are searched, whether or not
    /// they exist.
    pub fn claw_users(&self) -> Vec<PathBuf> {
        self.claw_users_on(cfg!(target_os = "macos"))
    }

    fn claw_users_on(&self, is_macos: bool) -> Vec<PathBuf> {
        let library = self.home.as_ref().filter(|_| is_macos).map(|home| home.join("Library/Application Support/claw"));
        library.into_iter().chain(self.config.as_ref().map(|config| config.join("claw"))).collect()
    }

    /// Returns the nearest `.ctxrc` from here upward.
    pub fn ctxrc_file(&self) -> Option<PathBuf> {
        self.trusted_upward().map(|directory| directory.join(".ctxrc")).find(|path| path.is_file())
    }

    /// Returns the directories whose files may configure something. Outside a repository and the home directory, that
    /// is only the current one.
    fn trusted_upward(&self) -> impl Iterator<Item = &Path> {
        upward(&self.here, Ceiling::Trusted(self.home.as_deref()))
    }

    /// Returns this directory and its parents, up to the root of the repository or the home directory.
    pub fn upward(&self) -> impl Iterator<Item = &Path> {
        upward(&self.here, Ceiling::RepositoryOrHome(self.home.as_deref()))
    }

    /// Reads all settings files, weakest first. Files that cannot be read become problems.
    pub fn layers(&self) -> Vec<Layer> {
        let mut layers = vec![Layer::defaults()];
        let claw_user = self.claw_users().into_iter().map(|directory| directory.join("claw.yaml")).find(|file| file.is_file());
        let files = [
            (LayerKind::ClawUser, claw_user),
            (LayerKind::User, self.user_file()),
            (LayerKind::ClawProject, self.claw_project_file()),
            (LayerKind::CtxProject, self.ctxrc_file()),
            (LayerKind::Project, self.project_file()),
        ];
        for (source, path) in files {
            let Some(path) = path else { continue };
            layers.push(match fs::read_own_text(&path, MAX_CONFIG_BYTES) {
                Ok(text) if matches!(source, LayerKind::ClawUser | LayerKind::ClawProject) => Layer::from_claw(source, &path, &text),
                Ok(text) if source == LayerKind::CtxProject => Layer::from_ctxrc(&path, &text),
                Ok(text) => Layer::from_toml(source, &path, &text),
                Err(fs::FileProblem::Missing) => continue,
                Err(problem) => {
                    let mut layer = Layer::default();
                    layer.problem(path_text(&path), format!("cannot be read: {problem}"));
                    layer
                }
            });
        }
        layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claw_has_a_directory_of_its_own_on_macos() {
        let places = Places { home: Some("/Users/me".into()), config: Some("/Users/me/.config".into()), ..Places::at("/") };
        let library = PathBuf::from("/Users/me/Library/Application Support/claw");
        assert_eq!(places.claw_users_on(true), [library, "/Users/me/.config/claw".into()]);
        assert_eq!(places.claw_users_on(false), [PathBuf::from("/Users/me/.config/claw")]);
    }
}
