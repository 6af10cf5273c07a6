//! The page of `brief inspect` in a real Chromium.

use std::time::{Duration, Instant};

use briefing_testkit::tell;
use serde_json::{Value, json};

use super::browser::Browser;
use crate::inspected::{DEPLOY, HOSTILE, Project};

const PENGUINS: &str = "where are the penguins with a hostile title?";

fn ready(browser: &mut Browser, view: &str) {
    browser.until(&format!("document.documentElement?.dataset.ready === '{view}'"));
}

fn go(browser: &mut Browser, view: &str) {
    let name = view.split('=').next().unwrap();
    browser.eval(&format!("delete document.documentElement.dataset.ready; location.hash = '#{view}'"));
    ready(browser, name);
}

#[test]
fn every_view_loads_with_the_ledgers_numbers_and_without_a_complaint() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.answer("s", &json!({ "type": "text", "text": "Done." }));
    project.message("s", &format!("{PENGUINS} {HOSTILE}"));
    project.answer("s", &json!({ "type": "text", "text": "There is penguin_count." }));
    let (_served, address) = project.serve();
    let mut browser = Browser::start();
    browser.open(&address);
    ready(&mut browser, "sessions");
    assert!(!browser.eval("location.href").as_str().unwrap().contains("token"), "the token leaves the address");

    let log = project.json(&["log", "--json"]);
    let rows: Vec<&Value> = log["deliveries"].as_array().unwrap().iter().filter(|row| row["state"] == "delivered").collect();
    let tokens: u64 = rows.iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
    let name = log["sessions"][0]["session"].as_str().unwrap();
    let started = Instant::now();
    go(&mut browser, &format!("session={name}"));
    assert!(started.elapsed() < Duration::from_secs(5));
    let stats = "Object.fromEntries([...document.querySelectorAll('.stat')].map((one) => [one.children[1].textContent, one.children[0].textContent]))";
    let stats = browser.eval(stats);
    assert_eq!(stats["tokens delivered"], tokens.to_string(), "{stats:#}");
    assert_eq!(stats["events"], log["events"].as_array().unwrap().len().to_string());
    assert_eq!(stats["in the window, as the agent counts"], "1,234");
    // The last delivery is open and shows its exact text.
    browser.until("[...document.querySelectorAll('details[open] pre')].some((one) => one.textContent.includes('penguin_count'))");
    for tab in ["Window now", "Compare turns", "Tokens", "Events"] {
        browser.eval(&format!("[...document.querySelectorAll('.tabs button')].find((one) => one.textContent === '{tab}').click()"));
    }
    let text = browser.text();
    assert!(text.contains("onerror=") && text.contains("<script>"), "a hostile message is text: {text}");

    go(&mut browser, "report");
    assert!(browser.text().contains(&format!("{tokens}\ntokens")), "{}", browser.text());
    go(&mut browser, "index");
    let text = browser.text();
    assert!(text.contains("nowhere.md") && text.contains("<img src=x onerror="), "{text}");
    go(&mut browser, "domains");
    assert!(browser.text().contains("Sells things."));
    go(&mut browser, "try");
    let typed = |browser: &mut Browser, id: &str, text: &str| {
        let text = json!(text);
        browser
            .eval(&format!("{{ const box = document.getElementById('{id}'); box.value = {text}; box.dispatchEvent(new Event('input')) }}"));
    };
    typed(&mut browser, "message", DEPLOY);
    browser.until("document.querySelector('tr.on') !== null");
    assert!(browser.text().contains("docs/deploy.md"));
    // From the index to the reasons of a document, and for a message that is typed.
    go(&mut browser, "index");
    browser.eval("delete document.documentElement.dataset.ready; [...document.querySelectorAll('a')].find((one) => one.textContent === 'why?').click()");
    ready(&mut browser, "why");
    let told = |browser: &mut Browser, start: &str| {
        browser.until(&format!("(document.querySelector('.verdict')?.textContent || '').startsWith({})", json!(start)));
    };
    told(&mut browser, "docs/auth.md: not delivered to claude:");
    typed(&mut browser, "path", "docs/deploy.md");
    told(&mut browser, "docs/deploy.md: delivered to claude:");
    typed(&mut browser, "message", DEPLOY);
    told(&mut browser, "docs/deploy.md: this message brings it");

    assert_eq!(browser.eval("document.querySelectorAll('img, script:not([nonce]), main script').length"), 0);
    assert_ne!(browser.eval("document.title"), "broken");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn a_session_of_a_thousand_events_is_shown_in_under_a_second() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.repeat_events(1000);
    let name = project.json(&["log", "--json"])["sessions"][0]["session"].as_str().unwrap().to_owned();
    let (_served, address) = project.serve();
    let mut browser = Browser::start();
    browser.open(&address);
    ready(&mut browser, "sessions");
    // The best of five: other tests run at the same time.
    let opened = format!(
        "new Promise((done) => {{
             const started = performance.now();
             new MutationObserver(() => {{
                 if (document.documentElement.dataset.ready === 'session') requestAnimationFrame(() => done(performance.now() - started));
             }}).observe(document.documentElement, {{ attributes: true }});
             location.hash = '#session={name}';
         }})"
    );
    let mut fastest = f64::MAX;
    for _ in 0..5 {
        go(&mut browser, "sessions");
        fastest = fastest.min(browser.eval(&opened).as_f64().unwrap());
    }
    assert!(browser.eval("document.querySelectorAll('.list button').length").as_u64().unwrap() > 1000);
    assert!(fastest < 1000.0, "{fastest} ms");
    tell(&format!("inspect: a session of 1,000 events is shown after {fastest:.0} ms, in a debug build"));
}

#[test]
fn the_keyboard_reaches_everything() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.sandbox.brief(["inspect", "--output", "page.html"]).success();
    let mut browser = Browser::start();
    browser.open(&format!("file://{}", project.sandbox.path("page.html").display()));
    ready(&mut browser, "sessions");
    // Tab to the session, Enter opens it.
    for _ in 0..20 {
        browser.press("Tab", 9);
        if browser.eval("(document.activeElement.hash || '').startsWith('#session=')") == true {
            break;
        }
    }
    browser.enter();
    ready(&mut browser, "session");
    browser.eval("document.body.focus()");
    browser.eval("window.reached = new Set(); addEventListener('focusin', (event) => reached.add(event.target))");
    for _ in 0..60 {
        browser.press("Tab", 9);
    }
    let wanted = "[...document.querySelectorAll('a, button, input, select, textarea, summary')]";
    let missed = browser.eval(&format!("{wanted}.filter((one) => !reached.has(one)).map((one) => one.outerHTML)"));
    assert_eq!(missed, json!([]), "reached by Tab");
    // Arrow keys move through the events.
    browser.eval("document.querySelector('.list button').focus()");
    browser.press("ArrowDown", 40);
    assert_eq!(browser.eval("[...document.querySelectorAll('.list button')].indexOf(document.activeElement)"), 1);
    assert_eq!(browser.eval("document.activeElement.getAttribute('aria-current')"), "true");
    // Everything that can be used has a name, and every picture has one, too.
    let nameless = format!("{wanted}.filter((one) => !(one.textContent.trim() || one.labels && one.labels.length)).length");
    assert_eq!(browser.eval(&nameless), 0);
    assert_eq!(browser.eval("[...document.querySelectorAll('svg')].filter((one) => !one.getAttribute('aria-label')).length"), 0);
    assert_eq!(browser.complaints, Vec::<String>::new());
}
