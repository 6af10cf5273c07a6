//! The only module that reads the environment. Every variable that the program uses is named here.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::secrets::redact;
use briefing_core::settings::{ConfigProblem, Layer, Places, Settings};
use briefing_core::shown::path_text;
use jiff::Timestamp;

use crate::talk;

/// Turns colour off if it is set and not empty (<https://no-color.org>).
pub(crate) const NO_COLOR: &str = "NO_COLOR";

/// Overrides the system clock (RFC 3339), for tests and for looking at the past.
pub(crate) const BRIEF_NOW: &str = "BRIEF_NOW";

/// Returns the current time.
pub(crate) fn now() -> Result<Timestamp, Failure> {
    let Some(text) = env::var_os(BRIEF_NOW).filter(|text| !text.is_empty()) else { return Ok(Timestamp::now()) };
    let text = text.to_string_lossy();
    text.parse().map_err(|error: jiff::Error| {
        Failure::usage(format!("{BRIEF_NOW}: `{text}` is not a timestamp")).because(&error).hint("write it like 2026-11-15T12:00:00Z")
    })
}

/// Returns the path as an absolute one, or the current directory if there is none.
pub(crate) fn absolute(path: Option<&Path>) -> Result<PathBuf, Failure> {
    match path {
        Some(path) if path.is_absolute() => Ok(path.to_path_buf()),
        Some(path) => Ok(places()?.here.join(path)),
        None => Ok(places()?.here),
    }
}

/// How wide lines may be, where the terminal does not say it.
const COLUMNS: &str = "COLUMNS";

/// Returns how wide lines may be, if the user says so.
pub(crate) fn columns() -> Option<usize> {
    env::var(COLUMNS).ok()?.parse().ok().filter(|columns| *columns > 0)
}

/// Makes the hook log to stderr; otherwise it is silent.
pub(crate) const BRIEF_LOG: &str = "BRIEF_LOG";

/// Returns the user's directories and the current one.
pub(crate) fn places() -> Result<Places, Failure> {
    let here = env::current_dir().map_err(|error| {
        Failure::new("cannot determine the current directory")
            .because(&error)
            .hint("it may have been deleted; `cd` to a directory that exists")
    })?;
    Ok(places_at(here))
}

/// Returns the user's directories for a request about `here`, which is absolute.
pub(crate) fn places_at(here: PathBuf) -> Places {
    let home = directory("HOME").or_else(|| directory("USERPROFILE"));
    let under_home = |variable: &str, fallback: &str| directory(variable).or_else(|| home.as_ref().map(|home| home.join(fallback)));
    Places {
        here,
        config: under_home("XDG_CONFIG_HOME", ".config"),
        state: under_home("XDG_STATE_HOME", ".local/state"),
        cache: under_home("XDG_CACHE_HOME", ".cache"),
        home,
    }
}

/// Returns the path of the user's own settings file, for hints.
pub(crate) fn user_file() -> String {
    let file = places_at(PathBuf::new()).user_file();
    file.map_or_else(|| "your own brief.toml".to_owned(), |file| path_text(&file))
}

/// Returns the directory that a variable names. Relative paths are ignored, as the XDG specification requires.
fn directory(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the value of a variable that a setting names, such as the one with an API key.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Resolves all settings and returns them with the problems found.
pub(crate) fn resolve(places: &Places, flags: Layer) -> (Settings, Vec<ConfigProblem>) {
    let mut layers = places.layers();
    layers.push(Layer::from_environment(
        env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    ));
    layers.push(flags);
    Settings::resolve(layers)
}

/// Resolves all settings: files, environment, then flags. Invalid values are an error, unknown keys a warning.
pub(crate) fn settings(places: &Places, flags: Layer) -> Result<Settings, Failure> {
    let (settings, problems) = resolve(places, flags);
    let mut failure: Option<Failure> = None;
    for problem in problems {
        if problem.is_error {
            let mut next = failure.take().unwrap_or_else(|| Failure::new("the settings are invalid")).because_of(problem.to_string());
            if let Some(hint) = problem.hint {
                next = next.hint(hint.words(places));
            }
            failure = Some(next);
        } else {
            warn(&problem, places);
        }
    }
    match failure {
        Some(failure) => Err(failure.hint("`brief config default` prints every setting with its type")),
        None => Ok(settings),
    }
}

/// Prints a problem that is not fatal.
pub(crate) fn warn(problem: &ConfigProblem, places: &Places) {
    let hint = problem.hint.map(|hint| format!(" ({})", hint.words(places))).unwrap_or_default();
    talk::warning(&format!("{problem}{hint}"));
}

/// Returns the first program with this name on PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).filter(|directory| directory.is_absolute()).map(|directory| directory.join(&file)).find(|path| path.is_file())
}

