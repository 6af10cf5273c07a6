//! Whether a model used what it was given: a stated heuristic on the agent's transcript, see `docs/report.md`.
//!
//! A delivered text counts as used if, afterwards, a tool was called with its file, or the model wrote a phrase or two
//! identifiers of it that were new to the session: nobody had typed them, no tool had printed them, the model had not
//! written them before, and no earlier delivery had them. It counts as not used only if the model has answered since and
//! the text has marks to look for. Everything else is unknown, with the reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use briefing_core::render::window::plain;
use briefing_core::shown::normalize;
use serde::Serialize;

use super::marks::{Mark, marks};
use crate::transcripts::conversation::Said;
use crate::transcripts::format::Load;

/// How many identifiers of a text the model must write. One may be a coincidence.
const IDENTIFIERS: usize = 2;
/// How many words of a proof are kept.
const PROOFS: usize = 3;

/// A file that was delivered to a session, all its parts and sections together.
#[derive(Debug, Clone, Default)]
pub(super) struct Given {
    /// Its absolute path, if it is one file.
    pub(super) file: String,
    /// When it was first delivered, in milliseconds since 1970.
    pub(super) at: i64,
    /// The texts that were printed, as far as they are kept.
    pub(super) texts: Vec<String>,
}

/// Whether something was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "use", rename_all = "lowercase")]
pub enum Used {
    /// With what shows it: words, or the file's path.
    Yes {
        proof: Vec<String>,
    },
    No,
    Unknown {
        why: &'static str,
    },
}

/// Listens to the conversation of one session.
pub(super) struct Listening {
    given: Vec<Given>,
    /// The first line of each text, which tells our own text from others.
    openings: Vec<Vec<String>>,
    /// Which texts have a mark.
    places: HashMap<Mark, Vec<usize>>,
    /// The marks that somebody else has brought.
    spoiled: Vec<BTreeSet<Mark>>,
    counts: Vec<usize>,
    proofs: Vec<BTreeMap<Mark, String>>,
    opened: Vec<bool>,
    /// The time of the last answer.
    answered: i64,
    directory: PathBuf,
    /// The documents of the session's indexes.
    indexed: BTreeSet<String>,
    /// Documents that a tool was called with before we delivered them, or without that.
    own: BTreeSet<String>,
}

impl Listening {
    /// Starts with what was delivered, in the order of time.
    pub(super) fn new(given: Vec<Given>, directory: &str, indexed: BTreeSet<String>) -> Self {
        let count = given.len();
        let mut places: HashMap<Mark, Vec<usize>> = HashMap::new();
        let (mut spoiled, mut counts) = (vec![BTreeSet::new(); count], vec![0; count]);
        for (number, one) in given.iter().enumerate() {
            for text in &one.texts {
                marks(text, &mut |mark, _| {
                    let holders = places.entry(mark).or_default();
                    if holders.last() == Some(&number) {
                        return;
                    }
                    counts[number] += 1;
                    if holders.iter().any(|earlier| given[*earlier].at < one.at) {
                        spoiled[number].insert(mark);
                    }
                    holders.push(number);
                });
            }
        }
        let opening = |text: &String| plain(text.lines().next().unwrap_or_default()).into_owned();
        let openings = given.iter().map(|one| one.texts.iter().map(opening).filter(|line| !line.is_empty()).collect()).collect();
        Self {
            given,
            openings,
            places,
            spoiled,
            counts,
            proofs: vec![BTreeMap::new(); count],
            opened: vec![false; count],
            answered: 0,
            directory: PathBuf::from(directory),
            indexed,
            own: BTreeSet::new(),
        }
    }

    pub(super) fn hear(&mut self, at: i64, said: Said<'_>) {
        match said {
            Said::Text(text) => {
                self.answered = at;
                self.written(at, text);
            }
            Said::Call(text) => {
                self.answered = at;
                self.written(at, text);
                self.called(at, text);
            }
            Said::Loaded(kind, text) => self.loaded(kind, text),
            Said::Fill(..) => {}
        }
    }

    /// Notes that the user typed this, whatever the transcript has of it.
    pub(super) fn typed(&mut self, text: &str) {
        self.loaded(Load::Message, text);
    }

    /// Returns how many bytes of a text are ours.
    pub(super) fn own_bytes(&self, text: &str) -> usize {
        let shown = plain(text);
        let ours = self.given.iter().zip(&self.openings).flat_map(|(given, openings)| given.texts.iter().zip(openings));
        ours.filter(|(_, opening)| shown.contains(opening.as_str())).map(|(text, _)| text.len()).sum()
    }

    fn written(&mut self, at: i64, text: &str) {
        let (given, places, spoiled, proofs) = (&self.given, &self.places, &mut self.spoiled, &mut self.proofs);
        marks(text, &mut |mark, words| {
            for &number in places.get(&mark).into_iter().flatten() {
                if given[number].at > at {
                    spoiled[number].insert(mark);
                } else if !spoiled[number].contains(&mark) {
                    proofs[number].entry(mark).or_insert_with(|| words.to_owned());
                }
            }
        });
    }

