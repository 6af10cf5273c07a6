//! The guard against secrets: replaces text that is clearly a secret by `[redacted: kind]` before anything shows it.
//!
//! A keyword prefilter runs over the text first; only at a hit is the text after it examined, according to a row of a
//! table. There are no regular expressions: each rule is a prefix, an alphabet and a length, which is faster to start
//! and to run, and easier to read. Secrets without such a form (the body of a key, a password, an assigned value) have
//! a function next to the table. The guard is meant for accidents. It is precise rather than complete: a rule that
//! redacts ordinary text would do more harm than good.

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

/// The kind of secret that was found, and its line (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub kind: &'static str,
    pub line: usize,
}

impl Secret {
    /// Returns the note about this redaction.
    pub fn note(&self, path: &str) -> Note {
        Note::warning(path, NoteKind::Redacted, format!("{} on line {} was redacted", self.kind, self.line))
    }
}

/// Text without secrets, and the secrets that were redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    pub secrets: Vec<Secret>,
}

/// Fast to build, a little slower to search.
static SMALL_PREFILTER: LazyLock<AhoCorasick> = LazyLock::new(|| prefilter(Some(AhoCorasickKind::ContiguousNFA)));
/// Takes three times as long to build as a hook needs to search all its output.
static LARGE_PREFILTER: LazyLock<AhoCorasick> = LazyLock::new(|| prefilter(None));

/// The number of bytes searched by this process from which the large prefilter pays off.
const SMALL_BYTES: usize = 256 * 1024;
static SEARCHED: AtomicUsize = AtomicUsize::new(0);

fn prefilter(kind: Option<AhoCorasickKind>) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(kind)
        .match_kind(MatchKind::LeftmostLongest)
        .build(RULES.iter().map(|(prefix, ..)| prefix))
        .expect("the rules are few and short")
}

/// Redacts every secret in a text that is passed on by itself, such as a title.
pub fn redacted(text: String) -> String {
    match redact(&text).text {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// Redacts every secret in `text`. Returns the text borrowed if there is none.
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
        // Keep the number of lines, so that the following lines have the same numbers as in the file.
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

/// Returns the range to replace if the text at a prefix hit really is a secret. Both ends are at character boundaries.
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
