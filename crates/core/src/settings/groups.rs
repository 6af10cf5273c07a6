//! The settings as the program uses them: one group per section of `brief.toml`, one typed field per key.
//!
//! Names, defaults and rules are in the table in `keys.rs`; a test in `mod.rs` fails when a row has no field here.

use std::collections::BTreeMap;

use super::choices::{Announce, ErrorMode, GateOpens, LinkMode, OnFailure, SelectorKind};
use super::value::{Setting, Value};

/// The values that the layers decided, by key. Each group takes its own.
pub(super) type Decided = BTreeMap<&'static str, Setting<Value>>;

fn take<T: TryFrom<Value, Error = Value>>(decided: &mut Decided, key: &'static str) -> Setting<T> {
    decided.remove(key).unwrap_or_else(|| unreachable!("`{key}` has a default")).typed()
}

macro_rules! groups {
    ($($(#[$doc:meta])* $section:literal $group:ident { $($field:ident: $kind:ty,)+ })+) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $group {
            $(pub $field: Setting<$kind>,)+
        }

        impl $group {
            pub(super) fn take(decided: &mut Decided) -> Self {
                Self { $($field: take(decided, concat!($section, stringify!($field))),)+ }
            }

            pub(super) fn list(&self, all: &mut Decided) {
                $(all.insert(self.$field.key, self.$field.untyped());)+
            }
        })+
    };
}

groups! {
    /// Protection that applies to every source.
    "" GuardSettings {
        redact: bool,
    }

    /// Which files are included while walking.
    "" FilesSettings {
        max_file_size_kb: u64,
        max_files_per_directory: u64,
        error_handling_mode: ErrorMode,
        excluded_directories: Vec<String>,
        excluded_extensions: Vec<String>,
        follow_links: LinkMode,
        gitignore: bool,
        hidden: bool,
        lock_files: bool,
    }

    /// What receives the prompt of a goal. A repository's values apply only if the repository is trusted.
    "" ReceiverSettings {
        receiver_type: String,
        llm_command: String,
        prompt_arg_template: String,
    }

    "docs." DocsSettings {
        index: Vec<String>,
        global_index: String,
        generated: Vec<String>,
        secondary: Vec<String>,
        max_docs: u64,
        max_tokens: u64,
    }

    "selector." SelectorSettings {
        kind: SelectorKind,
        on_failure: OnFailure,
        timeout_ms: u64,
    }

    "goals." GoalsSettings {
        script_timeout_ms: u64,
        script_output_kb: u64,
        pass_env: Vec<String>,
        answer_timeout_ms: u64,
    }

    "gate." GateSettings {
        directory: String,
        opens: GateOpens,
        files: BTreeMap<String, String>,
    }

    "instructions." InstructionsSettings {
        files: Vec<String>,
        beside: bool,
        rules: Vec<String>,
        max_tokens: u64,
    }

    "domains." DomainsSettings {
        follow_links: bool,
    }

    "llm." LlmSettings {
        base_url: String,
        model: String,
        key_variable: String,
        timeout_ms: u64,
    }

    "hook." HookSettings {
        deadline_ms: u64,
        announce: Announce,
    }

    "receipts." ReceiptsSettings {
        repair: bool,
    }

    "log." LogSettings {
        text_days: u64,
        text_mb: u64,
    }

    "mcp." McpSettings {
        write: bool,
    }
}
