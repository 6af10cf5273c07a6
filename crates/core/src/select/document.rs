//! Documents and their fields, as input for a search file.

use super::sections;

/// A document that may be selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Identifies the document in results; unique within one search file.
    pub id: String,
    /// Its path relative to its index. Words of the path are indexed, so it must not include the home directory.
    pub path: String,
    /// Its title; if empty, the first heading is used.
    pub title: String,
    /// A sentence about its content; if empty, the text of the front matter is used.
    pub description: String,
    /// Its tags or keywords.
    pub tags: Vec<String>,
    /// Its headings, if its text is not available; otherwise they are read from the text.
    pub headings: Vec<String>,
    /// Its text, front matter included.
    pub text: String,
    /// The hash of its content, as in the index. The search file is valid only for this hash.
    pub hash: String,
}

/// The number of fields.
pub(super) const FIELDS: usize = 7;

/// The parts of a document that have different weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Field {
    /// The title.
    Title,
    /// Tags and keywords.
    Tags,
    /// The headings of its sections.
    Headings,
    /// The words of its path.
    Path,
    /// Its description.
    Description,
    /// The name of its file; for an index page, that of its directory.
    Name,
    /// Its text without headings.
    Body,
}

impl Field {
    /// All fields, in the order in which the search file stores them.
    pub const ALL: [Self; FIELDS] = [Self::Title, Self::Tags, Self::Headings, Self::Path, Self::Description, Self::Name, Self::Body];

    /// Returns the field's name as shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Tags => "tags",
            Self::Headings => "headings",
            Self::Path => "path",
            Self::Description => "description",
            Self::Name => "name",
            Self::Body => "body",
        }
    }

    /// Returns the field's bit in a posting's mask.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Document {
    /// Returns the text of each field except the body, in the order of [`Field::ALL`].
    pub(super) fn short_fields(&self) -> [String; FIELDS - 1] {
        let headings: Vec<&str> =
            if self.text.is_empty() { self.headings.iter().map(String::as_str).collect() } else { sections::headings(&self.text) };
        let title = if self.title.is_empty() { headings.first().copied().unwrap_or_default() } else { &self.title };
        let description = if self.description.is_empty() { front_matter_words(&self.text) } else { self.description.clone() };
        // The extension carries no meaning, and an index page is about its directory.
        let path = self.path.rsplit_once('.').map_or(self.path.as_str(), |(stem, _)| stem);
        let below = headings.iter().filter(|heading| **heading != title).copied().collect::<Vec<_>>().join("\n");
        [title.to_owned(), self.tags.join("\n"), below, path.replace('/', " / "), description, name_of(path).to_owned()]
    }
}

/// Returns what a document is called by its path: the name of its file or, for a page that stands for its directory, the
/// name of that.
fn name_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let is_general = ["index", "readme", "_index", "overview"].iter().any(|general| name.eq_ignore_ascii_case(general));
    if is_general { parts.next().unwrap_or(name) } else { name }
}

/// Returns the values of the front matter's lines, without their keys.
fn front_matter_words(text: &str) -> String {
    let range = sections::front_matter(text);
    let values = text[range].lines().filter(|line| line.trim_end() != "---");
    values.map(|line| line.split_once(": ").map_or("", |(_, value)| value)).collect::<Vec<_>>().join("\n")
}
