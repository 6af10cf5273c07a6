//! Tokens with a prefix of their own, found by what they have in common: they are long runs of letters and digits.
//!
//! Long runs are rare, and finding them costs less than searching for every prefix. Only at the beginning of a run, and at
//! the few other places where a token can begin inside or before one, are the prefixes of the table compared.

use std::sync::LazyLock;

use super::rules::Shape;
use super::table::{Rule, TOKENS};
use super::{Found, escape, structured, token};

/// The length of the shortest run that is examined. Such a run always covers one of the groups below.
const SHORTEST: usize = 16;
const GROUP: usize = 8;
const BLOCK: usize = 32;
/// Tokens whose prefix ends with a dot, and base64, may begin this far before a run.
const MAX_BEFORE: usize = 64;
/// A longer run is a file's content, not a token in a sentence.
const MAX_INSIDE: usize = 256;

/// For each first byte, the rules that begin with it, longest prefix first; and which first two bytes there are.
static PREFIXES: LazyLock<Prefixes> = LazyLock::new(Prefixes::new);

struct Prefixes {
    by_first: Vec<Vec<&'static Rule>>,
    /// One bit for each pair of bytes.
    pairs: Vec<u64>,
}

impl Prefixes {
    fn new() -> Self {
        let mut by_first = vec![Vec::new(); 256];
        let mut pairs = vec![0; 65536 / 64];
        for rule in TOKENS {
            let bytes = rule.0.as_bytes();
            let rules: &mut Vec<&Rule> = &mut by_first[usize::from(bytes[0])];
            rules.push(rule);
            let pair = pair(bytes);
            pairs[pair / 64] |= 1 << (pair % 64);
        }
        for rules in &mut by_first {
            rules.sort_by_key(|rule| usize::MAX - rule.0.len());
        }
        Self { by_first, pairs }
    }

    /// Returns the secret that begins at `start`.
    fn examine(&self, bytes: &[u8], start: usize) -> Option<Found> {
        let rest = bytes.get(start..).filter(|rest| rest.len() > SHORTEST)?;
        let pair = pair(rest);
        if self.pairs[pair / 64] >> (pair % 64) & 1 == 0 {
            return None;
        }
        self.by_first[usize::from(rest[0])].iter().find_map(|(prefix, kind, shape)| {
            let end = start + prefix.len();
            let (start, end) = match shape {
                _ if !rest.starts_with(prefix.as_bytes()) => return None,
                Shape::Token(form) => token::plain(bytes, start, end, form)?,
                Shape::Uuid => token::uuid(bytes, start, end)?,
                Shape::Slack => token::slack(bytes, start, end)?,
                Shape::Jwt => structured::jwt(bytes, start)?,
                _ => return None,
            };
            Some(Found { start, end, kind, is_certain: true })
        })
    }
}

fn pair(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) << 8 | usize::from(bytes[1])
}

const fn is_token(byte: u8) -> bool {
    (byte | 0x20).wrapping_sub(b'a') < 26 || byte.wrapping_sub(b'0') < 10 || byte == b'_' || byte == b'-'
}

/// Adds the tokens in `bytes` to `found`.
pub(super) fn find(bytes: &[u8], found: &mut Vec<Found>) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let mut done = 0;
    for (number, block) in blocks.iter().chain([&last]).enumerate() {
        let mut flags = [0_u8; BLOCK];
        // Without a branch, so that the compiler makes vector instructions of it.
        for (flag, byte) in flags.iter_mut().zip(block) {
            let letter = u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
            let digit = u8::from(byte.wrapping_sub(b'0') < 10);
            *flag = letter | digit | u8::from(*byte == b'_') | u8::from(*byte == b'-');
        }
        for (group, flags) in flags.as_chunks::<GROUP>().0.iter().enumerate() {
            let inside = number * BLOCK + group * GROUP;
            if *flags == [1; GROUP] && inside >= done {
                let start = inside - bytes[..inside].iter().rev().take_while(|byte| is_token(**byte)).count();
                done = inside + bytes[inside..].iter().take_while(|byte| is_token(**byte)).count();
                if done - start >= SHORTEST {
                    run(bytes, start, done, found);
                }
            }
        }
    }
}

/// Examines a run and the places before and inside it where a token can begin.
fn run(bytes: &[u8], start: usize, end: usize, found: &mut Vec<Found>) {
    let prefixes = &*PREFIXES;
    let mut add = |at: usize| prefixes.examine(bytes, at).map(|secret| found.push(secret)).is_some();
    // What was joined to the run by dots comes first: `xoxe.xoxp-…` is one token.
    if bytes[..start].ends_with(b".") && segments_before(bytes, start).any(&mut add) || add(start) {
        return;
    }
    let is_found = match bytes[..start].last() {
        Some(b'+' | b'/') => add(wide_start(bytes, start)) || bytes[..start].ends_with(b"1//") && add(start - 3),
        Some(b'\\' | b'%' | b'[' | b';') => escape::end(bytes, start, end).is_some_and(&mut add),
        _ => false,
    };
    if is_found {
        return;
    }
    let inside = &bytes[start..end.min(start + MAX_INSIDE)];
    if !memchr::memchr_iter(b'-', inside).any(|at| add(start + at + 1)) {
        found.extend(token::marked(bytes, start, end));
    }
}

/// Returns where the segments before the dot at the end of `bytes[..start]` begin, nearest first: of `dp.st.` at `st` and `dp`.
fn segments_before(bytes: &[u8], start: usize) -> impl Iterator<Item = usize> {
    let mut end = Some(start);
    let next = move || {
        let dot = end.take().filter(|end| *end > 0 && bytes[end - 1] == b'.')? - 1;
        let length = bytes[..dot].iter().rev().take(MAX_BEFORE).take_while(|byte| is_token(**byte)).count();
        end = (length > 0).then_some(dot - length);
        end
    };
    std::iter::from_fn(next).take(3)
}

/// Returns where base64 that continues in a run begins.
fn wide_start(bytes: &[u8], start: usize) -> usize {
    start - bytes[..start].iter().rev().take(MAX_BEFORE).take_while(|byte| is_token(**byte) || b"+/".contains(byte)).count()
}
