//! Private keys: blocks between BEGIN and END, however they are quoted or commented, and `PuTTY` files.

use std::ops::Range;

use memchr::memmem;

/// An END marker farther away belongs to something else.
const MAX_BLOCK: usize = 64 * 1024;
const MAX_LABEL: usize = 64;
const MAX_LINE: usize = 1024;
/// The length of a full line in a PEM file. A shorter text with `...` is an example.
const FULL_LINE: usize = 64;

/// Returns the range of a block whose BEGIN is at `start..end`, or of the existing part if the END is missing.
pub(super) fn block(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let begin = &bytes[start..end];
    let dashes = begin.iter().take_while(|byte| **byte == b'-').count();
    let label = label(&bytes[end..])?;
    let body_start = end + label.len() + dashes;
    if bytes.get(end + label.len()..body_start)? != &begin[..dashes] {
        return None;
    }
    let window = &bytes[body_start..bytes.len().min(body_start + MAX_BLOCK)];
    let window = &window[..memmem::find(window, begin).unwrap_or(window.len())];
    let name_at = begin.len() - "BEGIN".len();
    let closing = [&begin[..name_at], b"END", label, &begin[..dashes]].concat();
    match memmem::find(window, &closing) {
        Some(at) if holds_key(&window[..at]) => Some((start, body_start + at + closing.len())),
        Some(at) => open_end(&window[..at]).map(|length| (start, body_start + length)),
        None => open_end(window).map(|length| (start, body_start + length)),
    }
}

/// Returns the text between BEGIN and its dashes, including blanks, if it is the label of a private key. PGP writes
/// `PRIVATE KEY BLOCK`, a web form `PRIVATE+KEY`.
fn label(bytes: &[u8]) -> Option<&[u8]> {
    let length = bytes.iter().take(MAX_LABEL).position(|byte| *byte == b'-' || *byte == b'\n')?;
    let label = &bytes[..length];
    let private = memmem::find(label, b"PRIVATE")?;
    memmem::find(&label[private..], b"KEY").map(|_| label)
}

/// Returns whether the text between the markers is a key, as opposed to code or prose about keys.
fn holds_key(body: &[u8]) -> bool {
    let runs: Vec<_> = runs(body).map(|run| &body[run]).filter(|run| run.len() >= 16).collect();
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
    if is_abbreviated(body, longest) {
        return false;
    }
    let covered: usize = runs.iter().filter(|run| Classes::of(run).has_letters()).map(|run| run.len()).sum();
    let visible = body.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let is_strong = runs.iter().any(|run| is_strong(run)) && (visible <= 1024 || covered * 3 >= visible);
    is_strong || covered >= 96 && covered * 2 >= visible || longest >= 24 && body.iter().all(|byte| is_bare(*byte))
}

/// Returns whether a byte can occur in a bare block: base64, headers, line ends, also as escapes in a string.
fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\r\n\\ \t:,-.\"'".contains(&byte)
}

/// Returns where the key ends in a truncated block: at the last run of base64 that follows closely.
fn open_end(body: &[u8]) -> Option<usize> {
    const HEADER_WORDS: usize = 24;
    const WORDS_BETWEEN: usize = 6;
    let (mut end, mut longest, mut is_sure, mut words) = (0, 0, false, 0);
    for run in runs(body) {
        let text = &body[run.clone()];
        if text.len() >= 16 && Classes::of(text).is_mixed() {
            longest = longest.max(text.len());
            is_sure |= is_strong(text);
            (end, words) = (run.end, 0);
        } else if end > 0 && words < 2 && is_last_line(body, &run) {
            (end, words) = (run.end, words + 1);
        } else if text.iter().any(u8::is_ascii_alphanumeric) {
            words += 1;
        }
        if words > if end == 0 { HEADER_WORDS } else { WORDS_BETWEEN } {
            break;
        }
    }
    let shown = &body[..body.len().min(end + 4)];
    (is_sure && !is_abbreviated(shown, longest)).then_some(end)
}

