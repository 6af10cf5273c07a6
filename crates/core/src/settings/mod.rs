//! Settings in layers: default < user < project < environment < flag, each value with the place that decided it.
//!
//! `claw.yaml` is a layer just below the `brief.toml` of its level. Bad values never end a request here: they are
//! collected as [`ConfigProblem`]s, and the caller decides (commands fail, hooks note it and go on).

mod keys;
mod layer;
mod template;

use std::collections::BTreeMap;

use serde::Serialize;

pub use keys::{ERROR_MODES, KEYS, Key, Kind, LINK_MODES, SELECTOR_FAILURES, SELECTORS, Scope, find};
pub use layer::{ConfigProblem, Entry, Layer, LayerKind, Origin, Places, Value};
pub use template::{default_file, toml_text};

/// A value, who set it, and whom that overruled (weakest first).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub value: Value,
    pub origin: Origin,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<Origin>,
}

/// All settings, decided.
#[derive(Debug, Clone)]
pub struct Settings {
    values: BTreeMap<&'static str, Setting>,
}

impl Settings {
    /// Decides every setting: the last layer that speaks wins. Problems of all layers come back beside the result.
    pub fn resolve(layers: Vec<Layer>) -> (Self, Vec<ConfigProblem>) {
        let mut values: BTreeMap<&'static str, Setting> = BTreeMap::new();
        let mut problems = Vec::new();
        for layer in layers {
            problems.extend(layer.problems);
            for Entry { key, value, origin } in layer.entries {
                let mut overruled = Vec::new();
                if let Some(weaker) = values.remove(key) {
                    overruled = weaker.overruled;
                    overruled.push(weaker.origin);
                }
                values.insert(key, Setting { value, origin, overruled });
            }
        }
        (Self { values }, problems)
    }

    /// Returns the built-in defaults alone.
    pub fn defaults() -> Self {
        Self::resolve(vec![Layer::defaults()]).0
    }

    /// Returns a setting with its origin.
    pub fn get(&self, key: &str) -> &Setting {
        self.values.get(key).unwrap_or_else(|| panic!("`{key}` is a row of the table of keys"))
    }

    /// Returns all settings in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Setting)> {
        KEYS.iter().map(|key| (key, self.get(key.name)))
    }

    pub fn flag(&self, key: &str) -> bool {
        match self.get(key).value {
            Value::Bool(value) => value,
            _ => unreachable!("`{key}` is true or false"),
        }
    }

    pub fn count(&self, key: &str) -> u64 {
        match self.get(key).value {
            Value::Count(value) => value,
            _ => unreachable!("`{key}` is a number"),
        }
    }

    pub fn text(&self, key: &str) -> &str {
        match &self.get(key).value {
            Value::Text(value) => value,
            _ => unreachable!("`{key}` is a text"),
        }
    }

    pub fn list(&self, key: &str) -> &[String] {
        match &self.get(key).value {
            Value::List(value) => value,
            _ => unreachable!("`{key}` is a list"),
        }
    }

    pub fn map(&self, key: &str) -> &BTreeMap<String, String> {
        match &self.get(key).value {
            Value::Map(value) => value,
            _ => unreachable!("`{key}` is a table"),
        }
    }

    /// Returns `key (place)`, for notes that say which layer decided.
    pub fn decided_by(&self, key: &str) -> String {
        format!("{key} ({})", self.get(key).origin.place)
    }
}

