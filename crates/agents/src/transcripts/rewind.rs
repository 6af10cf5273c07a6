//! Finds out what a window has lost because its user went back to an earlier message.
//!
//! Every record of such a transcript names the one before it. A message that continues from an earlier record cuts off
//! what was recorded in between. Normally only the last turn and what was added since are read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use briefing_store::Given;
use memchr::memmem;
use serde_json::Value;

use super::compare::matches;
use super::file;
use super::format::Rewind;
use super::rewrite::{Found, missing};

/// How much of a transcript is read at most; a longer one is not looked at.
const MAX_BYTES: u64 = 64 << 20;
/// How much may be read again at the next message. Writing down where reading stopped costs more than that.
const READ_AGAIN: u64 = 64 << 10;

/// A record of the conversation.
struct Record {
    id: String,
    parent: String,
    /// Its line.
    line: Range<usize>,
    is_prompt: bool,
}

/// Looks at the last turn and at what was added to a transcript since. Returns `None` if nothing needs to be written down.
pub(crate) fn look(rewind: &Rewind, path: &Path, scanned: &str, given: impl FnOnce() -> Vec<Given>) -> Option<Found> {
    let (mut file, metadata) = file::open(path).ok()?;
    let (identity, end) = (file::identity(&metadata), metadata.len());
    let known = scanned.split_once(' ').filter(|(file, _)| *file == identity).and_then(|(_, offset)| offset.parse().ok());
    let mut start: u64 = known.filter(|start| *start <= end).unwrap_or(0);
    let mut read = |start: u64| -> Option<Vec<u8>> {
        let mut text = Vec::new();
        (end - start <= MAX_BYTES).then_some(())?;
        file.seek(SeekFrom::Start(start)).ok()?;
        file.by_ref().take(end - start).read_to_end(&mut text).ok()?;
        Some(text)
    };
    let mut text = read(start)?;
    let mut records = records(rewind, &text);
    let mut chain = Chain::of(&records)?;
    if start > 0 && chain.root > 0 {
        // It continues from something older than the last turn.
        start = 0;
        text = read(0)?;
        records = self::records(rewind, &text);
        chain = Chain::of(&records)?;
    }
    let cut: Vec<&Record> = chain.cut_off(&records);
    let last = start + records[chain.last].line.start as u64;
    if cut.is_empty() && last - known.unwrap_or(0) < READ_AGAIN {
        return None;
    }
    let scanned = format!("{identity} {last}");
    let (Some(first), until) = (cut.first(), records[chain.last].line.start) else { return Some(Found { lost: Vec::new(), scanned }) };
    let string = |range: Range<usize>| String::from_utf8_lossy(&text[range]).into_owned();
    let gone = string(first.line.start..until);
    let left = string(0..first.line.start) + &string(until..text.len());
    let is_gone = |one: &Given| !one.opening.is_empty() && gone.contains(&super::rewrite::quoted(&one.opening));
    let given: Vec<Given> = given().into_iter().filter(is_gone).collect();
    Some(Found { lost: missing(&given, &left), scanned })
}

fn records(rewind: &Rewind, text: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut start = 0;
    // A line without an end is still being written.
    for end in memchr::memchr_iter(b'\n', text) {
        let line = start..end;
        start = end + 1;
        // Most of a transcript is in lines that are not part of the chain.
        if memmem::find(&text[line.clone()], rewind.parent.as_bytes()).is_none() {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<Value>(&text[line.clone()]) else { continue };
        let field = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, parent) = (field(rewind.id), field(rewind.parent));
        if !id.is_empty() {
            records.push(Record { id, parent, line, is_prompt: matches(&record, rewind.prompt) });
        }
    }
    records
}

/// The records from which the last message continues.
struct Chain<'a> {
    ids: BTreeSet<&'a str>,
    /// The place of the last message.
    last: usize,
    /// The place of the oldest record of the chain.
    root: usize,
}