/// Returns whether a short run is the end of a key: padded, or alone on its line.
fn is_last_line(body: &[u8], run: &Range<usize>) -> bool {
    let line = memchr::memrchr(b'\n', &body[..run.start]).map_or(0, |at| at + 1);
    let is_alone = !body[line..run.start].iter().any(u8::is_ascii_alphanumeric);
    let ends_line = matches!(body.get(run.end), None | Some(b'\n' | b'\r'));
    body[run.clone()].ends_with(b"=") || is_alone && ends_line
}

fn is_abbreviated(body: &[u8], longest: usize) -> bool {
    longest < FULL_LINE && (memmem::find(body, b"...").is_some() || memmem::find(body, "…".as_bytes()).is_some())
}

/// Returns the runs of base64, including those with escaped slashes and percent-encoded signs.
fn runs(body: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < body.len() && step(&body[at..]) == 0 {
            at += 1;
        }
        let start = at;
        while at < body.len() && step(&body[at..]) > 0 {
            at += step(&body[at..]);
        }
        (at > start).then_some(start..at)
    })
}

fn step(bytes: &[u8]) -> usize {
    match bytes {
        [byte, ..] if byte.is_ascii_alphanumeric() || b"+/=".contains(byte) => 1,
        [b'\\', b'/', ..] => 2,
        [b'%', b'2', b'B' | b'b' | b'F' | b'f', ..] | [b'%', b'3', b'D' | b'd', ..] => 3,
        _ => 0,
    }
}

/// The character classes in a run.
struct Classes {
    has_upper: bool,
    has_lower: bool,
    has_digit: bool,
}

impl Classes {
    fn of(run: &[u8]) -> Self {
        let has = |class: fn(&u8) -> bool| run.iter().any(class);
        Self { has_upper: has(u8::is_ascii_uppercase), has_lower: has(u8::is_ascii_lowercase), has_digit: has(u8::is_ascii_digit) }
    }

    fn has_letters(&self) -> bool {
        self.has_upper && self.has_lower
    }

    fn is_mixed(&self) -> bool {
        self.has_letters() && self.has_digit
    }
}

/// Returns whether a run is random, as opposed to a long name: in base64, two of three neighbours are of different
/// classes.
fn is_strong(run: &[u8]) -> bool {
    let class = |byte: u8| (byte.is_ascii_uppercase(), byte.is_ascii_lowercase(), byte.is_ascii_digit());
    let changes = run.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    run.len() >= 32 && Classes::of(run).is_mixed() && changes * 5 >= run.len() * 2
}

/// Returns the range of the lines that `Private-Lines: N` announces.
pub(super) fn putty(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let digits = bytes[end..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let count: usize = std::str::from_utf8(&bytes[end..end + digits]).ok()?.parse().ok()?;
    let (rest, start) = line(bytes, end + digits)?;
    if !rest.trim_ascii().is_empty() {
        return None;
    }
    let (mut stop, mut next) = (start, start);
    for _ in 0..count {
        let Some((text, after)) = line(bytes, next).filter(|(text, _)| memmem::find(text, b"Private-").is_none()) else { break };
        (stop, next) = (next + text.len(), after);
    }
    let body = &bytes[start..stop];
    runs(body).any(|run| run.len() >= 16).then_some((start, stop))
}

/// Returns the line at `at` and where the next one begins. In a string, a line may also end with an escaped `\n`.
fn line(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..bytes.len().min(at + MAX_LINE)).filter(|rest| !rest.is_empty())?;
    let real = memchr::memchr(b'\n', rest).map(|end| (end, 1));
    let escaped = memmem::find(&rest[..real.map_or(rest.len(), |(end, _)| end)], b"\\n").map(|end| (end, 2));
    let last = (at + rest.len() == bytes.len()).then_some((rest.len(), 0));
    let (end, long) = escaped.or(real).or(last)?;
    Some((rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]), at + end + long))
}
