//! The commented default file, generated from the table of keys.

use std::fmt::Write as _;

use super::keys::{KEYS, Scope};
use super::value::Value;

/// Returns `brief.toml` with every setting commented out at its default.
pub fn default_file() -> String {
    let mut text = String::from(
        "# Settings of Briefing. Every value below is the default; remove the `# ` in front of it to change it.\n\
         # User: ~/.config/brief/brief.toml   Project: brief.toml or .context/brief.toml\n\
         # If a project has both, only brief.toml is read.\n\
         # Each setting can also be set by an environment variable (lists in TOML syntax or separated by commas: a,b).\n\
         # `brief config show` prints every setting and where it was set.\n",
    );
    let mut section = "";
    for key in KEYS {
        let (own, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if own != section {
            section = own;
            let _ = write!(text, "\n[{section}]\n");
        }
        text.push('\n');
        for line in key.doc.lines() {
            let _ = writeln!(text, "## {line}");
        }
        text.push_str(match key.scope {
            Scope::Anyone => "",
            Scope::Trusted => "## In a project's file, this applies only if the project is trusted (`brief trust`).\n",
            Scope::UserOnly => "## Only your own configuration can set this, not a project's.\n",
        });
        let _ = writeln!(text, "## Environment: {}\n# {name} = {}", key.variable(), key.default);
    }
    text
}

/// Returns a value in TOML syntax.
pub fn toml_text(value: &Value) -> String {
    let quoted = |text: &String| toml::Value::String(text.clone()).to_string();
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Count(value) => value.to_string(),
        Value::Text(value) => quoted(value),
        Value::List(items) => format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        Value::Map(map) if map.is_empty() => "{}".into(),
        Value::Map(map) => {
            let pairs: Vec<_> = map.iter().map(|(name, value)| format!("{} = {}", quoted(name), quoted(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}
