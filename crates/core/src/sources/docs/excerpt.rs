//! Excerpts of a long document for a message: its outline, and the sections that match best.
//!
//! Names and texts depend only on the document, never on the message: a section that was delivered before is identical
//! the next time, so the ledger recognises it.

use std::collections::HashMap;
use std::ops::Range;

use super::markdown::{Heading, headings};
use crate::piece::{Whole, content_hash};
use crate::select::RankedSection;
use crate::select::sections::{Section, front_matter, split};
use crate::tokens::estimate_bytes;

/// A section is worth its room if its score, relative to the document's best one, times the chance that the document is
/// meant is at least this.
const WORTH: f32 = 0.45;
/// The maximum number of headings in an outline, and how deep it goes.
const MAX_OUTLINE: usize = 12;
const OUTLINE_DEPTH: usize = 2;

/// A section of a document, with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt<'a> {
    /// The headings down to it, unique within the document.
    pub(super) name: String,
    pub(super) text: &'a str,
    /// The words of the message that it has.
    pub(super) words: Vec<String>,
    range: Range<usize>,
}

/// Returns the body of a document, without front matter and surrounding blank lines.
pub(super) fn body(text: &str) -> &str {
    text[front_matter(text).end..].trim()
}

/// Returns the headings of a document as a list, with its size.
pub(super) fn outline(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut last: Vec<String> = Vec::new();
    for section in split(text) {
        // A section that was joined to its heading adds several headings at once.
        let shared = section.trail.iter().zip(&last).take_while(|(a, b)| a == b).count();
        for (depth, heading) in section.trail.iter().enumerate().take(OUTLINE_DEPTH).skip(shared) {
            lines.push(format!("{}- {heading}", "  ".repeat(depth)));
        }
        last = section.trail;
    }
    let more = lines.len().saturating_sub(MAX_OUTLINE);
    lines.truncate(MAX_OUTLINE);
    if more > 0 {
        lines.push(format!("- … {more} more"));
    }
    let tokens = estimate_bytes(body(text).len());
    format!(
        "Outline of this document (about {tokens} tokens). Parts of it that fit the message follow; read the file for the rest.\n\n{}",
        lines.join("\n")
    )
}

/// Returns the sections that are worth their room and fit into `budget` tokens, in the order of the document. The best one
/// is always included, truncated if necessary. `chance` is that of the document.
pub(super) fn best<'a>(text: &'a str, ranked: &[RankedSection], chance: f32, budget: u64) -> Vec<Excerpt<'a>> {
    let sections = split(text);
    let names = names(&sections);
    let top = ranked.first().map_or(0.0, |best| best.score).max(f32::MIN_POSITIVE);
    let is_worth = |at: usize, section: &RankedSection| at == 0 || chance * section.score / top >= WORTH;
    let mut taken: Vec<usize> = Vec::new();
    let mut left = budget;
    for (_, candidate) in ranked.iter().enumerate().filter(|(at, candidate)| is_worth(*at, candidate)) {
        let Some(number) = number_of(&sections, candidate).filter(|number| !taken.contains(number)) else { continue };
        let tokens = estimate_bytes(sections[number].range.len());
        if tokens <= left {
            left -= tokens;
            taken.push(number);
        }
    }
    if taken.is_empty() && !sections.is_empty() {
        taken.push(ranked.first().and_then(|best| number_of(&sections, best)).unwrap_or(0));
    }
    taken.sort_unstable();
    let excerpt = |number: usize| {
        let range = sections[number].range.clone();
        let text = text[range.clone()].trim();
        let its = ranked.iter().find(|candidate| number_of(&sections, candidate) == Some(number));
        let words = its.map(|section| section.words.clone()).unwrap_or_default();
        Excerpt { name: names[number].clone(), text: crate::text::beginning(text, (budget as usize).saturating_mul(4)), words, range }
    };
    taken.into_iter().map(excerpt).collect()
}

/// A section that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedSection<'a> {
    /// The headings down to it.
    pub(super) name: String,
    /// Its name in the ledger. An excerpt of the same name may have less text, so it is another one then.
    pub(super) key: String,
    pub(super) text: &'a str,
}

/// Returns the section that a person or a model asks for: by its heading, by the headings down to it, or as websites
/// write them (`rolling-back`). It reaches to the next heading of its level.
pub(super) fn section<'a>(text: &'a str, wanted: &str) -> Option<AskedSection<'a>> {
    let headings = headings(text);
    let slug = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
    };
    let wanted = slug(wanted);
    let is_wanted = |heading: &&Heading| slug(&heading.title) == wanted || slug(&heading.trail) == wanted;
    let heading = headings.iter().find(is_wanted).filter(|_| !wanted.is_empty())?;
    let text_of = text[reach(text, &headings, heading)].trim();
    // Where it is what a message would bring, it has the same name, so that the ledger recognises it.
    let sections = split(text);
    let names = names(&sections);
    let same = sections.iter().zip(names).find(|(section, _)| text[section.range.clone()].trim() == text_of);
    let key = same.map_or_else(|| whole_key(heading), |(_, name)| name);
    Some(AskedSection { name: heading.trail.clone(), key, text: text_of })
}

/// Returns the text under a heading, down to the next heading of its level.
fn reach(text: &str, headings: &[Heading], heading: &Heading) -> Range<usize> {
    let next = headings.iter().find(|next| next.start > heading.start && next.level <= heading.level);
    heading.start..next.map_or(text.len(), |next| next.start)
}

