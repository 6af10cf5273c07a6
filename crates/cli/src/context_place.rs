//! The `.context` directory that a command is about, and the stamp of what it writes there.

use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_core::sources::gate;
use jiff::tz::TimeZone;

use crate::environment;

/// Returns the nearest `.context` from the current directory upward.
pub(crate) fn here() -> Result<(Places, PathBuf), Failure> {
    let places = environment::places()?;
    let found = gate::find_directory(&places);
    let context = found
        .ok_or_else(|| Failure::new("no `.context` directory here or in a parent directory").hint("`brief init context` creates one"))?;
    Ok((places, context))
}

/// Returns the present moment as entries have it: `2026-01-28-051426`, local time.
pub(crate) fn stamp() -> Result<String, Failure> {
    Ok(environment::now()?.to_zoned(TimeZone::system()).strftime("%Y-%m-%d-%H%M%S").to_string())
}
