//! What a row of the guard's table says: which needle starts which kind of secret, and how to examine the text around it.

/// The characters that a token may contain besides its needle.
#[derive(Debug, Clone, Copy)]
pub(super) enum Alphabet {
    Hex,
    UpperDigits,
    LowerDigits,
    Alphanumeric,
    Word,
    Dashed,
    /// Dashed and dots.
    Dotted,
    Base64,
    /// Dashed, dots, and percent-encoded characters.
    Encoded,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::LowerDigits => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dashed => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Dotted => byte.is_ascii_alphanumeric() || b"_-.".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
            Self::Encoded => byte.is_ascii_alphanumeric() || b"_-.%+/=".contains(&byte),
        }
    }
}

/// What follows the needle of a token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Requires a digit, because the needle could be part of a word and words joined by dashes are not a token.
    pub(super) needs_digit: bool,
}

/// How to examine the text at a needle.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Token(Form),
    /// The needle is inside the token: at least so many of these characters before it, and after it.
    Around(Alphabet, usize, usize),
    /// A UUID follows.
    Uuid,
    /// `xox`, a letter, `-` or `.`, then a token.
    Slack,
    /// The path after the name of a host is the secret: at least one long random segment.
    WebhookPath,
    /// `eyJ`: two or more parts joined by dots.
    Jwt,
    /// A block whose label says `PRIVATE KEY`.
    PrivateKey,
    /// `Private-Lines: N`, then N lines of base64.
    PuttyKey,
    /// `://user:password@`: only the password is replaced.
    UrlPassword,
    /// `_authToken=` and `_auth=` of an `.npmrc`.
    NpmAuth,
    /// `"auth": "…"` in the settings of Docker: the base64 of `user:password`.
    DockerAuth,
    /// The name of a secret: its value is examined if one is assigned.
    Named(Name),
    /// `Bearer`, `Basic`, `token` or `SSWS` after `Authorization:`, or anywhere before a long random value.
    Scheme,
    /// `curl -u user:password`.
    CommandUser,
    /// A hash of a password: `$2b$10$…`.
    Crypt,
    /// `kind: Secret`: every value below `data:` and `stringData:`.
    KubernetesSecret,
}

/// What a name promises about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// People choose passwords: a short value with enough variety is one.
    Password,
    /// Programs make keys: long and random.
    Key,
}

pub(super) const ANY: usize = 4096;

pub(super) const fn token(alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape::Token(Form { alphabet, least, most, needs_digit: false })
}

pub(super) const fn with_digit(alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape::Token(Form { alphabet, least, most, needs_digit: true })
}
