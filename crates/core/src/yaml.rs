//! What is wrong with a YAML file, in words for its author. The parser's own messages speak of types in our code.

use serde_saphyr::{Error, UserMessageFormatter};

/// Returns the position of a problem, to be appended to the file's name (`:3:5`), and what is wrong there.
pub fn problem(error: &Error) -> (String, String) {
    let position = error.location().map(|place| format!(":{}:{}", place.line(), place.column())).unwrap_or_default();
    (position, words(error.without_snippet()))
}

fn words(error: &Error) -> String {
    match error {
        Error::NullIntoString { .. } => "a text is missing".into(),
        Error::Unexpected { expected: "string scalar", .. } => "expected a text".into(),
        Error::Unexpected { expected: "sequence start", .. } => "expected a list".into(),
        Error::Unexpected { expected: "mapping start", .. } => "expected a table of names and values".into(),
        Error::InvalidBooleanStrict { .. } => "expected true or false".into(),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` is given twice"),
        Error::Eof { .. } => "the file ends too early".into(),
        Error::MultipleDocuments { .. } => "there is more than one YAML document in the file".into(),
        other => {
            let message = other.render_with_formatter(&UserMessageFormatter);
            // The first line says what is wrong; the others show a snippet.
            let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("not valid YAML");
            first.split(" at line ").next().unwrap_or(first).to_owned()
        }
    }
}
