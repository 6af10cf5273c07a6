//! Reads prose: what a README says first, and the rules in a file for contributors.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Parser, Tag, TagEnd, TextMergeStream};

use crate::select::sections::front_matter;
use crate::text::beginning;

/// How much of a README is taken.
const MAX_PARAGRAPHS: usize = 3;
const MAX_CHARACTERS: usize = 900;
/// A paragraph with fewer words outside of links is a title, a row of badges or a list of links.
const MIN_WORDS: usize = 5;

/// How many rules are taken, and how long one may be.
const MAX_RULES: usize = 20;
const MAX_RULE_CHARACTERS: usize = 260;

/// A rule, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The heading above it; empty for the document's title.
    pub section: String,
    pub text: String,
}

/// A block of a document: a paragraph or the text of a list item, with its heading.
struct Block {
    level: u8,
    heading: String,
    /// The headings above, outermost first.
    trail: Vec<String>,
    is_item: bool,
    text: String,
    /// How many words are outside of links.
    words: usize,
}

/// Returns the first paragraphs that say what a project is.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut heading = None;
    for block in blocks(text).into_iter().filter(|block| !block.is_item && block.words >= MIN_WORDS) {
        // The introduction ends where the first section begins that has a paragraph of its own.
        let place = (block.level, block.heading.clone());
        if heading.get_or_insert_with(|| place.clone()) != &place || found.len() == MAX_PARAGRAPHS {
            break;
        }
        let length: usize = found.iter().map(|paragraph| paragraph.chars().count()).sum();
        if length + block.text.chars().count() > MAX_CHARACTERS && !found.is_empty() {
            break;
        }
        found.push(beginning(&block.text, MAX_CHARACTERS).to_owned());
    }
    found
}

/// Headings of sections that are about people and procedures, not about the work itself.
const OTHER_SECTIONS: &[&str] = &[
    "acknowledg",
    "bug",
    "code of conduct",
    "communit",
    "contact",
    "contents",
    "conduct",
    "credits",
    "donat",
    "feature request",
    "financial",
    "first contribution",
    "getting help",
    "governance",
    "issue",
    "licen",
    "maintainers",
    "question",
    "release",
    "reporting",
    "security",
    "sponsor",
    "support",
    "thank",
    "translat",
    "where to start",
];

/// Words that make a sentence a rule.
const NORMATIVE: &[&str] = &[
    "always",
    "avoid",
    "do not",
    "don't",
    "don’t",
    "ensure",
    "forbidden",
    "has to",
    "have to",
    "make sure",
    "must",
    "need to",
    "needs to",
    "never",
    "not allowed",
    "prefer",
    "required",
    "shall",
    "should",
];

/// Words with which an order begins.
const IMPERATIVE: &[&str] = &[
    "add",
    "check",
    "commit",
    "cover",
    "declare",
    "document",
    "follow",
    "format",
    "handle",
    "import",
    "include",
    "indent",
    "keep",
    "leave",
    "limit",
    "lint",
    "log",
    "name",
    "order",
    "put",
    "rebase",
    "regenerate",
    "return",
    "run",
    "sign",
    "sort",
    "squash",
    "start",
    "test",
    "update",
    "use",
    "wrap",
    "write",
];

/// Words about how people take part, not about the work itself.
const PROCEDURE: &[&str] = &[
    "clone",
    "contributor license",
    "discord",
    "feature request",
    "fork",
    "git checkout",
    "git clone",
    "github issue",
    "good first issue",
    "mailing list",
    "new issue",
    "open an issue",
    "slack",
    "sponsor",
    "stack overflow",
    "star ",
    "thank",
    "welcome",
    "your feature",
    "your-feature",
    "your branch",
];

/// Returns the rules of a file for contributors.
pub(super) fn rules(text: &str) -> Vec<Rule> {
    let mut found: Vec<Rule> = Vec::new();
    let is_other = |heading: &String| {
        let heading = heading.to_lowercase();
        OTHER_SECTIONS.iter().any(|words| heading.contains(words))
    };
    for block in blocks(text).into_iter().filter(|block| !block.trail.iter().any(is_other)) {
        let section = if block.level > 1 { block.heading } else { String::new() };
        let candidates = if block.is_item { vec![block.text.as_str()] } else { sentences(&block.text) };
        for rule in candidates.into_iter().filter(|words| is_rule(words)) {
            if !found.iter().any(|other| other.text == rule) {
                found.push(Rule { section: section.clone(), text: rule.to_owned() });
            }
        }
    }
    found.truncate(MAX_RULES);
    found
}