/// Returns the absolute directory that a variable names, `None` for an empty variable name. `~/` means the home, as it does
/// for agents that read such a variable from a file.
pub(crate) fn named_directory(variable: &str) -> Option<PathBuf> {
    if variable.is_empty() {
        return None;
    }
    let below_home = env::var_os(variable).and_then(|value| Some(PathBuf::from(value).strip_prefix("~").ok()?.to_path_buf()));
    match below_home {
        Some(below) => Some(directory("HOME")?.join(below)),
        None => directory(variable),
    }
}

/// Returns the program that a setting names, by its path or on PATH.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    find_program(name)
}

/// The environment of a goal's scripts and templates.
pub(crate) struct GoalEnvironment {
    /// The variables that do not look like secrets. Templates may read these.
    pub(crate) plain: BTreeMap<OsString, OsString>,
    /// Those and the ones that were chosen to be passed. Scripts receive these.
    pub(crate) scripts: BTreeMap<OsString, OsString>,
    /// The names of the variables that scripts do not receive, sorted.
    pub(crate) withheld: Vec<String>,
}

/// Returns the environment of a goal. Variables that look like secrets are withheld, except those in `passed`.
pub(crate) fn of_goal(passed: &[String]) -> GoalEnvironment {
    let is_plain = |name: &OsString, value: &OsString| {
        let value = value.to_string_lossy();
        !is_secret_name(&name.to_string_lossy()) && redact(&value).secrets.is_empty() && !has_password(&value)
    };
    let (plain, secret): (BTreeMap<_, _>, BTreeMap<_, _>) = env::vars_os().partition(|(name, value)| is_plain(name, value));
    let (chosen, withheld): (BTreeMap<_, _>, BTreeMap<_, _>) =
        secret.into_iter().partition(|(name, _)| passed.iter().any(|passed| name == passed.as_str()));
    let scripts = plain.clone().into_iter().chain(chosen).collect();
    GoalEnvironment { plain, scripts, withheld: withheld.into_keys().map(|name| name.to_string_lossy().into_owned()).collect() }
}

/// Returns whether a variable's name suggests a secret.
fn is_secret_name(name: &str) -> bool {
    const PARTS: [&str; 8] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "PRIVATE"];
    const WORDS: [&str; 7] = ["KEY", "KEYS", "PASS", "PAT", "PWD", "AUTH", "COOKIE"];
    let name = name.to_ascii_uppercase();
    // These match a pattern below, but contain only paths; the SSH agent behind its socket never reveals a key.
    if matches!(name.as_str(), "PWD" | "OLDPWD" | "SSH_AUTH_SOCK") {
        return false;
    }
    PARTS.iter().any(|part| name.contains(part)) || name.split('_').any(|word| WORDS.contains(&word))
}

/// Returns whether a text is a URL with a password.
fn has_password(text: &str) -> bool {
    let authority = text.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    authority.and_then(|authority| authority.rsplit_once('@')).is_some_and(|(user, _)| user.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names_and_addresses() {
        for name in
            ["OPENAI_API_KEY", "GITHUB_TOKEN", "aws_secret_access_key", "PGPASSWORD", "MYSQL_PWD", "NPM_CONFIG__AUTHTOKEN", "GH_PAT"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "PWD", "OLDPWD", "KEYBOARD", "SSH_AUTH_SOCK", "LANG", "XAUTHORITY", "COMPASS", "PATTERN"] {
            assert!(!is_secret_name(name), "{name}");
        }
        assert!(has_password("postgres://user:pw@host/db"));
        assert!(!has_password("https://host/a:b@c") && !has_password("ssh://git@host/x"));
    }
}
