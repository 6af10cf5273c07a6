//! Parses a Markdown document: facts about it, and the documents it refers to.
//!
//! References are links and `@path.md`, outside code, comments and URLs. Those under `## Required reads` must be read
//! with the document.

use pulldown_cmark::{Event, Parser, Tag, TagEnd, TextMergeWithOffset};
use serde_json::Value;

use super::parse::words;
use crate::secrets::redacted;
use crate::select::sections::front_matter;
use crate::sources::instructions::Scope;
use crate::text::beginning;

/// Limits for headings: more or longer ones add no information about a document.
const MAX_HEADINGS: usize = 100;
const MAX_HEADING_BYTES: usize = 160;
/// Words of a path that do not name a topic.
const EMPTY_WORDS: [&str; 8] = ["docs", "doc", "readme", "index", "md", "src", "the", "and"];

/// The facts found in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub title: String,
    pub description: String,
    pub tags: Vec<String>,
    pub headings: Vec<String>,
    /// Where it applies, see [`Scope`].
    pub applies_to: Vec<String>,
    pub references: Vec<Reference>,
}

/// A reference to another document, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub target: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Whether it is `@path`, as opposed to a link.
    pub is_at: bool,
    /// Whether it is under `## Required reads`.
    pub is_required: bool,
}

/// Parses a document. `path` is relative to the root; its words are used as tags if the document has none.
pub(super) fn facts(text: &str, path: &str) -> Facts {
    let matter = front_matter(text);
    let mut facts = Facts { references: Vec::new(), ..from_front_matter(&text[matter.clone()]) };
    facts.applies_to = Scope::of(text).globs;
    let first_heading = read_body(text, matter.end, &mut facts);
    if facts.title.is_empty() {
        facts.title = first_heading.unwrap_or_else(|| stem(path).to_owned());
    }
    if facts.tags.is_empty() {
        facts.tags = path_words(path);
    }
    // They are stored and sent to models separately from the text, so they are redacted here.
    let said = [&mut facts.title, &mut facts.description];
    for text in said.into_iter().chain(&mut facts.tags).chain(&mut facts.headings) {
        *text = redacted(std::mem::take(text));
    }
    facts
}

/// Returns the paths that a document imports: `@path`.
pub(in crate::sources) fn imports(text: &str) -> Vec<String> {
    references(text).into_iter().filter(|reference| reference.is_at).map(|reference| reference.target).collect()
}

/// Returns only the references of a document.
pub(super) fn references(text: &str) -> Vec<Reference> {
    let mut facts = Facts::default();
    read_body(text, front_matter(text).end, &mut facts);
    facts.references
}

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) title: String,
    /// The headings down to it.
    pub(super) trail: String,
    /// Where it starts, in bytes.
    pub(super) start: usize,
}

/// Returns the headings of a document.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let start = front_matter(text).end;
    let (mut headings, mut above): (Vec<Heading>, Vec<(u8, String)>) = (Vec::new(), Vec::new());
    let mut open: Option<Heading> = None;
    for (event, range) in Parser::new(&text[start..]).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some(Heading { level: level as u8, title: String::new(), trail: String::new(), start: start + range.start });
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut open {
                    heading.title.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some(mut heading) = open.take() else { continue };
                above.retain(|(level, _)| *level < heading.level);
                above.push((heading.level, heading.title.trim().to_owned()));
                heading.trail = above.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" › ");
                headings.push(heading);
            }
            _ => {}
        }
    }
    headings
}

/// Collects headings and references; returns the first heading of the highest level.
fn read_body(text: &str, start: usize, facts: &mut Facts) -> Option<String> {
    let lines = Lines::of(text);
    let mut titled: Option<(u8, String)> = None;
    let mut heading: Option<(u8, String)> = None;
    let (mut is_code, mut depth, mut is_required) = (false, 0usize, false);
    let events = Parser::new(&text[start..]).into_offset_iter();
    for (event, range) in TextMergeWithOffset::new(events) {
        let line = lines.at(start + range.start);
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level as u8, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, title)) = heading.take() else { continue };
                let title = beginning(title.trim(), MAX_HEADING_BYTES).to_owned();
                is_required = is_required_reads(&title);
                if title.is_empty() {
                    continue;
                }
                if titled.as_ref().is_none_or(|(best, _)| level < *best) {
                    titled = Some((level, title.clone()));
                }
                if facts.headings.len() < MAX_HEADINGS {
                    facts.headings.push(title);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::Link { dest_url, .. }) => {
                depth += 1;
                facts.references.push(Reference { target: dest_url.to_string(), line, is_at: false, is_required });
            }
            Event::End(TagEnd::Link) => depth = depth.saturating_sub(1),
            Event::Code(code) => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&code);
                }
            }
            Event::Text(words) if !is_code => {
                if let Some((_, title)) = &mut heading {
                    title.push_str(&words);
                } else if is_required_reads(&words) {
                    is_required = true;
                }
                if depth == 0 {
                    let found = at_references(&words).map(|target| Reference { target, line, is_at: true, is_required });
                    facts.references.extend(found);
                }
            }
            _ => {}
        }
    }
    titled.map(|(_, title)| title)
}

/// Older documents have these words on a line of their own instead of in a heading.
fn is_required_reads(text: &str) -> bool {
    text.trim().trim_end_matches(':').eq_ignore_ascii_case("required reads")
}