    fn called(&mut self, at: i64, text: &str) {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ';' | '|' | '<' | '>' | '(' | ')' | ',' | '\\');
        for word in text.split(is_end).filter(|word| word.len() < 1000 && (word.contains('.') || word.contains('/'))) {
            let path = normalize(&self.directory.join(Path::new(word)));
            let Some(path) = path.to_str() else { continue };
            let given = self.given.iter().position(|given| given.file == path);
            match given {
                Some(number) if self.given[number].at <= at => self.opened[number] = true,
                _ if self.indexed.contains(path) => _ = self.own.insert(path.to_owned()),
                _ => {}
            }
        }
    }

    fn loaded(&mut self, kind: Load, text: &str) {
        let shown = plain(text);
        let is_ours: Vec<bool> = self
            .openings
            .iter()
            .map(|openings| kind != Load::Tool && openings.iter().any(|opening| shown.contains(opening.as_str())))
            .collect();
        let (places, spoiled, proofs) = (&self.places, &mut self.spoiled, &self.proofs);
        marks(&shown, &mut |mark, _| {
            for &number in places.get(&mark).into_iter().flatten() {
                if !is_ours[number] && !proofs[number].contains_key(&mark) {
                    spoiled[number].insert(mark);
                }
            }
        });
    }

    /// Returns what became of each delivery, and the documents that the agent opened by itself.
    pub(super) fn finish(self) -> (Vec<Used>, BTreeSet<String>) {
        let used = (0..self.given.len()).map(|number| self.used(number)).collect();
        (used, self.own)
    }

    fn used(&self, number: usize) -> Used {
        let (given, proofs) = (&self.given[number], &self.proofs[number]);
        if self.opened[number] {
            return Used::Yes { proof: vec![given.file.clone()] };
        }
        let identifiers = proofs.keys().filter(|mark| matches!(mark, Mark::Identifier(_))).count();
        if identifiers >= IDENTIFIERS || identifiers < proofs.len() {
            let mut words: Vec<String> = proofs.values().map(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            words.sort();
            words.truncate(PROOFS);
            return Used::Yes { proof: words };
        }
        let is_poor = self.counts[number] - self.spoiled[number].len() < IDENTIFIERS;
        match () {
            () if given.texts.is_empty() => Used::Unknown { why: "its text is no longer kept" },
            () if self.answered <= given.at => Used::Unknown { why: "the model has not answered since" },
            () if is_poor => Used::Unknown { why: "it has nothing that the session did not have already" },
            () => Used::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "=== brief: docs/deploy.md (matches: release) ===\nDrain with `shopctl_drain --canary`, then wait until error budgets \
                        recover.\n";

    fn given(at: i64) -> Given {
        Given { file: "/shop/docs/deploy.md".into(), at, texts: vec![TEXT.into()] }
    }

    fn listening(given: Vec<Given>) -> Listening {
        Listening::new(given, "/shop", BTreeSet::from(["/shop/docs/auth.md".into()]))
    }

    fn after(said: &[(i64, Said<'_>)]) -> Used {
        let mut listening = listening(vec![given(10)]);
        for (at, said) in said {
            listening.hear(*at, *said);
        }
        listening.finish().0.remove(0)
    }

    #[test]
    fn two_new_identifiers_or_a_phrase_or_the_file_itself_are_use() {
        let yes = |proof: &[&str]| Used::Yes { proof: proof.iter().map(|word| (*word).to_owned()).collect() };
        assert_eq!(after(&[(20, Said::Call("shopctl_drain --canary now"))]), yes(&["--canary", "shopctl_drain"]));
        assert_eq!(after(&[(20, Said::Text("We WAIT until *error* budgets recover"))]), yes(&["WAIT until *error* budgets recover"]));
        assert_eq!(after(&[(20, Said::Call("cat docs/deploy.md"))]), yes(&["/shop/docs/deploy.md"]));
        assert_eq!(after(&[(20, Said::Text("I call shopctl_drain"))]), Used::No, "one may be a coincidence");
        assert_eq!(after(&[(20, Said::Text("Done."))]), Used::No);
    }

    #[test]
    fn what_the_session_had_already_proves_nothing() {
        let later = (30, Said::Call("shopctl_drain --canary"));
        assert_eq!(after(&[(5, Said::Text("shopctl_drain --canary")), later]), Used::No, "the model wrote it before");
        assert_eq!(after(&[(20, Said::Loaded(Load::Tool, "usage: shopctl_drain --canary")), later]), Used::No, "a tool printed it");
        assert_eq!(after(&[(5, Said::Loaded(Load::Message, "try shopctl_drain --canary")), later]), Used::No, "the user typed it");
        let ours = format!("release!\n{TEXT}");
        assert!(matches!(after(&[(11, Said::Loaded(Load::Message, &ours)), later]), Used::Yes { .. }), "this is our own text");
        let mut both = listening(vec![given(10), Given { file: "/shop/b.md".into(), ..given(20) }]);
        both.hear(30, later.1);
        assert!(matches!(both.finish().0.as_slice(), [Used::Yes { .. }, Used::Unknown { .. }]), "the first one brought it");
    }

    #[test]
    fn unknown_is_said_to_be_unknown() {
        assert_eq!(after(&[]), Used::Unknown { why: "the model has not answered since" });
        assert_eq!(after(&[(5, Said::Text("Hello."))]), Used::Unknown { why: "the model has not answered since" });
        let mut lost = listening(vec![Given { texts: Vec::new(), ..given(10) }]);
        lost.hear(20, Said::Text("Done."));
        assert_eq!(lost.finish().0, [Used::Unknown { why: "its text is no longer kept" }]);
        let mut poor = listening(vec![Given { texts: vec!["Be kind.".into()], ..given(10) }]);
        poor.hear(20, Said::Text("Done."));
        assert_eq!(poor.finish().0, [Used::Unknown { why: "it has nothing that the session did not have already" }]);
    }

    #[test]
    fn indexed_documents_that_were_opened_without_us_are_named() {
        let mut listening = listening(vec![given(10)]);
        listening.hear(20, Said::Call("/shop/docs/auth.md"));
        listening.hear(20, Said::Call("cat ./docs/deploy.md src/main.rs"));
        assert_eq!(listening.finish().1, BTreeSet::from(["/shop/docs/auth.md".to_owned()]));
    }
}
