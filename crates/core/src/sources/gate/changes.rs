//! What changed in the core files since an earlier session received them: one line for the start of the next one.

use std::path::Path;

use super::message::{Gate, load};
use crate::frames::inline;
use crate::piece::{Order, Piece, Role};
use crate::reason::Reason;
use crate::settings::{Places, Settings};
use crate::shown::path_text;
use crate::sources::{FindEarlier, Source};

/// Returns a line that names the core files that an agent's last session did not have as they are now.
///
/// The files themselves come when work begins. A session that did not receive all of them is no measure: the closing
/// notes are the last of them.
pub fn changes(places: &Places, settings: &Settings, earlier: &mut FindEarlier<'_>) -> Option<Piece> {
    let gate = load(places, settings)?;
    let directory = path_text(&gate.directory);
    let earlier = earlier(&gate.footer_id())?;
    let pieces = gate.pieces();
    let names = gate.sections.iter().zip(&pieces).filter_map(|(section, piece)| match earlier.pieces.get(&piece.id) {
        None => Some(format!("{} (new)", section.name)),
        Some(hash) if *hash != piece.hash.to_hex().as_str() => Some(section.name.clone()),
        Some(_) => None,
    });
    let mut names: Vec<String> = names.collect();
    let is_here = |id: &str| pieces.iter().any(|piece| piece.id == id);
    let gone = earlier.pieces.keys().filter(|id| !is_here(id)).filter_map(|id| file_of(id, &gate));
    let how = |name: &str| if gate.directory.join(name).exists() { "no longer sent" } else { "removed" };
    names.extend(gone.map(|name| format!("{name} ({})", how(name))));
    if names.is_empty() {
        return None;
    }
    let line = format!("Changed in {} since your last session ({}): {}.", gate.shown_directory(), earlier.on, names.join(", "));
    let reason = Reason::Changed { since: earlier.on };
    let text = format!("{}\n", inline(&line));
    Some(Piece::new(Source::Gate, format!("{directory}#changes"), directory, reason, Order::State, text).with_role(Role::Alone))
}

/// Returns the name of a core file from the identity of its piece, whole or index.
fn file_of<'a>(id: &'a str, gate: &Gate) -> Option<&'a str> {
    let path = id.strip_suffix("#index").unwrap_or(id);
    let (directory, name) = path.rsplit_once('/')?;
    (Path::new(directory) == gate.directory && !name.contains('#')).then_some(name)
}
