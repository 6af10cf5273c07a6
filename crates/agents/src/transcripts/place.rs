//! Finds a session's transcript.
//!
//! The ledger has only hashes of ids, and an id never becomes a path: names in a directory are hashed and compared.

use std::fs;
use std::path::{Path, PathBuf};

use briefing_store::SessionKey;

use super::Silence;
use super::format::{Place, Transcript};
use crate::agent::Agent;
use crate::host::Host;
use crate::install;

/// How many names of a directory are looked at.
const MAX_NAMES: usize = 20_000;

pub(super) fn find(
    agent: &Agent,
    transcript: &Transcript,
    key: &SessionKey,
    host: &dyn Host,
    named: Option<&str>,
) -> Result<PathBuf, Silence> {
    let places = || host.places_at("/".into());
    let set = |variable: &str| host.variable(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    let own = match transcript.place {
        Place::Named => named.map(PathBuf::from),
        Place::PerSession { directory, file } => install::home_of(agent, &places(), set(agent.home_variable)).and_then(|home| {
            let is_it = |name: &str| key.is_of(name);
            named_after(&home.join(directory), ("", ""), is_it).map(|found| found.join(file))
        }),
        Place::One { variable, directory, file } => {
            set(variable).or_else(|| Some(places().home?.join(directory))).map(|directory| directory.join(file))
        }
    };
    let own = own.ok_or(Silence::NotFound)?;
    match transcript.sub_agents {
        Some(place) if !key.sub_agent.is_empty() => {
            let directory = own.with_extension("").join(place.directory);
            let is_it = |name: &str| SessionKey::new("", "", Some(name)).sub_agent == key.sub_agent;
            named_after(&directory, place.around, is_it).ok_or(Silence::NotFound)
        }
        _ => Ok(own),
    }
}

/// Returns the entry of a directory whose name, without what is around it, is the wanted one.
fn named_after(directory: &Path, around: (&str, &str), is_wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?.flatten().take(MAX_NAMES);
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let name = names.find(|name| name.strip_prefix(around.0).and_then(|rest| rest.strip_suffix(around.1)).is_some_and(&is_wanted))?;
    Some(directory.join(name))
}
