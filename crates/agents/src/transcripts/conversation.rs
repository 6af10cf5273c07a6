//! The conversation in a transcript: what the model wrote, which tools it called with what, and what entered the window
//! without us. For the views; nothing here changes the ledger.

use briefing_store::SessionKey;
use serde_json::Value;

use super::compare::{matches, texts, time};
use super::format::{Load, Transcript};
use super::{Budget, Silence, Visitor, visit};
use crate::agent::Agent;
use crate::host::Host;

/// One text of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said<'a> {
    /// The model wrote it.
    Text(&'a str),
    /// A text in the input of a tool.
    Call(&'a str),
    /// It entered the window without us; for [`Load::Message`], what we added to a message may be in it.
    Loaded(Load, &'a str),
    /// The agent's own count of the tokens in the window, and of those that it can hold.
    Fill(u64, Option<u64>),
}

/// Reads a whole conversation in its order. The number is the time in milliseconds since 1970.
///
/// Records that cannot be read are left out. Returns why there is nothing to read.
pub fn converse(
    agent: &Agent,
    key: &SessionKey,
    host: &dyn Host,
    named: Option<&str>,
    hear: &mut dyn FnMut(i64, Said<'_>),
) -> Result<(), Silence> {
    let transcript = agent.transcript.ok_or(Silence::NotFound)?;
    let mut listener = Listener { transcript, last: 0, hear };
    visit(agent, transcript, key, host, named, Budget::COMMAND, &mut listener).map(drop)
}

struct Listener<'a> {
    transcript: &'a Transcript,
    /// The time of the last record that has one.
    last: i64,
    hear: &'a mut dyn FnMut(i64, Said<'_>),
}

impl Visitor for Listener<'_> {
    fn begin(&mut self, _: &str, _: u64) -> u64 {
        0
    }

    fn pass(&mut self, _: u64) {}

    fn damage(&mut self, _: u64) {}

    fn record(&mut self, record: &Value, _: u64, _: u64) {
        self.last = time(record).unwrap_or(self.last);
        let (last, talk) = (self.last, &self.transcript.talk);
        if self.transcript.answers.iter().any(|is| matches(record, is)) {
            talk.texts.iter().for_each(|path| texts(record, path, true, &mut |text| (self.hear)(last, Said::Text(text))));
            talk.calls.iter().for_each(|path| texts(record, path, true, &mut |text| (self.hear)(last, Said::Call(text))));
        }
        for loaded in talk.loaded.iter().filter(|loaded| matches(record, loaded.is)) {
            let mut hear = |text: &str| (self.hear)(last, Said::Loaded(loaded.kind, text));
            loaded.texts.iter().for_each(|path| texts(record, path, loaded.kind == Load::Tool, &mut hear));
        }
        if let Some(fill) = talk.fill.filter(|fill| matches(record, fill.is)) {
            let number = |path: &str| path.split('.').try_fold(record, |value, name| value.get(name)).and_then(Value::as_u64);
            let used = fill.used.iter().filter_map(|path| number(path)).fold(0, u64::saturating_add);
            if used > 0 {
                (self.hear)(last, Said::Fill(used, number(fill.size)));
            }
        }
    }
}
