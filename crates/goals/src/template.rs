//! Renders Tera templates: scripts with `Args`, and the prompt with `Args`, `Context` and files of the goal's directory.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;

use briefing_core::Failure;
use briefing_core::text::beginning;
use tera::{Context, Tera, Value};

use crate::goal::Goal;

const PROMPT: &str = "prompt";

/// A rendered script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub name: String,
    pub command: String,
}

/// The values that templates can use.
#[derive(Debug, Clone, Default)]
pub struct Values {
    /// `Args`.
    pub arguments: BTreeMap<String, String>,
    /// `Context`: the output of the scripts.
    pub context: BTreeMap<String, String>,
    /// The environment variables that `get_env` may read. The caller must leave out secrets.
    pub environment: BTreeMap<String, String>,
}

/// Renders the scripts of a goal, in order.
pub fn commands(goal: &Goal, values: &Values) -> Result<Vec<Command>, Failure> {
    let mut context = Context::new();
    context.insert("Args", &values.arguments);
    let render = |script: &crate::Script| {
        let mut tera = engine(values);
        let rendered = tera.render_str(&script.command, &context);
        let command = rendered.map_err(|error| failed(goal, &format!("the script `{}`", script.name), &error))?;
        Ok(Command { name: script.name.clone(), command })
    };
    goal.scripts.iter().map(render).collect()
}

/// Renders the paths in a goal's `context`, with `Args`. Blank results are left out.
pub fn paths(goal: &Goal, values: &Values) -> Result<Vec<String>, Failure> {
    let mut context = Context::new();
    context.insert("Args", &values.arguments);
    let render = |path: &String| engine(values).render_str(path, &context).map_err(|error| failed(goal, "its `context`", &error));
    let rendered: Vec<String> = goal.context.iter().map(render).collect::<Result<_, _>>()?;
    Ok(rendered.into_iter().filter(|path| !path.trim().is_empty()).collect())
}

/// Renders the prompt.
pub fn prompt(goal: &Goal, values: &Values) -> Result<String, Failure> {
    let mut context = Context::new();
    context.insert("Args", &values.arguments);
    context.insert("Context", &values.context);
    let mut tera = engine(values);
    let mut templates = vec![(PROMPT.to_owned(), goal.prompt.clone())];
    templates.extend(included(goal));
    tera.add_raw_templates(templates).map_err(|error| failed(goal, "its prompt", &error))?;
    tera.render(PROMPT, &context).map_err(|error| failed(goal, "its prompt", &error))
}

/// Returns the syntax errors in the prompt, the scripts and `context`.
pub(crate) fn syntax(goal: &Goal) -> Vec<String> {
    let mut problems = Vec::new();
    let mut look = |what: String, templates: Vec<(String, String)>| {
        if let Err(error) = engine(&Values::default()).add_raw_templates(templates) {
            let causes = failed(goal, &what, &error);
            problems.push(format!("{what}: {}", causes.causes().last().map_or("invalid template", String::as_str)));
        }
    };
    look("the prompt".into(), std::iter::once((PROMPT.to_owned(), goal.prompt.clone())).chain(included(goal)).collect());
    for script in &goal.scripts {
        look(format!("the script `{}`", script.name), vec![(script.name.clone(), script.command.clone())]);
    }
    for path in &goal.context {
        look(format!("`context`, `{path}`"), vec![(path.clone(), path.clone())]);
    }
    problems
}

/// Returns the files that the prompt includes but that do not exist.
pub(crate) fn missing_includes(goal: &Goal) -> Vec<String> {
    let included: BTreeMap<String, String> = included(goal).into_iter().collect();
    let texts = std::iter::once(goal.prompt.as_str()).chain(included.values().map(String::as_str));
    let mut missing = Vec::new();
    for tag in texts.flat_map(loading_tags).filter(|tag| !tag.contains("ignore missing")) {
        let names = quoted(tag);
        // In a list of names, the first that exists is included.
        if let (Some(first), false) = (names.first(), names.iter().any(|name| goal.files.contains_key(*name))) {
            missing.push((*first).to_owned());
        }
    }
    missing
}

/// Returns the prompt and all included files as one text.
pub(crate) fn texts(goal: &Goal) -> String {
    let included = included(goal);
    std::iter::once(goal.prompt.as_str()).chain(included.iter().map(|(_, text)| text.as_str())).collect::<Vec<_>>().join("\n")
}

fn engine(values: &Values) -> Tera {
    let mut tera = Tera::default();
    // A prompt is not HTML.
    tera.autoescape_on(Vec::new());
    tera.register_filter("sh", |value: &Value, _: &HashMap<String, Value>| Ok(Value::String(shell_quoted(&plain(value)))));
    let environment = values.environment.clone();
    tera.register_function("get_env", move |arguments: &HashMap<String, Value>| {
        let name = arguments.get("name").and_then(Value::as_str).ok_or_else(|| tera::Error::msg("`get_env` needs a `name`"))?;
        match (environment.get(name), arguments.get("default")) {
            (Some(value), _) => Ok(Value::String(value.clone())),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(tera::Error::msg(format!("the variable `{name}` is not set, or goals may not read it"))),
        }
    });
    tera
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns `text` as one word for a POSIX shell.
fn shell_quoted(text: &str) -> String {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&byte));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Returns the files that the prompt includes, directly or through other files.
///
/// Other files are not added to the engine: they may contain braces that are not valid templates.
pub fn included(goal: &Goal) -> Vec<(String, String)> {
    let mut wanted: Vec<&str> = references(&goal.prompt);
    let mut templates: BTreeMap<&str, &str> = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        if templates.contains_key(name) {
            continue;
        }
        if let Some((name, text)) = goal.files.get_key_value(name) {
            templates.insert(name, text);
            wanted.extend(references(text));
        }
    }
    templates.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Returns every quoted word in the tags that load other templates.
