//! Decides whether a message is about any document at all.
//!
//! Most messages to an agent are not ("yes", "run it again", small talk). A threshold on the score would not transfer
//! from one project to another, but counts and ratios do. So a sum of small decision trees combines how the message is
//! phrased, what kind of message it looks like, and how well the best document fits.

use super::fitted::Fitted;
use super::kinds::Features;
use super::phrasing::{Phrasing, tokens};
use super::rank::{QueryTerm, Ranking};
use super::words::TermKind;

/// The names of the features, in the order of [`Evidence`]. The first are the kinds of `kinds.rs`.
pub const FEATURES: [&str; 18] = [
    "looks like talk",
    "looks like a question about something else",
    "looks like an order about the code at hand",
    "begins like a question",
    "asks to explain something",
    "is phrased as an order",
    "things in code",
    "words",
    "words that could name a topic",
    "topical terms matched",
    "ln of the best document's words",
    "its words relative to the ideal",
    "the share of the message that it has",
    "similarity of its vector",
    "similarity of its best passage",
    "how far the message names its title",
    "how far the message names its file",
    "its chance among all documents",
];

/// The values of [`FEATURES`] for one message.
pub type Evidence = [f32; FEATURES.len()];

/// The number of topical terms above which more make no difference.
const ENOUGH_TERMS: f32 = 12.0;
/// The number of words above which more make no difference.
const ENOUGH_WORDS: usize = 60;

/// Computes the features of a message and the documents ranked for it.
pub(super) fn evidence(message: &str, ranking: &Ranking, fitted: &Fitted) -> Evidence {
    let Some(best) = ranking.scored.first() else {
        return Evidence::default();
    };
    let tokens = tokens(message);
    let phrasing = Phrasing::of(&tokens);
    let [talk, other, order] = Features::new(&tokens, &ranking.sought).kinds(fitted);
    let is_word = |term: &&QueryTerm| matches!(term.kind, TermKind::Word | TermKind::Chatter | TermKind::Pair);
    let [_, own_meaning, passage_meaning, title, file, covered, _] = best.parts;
    let flag = |is: bool| f32::from(u8::from(is));
    [
        talk,
        other,
        order,
        flag(phrasing.is_question),
        flag(phrasing.asks_to_explain),
        flag(phrasing.is_order),
        phrasing.things as f32,
        (1.0 + message.split_whitespace().count().min(ENOUGH_WORDS) as f32).ln(),
        ranking.terms.iter().filter(is_word).count() as f32,
        (best.topical as f32).min(ENOUGH_TERMS),
        (1.0 + best.words).ln(),
        best.words / ranking.ideal.max(f32::MIN_POSITIVE),
        covered,
        own_meaning,
        passage_meaning,
        title,
        file,
        best.chance,
    ]
}

/// Returns the confidence, between 0 and 1, that the message is about the best documents.
pub(super) fn confidence(evidence: &Evidence, fitted: &Fitted) -> f32 {
    1.0 / (1.0 + (-fitted.log_odds(evidence)).exp())
}
