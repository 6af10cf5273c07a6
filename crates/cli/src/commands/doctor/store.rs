//! Our own memory: can its directory be made and written, is the ledger sound.

use std::path::Path;
use std::time::Duration;

use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::{Ledger, open_existing};

use super::{Check, Verdict};
use crate::commands::hook::state_directory;
use crate::state_place;

const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn look(places: &Places, fix: bool) -> Vec<Check> {
    let Some(directory) = state_directory(places) else {
        return vec![check("place", Verdict::Broken, "no state directory is known").mend("export HOME=…")];
    };
    if let Err(error) = state_place::check(&directory) {
        let mend = format!("make {} writable by hand, or let XDG_STATE_HOME name another directory", path_text(&directory));
        return vec![check("place", Verdict::Broken, format!("nothing can be remembered: {error}")).mend(mend)];
    }
    let mut checks: Vec<Check> = privacy(&directory, fix).into_iter().collect();
    checks.push(ledger(&directory));
    checks.extend(set_aside(&directory));
    checks
}

fn check(what: &str, verdict: Verdict, detail: impl Into<String>) -> Check {
    Check::new("store", what, verdict, detail)
}

/// Older versions made the directory readable for everybody.
fn privacy(directory: &Path, fix: bool) -> Option<Check> {
    if !state_place::is_open(directory) {
        return None;
    }
    let shown = path_text(directory);
    if fix && briefing_store::tighten(directory).is_ok() {
        return Some(check("place", Verdict::Good, format!("{shown} is yours alone now")));
    }
    Some(check("place", Verdict::Info, format!("others can look into {shown}")).mend("brief doctor --fix"))
}

fn ledger(directory: &Path) -> Check {
    let shown = path_text(directory);
    let broken = |problem: String| check("ledger", Verdict::Broken, problem).mend(rename(directory));
    match open_existing(directory, PATIENCE) {
        Ok(None) => check("ledger", Verdict::Info, format!("none yet in {shown}")),
        Ok(Some(mut ledger)) => match ledger.damage() {
            Ok(None) => {
                let sessions = ledger.sessions().map_or(0, |sessions| sessions.len());
                check("ledger", Verdict::Good, format!("sound, {sessions} sessions, in {shown}"))
            }
            Ok(Some(damage)) => broken(damage),
            Err(error) => broken(error.to_string()),
        },
        Err(error) => broken(error.to_string()),
    }
}

fn rename(directory: &Path) -> String {
    let file = directory.join(briefing_store::LEDGER_FILE);
    format!("mv '{0}' '{0}.aside'", file.display())
}

fn set_aside(directory: &Path) -> Option<Check> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let aside = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("ledger.damaged-")).count();
    (aside > 0).then(|| check("set aside", Verdict::Info, format!("{aside} damaged files were renamed aside")))
}
