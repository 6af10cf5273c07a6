//! 20,000 tokens of core files: more than any agent takes at one event. Each line has a number of its own, so that a request
//! shows what is missing and what is there twice.

use std::collections::BTreeMap;
use std::fmt;

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::ModelRequest;

/// The files: name, first word of each line, and number of lines.
const FILES: [(&str, &str, usize); 4] =
    [("CONSTITUTION", "RULE", 60), ("CONVENTIONS", "CONV", 600), ("ARCHITECTURE", "ARCH", 600), ("AGENT_PLAYBOOK", "PLAY", 320)];

/// The number of lines below one heading.
const SECTION: usize = 20;

/// The line that [`edited`] adds.
pub(crate) const EDIT: &str = "EDITED-LINE";

/// The first word of the lines in the edited section, and the numbers of these lines.
pub(crate) const EDITED: (&str, std::ops::Range<usize>) = ("CONV", 40..60);

fn text(word: &str, count: usize) -> String {
    let line = |number: usize| {
        let heading = if number.is_multiple_of(SECTION) { format!("\n## {word} rules from {number}\n\n") } else { String::new() };
        format!("{heading}{word}-{number:04} {}\n", "x".repeat(40))
    };
    format!("# All about {word}\n{}", (0..count).map(line).collect::<String>())
}

pub(crate) fn write(client: &mut Client) {
    for (name, word, count) in FILES {
        client.file(&format!(".context/{name}.md"), &text(word, count));
    }
}

/// Returns the text of `CONVENTIONS.md` with one more line in one section.
pub(crate) fn edited() -> String {
    let before = format!("{}-{:04} ", EDITED.0, EDITED.1.start + 5);
    text("CONV", FILES[1].2).replace(&before, &format!("{EDIT}\n{before}"))
}

/// How often each line of the core files is in a request, and in which order they are.
pub(crate) struct CoreFiles {
    counts: BTreeMap<(&'static str, usize), usize>,
    /// The place of a line's file among [`FILES`], and its number.
    order: Vec<(usize, usize)>,
}

impl CoreFiles {
    pub(crate) fn of(request: &ModelRequest) -> Self {
        let mut counts: BTreeMap<(&'static str, usize), usize> =
            FILES.iter().flat_map(|(_, word, count)| (0..*count).map(|number| ((*word, number), 0))).collect();
        let mut order = Vec::new();
        for text in request.texts() {
            for (at, _) in text.match_indices('-') {
                let Some((word, number)) = at.checked_sub(4).and_then(|start| text.get(start..at)).zip(text.get(at + 1..at + 5)) else {
                    continue;
                };
                let Some(file) = FILES.iter().position(|(_, known, _)| *known == word) else { continue };
                let Ok(number) = number.parse() else { continue };
                if let Some(count) = counts.get_mut(&(FILES[file].1, number)) {
                    *count += 1;
                    order.push((file, number));
                }
            }
        }
        Self { counts, order }
    }

    /// Returns whether every line is there exactly once.
    pub(crate) fn is_whole(&self) -> bool {
        self.counts.values().all(|count| *count == 1)
    }

    /// Returns whether no line is there twice.
    pub(crate) fn is_at_most_once(&self) -> bool {
        self.counts.values().all(|count| *count < 2)
    }

    /// Returns whether all lines are in the order of their files.
    pub(crate) fn is_in_order(&self) -> bool {
        self.order.is_sorted()
    }

    /// Returns whether every line that begins with a word is there.
    pub(crate) fn has_all_of(&self, word: &str) -> bool {
        self.counts.iter().all(|((own, _), count)| *own != word || *count > 0)
    }

    /// Returns whether every line is there exactly once, except for those of one section.
    pub(crate) fn is_whole_but(&self, (word, lines): (&str, std::ops::Range<usize>), times: usize) -> bool {
        let expected = |(own, number): &(&str, usize)| if *own == word && lines.contains(number) { times } else { 1 };
        self.counts.iter().all(|(line, count)| *count == expected(line))
    }
}

/// Shows ranges of lines with the same count.
impl fmt::Display for CoreFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start: Option<(&str, usize, usize)> = None;
        let mut last = 0;
        for ((word, number), count) in &self.counts {
            if start.is_none_or(|(own, _, times)| own != *word || times != *count) {
                if let Some((word, first, times)) = start {
                    write!(f, "{word} {first}..{last} x{times}, ")?;
                }
                start = Some((word, *number, *count));
            }
            last = number + 1;
        }
        let (word, first, times) = start.unwrap_or_default();
        write!(f, "{word} {first}..{last} x{times}")
    }
}
