//! Results of tools in the form of the protocol.
//!
//! Facts are structured content, with the same in words. A long text is text alone: clients that receive both pass on only
//! the structured one (Claude Code, Codex) or only the text (Gemini), so a text with a structured summary would be lost in
//! some of them, and a text in both would be escaped and larger. What a program may want to know of a text is in `_meta`.

use briefing_core::{Failure, Level, Note};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Value, json};

/// The key of the facts about a text.
const ABOUT: &str = "brief/about";
/// How many notes are told.
const MAX_TOLD: usize = 20;

/// The result of a tool.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Facts, and the same in words.
    Facts { words: String, facts: Value },
    /// A text, with what a program may want to know about it.
    Text { text: String, about: Value },
}

impl Answer {
    pub(crate) fn facts(words: impl Into<String>, facts: &impl Serialize) -> Self {
        Self::Facts { words: words.into(), facts: json!(facts) }
    }

    pub(crate) fn text(text: impl Into<String>, about: &impl Serialize) -> Self {
        Self::Text { text: text.into(), about: json!(about) }
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Facts { words, facts } => {
                let mut result = Self::success(vec![ContentBlock::text(words)]);
                result.structured_content = Some(facts);
                result
            }
            Answer::Text { text, about } => {
                let mut result = Self::success(vec![ContentBlock::text(text)]);
                let mut meta = MetaObject::new();
                meta.insert(ABOUT.to_owned(), about);
                result.meta = Some(meta);
                result
            }
        }
    }
}

/// Returns a failure as a result that the model reads: what failed, why, and what to do next.
pub(crate) fn failed(failure: &Failure) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(failure_words(failure))])
}

pub(crate) fn failure_words(failure: &Failure) -> String {
    let causes = failure.causes().iter().map(|cause| format!("\ncaused by: {cause}"));
    let hints = failure.hints().iter().map(|hint| format!("\nnext: {hint}"));
    std::iter::once(failure.to_string()).chain(causes).chain(hints).collect()
}

/// Returns the notes that a model should know of, one per line.
pub(crate) fn told(notes: &[Note]) -> String {
    let told = notes.iter().filter(|note| note.level > Level::Info).take(MAX_TOLD);
    told.map(|note| format!("note: {note}\n")).collect::<Vec<_>>().concat()
}
