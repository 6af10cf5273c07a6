//! Private keys in all formats in which they occur.

use super::super::redact;
use super::{assert_redacts, assert_stays, body};

/// Makes base64 with a mix of characters like that of a key.
fn base64(length: usize, seed: u32) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(ALPHABET[(state >> 26) as usize])
    };
    (0..length).map(|_| next()).collect()
}

fn lines() -> Vec<String> {
    let mut lines: Vec<_> = (0..6).map(|seed| base64(64, seed)).collect();
    lines.push(format!("{}=", base64(11, 9)));
    lines
}

fn key() -> Vec<String> {
    let mut key = vec!["-----BEGIN RSA PRIVATE KEY-----".to_owned()];
    key.extend(lines());
    key.push("-----END RSA PRIVATE KEY-----".to_owned());
    key
}

/// Asserts that nothing of a key is left and that the text around it is unchanged.
#[track_caller]
fn assert_gone(text: &str) {
    let framed = format!("before\n{text}\nafter it");
    let redacted = redact(&framed);
    assert!(!redacted.secrets.is_empty(), "{text}");
    for line in lines() {
        assert!(!redacted.text.contains(&line), "{}", redacted.text);
    }
    assert!(redacted.text.starts_with("before\n") && redacted.text.ends_with("\nafter it"), "{}", redacted.text);
    assert_eq!(redacted.text.lines().count(), framed.lines().count());
}

#[test]
fn private_keys_are_redacted_even_without_their_end() {
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
fn a_comment_or_a_quote_hides_no_key() {
    for prefix in ["# ", "> ", "> > ", "// ", " * ", "//", ";; ", "-- ", "   ", "+", "\"", "<!-- "] {
        let quoted: Vec<_> = key().iter().map(|line| format!("{prefix}{line}")).collect();
        assert_gone(&quoted.join("\n"));
        assert_gone(&quoted[..quoted.len() - 1].join("\n"));
    }
    for between in ["<br>", "<br/>\n", "%0A", "&#10;", "\\n", "\\r\\n", " ", " |\n| ", "\",\n  \"", "\\n\" +\n  \""] {
        assert_gone(&key().join(between));
        assert_gone(&key()[..8].join(between));
    }
    let numbered: Vec<_> = key().iter().enumerate().map(|(at, line)| format!("{line} # {at}")).collect();
    assert_gone(&numbered[..9].join("\n").replace(" # 8", ""));
    let cut = redact(&numbered[..5].join("\n")).text.into_owned();
    assert!(lines().iter().all(|line| !cut.contains(line)), "{cut}");
}

#[test]
fn web_forms_hide_no_key() {
    let sent = key().join("\r\n").replace('+', "%2B").replace('/', "%2F").replace('=', "%3D").replace('\r', "%0D").replace('\n', "%0A");
    for blank in ["+", "%20"] {
        assert_redacts(&format!("key={}&x=1", sent.replace(' ', blank)), "key=[redacted: private key]&x=1");
    }
}

#[test]
fn pgp_headers_hide_no_key() {
    for header in ["Version: GnuPG v2.0.22 (GNU/Linux)", "Comment: Bob <bob@x>", "Comment: https://gpgtools.org, \u{e4}"] {
        let mut block = vec!["-----BEGIN PGP PRIVATE KEY BLOCK-----".to_owned(), header.to_owned(), String::new()];
        block.extend(lines());
        block.extend([format!("={}", base64(4, 3)), "-----END PGP PRIVATE KEY BLOCK-----".to_owned()]);
        assert_gone(&block.join("\n"));
        block.pop();
        assert_gone(&block.join("\n"));
    }
}

#[test]
fn ssh2_and_putty_keys_are_redacted() {
    let ssh2 = format!(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"bob@host\"\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        lines().join("\n")
    );
    assert_gone(&ssh2);
    let putty = format!("Public-Lines: 1\nAAAA\nPrivate-Lines: 7\n{}\nPrivate-MAC: 00ff", lines().join("\n"));
    assert_gone(&putty);
    assert_gone(&putty.replace('\n', "\r\n"));
    assert_eq!(
        redact(&putty.replace('\n', "\\n")).text,
        "Public-Lines: 1\\nAAAA\\nPrivate-Lines: 7\\n[redacted: private key]\\nPrivate-MAC: 00ff"
    );
    assert_stays("`Private-Lines: 14` says how many lines follow.");
    assert_stays("Private-Lines: 2\n(base64)\n(more of it)\n");
}

#[test]
fn two_keys_are_redacted_and_the_text_between_them_stays() {
    let key = key().join("\n");
    let found = redact(&format!("{key}\nfirst (1), second:\n{key}\nend")).text.into_owned();
    assert_eq!(found.matches("[redacted: private key]").count(), 2);
    assert!(found.contains("first (1), second:"), "{found}");
    let cut = key.rsplit_once('\n').unwrap().0;
    let found = redact(&format!("{cut}\n\n{key}\nend")).text.into_owned();
    assert_eq!(found.matches("[redacted: private key]").count(), 2);
    let told = format!("Look for `-----BEGIN RSA PRIVATE KEY-----` (the first line).\n{key}\nend");
    assert!(redact(&told).text.starts_with("Look for `-----BEGIN RSA PRIVATE KEY-----` (the first line).\n[redacted"));
}

#[test]
fn text_about_keys_stays() {
    let camel = "X509EncryptedPrivateKeyInfoFromPemTest";
    for same in [
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
        format!("-----BEGIN PRIVATE KEY-----\n{}...\n-----END PRIVATE KEY-----", base64(32, 1)),
        format!("-----BEGIN PRIVATE KEY-----\n{}…\n", base64(40, 1)),
        "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----".to_owned(),
        format!("if (a.startsWith(\"-----BEGIN PRIVATE KEY-----\")) {{ return new {camel}(a, KeyFormat.PKCS8EncryptedPrivateKey); }}"),
        format!("a = \"-----BEGIN PRIVATE KEY-----\"\n{camel}(a)\nb = \"-----END PRIVATE KEY-----\""),
        "The label is `-----BEGIN PRIVATE KEY-----` and the last line `-----END PRIVATE KEY-----`.".to_owned(),
    ] {
        assert_stays(&same);
    }
    let far = format!(
        "\"-----BEGIN PRIVATE KEY-----\";\n{}let hash = \"{}\";\n\"-----END PRIVATE KEY-----\";",
        "let x = call(1);\n".repeat(90),
        base64(64, 4)
    );
    assert_stays(&far);
}