impl<'a> Chain<'a> {
    fn of(records: &'a [Record]) -> Option<Self> {
        let last = records.iter().rposition(|record| record.is_prompt)?;
        let places: BTreeMap<&str, usize> = records.iter().enumerate().map(|(place, record)| (record.id.as_str(), place)).collect();
        let (mut ids, mut root) = (BTreeSet::new(), last);
        // A hostile transcript may go round in circles.
        while ids.insert(records[root].id.as_str()) {
            let Some(place) = places.get(records[root].parent.as_str()) else { break };
            root = *place;
        }
        Some(Self { ids, last, root })
    }

    /// Returns the messages between the oldest record of the chain and the last message that are not in the chain. What was
    /// recorded since the first of them is no longer in the window.
    fn cut_off<'r>(&self, records: &'r [Record]) -> Vec<&'r Record> {
        let (first, last) = (self.root.min(self.last), self.last);
        records[first..last].iter().filter(|record| record.is_prompt && !self.ids.contains(record.id.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table::find;

    /// Returns what is lost of two deliveries, `ONE` and `TWO`, and where the next look begins.
    fn look_at(lines: &[Value], scanned: &str) -> Option<(Vec<i64>, String)> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t.jsonl");
        let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
        std::fs::write(&file, text).unwrap();
        let identity = file::identity(&std::fs::metadata(&file).unwrap());
        let scanned = if scanned.is_empty() { String::new() } else { format!("{identity} {scanned}") };
        let given = || ["ONE", "TWO"].iter().zip(1..).map(|(opening, id)| Given { id, opening: (*opening).into() }).collect();
        let rewind = find("claude").unwrap().transcript.unwrap().rewind.unwrap();
        let found = look(&rewind, &file, &scanned, given)?;
        Some((found.lost, found.scanned.split_once(' ').unwrap().1.to_owned()))
    }

    fn prompt(id: &str, parent: &str) -> Value {
        json!({ "type": "user", "uuid": id, "parentUuid": parent, "origin": { "kind": "human" } })
    }

    fn other(id: &str, parent: &str, text: &str) -> Value {
        json!({ "type": "attachment", "uuid": id, "parentUuid": parent, "text": text })
    }

    #[test]
    fn what_came_after_the_message_to_which_the_user_went_back_is_lost() {
        let start = [prompt("1", ""), other("2", "1", "ONE"), prompt("3", "2"), other("4", "3", "TWO"), other("5", "4", "")];
        assert_eq!(look_at(&start, ""), None);
        let on = [&start[..], &[prompt("6", "5")]].concat();
        assert_eq!(look_at(&on, ""), None, "the conversation goes on");
        let back = [&start[..], &[prompt("6", "2"), other("7", "6", "")]].concat();
        let (lost, place) = look_at(&back, "").unwrap();
        assert_eq!(lost, [2], "what came with the message that was taken back");
        assert_eq!(look_at(&back, &place), None, "once");
        let again = [&back[..], &[prompt("8", "7")]].concat();
        assert_eq!(look_at(&again, &place), None);
        let further = [&back[..], &[prompt("8", "")]].concat();
        assert_eq!(look_at(&further, &place), None, "a conversation of its own: what it has is not known");
        let further = [&back[..], &[prompt("8", "2")]].concat();
        assert_eq!(look_at(&further, &place).unwrap().0, [2], "found although only the last turn was read first");
    }

    #[test]
    fn tools_in_parallel_and_circles_cut_off_nothing() {
        let tools = [prompt("1", ""), other("2", "1", "ONE"), other("3", "1", "TWO"), prompt("4", "3")];
        assert_eq!(look_at(&tools, ""), None);
        let circle = [prompt("1", "2"), prompt("2", "1"), prompt("3", "3")];
        assert_eq!(look_at(&circle, ""), None);
        assert_eq!(look_at(&[json!({ "parentUuid": 7 })], ""), None);
    }
}