fn references(text: &str) -> Vec<&str> {
    loading_tags(text).into_iter().flat_map(quoted).collect()
}

/// Returns the content of the tags that load other templates.
fn loading_tags(text: &str) -> Vec<&str> {
    let tags = text.split("{%").skip(1).filter_map(|rest| rest.split_once("%}")).map(|(tag, _)| tag.trim_start_matches('-').trim_start());
    tags.filter(|tag| ["include", "extends", "import"].iter().any(|word| tag.starts_with(word))).collect()
}

/// Returns the quoted words of a tag, with any kind of quotes.
fn quoted(tag: &str) -> Vec<&str> {
    ['"', '\'', '`'].iter().flat_map(|quote| tag.split(*quote).skip(1).step_by(2)).collect()
}

/// Returns a failure for an error of Tera. The innermost error has the position; the outer ones only name the template.
fn failed(goal: &Goal, what: &str, error: &tera::Error) -> Failure {
    const OUTER: [&str; 3] = ["Failed to render", "Failed to parse '__tera_one_off'", "Failed to parse 'prompt'"];
    let mut failure = Failure::new(format!("cannot render the goal `{}`: {what}", goal.name));
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        let message = error.to_string();
        if !OUTER.iter().any(|outer| message.starts_with(outer)) {
            failure = failure.because_of(readable(&message).replace("__tera_one_off", "the script"));
        }
        next = error.source();
    }
    let hint = "a value that may be missing needs a default: `{{ Args.name | default(value=\"…\") }}`";
    let is_missing = failure.causes().iter().any(|cause| cause.contains("not found in context"));
    if is_missing { failure.hint(hint) } else { failure }
}

/// Returns a message on one line. Tera draws a picture of a syntax error: position, the line with a marker below it, and
/// what was expected.
fn readable(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let position = lines.first().and_then(|first| first.strip_prefix("--> ")).and_then(|position| position.split_once(':'));
    let expected = lines.iter().find_map(|line| line.strip_prefix("= "));
    let (Some((line, column)), Some(expected)) = (position, expected) else { return lines.join(" ") };
    let source = lines.iter().find_map(|text| text.strip_prefix(line)?.trim_start().strip_prefix("| "));
    let source = source.map(|source| format!(": `{}`", beginning(source.trim(), 80))).unwrap_or_default();
    format!("line {line}, column {column}: {expected}{source}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn goal(prompt: &str, scripts: &[(&str, &str)], files: &[(&str, &str)]) -> Goal {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("review");
        fs::create_dir(&path).unwrap();
        let scripts: serde_json::Map<_, _> = scripts.iter().map(|(name, text)| ((*name).to_owned(), serde_json::json!(text))).collect();
        // JSON is valid YAML.
        fs::write(path.join("prompt.yaml"), serde_json::json!({ "prompt": prompt, "context_scripts": scripts }).to_string()).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
        Goal::read(&path).unwrap()
    }

    fn values(arguments: &[(&str, &str)]) -> Values {
        let map = |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Values { arguments: map(arguments), context: map(&[("diff", "<a> & 'b'")]), environment: map(&[("USER", "bob")]) }
    }

    #[test]
    fn the_prompt_sees_arguments_context_and_includes() {
        let prompt_text = "{{ Args.x | default(value=\"none\") }} {{ Context.diff }} {% include \"guide.md\" %}";
        let files = [("guide.md", "G {% include 'deep.md' %}"), ("deep.md", "D {{ Args.x }}"), ("stray.md", "{{ not a template")];
        let goal = goal(prompt_text, &[], &files);
        assert_eq!(prompt(&goal, &values(&[("x", "1")])).unwrap(), "1 <a> & 'b' G D 1", "nothing is escaped");
    }

    #[test]
    fn scripts_see_arguments_and_can_quote_them() {
        let goal = goal("p", &[("log", "git log {{ Args.path | sh }}"), ("who", "echo {{ get_env(name=\"USER\") }}")], &[]);
        let commands = commands(&goal, &values(&[("path", "a b'; rm -rf /")])).unwrap();
        assert_eq!(commands[0].command, "git log 'a b'\\''; rm -rf /'");
        assert_eq!(commands[1].command, "echo bob");
    }

    #[test]
    fn get_env_reads_only_the_given_variables() {
        let goal = goal("{{ get_env(name=\"HOME\") }}", &[], &[]);
        let failure = prompt(&goal, &values(&[])).unwrap_err();
        assert!(failure.causes().iter().any(|cause| cause.contains("`HOME` is not set, or goals may not read it")), "{failure:?}");
    }

    #[test]
    fn errors_name_the_position_and_the_next_step() {
        let failure = prompt(&goal("a\n{{ Args.nope }}", &[], &[]), &values(&[])).unwrap_err();
        assert!(failure.causes()[0].contains("Args.nope"), "{failure:?}");
        assert!(failure.hints()[0].contains("default(value="), "{failure:?}");
        let failure = prompt(&goal("a\nb {% if %}", &[], &[]), &values(&[])).unwrap_err();
        assert_eq!(failure.causes(), ["line 2, column 9: expected a value that can be negated: `b {% if %}`"]);
        let failure = commands(&goal("p", &[("s", "{{ x")], &[]), &values(&[])).unwrap_err();
        assert!(failure.to_string().contains("the script `s`"), "{failure:?}");
    }

    proptest! {
        #[test]
        fn a_shell_gets_back_what_was_quoted(text in "[^\\x00]{0,40}") {
            let output = std::process::Command::new("sh").args(["-c", &format!("printf %s {}", shell_quoted(&text))]).output().unwrap();
            prop_assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }
}
