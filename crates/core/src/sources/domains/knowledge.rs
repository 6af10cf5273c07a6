//! `knowledge.md`: a preamble and entries, oldest first.
//!
//! Parsing never changes a byte: the concatenated blocks of a file are the file. Entries begin at a `## ` heading
//! after a `---` line; bodies may contain headings, rules and fences. Files written by hand often omit the `---`, so a
//! heading that is clearly an entry's (dated, with a type or topics) also begins one.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::civil::Date;

use super::entry::{self, Entry};
use super::front_matter::FrontMatter;
use crate::lines::{Hidden, Line, lines};

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Front matter, title and everything else before the first entry.
    Preamble,
    /// A `---` line and the blank lines after it.
    Separator,
    /// The entry with this number.
    Entry(usize),
}

/// A range of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    pub range: Range<usize>,
}

/// A parsed knowledge file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge<'a> {
    pub text: &'a str,
    pub blocks: Vec<Block>,
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Knowledge<'a> {
    /// Parses any text; every text is a valid knowledge file.
    pub fn parse(text: &'a str) -> Self {
        let mut parser = Parser { text, blocks: Vec::new(), entries: Vec::new(), open: None, begin: 0, has_separator: false };
        parser.run();
        Self { text, blocks: parser.blocks, entries: parser.entries }
    }

    /// Returns the file's text, concatenated from its blocks.
    pub fn print(&self) -> String {
        self.blocks.iter().map(|block| &self.text[block.range.clone()]).collect()
    }

    /// Returns every topic with its number of entries, sorted by name.
    pub fn topics(&self) -> BTreeMap<&str, usize> {
        let mut topics = BTreeMap::new();
        for topic in self.entries.iter().flat_map(|entry| &entry.topics) {
            *topics.entry(topic.as_str()).or_default() += 1;
        }
        topics
    }

    /// Returns the entries of a topic: those that have it, otherwise those with a topic that contains it. Ignores
    /// case.
    pub fn about(&self, topic: &str) -> Vec<&Entry<'a>> {
        let wanted = topic.trim().to_lowercase();
        if wanted.is_empty() {
            return Vec::new();
        }
        let with = |matches: &dyn Fn(&str) -> bool| -> Vec<&Entry<'a>> {
            self.entries.iter().filter(|entry| entry.topics.iter().any(|topic| matches(topic))).collect()
        };
        let exact = with(&|topic| topic == wanted);
        if exact.is_empty() { with(&|topic| topic.contains(&wanted)) } else { exact }
    }

    /// Returns the newest date of an entry.
    pub fn newest(&self) -> Option<Date> {
        self.entries.iter().filter_map(Entry::day).max()
    }
}

/// The entry that is being parsed.
struct Open<'a> {
    start: usize,
    heading: entry::Heading<'a>,
    metadata: entry::Metadata,
}

struct Parser<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    entries: Vec<Entry<'a>>,
    open: Option<Open<'a>>,
    /// Where the block that is being parsed begins.
    begin: usize,
    has_separator: bool,
}

impl<'a> Parser<'a> {
    fn run(&mut self) {
        let text = self.text;
        let from = FrontMatter::find(text).map_or_else(|| text.len() - text.trim_start_matches('\u{FEFF}').len(), |front| front.end);
        let mut hidden = Hidden::new(text);
        // The last `---` line, as long as only blank lines and comments follow it.
        let mut separator: Option<usize> = None;
        for line in lines(text, from) {
            let is_comment = line.text.trim_start().starts_with("<!--");
            if hidden.hides(&line) {
                separator = separator.filter(|_| is_comment);
            } else if line.is_rule() {
                separator = separator.or(Some(line.start));
            } else if !line.is_blank() {
                if let Some(heading) = line.text.strip_prefix("## ") {
                    self.heading(&line, heading, separator);
                }
                separator = None;
            }
        }
        // A final separator without text after it is not part of a body.
        if let Some(start) = separator {
            self.close(start);
            self.push(BlockKind::Separator, start..text.len());
        } else {
            self.close(text.len());
        }
    }

    fn heading(&mut self, line: &Line<'a>, heading: &'a str, separator: Option<usize>) {
        let heading = entry::Heading::parse(heading);
        let metadata = entry::Metadata::read(self.text, line.end);
        let is_bare = |heading: &entry::Heading<'_>, metadata: &entry::Metadata| heading.date.is_none() && metadata.is_empty();
        let is_unmistakable = heading.is_timestamp || metadata.is_complete() || (heading.date.is_some() && !metadata.is_empty());
        // A file without separators was written by hand: every heading in it is an entry, until one is not bare.
        let is_by_hand = !self.has_separator && self.open.as_ref().is_none_or(|open| is_bare(&open.heading, &open.metadata));
        if separator.is_none() && !is_unmistakable && !is_by_hand {
            return;
        }
        let end = separator.unwrap_or(line.start);
        self.close(end);
        self.push(BlockKind::Separator, end..line.start);
        self.has_separator |= separator.is_some();
        self.begin = line.start;
        self.open = Some(Open { start: line.start, heading, metadata });
    }

    /// Ends the current block at `end`.
    fn close(&mut self, end: usize) {
        let Some(Open { start, heading, metadata }) = self.open.take() else {
            self.push(BlockKind::Preamble, self.begin..end);
            return;
        };
        let body_start = metadata.end.min(end);
        let entry = Entry {
            date: heading.date,
            title: heading.title,
            kind: metadata.kind,
            topics: metadata.topics,
            body: self.text[body_start..end].trim_matches(['\r', '\n']).trim_end(),
            range: start..end,
            text: self.text[start..end].trim_end(),
        };
        self.push(BlockKind::Entry(self.entries.len()), start..end);
        self.entries.push(entry);
    }

    fn push(&mut self, kind: BlockKind, range: Range<usize>) {
        if !range.is_empty() {
            self.blocks.push(Block { kind, range });
        }
    }
}

#[cfg(test)]
mod tests;
