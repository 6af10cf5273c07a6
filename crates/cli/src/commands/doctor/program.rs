//! Which program called `brief` a shell finds: another one may come first.

use std::path::PathBuf;

use briefing_agents::install::recipe::call;
use briefing_core::shown::{path_text, shell_word};

use super::{Check, Verdict};
use crate::environment;

/// Names the program that a shell runs as `brief`, and this one if that is another.
pub(super) fn look() -> Check {
    let check = |verdict, detail| Check::new("program", "path", verdict, detail);
    let version = env!("CARGO_PKG_VERSION");
    let Some(own) = own() else { return check(Verdict::Info, format!("brief {version}")) };
    let shown = path_text(&own);
    match environment::find_program("brief") {
        None => check(Verdict::Info, format!("brief {version}, {shown}; it is not on PATH, so entries name its path")),
        Some(found) if found.canonicalize().is_ok_and(|found| found == own) => {
            check(Verdict::Good, format!("brief {version}, {}", path_text(&found)))
        }
        Some(found) => {
            let found = path_text(&found);
            check(Verdict::Info, format!("`brief` on PATH is {found}, not this program, {shown} (brief {version})"))
                .fix(format!("remove {found}, or put the directory of {shown} before it in PATH"))
        }
    }
}

/// Checks the first command of an entry that calls a program by its name only: whether PATH leads to this one.
pub(super) fn called(about: &str, commands: &[String], install: &str) -> Option<Check> {
    let own = own()?;
    let names = commands.iter().filter_map(|command| call(command)).map(|(program, _)| program);
    let (name, found) = names.filter(|name| !name.contains(['/', '\\'])).find_map(|name| {
        let found = environment::find_program(&name)?;
        found.canonicalize().is_ok_and(|real| real != own).then_some((name, found))
    })?;
    let detail = format!("the entry calls `{name}`, and PATH leads to {} first", path_text(&found));
    let install = install.strip_prefix("brief").map_or_else(|| install.to_owned(), |rest| format!("{}{rest}", shell_word(&own)));
    Some(Check::new(about, "program", Verdict::Broken, detail).fix(install))
}

fn own() -> Option<PathBuf> {
    std::env::current_exe().and_then(std::fs::canonicalize).ok()
}
