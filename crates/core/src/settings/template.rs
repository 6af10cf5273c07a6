//! The commented default file, made from the table of keys.

use std::fmt::Write as _;

use super::keys::{KEYS, Scope};
use super::value::Value;

/// Returns `brief.toml` with every setting commented out at its default.
pub fn default_file() -> String {
    let mut text = String::from(
        "# Settings of Briefing. Every value below is the default; remove the `# ` in front of it to change it.\n\
         # User: ~/.config/brief/brief.toml   Project: brief.toml or .context/brief.toml\n\
         # Where both files of a project exist, brief.toml is read and the other is not.\n\
         # Each setting can also be given as an environment variable (a list as here, or with commas: a,b), and\n\
         # `brief config show` tells who decided what.\n",
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
            Scope::Trusted => "## From a project it counts only where it is trusted (`brief trust`).\n",
            Scope::UserOnly => "## Only the user's own configuration may set this.\n",
        });
        let _ = writeln!(text, "## Environment: {}\n# {name} = {}", key.variable(), key.default);
    }
    text
}

/// Returns a value as it would be written in TOML.
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
