//! Checks the store: whether its directory can be created and written, and whether the ledger is intact.

use std::time::Duration;

use briefing_core::fs::{FileProblem, NotOurs};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::{Filter, Place, StoreError, reader, repair};

use super::{Check, Verdict};
use crate::state_place;

const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn look(places: &Places, fix: bool) -> Vec<Check> {
    let Some(place) = Place::of(places) else {
        return vec![check("place", Verdict::Broken, "cannot determine the state directory").fix("export HOME=…")];
    };
    if let Err(StoreError::Place { problem: FileProblem::NotOurs(problem), .. }) = place.check() {
        return vec![refused(&place, problem)];
    }
    if let Err(error) = state_place::check(place.directory()) {
        let fix = format!("make {} writable, or set XDG_STATE_HOME to another directory", path_text(place.directory()));
        return vec![check("place", Verdict::Broken, format!("the state directory cannot be used: {error}")).fix(fix)];
    }
    let mut checks: Vec<Check> = privacy(&place, fix).into_iter().collect();
    checks.push(ledger(&place, fix));
    checks.extend(set_aside(&place));
    checks
}

fn check(what: &str, verdict: Verdict, detail: impl Into<String>) -> Check {
    Check::new("store", what, verdict, detail)
}

/// Others may have put something there: nothing is read or written, and nothing is repaired without the user.
fn refused(place: &Place, problem: NotOurs) -> Check {
    let shown = path_text(place.directory());
    let fix = match problem {
        NotOurs::Writable => format!("look at what is in it, then: chmod 700 '{shown}'"),
        NotOurs::Owner => format!("move {shown} away, or set XDG_STATE_HOME to a directory of yours"),
        NotOurs::Link => format!("replace {shown} with a directory, or set XDG_STATE_HOME to where it leads"),
    };
    check("place", Verdict::Broken, format!("{shown} is not used: it {problem}")).fix(fix)
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

fn ledger(place: &Place, fix: bool) -> Check {
    let shown = path_text(place.directory());
    let intact = |sessions: usize| check("ledger", Verdict::Good, format!("intact, {sessions} sessions, in {shown}"));
    let examined = match reader(place, PATIENCE) {
        Ok(None) => return check("ledger", Verdict::Info, format!("none yet in {shown}")),
        Ok(Some(mut reader)) => match reader.damage() {
            Ok(None) => return intact(reader.sessions(&Filter::default()).map_or(0, |sessions| sessions.len())),
            Ok(Some(damage)) => StoreError::Corrupt(damage),
            Err(error) => error,
        },
        Err(error) => error,
    };
    let broken = check("ledger", Verdict::Broken, format!("{shown}: {examined}"));
    match examined {
        StoreError::Corrupt(_) if fix => match repair(place, PATIENCE) {
            Ok(aside) => {
                let aside = aside.map(|path| format!("; the damaged file is {}", path_text(&path))).unwrap_or_default();
                check("ledger", Verdict::Good, format!("rebuilt from what could be read{aside}"))
            }
            Err(error) => check("ledger", Verdict::Broken, format!("{shown} cannot be rebuilt: {error}")),
        },
        StoreError::Corrupt(_) => broken.fix("brief doctor --fix"),
        StoreError::Newer { .. } => broken.fix("update `brief`: a newer version has written the ledger"),
        StoreError::Busy => broken.fix("run `brief doctor` again"),
        StoreError::Place { .. } | StoreError::Unusable(_) => {
            broken.fix("check the disk and the permissions of this directory; until then agents get context without a memory of it")
        }
    }
}

fn set_aside(place: &Place) -> Option<Check> {
    let aside = briefing_store::damaged(place);
    let last = path_text(aside.last()?);
    Some(check("set aside", Verdict::Info, format!("{} damaged files were kept, the last one as {last}", aside.len())))
}
