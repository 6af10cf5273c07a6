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

/// A row begins with the name of its tests, or with `=>` and the name of the tests that show it, too.
macro_rules! promises {
    ($($name:ident: $words:literal, $test:path; seen: $($agent:ident)+; not: $($other:ident $reason:literal),* ;)*
     $(=> $within:ident: $also:literal; seen: $($also_agent:ident)+; not: $($also_other:ident $also_reason:literal),* ;)*) => {
        /// Each promise with each client takes ten minutes: `scripts/test --long sessions` runs them.
        mod every_client {
            $(pub(super) mod $name {
                $(#[test]
                pub(in super::super) fn $agent() {
                    $test(stringify!($agent));
                })+
            })*
        }

        // Every test that is named exists.
        $($(const _: fn() = every_client::$within::$also_agent;)+)*

        const PROMISES: &[Promise] = &[$(Promise {
            words: $words,
            seen: &[$(stringify!($agent)),+],
            not: &[$((stringify!($other), $reason)),*],
        },)* $(Promise {
            words: $also,
            seen: &[$(stringify!($also_agent)),+],
            not: &[$((stringify!($also_other), $also_reason)),*],
        }),*];
    };
}

promises! {
    whole: "30 KB of knowledge arrive whole, in order and once, and stay after a resume", crate::others::whole_and_once;
        seen: claude codex gemini qwen copilot opencode; not: ;
    gate: "31 KB of core files arrive whole, in order and once, when work begins", crate::gate::whole;
        seen: claude codex gemini qwen copilot opencode; not: ;
    documents: "a document comes with the message that it fits, once; the next one brings only what is new", crate::docs::once_and_only_what_is_new;
        seen: claude codex gemini qwen copilot opencode; not: ;
    resumed: "20,000 tokens of core files are whole and there once in the third process that works on a session", crate::window::resumed;
        seen: claude codex gemini qwen copilot opencode; not: ;
    edited: "a file that was edited between two processes comes once", crate::window::edited;
        seen: claude codex gemini qwen copilot opencode; not: ;
    changed_back: "a file that is changed and changed back arrives each time", crate::window::changed_back;
        seen: claude codex gemini qwen copilot opencode; not: ;
    compacted: "after a compaction everything is there again, once; also after `/clear`", crate::others::compacted;
        seen: claude codex gemini qwen copilot; not: opencode "seen in the long session below";
    declined: "a compaction that is announced and does not happen repeats nothing", crate::compaction::declined;
        seen: gemini qwen; not: claude "announced when it is done", codex "announced when it is done", copilot "not seen", opencode "announced when it is done";
    parallel: "parts are in order although tools run in parallel", crate::window::parallel;
        seen: claude codex copilot; not: gemini "context with messages only", qwen "context with messages only", opencode "context with messages only";
    two_processes: "two processes that work on one session at once have a window each", crate::window::two_processes;
        seen: claude; not: codex "not told apart", gemini "not told apart", qwen "not told apart", copilot "not told apart", opencode "not told apart";
    gone_back: "what was cut off because the user went back (Esc Esc, `/rewind`) comes again", crate::window::gone_back;
        seen: claude gemini; not: codex "not followed", qwen "not followed", copilot "not followed", opencode "not followed";
    without_the_ledger: "without the ledger, parts are in order and what does not fit is named", crate::window::without_the_ledger;
        seen: claude codex gemini qwen copilot opencode; not: ;
    receipts: "`brief verify` says of every delivery what the recorded requests say", crate::receipts::whole_session;
        seen: claude codex gemini qwen copilot opencode; not: ;
    long_session: "twelve messages with tools, one of them typed while the model works, with an edit, a compaction and four resumes, end with every line there once, and `brief verify` agrees", crate::long_session::whole;
        seen: claude codex gemini qwen copilot opencode; not: ;
    => long_session: "a message that is typed while the model works gets its documents";
        seen: claude codex gemini qwen opencode; not: copilot "no event";
    => long_session: "an edited file brings its changed sections with the next message, as an update, once";
        seen: claude codex gemini qwen copilot opencode; not: ;
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
