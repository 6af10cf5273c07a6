//! The page, and pages with their answers inside.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use briefing_agents::report::Report;
use briefing_core::Failure;
use briefing_core::secrets::redacted;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::{Value, json};

use crate::views::Views;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How many sessions a file has at most, the newest.
const MAX_SESSIONS: usize = 200;

/// Returns the page. `data` has the directory that paths are shown from (`here`). With `answers` in it the page asks nobody;
/// what it cannot answer from them it says so.
pub(crate) fn page(nonce: &str, data: &Value) -> String {
    // Inside of a script element, `<` could end it.
    let data = data.to_string().replace('<', "\\u003c");
    // Data comes last: it may contain any of the other places' names.
    PAGE.replace("@NONCE@", nonce)
        .replace("@VERSION@", VERSION)
        .replace("@STYLE@", STYLE)
        .replace("@SCRIPT@", SCRIPT)
        .replace("@DATA@", &data)
}

/// Returns a page with nothing but a report.
pub fn report_page(report: &Report, places: &Places) -> String {
    let mut data = json!({ "here": path_text(&places.here), "answers": { "report": report }, "views": ["report"] });
    clean(&mut data, &home(places));
    page("brief", &data)
}

fn home(places: &Places) -> String {
    places.home.as_deref().map(path_text).unwrap_or_default()
}

/// Returns everything as one page, without secrets and without the name of the home directory.
pub fn export(views: &Views<'_>, places: &Places) -> Result<String, Failure> {
    let sessions = views.sessions()?;
    let mut answers = BTreeMap::new();
    let names = sessions["sessions"].as_array().into_iter().flatten().take(MAX_SESSIONS);
    for name in names.filter_map(|session| session["session"].as_str()) {
        let session = views.session(name)?;
        for hash in session["deliveries"].as_array().into_iter().flatten().filter_map(|row| row["rendered_hash"].as_str()) {
            if let Entry::Vacant(place) = answers.entry(format!("text/{hash}")) {
                place.insert(views.text(hash)?);
            }
        }
        answers.insert(format!("session/{name}"), session);
    }
    answers.insert("sessions".into(), sessions);
    answers.insert("report".into(), serde_json::to_value(views.report(None)?).unwrap_or_default());
    answers.insert("index".into(), views.index()?);
    answers.insert("domains".into(), views.domains());
    let mut data = json!({ "here": path_text(&views.here), "answers": answers, "views": ["sessions", "report", "index", "domains"] });
    clean(&mut data, &home(places));
    Ok(page("brief", &data))
}

/// Redacts every text.
fn clean(value: &mut Value, home: &str) {
    match value {
        Value::String(text) => {
            let shown = if home.len() > 1 { text.replace(home, "~") } else { std::mem::take(text) };
            *text = redacted(shown);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean(item, home)),
        Value::Object(fields) => fields.values_mut().for_each(|field| clean(field, home)),
        _ => {}
    }
}
