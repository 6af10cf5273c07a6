//! The table of the guard: which prefix starts which kind of secret, and how to examine the text after it.

/// The characters that a token may contain after its prefix.
#[derive(Debug, Clone, Copy)]
pub(super) enum Alphabet {
    UpperDigits,
    Alphanumeric,
    Word,
    Dashed,
    Base64,
    /// Dashed, dots, and percent-encoded characters.
    Encoded,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::UpperDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dashed => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
            Self::Encoded => byte.is_ascii_alphanumeric() || b"_-.%+/=".contains(&byte),
        }
    }
}

/// What follows the prefix of a token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Requires a digit, because the prefix could be part of a word and words joined by dashes are not a token.
    pub(super) needs_digit: bool,
}

/// How to examine the text at a prefix.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Token(Form),
    /// `xox`, a letter, `-` or `.`, then a token.
    Slack,
    /// The path after `hooks.slack.com` is the secret.
    SlackWebhook,
    /// A block whose label says `PRIVATE KEY`.
    PrivateKey,
    /// `Private-Lines: N`, then N lines of base64.
    PuttyKey,
    /// `://user:password@`: only the password is replaced.
    UrlPassword,
    /// `password=` in the query of a URL.
    QueryPassword,
    /// A name, a gap, then a value of exactly 40 base64 characters.
    AwsSecret,
    /// `_authToken=` and `_auth=` of an `.npmrc`.
    NpmAuth,
}

pub(super) const ANY: usize = 4096;

const fn token(alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape::Token(Form { alphabet, least, most, needs_digit: false })
}

const fn with_digit(alphabet: Alphabet, least: usize, most: usize) -> Shape {
    Shape::Token(Form { alphabet, least, most, needs_digit: true })
}

const AWS_KEY: Shape = token(Alphabet::UpperDigits, 16, 16);
const GITHUB: Shape = token(Alphabet::Alphanumeric, 36, ANY);
const GITLAB: Shape = with_digit(Alphabet::Dashed, 20, ANY);
const OPENAI: Shape = with_digit(Alphabet::Dashed, 40, ANY);
const STRIPE: Shape = token(Alphabet::Alphanumeric, 16, ANY);

/// Prefix, kind, shape. Longer prefixes win over shorter ones.
///
/// Prefixes that are common in prose (`gl`, `gh`) are written out in full: a hit costs more than a state of the
/// prefilter.
pub(super) const RULES: &[(&str, &str, Shape)] = &[
    ("-----BEGIN", "private key", Shape::PrivateKey),
    ("---- BEGIN", "private key", Shape::PrivateKey),
    ("Private-Lines: ", "private key", Shape::PuttyKey),
    ("AKIA", "AWS access key", AWS_KEY),
    ("ASIA", "AWS access key", AWS_KEY),
    ("ecret_access_key", "AWS secret key", Shape::AwsSecret),
    ("ECRET_ACCESS_KEY", "AWS secret key", Shape::AwsSecret),
    ("ecretAccessKey", "AWS secret key", Shape::AwsSecret),
    ("ghp_", "GitHub token", GITHUB),
    ("gho_", "GitHub token", GITHUB),
    ("ghu_", "GitHub token", GITHUB),
    ("ghs_", "GitHub token", GITHUB),
    ("ghr_", "GitHub token", GITHUB),
    ("github_pat_", "GitHub token", token(Alphabet::Word, 40, ANY)),
    ("glpat-", "GitLab token", token(Alphabet::Dashed, 20, ANY)),
    ("gldt-", "GitLab token", GITLAB),
    ("glrt-", "GitLab token", GITLAB),
    ("glptt-", "GitLab token", GITLAB),
    ("glcbt-", "GitLab token", GITLAB),
    ("gloas-", "GitLab token", GITLAB),
    ("glsoat-", "GitLab token", GITLAB),
    ("glft-", "GitLab token", GITLAB),
    ("glimt-", "GitLab token", GITLAB),
    ("glagent-", "GitLab token", GITLAB),
    ("xox", "Slack token", Shape::Slack),
    ("xapp-", "Slack token", with_digit(Alphabet::Dashed, 20, ANY)),
    ("hooks.slack.com", "Slack webhook", Shape::SlackWebhook),
    ("AIza", "Google API key", with_digit(Alphabet::Dashed, 35, 35)),
    ("GOCSPX-", "Google client secret", with_digit(Alphabet::Dashed, 28, 28)),
    ("ya29.", "Google token", with_digit(Alphabet::Dashed, 30, ANY)),
    ("sk-", "OpenAI key", with_digit(Alphabet::Alphanumeric, 40, ANY)),
    ("sk-proj-", "OpenAI key", OPENAI),
    ("sk-svcacct-", "OpenAI key", OPENAI),
    ("sk-admin-", "OpenAI key", OPENAI),
    ("sk-ant-", "Anthropic key", with_digit(Alphabet::Dashed, 32, ANY)),
    ("sk_live_", "Stripe key", STRIPE),
    ("sk_test_", "Stripe key", STRIPE),
    ("rk_live_", "Stripe key", STRIPE),
    ("rk_test_", "Stripe key", STRIPE),
    ("whsec_", "Stripe key", with_digit(Alphabet::Base64, 24, ANY)),
    ("npm_", "npm token", token(Alphabet::Alphanumeric, 36, 36)),
    ("_auth", "npm token", Shape::NpmAuth),
    ("://", "password", Shape::UrlPassword),
    (":\\/\\/", "password", Shape::UrlPassword),
    ("password=", "password", Shape::QueryPassword),
    ("passwd=", "password", Shape::QueryPassword),
    ("pwd=", "password", Shape::QueryPassword),
];
