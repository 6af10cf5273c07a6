//! The search for needles: all of them in one pass, with vector instructions where the processor has them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind, packed};

use super::rules::Shape;
use super::table::NEEDLES;
use super::{Found, assigned, named, private_key, structured, token, url};

static SEARCH: LazyLock<Search> = LazyLock::new(Search::new);

enum Search {
    Packed(packed::Searcher),
    /// Where there are no such instructions. Fast to build, a little slower to search.
    Automaton(AhoCorasick),
}

impl Search {
    fn new() -> Self {
        let needles = || NEEDLES.iter().map(|(needle, ..)| needle);
        let mut packed = packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).builder();
        packed.extend(needles()).build().map_or_else(|| Self::Automaton(Self::automaton()), Self::Packed)
    }

    fn automaton() -> AhoCorasick {
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(AhoCorasickKind::ContiguousNFA)).match_kind(MatchKind::LeftmostLongest);
        builder.build(NEEDLES.iter().map(|(needle, ..)| needle)).expect("the needles are few and short")
    }

    fn next(&self, text: &str, from: usize) -> Option<(usize, usize, usize)> {
        let hit = match self {
            Self::Packed(searcher) => searcher.find_in(text, (from..text.len()).into()),
            Self::Automaton(automaton) => automaton.find(Input::new(text).range(from..)),
        }?;
        Some((hit.pattern().as_usize(), hit.start(), hit.end()))
    }
}

/// Adds the secrets at needles to `found`.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    for start in memchr::memmem::find_iter(text.as_bytes(), "://") {
        let range = url::password(text, start, start + 3);
        found.extend(range.map(|(start, end)| Found { start, end, kind: "password", is_certain: true }));
    }
    let search = &*SEARCH;
    let mut from = 0;
    while let Some((row, start, end)) = search.next(text, from) {
        let (_, kind, shape) = &NEEDLES[row];
        let before = found.len();
        examine(text, start, end, kind, shape, found);
        let secret = found.get(before..).and_then(<[Found]>::last).map(|secret| secret.end);
        // A needle may begin inside one that was none.
        from = secret.map_or(start + 1, |secret| secret.max(end));
    }
}

fn examine(text: &str, start: usize, end: usize, kind: &'static str, shape: &Shape, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let range = match shape {
        Shape::Token(form) => token::plain(bytes, start, end, form),
        Shape::Uuid => token::uuid(bytes, start, end),
        Shape::Around(alphabet, before, after) => token::around(bytes, start, end, *alphabet, *before, *after),
        Shape::WebhookPath => url::webhook_path(bytes, end),
        Shape::PrivateKey => private_key::block(bytes, start, end),
        Shape::PuttyKey => private_key::putty(bytes, end),
        Shape::UrlPassword => url::password(text, start, end),
        Shape::NpmAuth => assigned::npm(bytes, start, end),
        Shape::DockerAuth => structured::docker(bytes, end),
        Shape::Scheme => structured::scheme(text, start, end),
        Shape::CommandUser => structured::command_user(text, start, end),
        Shape::Crypt => structured::crypt(bytes, start, end),
        Shape::Named(name) => {
            // A needle may contain what follows the name.
            let end = end - usize::from(!bytes[end - 1].is_ascii_alphanumeric());
            found.extend(named::value(text, start, end, kind, *name));
            if *name == super::rules::Name::Password { url::query_password(text, start, end) } else { None }
        }
        Shape::KubernetesSecret => {
            structured::kubernetes(text, end, found);
            None
        }
        // These begin a run.
        Shape::Slack | Shape::Jwt => None,
    };
    found.extend(range.map(|(start, end)| Found { start, end, kind, is_certain: true }));
}
