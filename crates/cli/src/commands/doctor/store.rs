//! Checks the store: whether its directory can be created and written, and whether the ledger is intact.

use std::time::Duration;

use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::{Place, reader};

use super::{Check, Verdict};
use crate::state_place;

const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn look(places: &Places, fix: bool) -> Vec<Check> {
    let Some(place) = Place::of(places) else {
        return vec![check("place", Verdict::Broken, "cannot determine the state directory").fix("export HOME=…")];
    };
    if let Err(error) = state_place::check(place.directory()) {
        let fix = format!("make {} writable, or set XDG_STATE_HOME to another directory", path_text(place.directory()));
        return vec![check("place", Verdict::Broken, format!("the state directory cannot be used: {error}")).fix(fix)];
    }
    let mut checks: Vec<Check> = privacy(&place, fix).into_iter().collect();
    checks.push(ledger(&place));
    checks.extend(set_aside(&place));
    checks
}

fn check(what: &str, verdict: Verdict, detail: impl Into<String>) -> Check {
    Check::new("store", what, verdict, detail)
}

/// Older versions made the directory readable for everybody.
fn privacy(place: &Place, fix: bool) -> Option<Check> {
    if !state_place::is_open(place.directory()) {
        return None;
    }
    let shown = path_text(place.directory());
    if fix && place.tighten().is_ok() {
        return Some(check("place", Verdict::Good, format!("{shown} is now private")));
    }
    Some(check("place", Verdict::Info, format!("other users can read {shown}")).fix("brief doctor --fix"))
}

fn ledger(place: &Place) -> Check {
    let shown = path_text(place.directory());
    let broken = |problem: String| {
        let check = check("ledger", Verdict::Broken, problem);
        match place.file() {
            Some(file) => check.fix(format!("mv '{0}' '{0}.aside'", file.display())),
            None => check,
        }
    };
    match reader(place, PATIENCE) {
        Ok(None) => check("ledger", Verdict::Info, format!("none yet in {shown}")),
        Ok(Some(mut reader)) => match reader.damage() {
            Ok(None) => {
                let sessions = reader.sessions().map_or(0, |sessions| sessions.len());
                check("ledger", Verdict::Good, format!("intact, {sessions} sessions, in {shown}"))
            }
            Ok(Some(damage)) => broken(damage),
            Err(error) => broken(error.to_string()),
        },
        Err(error) => broken(error.to_string()),
    }
}

fn set_aside(place: &Place) -> Option<Check> {
    let aside = briefing_store::damaged(place).len();
    (aside > 0).then(|| check("set aside", Verdict::Info, format!("{aside} damaged files were moved aside")))
}
