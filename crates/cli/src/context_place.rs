//! Finds the `.context` directory that a command works on, and makes the timestamp of new entries.

use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::settings::{Layer, Places};
use briefing_core::sources::gate;
use jiff::tz::TimeZone;

use crate::environment;

/// Returns the nearest `.context` directory, or the one that the settings name, searching upward from the current directory.
pub(crate) fn here() -> Result<(Places, PathBuf), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let found = gate::find_directory(&places, &settings);
    let name = Some(settings.gate.directory.value.as_str()).filter(|name| !name.is_empty()).unwrap_or(gate::CONTEXT);
    let missing = || Failure::new(format!("no `{name}` directory here or in a parent directory")).hint("`brief init context` creates one");
    let context = found.ok_or_else(missing)?;
    Ok((places, context))
}

/// Returns the current local time as entries write it: `2026-01-28-051426`.
pub(crate) fn stamp() -> Result<String, Failure> {
    Ok(environment::now()?.to_zoned(TimeZone::system()).strftime("%Y-%m-%d-%H%M%S").to_string())
}
