//! The receivers of prompts that a project's settings files define. A receiver runs a command or types into a terminal,
//! so the user must trust it first.

use std::path::PathBuf;

use briefing_core::settings::{LayerKind, Origin, Places, Value};

/// The settings that define a receiver.
const RECEIVER_KEYS: [&str; 3] = ["receiver_type", "llm_command", "prompt_arg_template"];

/// The receiver that a settings file of a project defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectReceiver {
    /// The settings file.
    pub file: PathBuf,
    pub source: LayerKind,
    /// Names and values, in the order of the file.
    pub values: Vec<(&'static str, String)>,
    /// The hash of these values. Other settings in the file may change without losing trust.
    pub hash: blake3::Hash,
}

/// Returns the receivers in the project's settings files, lowest precedence first.
pub fn project_receivers(places: &Places) -> Vec<ProjectReceiver> {
    let layers = places.layers();
    let files = [(LayerKind::ClawProject, places.claw_project_file()), (LayerKind::Project, places.project_file())];
    let read = |(source, file): (LayerKind, Option<PathBuf>)| {
        let file = file?;
        let said = layers.iter().flat_map(|layer| &layer.values).filter(|said| said.origin.source == source);
        let mut values: Vec<_> = said
            .filter(|said| RECEIVER_KEYS.contains(&said.key))
            .filter_map(|said| match &said.value {
                Value::Text(text) => Some((said.key, text.clone())),
                _ => None,
            })
            .collect();
        values.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        // Hash the length of each part too, so that moving text from one part to the next changes the hash.
        for part in values.iter().flat_map(|(key, value)| [*key, value.as_str()]) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        (!values.is_empty()).then(|| ProjectReceiver { file, source, values, hash: hasher.finalize() })
    };
    files.into_iter().filter_map(read).collect()
}

/// Returns the project's receivers that are the origin of a value in use. Values that a flag, an environment variable or
/// a nearer file overrides need no trust.
pub fn deciding<'a>(receivers: &'a [ProjectReceiver], origins: &[&Origin]) -> Vec<&'a ProjectReceiver> {
    let is_used = |receiver: &&ProjectReceiver| origins.iter().any(|origin| origin.source == receiver.source);
    receivers.iter().filter(is_used).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use briefing_core::settings::{Layer, Settings};

    use super::*;

    #[test]
    fn only_values_in_use_need_trust_and_other_settings_may_change() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".claw")).unwrap();
        fs::write(dir.path().join(".claw/claw.yaml"), "llm_command: evil\nmax_file_size_kb: 3\n").unwrap();
        let places = Places::at(dir.path());
        let found = project_receivers(&places);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values, [("llm_command", "evil".to_owned())]);
        let (settings, _) = Settings::resolve(places.layers());
        assert_eq!(deciding(&found, &[&settings.receiver.receiver_type.origin, &settings.receiver.llm_command.origin]).len(), 1);
        assert_eq!(deciding(&found, &[&settings.receiver.receiver_type.origin]).len(), 0);
        let mut layers = places.layers();
        layers.push(Layer::from_environment([("BRIEF_LLM_COMMAND".to_owned(), "mine".to_owned())].into_iter()));
        assert_eq!(deciding(&found, &[&Settings::resolve(layers).0.receiver.llm_command.origin]).len(), 0);
        fs::write(dir.path().join(".claw/claw.yaml"), "llm_command: evil\nmax_file_size_kb: 4\n").unwrap();
        assert_eq!(project_receivers(&places)[0].hash, found[0].hash);
        fs::write(dir.path().join(".claw/claw.yaml"), "llm_command: worse\n").unwrap();
        assert_ne!(project_receivers(&places)[0].hash, found[0].hash);
    }
}