/// Returns the candidate at most two edits away from `word`, the nearest first.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.map(|candidate| (edit_distance(word, candidate), candidate));
    scored.filter(|(distance, _)| *distance <= 2).min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn toml(source: LayerKind, text: &str) -> Layer {
        Layer::from_toml(source, Path::new("brief.toml"), text)
    }

    #[test]
    fn the_strongest_layer_wins_and_every_value_knows_its_origin() {
        let layers = vec![
            Layer::defaults(),
            toml(LayerKind::User, "max_file_size_kb = 5\nhidden = true"),
            Layer::from_claw(LayerKind::ClawProject, Path::new(".claw/claw.yaml"), "max_file_size_kb: 6\nllm_command: x\n"),
            toml(LayerKind::Project, "\nmax_file_size_kb = 7"),
            Layer::from_environment([("BRIEF_MAX_FILE_SIZE_KB".to_owned(), "8".to_owned())].into_iter()),
        ];
        let (settings, problems) = Settings::resolve(layers);
        assert_eq!(problems, []);
        assert_eq!(settings.count("max_file_size_kb"), 8);
        let setting = settings.get("max_file_size_kb");
        assert_eq!(setting.origin, Origin { source: LayerKind::Environment, place: "BRIEF_MAX_FILE_SIZE_KB".into() });
        let overruled: Vec<_> = setting.overruled.iter().map(|origin| origin.place.as_str()).collect();
        assert_eq!(overruled, ["default", "brief.toml:1", ".claw/claw.yaml", "brief.toml:2"]);
        assert!(settings.flag("hidden"));
        assert_eq!(settings.decided_by("hidden"), "hidden (brief.toml:2)");
    }

    #[test]
    fn problems_name_file_line_and_the_right_spelling() {
        let layer = toml(LayerKind::Project, "hidden = 3\nmax_file_sise_kb = 1\n[files]\nmax_file_size_kb = 1\n");
        let told: Vec<_> = layer.problems.iter().map(|p| (p.to_string(), p.hint.clone().unwrap_or_default(), p.is_error)).collect();
        assert_eq!(
            told,
            [
                ("brief.toml:4: unknown setting `files.max_file_size_kb`".into(), "did you mean `max_file_size_kb`?".to_owned(), false),
                ("brief.toml:1: `hidden` must be true or false".into(), String::new(), true),
                ("brief.toml:2: unknown setting `max_file_sise_kb`".to_owned(), "did you mean `max_file_size_kb`?".to_owned(), false),
            ]
        );
    }

    #[test]
    fn a_broken_file_says_where() {
        let layer = toml(LayerKind::User, "a = 1\nb = [\n");
        assert!(layer.problems[0].to_string().starts_with("brief.toml:"), "{:?}", layer.problems);
        assert!(layer.problems[0].is_error);
    }

    #[test]
    fn a_choice_refuses_other_words() {
        let layer = Layer::from_environment([("BRIEF_ERROR_HANDLING_MODE".to_owned(), "loose".to_owned())].into_iter());
        assert_eq!(layer.problems[0].to_string(), "BRIEF_ERROR_HANDLING_MODE: `loose` must be one of strict, flexible, ignore");
    }

    #[test]
    fn lists_of_the_environment_have_commas_or_the_brackets_of_toml() {
        let list = |text: &str| {
            let layer = Layer::from_environment([("BRIEF_EXCLUDED_DIRECTORIES".to_owned(), text.to_owned())].into_iter());
            match &layer.entries[0].value {
                Value::List(items) => items.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(list("a, b"), ["a", "b"]);
        assert_eq!(list(" [\"a\", 'b,c',]\n"), ["a", "b,c"]);
        assert_eq!(list("[]"), [""; 0]);
        assert_eq!(list("[ab]*,c"), ["[ab]*", "c"]);
        assert_eq!(list("[ab]"), ["[ab]"]);
        let shown = toml_text(&Value::List(vec!["x\"y".into(), "z".into()]));
        assert_eq!(list(&shown), ["x\"y", "z"]);
        let table = Layer::from_environment([("BRIEF_GATE_FILES".to_owned(), "{ \"A.md\" = \"skip\" }".to_owned())].into_iter());
        assert_eq!(table.entries[0].value, Value::Map([("A.md".to_owned(), "skip".to_owned())].into()));
    }

    #[test]
    fn the_default_file_is_valid_and_says_nothing_new() {
        let text: String = default_file()
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_owned() + "\n")
            .collect();
        let layer = toml(LayerKind::User, &text);
        assert_eq!(layer.problems, []);
        let (defaults, _) = Settings::resolve(vec![Layer::defaults()]);
        for entry in layer.entries {
            assert_eq!(defaults.get(entry.key).value, entry.value, "{}", entry.key);
        }
    }
}
