//! What is promised about a window, and with which real client it was seen. The tests and the table in `docs/agents.md` are
//! made from the same list, so the table cannot claim what no test has seen.

use std::fs;

use briefing_testkit::clients::Client;

/// A promise: its words, the clients with which it is tested, and why not with the others.
struct Promise {
    words: &'static str,
    seen: &'static [&'static str],
    not: &'static [(&'static str, &'static str)],
}

macro_rules! promises {
    ($($name:ident: $words:literal, $test:path; seen: $($agent:ident)+; not: $($other:ident $reason:literal),* ;)*) => {
        $(mod $name {
            $(#[test]
            fn $agent() {
                $test(stringify!($agent));
            })+
        })*

        const PROMISES: &[Promise] = &[$(Promise {
            words: $words,
            seen: &[$(stringify!($agent)),+],
            not: &[$((stringify!($other), $reason)),*],
        }),*];
    };
}

promises! {
    declined: "a compaction that is announced and does not happen repeats nothing", crate::compaction::declined;
        seen: gemini qwen; not: claude "announced when it is done", codex "announced when it is done", copilot "not seen", opencode "announced when it is done";
}

fn table() -> String {
    let clients: Vec<(&str, &str)> = Client::versions().collect();
    let line = |first: &str, cells: Vec<String>| format!("| {first} | {} |\n", cells.join(" | "));
    let mut text = line("promise", clients.iter().map(|(agent, version)| format!("{agent} {version}")).collect());
    text.push_str(&"|---".repeat(clients.len() + 1));
    text.push_str("|\n");
    for promise in PROMISES {
        let cell = |(agent, _): &(&str, &str)| {
            let reason = promise.not.iter().find(|(other, _)| other == agent).map(|(_, reason)| *reason);
            assert!(promise.seen.contains(agent) != reason.is_some(), "`{}`: is it seen with {agent}, or why not?", promise.words);
            reason.unwrap_or("seen").to_owned()
        };
        text.push_str(&line(promise.words, clients.iter().map(cell).collect()));
    }
    text
}

#[test]
fn the_table_in_the_docs_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md");
    let page = fs::read_to_string(path).unwrap();
    let (start, end) = ("<!-- promises:start -->\n", "<!-- promises:end -->");
    let from = page.find(start).expect("the page has the start mark") + start.len();
    let to = page.find(end).expect("the page has the end mark");
    if page[from..to] != table() && std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, format!("{}{}{}", &page[..from], table(), &page[to..])).unwrap();
        return;
    }
    assert_eq!(&page[from..to], table(), "run the tests with UPDATE_DOCS=1 to update it");
}