/// Finds `@path.md` in running text, but not inside a word, an email address or a URL.
fn at_references(text: &str) -> impl Iterator<Item = String> + '_ {
    text.match_indices('@').filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !"([{\"'*_>:,;".contains(c)) {
            return None;
        }
        let rest = &text[at + 1..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_./~-".contains(c))).unwrap_or(rest.len());
        let target = rest[..end].trim_end_matches(['.', '_', '-']);
        (is_markdown(target) && !stem(target).is_empty()).then(|| target.to_owned())
    })
}

/// Returns whether a path has the extension of a Markdown document.
pub(super) fn is_markdown(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(_, extension)| ["md", "mdx", "markdown"].into_iter().any(|markdown| extension.eq_ignore_ascii_case(markdown)))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn path_words(path: &str) -> Vec<String> {
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_lowercase();
    let mut found: Vec<String> = Vec::new();
    for word in path.split(|c: char| !c.is_alphanumeric()) {
        let is_new = !found.iter().any(|known| known == word);
        if word.chars().nth(1).is_some() && is_new && !EMPTY_WORDS.contains(&word) && !word.chars().all(|c| c.is_ascii_digit()) {
            found.push(word.to_owned());
        }
    }
    found
}

fn from_front_matter(matter: &str) -> Facts {
    let inside = matter.lines().filter(|line| line.trim_end() != "---").collect::<Vec<_>>().join("\n");
    if inside.trim().is_empty() {
        return Facts::default();
    }
    let value: Value = serde_saphyr::from_str(&inside).unwrap_or_else(|_| plain_pairs(&inside));
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let mut tags = words(value.get("tags"));
    for tag in words(value.get("keywords")) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Facts { title: text("title"), description: text("description"), tags, ..Facts::default() }
}

/// Parses half-edited front matter that is not valid YAML, but has lines of the form `key: value`.
fn plain_pairs(inside: &str) -> Value {
    let pairs = inside.lines().filter_map(|line| line.split_once(": ").filter(|(key, _)| !key.starts_with([' ', '-', '#'])));
    let pair = |(key, value): (&str, &str)| {
        let value = value.trim().trim_matches(['"', '\'', '[', ']']);
        (key.trim().to_owned(), Value::String(value.to_owned()))
    };
    Value::Object(pairs.map(pair).collect())
}

/// The positions at which the lines of a text start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    fn at(&self, offset: usize) -> usize {
        1 + self.0.partition_point(|end| *end < offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn targets(text: &str) -> Vec<(String, usize, bool)> {
        references(text).into_iter().map(|reference| (reference.target, reference.line, reference.is_required)).collect()
    }

    fn found(text: &str) -> Vec<String> {
        targets(text).into_iter().map(|(target, ..)| target).collect()
    }

    #[test]
    fn links_and_at_paths_are_references_with_their_line() {
        let text = "---\ntitle: x\n---\n# A\n\nSee [b](b.md#part) and\n@docs/c_d-e.md, too. [ref]\n\n[ref]: ../f.md\n";
        assert_eq!(
            targets(text),
            [("b.md#part".to_owned(), 6, false), ("docs/c_d-e.md".to_owned(), 7, false), ("../f.md".to_owned(), 7, false)]
        );
    }

    #[test]
    fn code_urls_addresses_and_comments_contain_no_references() {
        for text in [
            "`@a.md` and ``[x](b.md)``",
            "```\n@a.md\n[x](b.md)\n```\n",
            "    @indented.md\n",
            "write to me@host.md",
            "https://example.com/@a.md",
            "<!-- @a.md -->\n",
            "![image](a.png)",
            "@someone said @.md",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
        assert_eq!(found("(@a.md) \"@b/c.md\". @d.md."), ["a.md", "b/c.md", "d.md"]);
    }

    #[test]
    fn required_reads_end_at_the_next_heading() {
        let text = "# T\n\n## Required reads\n\n- @a.md\n- [b](b.md)\n\n## Rest\n\n@c.md\n";
        let required: Vec<_> = references(text).into_iter().filter(|r| r.is_required).map(|r| r.target).collect();
        assert_eq!(required, ["a.md", "b.md"]);
        let old = "Required reads\n@a.md\n";
        assert!(references(old)[0].is_required);
    }

    #[test]
    fn facts_come_from_front_matter_then_headings_then_the_path() {
        let text = "---\ntitle: 'The title'\ndescription: What it is\ntags: [a, b]\nkeywords: b, c\n---\n# Other\n## In `code`\n";
        let facts = facts(text, "docs/x.md");
        assert_eq!((facts.title.as_str(), facts.description.as_str()), ("The title", "What it is"));
        assert_eq!((facts.tags.join(" "), facts.headings.join("|")), ("a b c".into(), "Other|In code".into()));
        let bare = super::facts("text\n\n## Small\n\n# Large\n", "docs/deploy/rolling-back.md");
        assert_eq!((bare.title.as_str(), bare.tags.join(" ")), ("Large", "deploy rolling back".into()));
        assert_eq!(super::facts("text", "docs/notes.md").title, "notes");
        let broken = super::facts("---\ntitle: \"x: [\ntags: a, b\n---\ntext", "x.md");
        assert_eq!(broken.tags, ["a", "b"]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(---\n|# |@|a\\.md|[|]|\\(|\\)|`|\n|é|x: ){0,60}") {
            let _ = facts(&text, &text);
        }
    }
}
