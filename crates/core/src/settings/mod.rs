//! Settings in layers: default < user < project < environment < flag. Each value knows where it was set.
//!
//! [`Settings::resolve`] decides once; after that, the program uses typed groups instead of names. A new setting needs
//! a row in `keys.rs` and a field in `groups.rs`.
//!
//! `claw.yaml` is a layer just below the `brief.toml` of its level. Invalid values do not stop a request here: they
//! are collected as [`ConfigProblem`]s and the caller decides (commands fail, hooks log them and continue).

mod choices;
mod groups;
mod keys;
mod layer;
mod template;
mod value;

pub use choices::{Announce, ErrorMode, GateOpens, LinkMode, OnFailure, OneOf, SelectorKind};
pub use groups::{
    DocsSettings, DomainsSettings, FilesSettings, GateSettings, GoalsSettings, GuardSettings, HookSettings, InstructionsSettings,
    LlmSettings, LogSettings, McpSettings, ReceiptsSettings, ReceiverSettings, SelectorSettings,
};
pub use keys::{KEYS, Key, Kind, Scope, find};
pub use layer::{CLAW, ConfigHint, ConfigProblem, KeyValue, Layer, LayerKind, Origin, Places};
pub use template::{default_file, toml_text};
pub use value::{Setting, Value};

use groups::Decided;

/// All settings, each with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub guards: GuardSettings,
    pub files: FilesSettings,
    pub receiver: ReceiverSettings,
    pub docs: DocsSettings,
    pub selector: SelectorSettings,
    pub goals: GoalsSettings,
    pub domains: DomainsSettings,
    pub gate: GateSettings,
    pub instructions: InstructionsSettings,
    pub llm: LlmSettings,
    pub hook: HookSettings,
    pub receipts: ReceiptsSettings,
    pub log: LogSettings,
    pub mcp: McpSettings,
}

impl Settings {
    /// Decides every setting: the last layer that has a value wins. Returns the problems of all layers with the
    /// result.
    ///
    /// The first layer must be the defaults.
    pub fn resolve(layers: Vec<Layer>) -> (Self, Vec<ConfigProblem>) {
        let mut decided = Decided::new();
        let mut problems = Vec::new();
        for layer in layers {
            problems.extend(layer.problems);
            for KeyValue { key, value, origin } in layer.values {
                let mut overruled = Vec::new();
                if let Some(weaker) = decided.remove(key) {
                    overruled = weaker.overruled;
                    overruled.push(weaker.origin);
                }
                decided.insert(key, Setting { key, value, origin, overruled });
            }
        }
        let settings = Self {
            guards: GuardSettings::take(&mut decided),
            files: FilesSettings::take(&mut decided),
            receiver: ReceiverSettings::take(&mut decided),
            docs: DocsSettings::take(&mut decided),
            selector: SelectorSettings::take(&mut decided),
            goals: GoalsSettings::take(&mut decided),
            domains: DomainsSettings::take(&mut decided),
            gate: GateSettings::take(&mut decided),
            instructions: InstructionsSettings::take(&mut decided),
            llm: LlmSettings::take(&mut decided),
            hook: HookSettings::take(&mut decided),
            receipts: ReceiptsSettings::take(&mut decided),
            log: LogSettings::take(&mut decided),
            mcp: McpSettings::take(&mut decided),
        };
        debug_assert!(decided.is_empty(), "without a field in a group: {:?}", decided.keys());
        (settings, problems)
    }

    /// Returns the built-in defaults alone.
    pub fn defaults() -> Self {
        Self::resolve(vec![Layer::defaults()]).0
    }

