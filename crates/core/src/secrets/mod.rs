//! The guard against secrets: what is surely one is replaced by `[redacted: kind]` before anybody sees it.
//!
//! A keyword prefilter runs over the text first; only at a hit is the token behind it examined, by a row of a table.
//! There are no regular expressions: each rule is a prefix, an alphabet and a length, which is faster to start and to
//! run, and easier to read. What has no prefix of its own (the body of a key, a password, an assigned value) has a
//! function of its own beside the table. The guard is for accidents. It is precise rather than complete: a rule that redacts
//! ordinary text would cost the reader more than it saves.

mod assigned;
mod escape;
mod private_key;
mod rules;
mod token;
mod url;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::note::{Note, NoteKind};
use rules::{RULES, Shape};

/// What kind of secret was found, and on which line (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub kind: &'static str,
    pub line: usize,
}

impl Secret {
    /// Returns the note that this secret leaves.
    pub fn note(&self, path: &str) -> Note {
        Note::warning(path, NoteKind::Redacted, format!("{} on line {} was redacted", self.kind, self.line))
    }
}

/// Text without secrets, and what was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    pub secrets: Vec<Secret>,
}

/// Cheap to make; searches a little slower.
static SMALL_PREFILTER: LazyLock<AhoCorasick> = LazyLock::new(|| prefilter(Some(AhoCorasickKind::ContiguousNFA)));
/// Takes three times as long to make as a hook takes to search everything it says.
static LARGE_PREFILTER: LazyLock<AhoCorasick> = LazyLock::new(|| prefilter(None));

/// From so many bytes on that this process has searched, the large one pays.
const SMALL_BYTES: usize = 256 * 1024;
static SEARCHED: AtomicUsize = AtomicUsize::new(0);

fn prefilter(kind: Option<AhoCorasickKind>) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(kind)
        .match_kind(MatchKind::LeftmostLongest)
        .build(RULES.iter().map(|(prefix, ..)| prefix))
        .expect("the rules are few and short")
}

/// Replaces every secret in a text that is passed on by itself, such as a title.
pub fn redacted(text: String) -> String {
    match redact(&text).text {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// Replaces every secret in `text`. Without one, the text comes back borrowed.
pub fn redact(text: &str) -> Redacted<'_> {
    let bytes = text.as_bytes();
    let mut output = String::new();
    let mut secrets = Vec::new();
    let (mut copied, mut counted, mut line) = (0, 0, 1);
    let mut from = 0;
    let is_large = SEARCHED.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len() > SMALL_BYTES;
    let prefilter = if is_large { &*LARGE_PREFILTER } else { &*SMALL_PREFILTER };
    while let Some(hit) = prefilter.find(aho_corasick::Input::new(text).range(from..)) {
        let (_, kind, shape) = &RULES[hit.pattern().as_usize()];
        let Some((start, end)) = examine(text, hit.start(), hit.end(), shape) else {
            from = hit.end();
            continue;
        };
        line += memchr::memchr_iter(b'\n', &bytes[counted..start]).count();
        counted = start;
        secrets.push(Secret { kind, line });
        output.push_str(&text[copied..start]);
        output.push_str("[redacted: ");
        output.push_str(kind);
        output.push(']');
        // A reader who counts lines finds the rest where it is in the file.
        output.extend(std::iter::repeat_n('\n', memchr::memchr_iter(b'\n', &bytes[start..end]).count()));
        copied = end;
        from = end;
    }
    if secrets.is_empty() {
        return Redacted { text: Cow::Borrowed(text), secrets };
    }
    output.push_str(&text[copied..]);
    Redacted { text: Cow::Owned(output), secrets }
}

/// Returns the range to replace if the text at a prefix hit really is a secret. All ends are on characters.
fn examine(text: &str, start: usize, end: usize, shape: &Shape) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    match shape {
        Shape::Token(form) => token::plain(bytes, start, end, form),
        Shape::Slack => token::slack(bytes, start, end),
        Shape::SlackWebhook => url::slack_webhook(bytes, end),
        Shape::PrivateKey => private_key::block(bytes, start, end),
        Shape::PuttyKey => private_key::putty(bytes, end),
        Shape::UrlPassword => url::password(text, start, end),
        Shape::QueryPassword => url::query_password(text, start, end),
        Shape::AwsSecret => assigned::aws(bytes, end),
        Shape::NpmAuth => assigned::npm(bytes, start, end),
    }
}

#[cfg(test)]
mod tests;
