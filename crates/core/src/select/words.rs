//! Splits text into terms.
//!
//! Documents and messages use the same function; otherwise their terms would not match. One run of letters, digits and
//! joining marks (`vite.config.ts`, `--collect-only`, `ERR_MODULE_NOT_FOUND`, `useMemo`) yields several terms:
//!
//! - its parts, split at joins and at camel humps, lower-cased and stemmed;
//! - each joined word as a whole without its joins (`collectonly`, `usememo`), so that `collectOnly`, `collect_only`
//!   and `collect-only` are the same;
//! - the whole run with its dots and slashes, so that a quoted file name or setting is matched exactly.
//!
//! Scripts without spaces between words yield overlapping pairs of characters.

use super::stem::stem;
use super::stop::{is_chatter, is_stop};

/// What a term was made from, which decides how strong a match is as evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermKind {
    /// A word or a part of an identifier.
    Word,
    /// A word that users write on any topic.
    Chatter,
    /// An identifier, file name, path or code as written.
    Exact,
    /// Two neighbouring characters of a script without spaces.
    Pair,
    /// The file name of a document, with or without directories before it.
    Name,
}

/// One term of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The term in the form used for lookup.
    pub text: String,
    /// The part of the message it came from, in lower case.
    pub surface: String,
    /// What it was made from.
    pub kind: TermKind,
}

/// Longer runs are data (hashes, base64), not words.
const LONGEST_WORD: usize = 48;
/// Longer paths are matched only by their parts.
pub(super) const LONGEST_RUN: usize = 120;

/// Splits a text into its terms, in the order in which they occur. Function words are left out.
pub fn terms(text: &str) -> Vec<Term> {
    let mut found = Vec::with_capacity(text.len() / 6);
    for run in runs(text) {
        split_run(run, &mut found);
    }
    found
}

/// Splits one run into its terms.
pub(super) fn terms_of(run: &str) -> Vec<Term> {
    let mut found = Vec::new();
    split_run(run, &mut found);
    found
}

/// Returns the names by which a message can refer to a document: its path, and the ends of it (`guide/auth.md`,
/// `auth.md`).
pub(super) fn names(path: &str) -> Vec<String> {
    let whole = path.replace('\\', "/").to_lowercase();
    let mut rest = whole.trim_start_matches(['.', '/']);
    let mut names = vec![name(rest)];
    while let Some((_, below)) = rest.split_once('/') {
        names.push(name(below));
        rest = below;
    }
    names
}

/// Returns the term of a name. No other term starts with a slash.
pub(super) fn name(path: &str) -> String {
    format!("/{path}")
}

/// Yields the maximal runs of word characters with single joining marks between them.
pub(super) fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_word_char)?;
        rest = &rest[start..];
        let mut end = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_word_char(c) {
                end = at + c.len_utf8();
            } else if !(is_join(c) && chars.peek().is_some_and(|&(_, next)| is_word_char(next))) {
                break;
            }
        }
        let run = &rest[..end];
        rest = &rest[end..];
        Some(run)
    })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_join(c: char) -> bool {
    matches!(c, '-' | '.' | '/' | ':' | '@' | '\\' | '\'' | '’')
}

/// Returns whether words of this character's script are written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn split_run(run: &str, found: &mut Vec<Term>) {
    let mut words = 0;
    for word in run.split(['.', '/', ':', '@', '\\']).filter(|word| !word.is_empty()) {
        words += 1;
        split_word(word, found);
    }
    if words > 1 && run.len() <= LONGEST_RUN {
        let whole = run.replace('\\', "/").to_lowercase();
        found.push(Term { text: whole.clone(), surface: whole, kind: TermKind::Exact });
    }
}

fn split_word(word: &str, found: &mut Vec<Term>) {
    if word.contains(is_unspaced) {
        return split_unspaced(word, found);
    }
    // An apostrophe ends the word: of "don't" and "user's" the first part is kept, and the rest is a stop word.
    let pieces: Vec<&str> = word.split(['-', '_', '\'', '’']).filter(|piece| !piece.is_empty()).collect();
    let joined = pieces.len() > 1 && !word.contains(['\'', '’']);
    let mut parts = 0;
    for piece in &pieces {
        for part in humps(piece) {
            parts += 1;
            let lower = part.to_lowercase();
            if lower.len() > LONGEST_WORD || is_stop(&lower) || is_noise(&lower) {
                continue;
            }
            let kind = if is_chatter(&lower) {
                TermKind::Chatter
            } else if lower.bytes().any(|b| b.is_ascii_digit()) && lower.bytes().any(|b| b.is_ascii_alphabetic()) {
                TermKind::Exact
            } else {
                TermKind::Word
            };
            found.push(Term { text: stem(expand(&lower)), surface: lower, kind });
        }
    }
    if parts > 1 && (joined || pieces.len() == 1) {
        let whole: String = pieces.concat().to_lowercase();
        if whole.len() <= LONGEST_WORD {
            found.push(Term { text: whole, surface: word.to_lowercase(), kind: TermKind::Exact });
        }
    }
}

/// Returns whether a part is never evidence: one letter or one digit.
fn is_noise(lower: &str) -> bool {
    lower.len() < 2
}

