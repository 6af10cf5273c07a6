//! Tests of the guard. All secrets are generated at run time, so that nothing in this repository looks like a real
//! one.

mod assigned;
mod corpus;
mod private_keys;
mod urls;

use super::*;
use proptest::prelude::*;

/// Makes a token-like body.
fn body(length: usize) -> String {
    (0..length).map(|i| char::from(b"aB3dE5fG7hJ9kL1m"[i % 16])).collect()
}

#[track_caller]
fn assert_redacts(text: &str, expected: &str) {
    assert_eq!(redact(text).text, expected, "{text}");
}

#[track_caller]
fn assert_stays(text: &str) {
    assert_redacts(text, text);
}

#[test]
fn hostile_texts_take_linear_time() {
    let started = std::time::Instant::now();
    for part in [
        "://?password=/",
        "://?password=$X",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "ecret_access_key",
        "hooks.slack.com/services/a",
        "_auth=",
        "token=",
        "eyJ",
        "aaaaaaaaaaaaaaaa/",
        "kind: Secret\n",
    ] {
        redact(&part.repeat(40_000 / part.len()));
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn each_provider_has_its_rule() {
    let upper = body(16).to_uppercase();
    for (secret, kind) in [
        (format!("AKIA{upper}"), "AWS access key"),
        (format!("ghp_{}", body(36)), "GitHub token"),
        (format!("github_pat_{}", body(82)), "GitHub fine-grained token"),
        (format!("glpat-{}", body(20)), "GitLab token"),
        (format!("xoxb-{}", body(40)), "Slack token"),
        (format!("AIza{}", body(35)), "Google API key"),
        (format!("sk-{}", body(48)), "OpenAI key"),
        (format!("sk-proj-{}", body(80)), "OpenAI project key"),
        (format!("sk-ant-api03-{}", body(80)), "Anthropic key"),
        (format!("sk_live_{}", body(24)), "Stripe key"),
        (format!("rk_test_{}", body(24)), "Stripe restricted test key"),
        (format!("whsec_{}", body(32)), "webhook signing secret"),
        (format!("ya29.{}", body(160)), "Google token"),
        (format!("ya29.{}", body(2000)), "Google token"),
        (format!("npm_{}", body(36)), "npm token"),
    ] {
        assert_redacts(&format!("key = \"{secret}\"\n"), &format!("key = \"[redacted: {kind}]\"\n"));
    }
}

#[test]
fn all_gitlab_and_slack_tokens_are_redacted() {
    for name in ["pat", "dt", "rt", "ptt", "cbt", "oas", "soat", "ft", "imt", "agent"] {
        let found = redact(&format!("t: gl{name}-{}", body(40))).text.into_owned();
        assert!(found.starts_with("t: [redacted: GitLab ") && found.ends_with(']'), "{found}");
    }
    for name in ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xoxe.xoxp-1-", "xapp-1-"] {
        let found = redact(&format!("t: {name}{}.", body(40))).text.into_owned();
        assert!(found.starts_with("t: [redacted: Slack ") && found.ends_with("token]."), "{found}");
    }
    assert_redacts(&format!("d=xoxd-{}%2B{}%3D; x", body(20), body(20)), "d=[redacted: Slack token]; x");
    for same in
        ["glft-words-that-are-joined-by-dashes", "xoxo-hugs-and-kisses-to-everybody-there", "xox", "xoxb-your-token-goes-right-here"]
    {
        assert_stays(same);
    }
}

#[test]
fn the_path_of_a_slack_webhook_is_redacted() {
    let path = format!("T0{}/B0{}/{}", body(9).to_uppercase(), body(9).to_uppercase(), body(24));
    assert_redacts(&format!("<https://hooks.slack.com/services/{path}>"), "<https://hooks.slack.com/services/[redacted: Slack webhook]>");
    let escaped = format!("\"https:\\/\\/hooks.slack.com\\/services\\/{}\"", path.replace('/', "\\/"));
    assert_redacts(&escaped, "\"https:\\/\\/hooks.slack.com\\/services\\/[redacted: Slack webhook]\"");
    let placeholder = format!("https://hooks.slack.com/services/T00000000/B00000000/{}", "X".repeat(24));
    for same in [placeholder.as_str(), "https://hooks.slack.com/services/", "see hooks.slack.com/services/T1/B2"] {
        assert_stays(same);
    }
}

#[test]
fn an_escape_is_not_part_of_a_word() {
    let token = format!("ghp_{}", body(36));
    for before in ["t%3D", "\\u0022", "\\x22", "\\t", "\u{1b}[32m", "\\033[1;31m", "a\\\\n"] {
        assert_redacts(&format!("{before}{token}\u{1b}[0m"), &format!("{before}[redacted: GitHub token]\u{1b}[0m"));
    }
    for before in ["a", "_", "3D", "u0022"] {
        assert_stays(&format!("{before}{token}"));
    }
}

#[test]
fn example_keys_from_manuals_are_redacted() {
    assert_redacts("AKIAIOSFODNN7EXAMPLE", "[redacted: AWS access key]");
    let manual = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    assert_redacts(manual, "aws_secret_access_key = [redacted: AWS secret key]");
}

#[test]
fn keys_without_digits_and_after_escapes_are_redacted() {
    assert_redacts("AKIAQWERTYUIOPASDFGH", "[redacted: AWS access key]");
    assert_redacts(&format!("\"first\\nghp_{}\"", body(36)), "\"first\\n[redacted: GitHub token]\"");
}

#[test]
fn ordinary_text_stays_and_line_numbers_are_right() {
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

#[test]
fn the_tables_stay_fast_and_large() {
    use table::{MARKS, NEEDLES, SERVICES, TOKENS};
    assert!(NEEDLES.len() <= 64, "more than that are not searched with vector instructions");
    assert!(NEEDLES.iter().all(|(needle, ..)| needle.len() >= 4), "a short needle hits too often");
    let kinds: std::collections::BTreeSet<&str> = NEEDLES.iter().chain(TOKENS).map(|(_, kind, _)| *kind).collect();
    let named = SERVICES.iter().map(|(_, kind)| *kind).chain(MARKS.iter().map(|(_, kind, ..)| *kind));
    let all: std::collections::BTreeSet<&str> = kinds.into_iter().chain(named).collect();
    assert!(all.len() >= 300, "{} kinds", all.len());
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
