//! The guard against secrets: what is surely one is replaced by `[redacted: kind]` before anybody sees it.
//!
//! A keyword prefilter runs over the text first; only at a hit is the token behind it examined, by a row of a table.
//! There are no regular expressions: each rule is a prefix, an alphabet and a length, which is faster to start and to
//! run, and easier to read. The guard is for accidents. It is precise rather than complete: a rule that redacts
//! ordinary text would cost the reader more than it saves.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::note::{Note, NoteKind};

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

/// The characters a token may consist of behind its prefix.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    UpperDigits,
    Alphanumeric,
    Word,
    Dashed,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dashed => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
        }
    }
}

/// How the text at a prefix is examined.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A token: the alphabet and the number of characters behind the prefix, at least and at most.
    Token(Alphabet, usize, usize),
    /// A PEM block whose label ends in `PRIVATE KEY`.
    PrivateKey,
    /// `://user:password@`: only the password is replaced.
    UrlPassword,
    /// A name, then `=` or `:`, then a value of exactly 40 base64 characters.
    Assigned40,
}

const ANY: usize = 512;

/// Prefix, kind, shape. Longer prefixes win over shorter ones.
const RULES: &[(&str, &str, Shape)] = &[
    ("-----BEGIN ", "private key", Shape::PrivateKey),
    ("AKIA", "AWS access key", Shape::Token(Alphabet::UpperDigits, 16, 16)),
    ("ASIA", "AWS access key", Shape::Token(Alphabet::UpperDigits, 16, 16)),
    ("aws_secret_access_key", "AWS secret key", Shape::Assigned40),
    ("AWS_SECRET_ACCESS_KEY", "AWS secret key", Shape::Assigned40),
    ("ghp_", "GitHub token", Shape::Token(Alphabet::Alphanumeric, 36, ANY)),
    ("gho_", "GitHub token", Shape::Token(Alphabet::Alphanumeric, 36, ANY)),
    ("ghu_", "GitHub token", Shape::Token(Alphabet::Alphanumeric, 36, ANY)),
    ("ghs_", "GitHub token", Shape::Token(Alphabet::Alphanumeric, 36, ANY)),
    ("ghr_", "GitHub token", Shape::Token(Alphabet::Alphanumeric, 36, ANY)),
    ("github_pat_", "GitHub token", Shape::Token(Alphabet::Word, 40, ANY)),
    ("glpat-", "GitLab token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("gldt-", "GitLab token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("glrt-", "GitLab token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xoxb-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xoxp-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xoxa-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xoxr-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xoxs-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("xapp-", "Slack token", Shape::Token(Alphabet::Dashed, 20, ANY)),
    ("AIza", "Google API key", Shape::Token(Alphabet::Dashed, 35, 35)),
    ("GOCSPX-", "Google client secret", Shape::Token(Alphabet::Dashed, 28, 28)),
    ("sk-", "OpenAI key", Shape::Token(Alphabet::Alphanumeric, 40, ANY)),
    ("sk-proj-", "OpenAI key", Shape::Token(Alphabet::Dashed, 40, ANY)),
    ("sk-svcacct-", "OpenAI key", Shape::Token(Alphabet::Dashed, 40, ANY)),
    ("sk-admin-", "OpenAI key", Shape::Token(Alphabet::Dashed, 40, ANY)),
    ("sk-ant-", "Anthropic key", Shape::Token(Alphabet::Dashed, 32, ANY)),
    ("sk_live_", "Stripe key", Shape::Token(Alphabet::Alphanumeric, 16, ANY)),
    ("sk_test_", "Stripe key", Shape::Token(Alphabet::Alphanumeric, 16, ANY)),
    ("rk_live_", "Stripe key", Shape::Token(Alphabet::Alphanumeric, 16, ANY)),
    ("npm_", "npm token", Shape::Token(Alphabet::Alphanumeric, 36, 36)),
    ("://", "password", Shape::UrlPassword),
];

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
        let (_, kind, shape) = RULES[hit.pattern().as_usize()];
        let Some((start, end)) = examine(bytes, hit.start(), hit.end(), shape) else {
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

/// Replaces every secret in a text that is passed on by itself, such as a title.
pub fn redacted(text: String) -> String {
    match redact(&text).text {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// Returns the range to replace if the text at a prefix hit really is a secret. All ends are on ASCII bytes.
fn examine(bytes: &[u8], start: usize, end: usize, shape: Shape) -> Option<(usize, usize)> {
    match shape {
        Shape::Token(alphabet, least, most) => token(bytes, start, end, alphabet, least, most),
        Shape::PrivateKey => private_key(bytes, start),
        Shape::UrlPassword => url_password(bytes, end),
        Shape::Assigned40 => assigned(bytes, end),
    }
}

fn token(bytes: &[u8], start: usize, end: usize, alphabet: Alphabet, least: usize, most: usize) -> Option<(usize, usize)> {
    // In a JSON string the letter before a token may be the end of an escape: `\nghp_…`.
    let is_escape = start >= 2 && bytes[start - 2] == b'\\' && b"nrt".contains(&bytes[start - 1]);
    if start > 0 && !is_escape && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_') {
        return None;
    }
    let length = bytes[end..].iter().take(most + 1).take_while(|byte| alphabet.has(**byte)).count();
    if length < least || length > most {
        return None;
    }
    let body = &bytes[end..end + length];
    // Placeholders such as `xxxx…` are not keys, nor are words joined by dashes behind a prefix that is half a word itself.
    let needs_digit = matches!(alphabet, Alphabet::Dashed) && &bytes[start..end] != b"glpat-" || &bytes[start..end] == b"sk-";
    let has_digit = body.iter().any(u8::is_ascii_digit);
    let distinct = body.iter().collect::<std::collections::BTreeSet<_>>().len();
    ((has_digit || !needs_digit) && distinct >= 6).then_some((start, end + length))
}

fn private_key(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let label_start = start + "-----BEGIN ".len();
    let label_length = bytes[label_start..].iter().take(64).position(|byte| *byte == b'-' || *byte == b'\n')?;
    let label = &bytes[label_start..label_start + label_length];
    let opening_end = label_start + label_length + 5;
    // PGP says `PRIVATE KEY BLOCK`.
    let is_private = memchr::memmem::find(label, b"PRIVATE KEY").is_some();
    if !is_private || bytes.get(opening_end - 5..opening_end) != Some(b"-----") {
        return None;
    }
    let mut closing = b"-----END ".to_vec();
    closing.extend_from_slice(label);
    closing.extend_from_slice(b"-----");
    // Base64, line ends also as escapes in a string, and the headers of old and PGP keys. Code that merely mentions
    // both markers has other characters between them.
    let material = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\r\n\\ \t:,-.\"'".contains(byte);
    let length = bytes[opening_end..].iter().take_while(|byte| material(byte)).count();
    let body = &bytes[opening_end..opening_end + length];
    let end = memchr::memmem::find(body, &closing).or_else(|| memchr::memmem::find(body, b"-----"));
    let key = &body[..end.unwrap_or(body.len())];
    if key.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() < 32 {
        return None;
    }
    match memchr::memmem::find(body, &closing) {
        Some(at) => Some((start, opening_end + at + closing.len())),
        // Cut off before its end: the key material that is there goes.
        None => Some((start, opening_end + key.len())),
    }
}

fn url_password(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let authority =
        bytes[end..].iter().take(512).take_while(|byte| byte.is_ascii_graphic() && !b"/\"'`<>()[]\\,;?#".contains(byte)).count();
    let authority = &bytes[end..end + authority];
    let at = memchr::memrchr(b'@', authority)?;
    let colon = memchr::memchr(b':', &authority[..at])?;
    let password = &authority[colon + 1..at];
    // `user:$PASSWORD@`, `user:{password}@`, `user:***@` name a secret without being one.
    let is_placeholder = password.is_empty() || b"${%*".contains(&password[0]) || password.iter().all(|byte| b"*xX.".contains(byte));
    (!is_placeholder).then_some((end + colon + 1, end + at))
}

fn assigned(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let gap = bytes[end..].iter().take(12).take_while(|byte| b" \t=:\"'".contains(byte)).count();
    if !bytes[end..end + gap].iter().any(|byte| b"=:".contains(byte)) {
        return None;
    }
    let value = &bytes[end + gap..];
    let length = value.iter().take(41).take_while(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte)).count();
    (length == 40).then_some((end + gap, end + gap + 40))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes a token-like body at run time: no real-looking secret stands in this repository.
    fn body(length: usize) -> String {
        (0..length).map(|i| char::from(b"aB3dE5fG7hJ9kL1m"[i % 16])).collect()
    }

    #[track_caller]
    fn assert_redacts(text: &str, expected: &str) {
        assert_eq!(redact(text).text, expected);
    }

    #[test]
    fn each_provider_has_its_rule() {
        let upper = body(16).to_uppercase();
        for (secret, kind) in [
            (format!("AKIA{upper}"), "AWS access key"),
            (format!("ghp_{}", body(36)), "GitHub token"),
            (format!("github_pat_{}", body(82)), "GitHub token"),
            (format!("glpat-{}", body(20)), "GitLab token"),
            (format!("xoxb-{}", body(40)), "Slack token"),
            (format!("AIza{}", body(35)), "Google API key"),
            (format!("sk-{}", body(48)), "OpenAI key"),
            (format!("sk-proj-{}", body(80)), "OpenAI key"),
            (format!("sk-ant-api03-{}", body(80)), "Anthropic key"),
            (format!("sk_live_{}", body(24)), "Stripe key"),
            (format!("npm_{}", body(36)), "npm token"),
        ] {
            assert_redacts(&format!("key = \"{secret}\"\n"), &format!("key = \"[redacted: {kind}]\"\n"));
        }
    }

    #[test]
    fn keys_without_digits_and_behind_escapes_go_too() {
        assert_redacts("AKIAQWERTYUIOPASDFGH", "[redacted: AWS access key]");
        assert_redacts(&format!("\"first\\nghp_{}\"", body(36)), "\"first\\n[redacted: GitHub token]\"");
    }

    #[test]
    fn private_keys_go_whole_even_without_their_end() {
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", body(64));
        assert_redacts(&format!("a\n{key}\nb"), "a\n[redacted: private key]\n\n\nb");
        assert_redacts(&key[..80], "[redacted: private key]\n");
        assert_redacts(&key.replace('\n', "\\n"), "[redacted: private key]");
        let headed = key.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n");
        assert_redacts(&headed, "[redacted: private key]\n\n\n\n\n");
        let code = "a.replace(\"-----BEGIN PRIVATE KEY-----\", \"\");\nimportant(a);\nb.replace(\"-----END PRIVATE KEY-----\", \"\");";
        assert_redacts(code, code);
        let public = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----";
        assert_redacts(public, public);
    }

    #[test]
    fn only_the_password_of_a_url_goes() {
        assert_redacts("postgres://bob:hunter2@db:5432/x", "postgres://bob:[redacted: password]@db:5432/x");
        for same in [
            "https://example.com/a:b@c",
            "git://host/path",
            "postgres://bob:$PGPASS@db",
            "https://u:{pw}@h",
            "ssh://git@host:22/x",
            "http://u:***@h",
        ] {
            assert_redacts(same, same);
        }
    }

    #[test]
    fn assigned_aws_secrets_go() {
        let value = body(40);
        assert_redacts(&format!("aws_secret_access_key = {value}"), "aws_secret_access_key = [redacted: AWS secret key]");
    }

    #[test]
    fn ordinary_text_stays_and_lines_are_counted() {
        for same in [
            "task-management-with-long-words-and-dashes-everywhere-1",
            "risk-ant-colony",
            "ghp_short",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ] {
            assert_redacts(same, same);
        }
        let found = redact(&format!("1\n2\nghp_{}\n", body(36))).secrets;
        assert_eq!(found, [Secret { kind: "GitHub token", line: 3 }]);
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(text in ".{0,200}", length in 0usize..60) {
            let text = format!("{text}ghp_{}://u:{text}@", body(length));
            let once = redact(&text).text.into_owned();
            let twice = redact(&once).text.into_owned();
            prop_assert_eq!(once, twice);
        }
    }
}