/// Splits `parseHTMLFile` into `parse`, `HTML`, `File`. Digits stay with the letters before them.
fn humps(piece: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = piece.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for i in 1..chars.len() {
        let (at, c) = chars[i];
        let before = chars[i - 1].1;
        let next_lower = chars.get(i + 1).is_some_and(|&(_, next)| next.is_lowercase());
        // A plural acronym ("APIs") is one word: the hump needs two lower-case letters after it.
        let long_tail = chars.get(i + 2).is_some_and(|&(_, next)| next.is_lowercase());
        if c.is_uppercase() && (!before.is_uppercase() || (next_lower && long_tail)) {
            parts.push(&piece[start..at]);
            start = at;
        }
    }
    parts.push(&piece[start..]);
    parts
}

/// Adds the pairs of an unspaced run, and the ordinary words inside it.
fn split_unspaced(word: &str, found: &mut Vec<Term>) {
    let mut group: Vec<char> = Vec::new();
    let mut other = String::new();
    let flush = |group: &mut Vec<char>, found: &mut Vec<Term>| {
        if let [only] = group[..] {
            found.push(pair(&[only]));
        }
        found.extend(group.windows(2).map(pair));
        group.clear();
    };
    for c in word.chars() {
        if is_unspaced(c) {
            if !other.is_empty() {
                split_word(&std::mem::take(&mut other), found);
            }
            group.push(c);
        } else {
            flush(&mut group, found);
            other.push(c);
        }
    }
    flush(&mut group, found);
    if !other.is_empty() {
        split_word(&other, found);
    }
}

fn pair(chars: &[char]) -> Term {
    let text: String = chars.iter().collect();
    Term { surface: text.clone(), text, kind: TermKind::Pair }
}

/// Abbreviations that developers write and documentation spells out. They are applied to both sides, so no match is
/// lost.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("admin", "administrator"),
    ("app", "application"),
    ("apps", "application"),
    ("arg", "argument"),
    ("args", "argument"),
    ("auth", "authentication"),
    ("authn", "authentication"),
    ("authz", "authorization"),
    ("cert", "certificate"),
    ("certs", "certificate"),
    ("cfg", "configuration"),
    ("cmd", "command"),
    ("conf", "configuration"),
    ("config", "configuration"),
    ("configs", "configuration"),
    ("db", "database"),
    ("dep", "dependency"),
    ("deps", "dependency"),
    ("dev", "development"),
    ("dir", "directory"),
    ("dirs", "directory"),
    ("doc", "documentation"),
    ("docs", "documentation"),
    ("env", "environment"),
    ("envs", "environment"),
    ("img", "image"),
    ("js", "javascript"),
    ("k8s", "kubernetes"),
    ("lib", "library"),
    ("libs", "library"),
    ("msg", "message"),
    ("ns", "namespace"),
    ("otel", "opentelemetry"),
    ("param", "parameter"),
    ("params", "parameter"),
    ("perf", "performance"),
    ("perms", "permission"),
    ("pkg", "package"),
    ("postgres", "postgresql"),
    ("prod", "production"),
    ("py", "python"),
    ("repo", "repository"),
    ("repos", "repository"),
    ("req", "request"),
    ("resp", "response"),
    ("spec", "specification"),
    ("specs", "specification"),
    ("tmp", "temporary"),
    ("ts", "typescript"),
    ("util", "utility"),
    ("utils", "utility"),
    ("var", "variable"),
    ("vars", "variable"),
];

fn expand(lower: &str) -> &str {
    SHORT_FORMS.binary_search_by(|(short, _)| (*short).cmp(lower)).map_or(lower, |at| SHORT_FORMS[at].1)
}

#[cfg(test)]
mod tests {
    use super::{SHORT_FORMS, TermKind, terms};

    fn texts(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn splits_identifiers_and_keeps_them_whole() {
        assert_eq!(texts("sourcemapIgnoreList"), ["sourcemap", "ignor", "list", "sourcemapignorelist"]);
        assert_eq!(texts("--collect-only"), ["collect", "collectonly"]);
        assert_eq!(texts("UV_STACK_SIZE"), ["uv", "stack", "siz", "uvstacksize"]);
        assert_eq!(texts("parseHTMLFile"), ["pars", "html", "fil", "parsehtmlfile"]);
    }

    #[test]
    fn keeps_file_names_and_error_codes_exact() {
        let found = terms("see `docs/api.md`, error E0382");
        assert!(found.iter().any(|term| term.text == "docs/api.md" && term.kind == TermKind::Exact));
        assert!(found.iter().any(|term| term.text == "e0382" && term.kind == TermKind::Exact));
    }

    #[test]
    fn pairs_characters_where_words_have_no_spaces() {
        assert_eq!(texts("設定ファイル"), ["設定", "定フ", "ファ", "ァイ", "イル"]);
        assert_eq!(texts("用vite构建"), ["用", "vit", "构建"]);
    }

    #[test]
    fn short_forms_match_long_ones() {
        assert_eq!(texts("auth config"), texts("authentication configuration"));
        assert!(SHORT_FORMS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn contractions_leave_no_extra_terms() {
        assert_eq!(texts("don't the user’s can't"), ["user"]);
    }
}
