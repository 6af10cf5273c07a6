//! Passwords in URLs.

use super::{assert_redacts, assert_stays};

#[test]
fn only_the_password_of_a_url_is_redacted() {
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
fn passwords_may_contain_nearly_anything() {
    for password in ["%40dmin2024x", "$ecret2024", "a,b;c(d)e'f", "p\u{e4}ss\u{1f511}word", "{half", "*one", "a@b", "a:b", "[x", "x$PATH"] {
        assert_redacts(&format!("see <postgres://bob:{password}@db/x> (a@b)"), "see <postgres://bob:[redacted: password]@db/x> (a@b)");
    }
    assert_redacts("\"https:\\/\\/bob:hunter2024@db\\/x\"", "\"https:\\/\\/bob:[redacted: password]@db\\/x\"");
    assert_redacts("amqp://u:p1@h1,amqp://u:p2@h2", "amqp://u:[redacted: password]@h1,amqp://u:[redacted: password]@h2");
    assert_redacts("f('postgres://bob:hunter2@db','a@b')", "f('postgres://bob:[redacted: password]@db','a@b')");
    assert_redacts("redis://:hunter2@h", "redis://:[redacted: password]@h");
}

#[test]
fn placeholders_for_passwords_stay() {
    for password in [
        "$PGPASS",
        "$PASS2",
        "$password",
        "$dbPassword",
        "${PW}",
        "${PW:-x}",
        "$(pw)",
        "{pw}",
        "{{ pw",
        "%PGPASS%",
        "%s",
        "%(pw)s",
        "xxx",
        "…",
        "***",
    ] {
        assert_stays(&format!("postgres://bob:{password}@db/x"));
    }
    for same in ["postgres://${USER:-bob}:${PW}@db", "postgres://%s:%s@%s/%s", "postgres://<user>:<password>@db", "http://u:`pw`@h"] {
        assert_stays(same);
    }
}

#[test]
fn ports_tags_and_prose_are_not_passwords() {
    for same in [
        "docker://alpine:3.18@sha256:82d1e9d7",
        "docker-image://golang:1.22@sha256:82d1\u{2026}",
        "kafka://a:9092,b@c",
        "(http://localhost:8080);bob@x.org",
        "f('http://a:80','b@c')",
        "http://[::1]:80@x",
        "http://host:80 and bob@x.org",
        "\u{201c}http://host:name\u{201d}bob@x.org",
    ] {
        assert_stays(same);
    }
}

#[test]
fn passwords_in_queries_are_redacted() {
    let redacted = "[redacted: password]";
    for (before, after) in [
        ("jdbc:postgresql://db/x?user=bob&password=", "&ssl=true"),
        ("jdbc:sqlserver://db;user=sa;password=", ";encrypt=true"),
        ("https:\\/\\/db\\/x?user=bob\\u0026password=", "\""),
        ("[x](https://db/x?pwd=", ")"),
        ("<a href='http://h/?a=1&amp;passwd=", "'>"),
    ] {
        assert_redacts(&format!("{before}hunter2024{after}"), &format!("{before}{redacted}{after}"));
    }
    assert_redacts("pg://u:hunter2@h/x?password=hunter2024", &format!("pg://u:{redacted}@h/x?password={redacted}"));
    for same in [
        "http://h/?password=",
        "http://h/?password=${PW}&a",
        "http://h/?password={password}",
        "http://h/?password=<password>",
        "http://h/?pwd=/home/bob",
        "http://h/?password=password",
        "http://h/?reset_password=hunter2024",
        "password=hunter2024",
        "f(a, password=hunter2024)",
        "http://h and ?password=word",
    ] {
        assert_stays(same);
    }
}