fn is_rule(words: &str) -> bool {
    let length = words.chars().count();
    let lower = words.to_lowercase();
    // Words may be inside of others: `must` in `mustache`.
    let padded: String = format!(" {} ", lower.split(|c: char| !c.is_alphanumeric() && !"'’".contains(c)).collect::<Vec<_>>().join(" "));
    let has = |phrase: &&str| padded.contains(&format!(" {phrase} "));
    let begins = |word: &&str| lower.strip_prefix(*word).is_some_and(|rest| rest.starts_with([' ', ',']));
    let is_order = NORMATIVE.iter().any(has) || IMPERATIVE.iter().any(begins);
    let is_whole = !words.ends_with(':') && !words.ends_with('?');
    (12..=MAX_RULE_CHARACTERS).contains(&length) && is_whole && is_order && !PROCEDURE.iter().any(|phrase| lower.contains(phrase))
}

/// Splits a paragraph after full stops that end a sentence.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut is_code = false;
    for (at, c) in paragraph.char_indices() {
        is_code ^= c == '`';
        let rest = &paragraph[at + c.len_utf8()..];
        let begins_next = rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '`'));
        let is_abbreviation = ["e.g.", "i.e.", "etc.", "vs."].iter().any(|short| paragraph[..=at].ends_with(short));
        if matches!(c, '.' | '!') && !is_code && begins_next && !is_abbreviation {
            found.push(paragraph[start..=at].trim());
            start = at + 1;
        }
    }
    found.push(paragraph[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// What is being collected.
#[derive(Default)]
struct Open {
    text: String,
    words: usize,
}

/// Returns the paragraphs and list items of a document in order. Tables, code, quotes and HTML are left out.
fn blocks(text: &str) -> Vec<Block> {
    let body = &text[front_matter(text).end..];
    let mut found = Vec::new();
    let mut headings: Vec<(u8, String)> = Vec::new();
    let (mut heading, mut open): (Option<(u8, String)>, Option<Open>) = (None, None);
    // How deep we are in links, images, and in blocks that are left out; and how many list items are open.
    let (mut links, mut hidden, mut items) = (Vec::new(), 0_usize, 0_usize);
    let mut close = |open: &mut Option<Open>, headings: &[(u8, String)], is_item: bool| {
        let Some(Open { text, words }) = open.take() else { return };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            let (level, heading) = headings.last().cloned().unwrap_or_default();
            let trail = headings.iter().map(|(_, title)| title.clone()).collect();
            found.push(Block { level, heading, trail, is_item, text, words });
        }
    };
    for event in TextMergeStream::new(Parser::new(body)) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level as u8, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, title)) = heading.take() else { continue };
                headings.retain(|(other, _)| *other < level);
                headings.push((level, title.trim().to_owned()));
            }
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Image { .. }) => hidden += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Image) => hidden -= 1,
            Event::Start(Tag::Item) => {
                close(&mut open, &headings, true);
                items += 1;
                open = Some(Open::default());
            }
            Event::End(TagEnd::Item) => {
                close(&mut open, &headings, true);
                items -= 1;
            }
            // The first paragraph of an item is the item.
            Event::Start(Tag::Paragraph) if items == 0 => open = Some(Open::default()),
            Event::End(TagEnd::Paragraph) => close(&mut open, &headings, items > 0),
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url),
            Event::End(TagEnd::Link) => {
                let target = links.pop().map(|target| target.to_string()).unwrap_or_default();
                let is_file = !target.is_empty() && !target.contains(':') && !target.starts_with(['#', '/']);
                if let Some(open) = open.as_mut().filter(|open| is_file && hidden == 0 && !open.text.ends_with(&target)) {
                    let _ = write!(open.text, " (`{target}`)");
                }
            }
            Event::Text(words) => match (&mut heading, &mut open) {
                (Some((_, title)), _) => title.push_str(&words),
                (None, Some(open)) if hidden == 0 => {
                    open.words += if links.is_empty() {
                        words.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
                    } else {
                        0
                    };
                    open.text.push_str(&words);
                }
                _ => {}
            },
            Event::Code(words) => match (&mut heading, &mut open) {
                (Some((_, title)), _) => title.push_str(&words),
                (None, Some(open)) if hidden == 0 => {
                    open.words += 1;
                    let _ = write!(open.text, "`{words}`");
                }
                _ => {}
            },
            Event::SoftBreak | Event::HardBreak => {
                if let Some(open) = &mut open {
                    open.text.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}