/// Returns the name, in the ledger, of everything under a heading.
fn whole_key(heading: &Heading) -> String {
    format!("{}, whole", heading.trail)
}

/// Returns the sections of a document, as they can be asked for, that contain an excerpt.
pub(super) fn around(text: &str, id: &str, excerpt: &Excerpt<'_>) -> Vec<Whole> {
    let headings = headings(text);
    let whole = |heading: &Heading| {
        let reach = reach(text, &headings, heading);
        let contains = reach.start <= excerpt.range.start && excerpt.range.end <= reach.end;
        contains.then(|| Whole { id: format!("{id}#{}", whole_key(heading)), hash: content_hash(&text[reach]) })
    };
    headings.iter().filter_map(whole).collect()
}

/// Returns the identity and the text of a section of any text, or the names of those that it has.
pub(in crate::sources) fn section_of(text: &str, wanted: &str) -> Result<(String, String, String), Vec<String>> {
    let found = section(text, wanted).ok_or_else(|| section_names(text))?;
    Ok((found.key, found.name, found.text.to_owned()))
}

/// Returns the headings of a document, down to each one.
pub(super) fn section_names(text: &str) -> Vec<String> {
    headings(text).into_iter().map(|heading| heading.trail).collect()
}

/// Finds a section from the search file; by its headings if the document has changed since.
fn number_of(sections: &[Section], ranked: &RankedSection) -> Option<usize> {
    let is_there = |range: &Range<usize>| *range == ranked.range;
    let by_range = sections.iter().position(|section| is_there(&section.range));
    by_range.or_else(|| sections.iter().position(|section| section.trail.join(" › ") == ranked.trail))
}

/// Names every section after its headings; sections with the same headings are numbered.
fn names(sections: &[Section]) -> Vec<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut name = |section: &Section| {
        let trail = section.trail.join(" › ");
        let times = times.entry(trail.clone()).or_default();
        *times += 1;
        match (trail.is_empty(), *times) {
            (true, 1) => "start".to_owned(),
            (true, times) => format!("start ({times})"),
            (false, 1) => trail,
            (false, times) => format!("{trail} ({times})"),
        }
    };
    sections.iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> String {
        let words = |word: &str| format!("{word} ").repeat(60);
        format!(
            "---\na: b\n---\n# Top\n\n{}\n\n## One\n\n{}\n\n## Two\n\n{}\n\n## One\n\n{}\n",
            words("top"),
            words("one"),
            words("two"),
            words("last")
        )
    }

    fn ranked(text: &str, order: &[(usize, f32)]) -> Vec<RankedSection> {
        let sections = split(text);
        let ranked = |(number, score): &(usize, f32)| RankedSection {
            number: *number as u32,
            trail: sections[*number].trail.join(" › "),
            range: sections[*number].range.clone(),
            score: *score,
            words: Vec::new(),
        };
        order.iter().map(ranked).collect()
    }

    #[test]
    fn the_best_sections_come_in_the_order_of_the_document() {
        let text = document();
        let found = best(&text, &ranked(&text, &[(3, 1.0), (1, 0.9), (2, 0.1)]), 1.0, 1000);
        let names: Vec<_> = found.iter().map(|excerpt| excerpt.name.as_str()).collect();
        assert_eq!(names, ["Top › One", "Top › One (2)"]);
        assert!(found[1].text.starts_with("## One\n\nlast"));
    }

    #[test]
    fn the_budget_holds_and_the_best_is_there() {
        let text = document();
        let order = [(2, 1.0), (1, 0.9)];
        assert_eq!(best(&text, &ranked(&text, &order), 1.0, 70).len(), 1);
        let cut = best(&text, &ranked(&text, &order), 1.0, 10);
        assert_eq!((cut.len(), cut[0].text.len()), (1, 40));
        let gone = RankedSection { number: 0, trail: "gone".into(), range: 0..3, score: 1.0, words: Vec::new() };
        assert_eq!(best(&text, &[gone], 1.0, 500)[0].name, "Top", "something is better than nothing");
    }

    #[test]
    fn a_section_reaches_to_the_next_heading_of_its_level() {
        let text = "# Top\n\nintro\n\n## One\n\none\n\n### Deep er\n\ndeep\n\n```\n# no heading\n```\n\n## Two\n\ntwo\n";
        let found = |wanted: &str| section(text, wanted).map(|found| found.text);
        assert_eq!(found("Deep er"), Some("### Deep er\n\ndeep\n\n```\n# no heading\n```"));
        assert_eq!(found("Top › One › Deep er"), found("deep-er"));
        assert!(found("one").unwrap().starts_with("## One") && found("one").unwrap().ends_with("```"));
        assert_eq!((found("top").map(str::len), found("nothing"), found("")), (Some(text.trim().len()), None, None));
        assert_eq!(section_names(text), ["Top", "Top › One", "Top › One › Deep er", "Top › Two"]);
        assert_eq!(section(&document(), "Top › Two").unwrap().key, "Top › Two", "the name that a message would give it");
    }

    #[test]
    fn an_outline_names_the_headings() {
        let outline = outline(&document());
        assert!(outline.ends_with("- Top\n  - One\n  - Two\n  - One"), "{outline}");
    }
}
