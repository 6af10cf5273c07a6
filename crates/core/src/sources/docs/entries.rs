//! Entries of files that other sources do not load whole. They are delivered when a message is about them.

use std::path::Path;

use crate::candidate::Candidate;
use crate::note::Note;
use crate::settings::{Places, Settings};
use crate::sources::{domains, gate};

/// Returns the entries of knowledge that the session start only summarised, and of files of which the gate shows only
/// the index.
pub(super) fn entries(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Vec<Candidate> {
    let mut entries = domains::entries(&places.here, domains::Reading::of(settings, places), notes);
    entries.extend(gate::entries(places, settings, notes));
    entries
}

/// Returns, at the cost of a few `stat` calls, whether there can be entries: in knowledge, only a large file is not
/// loaded whole; in a `.context/`, it is DECISIONS and LEARNINGS.
pub(super) fn may_be_here(places: &Places) -> bool {
    let knowledge = domains::nearest_above(&places.here);
    let size = |megg: &Path| std::fs::metadata(megg.join("knowledge.md")).map_or(0, |metadata| metadata.len());
    knowledge.is_some_and(|megg| size(&megg).div_ceil(4) >= domains::SUMMARY_FROM) || gate::may_have_entries(places)
}