    /// Returns a short hash of all values, wherever they were set: it tells whether a decision was made with others.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (key, setting) in self.list() {
            hasher.update(format!("{}={:?}\n", key.name, setting.value).as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// Returns all settings in the order of the table, for printing.
    pub fn list(&self) -> Vec<(&'static Key, Setting<Value>)> {
        let Self { guards, files, receiver, docs, selector, goals, domains, gate, instructions, llm, hook, receipts, log, mcp } = self;
        let mut all = Decided::new();
        guards.list(&mut all);
        files.list(&mut all);
        receiver.list(&mut all);
        docs.list(&mut all);
        selector.list(&mut all);
        goals.list(&mut all);
        domains.list(&mut all);
        gate.list(&mut all);
        instructions.list(&mut all);
        llm.list(&mut all);
        hook.list(&mut all);
        receipts.list(&mut all);
        log.list(&mut all);
        mcp.list(&mut all);
        KEYS.iter().filter_map(|key| Some((key, all.remove(key.name)?))).collect()
    }
}

/// Returns the candidate closest to `word`, if it is at most two edits away.
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
        let setting = &settings.files.max_file_size_kb;
        assert_eq!(setting.value, 8);
        assert_eq!(setting.origin, Origin { source: LayerKind::Environment, place: "BRIEF_MAX_FILE_SIZE_KB".into() });
        let overruled: Vec<_> = setting.overruled.iter().map(|origin| origin.place.as_str()).collect();
        assert_eq!(overruled, ["default", "brief.toml:1", ".claw/claw.yaml", "brief.toml:2"]);
        assert!(settings.files.hidden.value);
        assert_eq!(settings.files.hidden.decided_by(), "hidden (brief.toml:2)");
        let docs = toml(LayerKind::Project, "[docs]\n\nmax_tokens = 9\n");
        let (settings, _) = Settings::resolve(vec![Layer::defaults(), docs]);
        assert_eq!(settings.docs.max_tokens.decided_by(), "docs.max_tokens (brief.toml:3)");
        assert!(!settings.docs.max_tokens.is_default() && settings.docs.max_docs.is_default());
    }

    #[test]
    fn problems_name_file_line_and_the_right_spelling() {
        let layer = toml(LayerKind::Project, "hidden = 3\nmax_file_sise_kb = 1\n[files]\nmax_file_size_kb = 1\n");
        let told: Vec<_> = layer.problems.iter().map(|p| (p.to_string(), p.hint, p.is_error)).collect();
        assert_eq!(
            told,
            [
                ("brief.toml:4: unknown setting `files.max_file_size_kb`".into(), Some(ConfigHint::Spelling("max_file_size_kb")), false),
                ("brief.toml:1: `hidden` must be true or false".into(), None, true),
                ("brief.toml:2: unknown setting `max_file_sise_kb`".to_owned(), Some(ConfigHint::Spelling("max_file_size_kb")), false),
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
            match &layer.values[0].value {
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
        assert_eq!(table.values[0].value, Value::Map([("A.md".to_owned(), "skip".to_owned())].into()));
    }

    #[test]
    fn the_default_file_is_valid_and_changes_nothing() {
        let text: String = default_file()
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line).to_owned() + "\n")
            .collect();
        let layer = toml(LayerKind::User, &text);
        assert_eq!(layer.problems, []);
        let (defaults, _) = Settings::resolve(vec![Layer::defaults()]);
        let defaults: Vec<_> = defaults.list().into_iter().map(|(key, setting)| (key.name, setting.value)).collect();
        for said in layer.values {
            assert!(defaults.contains(&(said.key, said.value)), "{}", said.key);
        }
    }

    #[test]
    fn every_row_of_the_table_has_a_field_with_its_default_and_its_words() {
        let table = Layer::defaults().values;
        let listed = Settings::defaults().list();
        assert_eq!(listed.iter().map(|(key, _)| key.name).collect::<Vec<_>>(), KEYS.iter().map(|key| key.name).collect::<Vec<_>>());
        for (said, (key, setting)) in table.iter().zip(&listed) {
            assert_eq!((said.key, &said.value, &said.origin), (setting.key, &setting.value, &setting.origin));
            // The field's type accepts every word that the row allows.
            if let Kind::Choice(words) = key.kind {
                for word in words {
                    let mut flags = Layer::default();
                    flags.flag(key.name, "--flag", word.to_string());
                    let (settings, _) = Settings::resolve(vec![Layer::defaults(), flags]);
                    let (_, chosen) = settings.list().into_iter().find(|(listed, _)| listed.name == key.name).unwrap();
                    assert_eq!(chosen.value, Value::Text((*word).to_owned()));
                }
            }
        }
    }
}
