//! Notices that a file which a window already holds has changed, at the cost of one `stat` per file, and remembers the
//! sections it had.
//!
//! A source names the files it depends on together with their stamps; the ledger keeps the list with the session. A file
//! that was missing has a stamp too, so one that is created later counts as a change.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::path::Path;

use crate::piece::Piece;
use crate::sources::{Source, Sources};
use crate::update;

/// A file that a source depends on, as it was before the source read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// An absolute path. Empty: something that cannot be watched and counts as changed.
    path: String,
    stamp: u64,
}

impl Watched {
    /// Notes the state of a file. Call this before reading it, so that a change in between is noticed.
    ///
    /// Returns `None` for a path that cannot be written down.
    pub fn now(path: &Path) -> Option<Self> {
        let text = path.to_str().filter(|text| !text.contains('\n'))?;
        Some(Self { path: text.to_owned(), stamp: stamp(path) })
    }

    /// Returns an entry that counts as changed at every look: a file could not be read, so the source is asked again.
    pub fn unread() -> Self {
        Self { path: String::new(), stamp: 0 }
    }
}

/// The first word of a line with the sections of a piece.
const SECTIONS: &str = "sections";
/// Of how many earlier versions the sections are remembered.
const EARLIER: usize = 2;

/// Returns `list` with the files and the pieces of these sources replaced.
pub fn updated(list: &str, sources: Sources, watched: &[(Source, Watched)], pieces: &[Piece]) -> String {
    let mut text = String::new();
    let source = |line: &str| read(line).map(|(source, ..)| source).or_else(|| read_sections(line).map(|(source, ..)| source));
    for line in list.lines().filter(|line| source(line).is_some_and(|source| source.bit() & sources == 0)) {
        text.push_str(line);
        text.push('\n');
    }
    for (source, Watched { path, stamp }) in watched.iter().filter(|(source, _)| source.bit() & sources != 0) {
        let _ = writeln!(text, "{} {stamp:x} {path}", source.name());
    }
    let is_watched = |piece: &&Piece| watched.iter().any(|(source, _)| *source == piece.source) && !piece.id.contains('\n');
    for piece in pieces.iter().filter(is_watched) {
        let hash = piece.hash.to_hex();
        // The window may lose this version and still have the one before.
        let is_earlier = |line: &&str| read_sections(line).is_some_and(|(_, noted, _, id)| id == piece.id && noted != hash.as_str());
        let earlier: Vec<&str> = list.lines().filter(is_earlier).collect();
        for line in &earlier[earlier.len().saturating_sub(EARLIER)..] {
            let _ = writeln!(text, "{line}");
        }
        if let Some(marks) = update::marks(&piece.text) {
            let _ = writeln!(text, "{SECTIONS} {} {hash} {marks} {}", piece.source.name(), piece.id);
        }
    }
    text
}

/// Returns what has changed in a piece since it had this hash, if that is known and shorter than the piece.
pub fn excerpt(list: &str, piece: &Piece, hash: &str) -> Option<String> {
    let is_it = |(_, noted, _, id): &(Source, &str, &str, &str)| *noted == hash && *id == piece.id;
    let (_, _, marks, _) = list.lines().filter_map(read_sections).find(is_it)?;
    update::changed_sections(marks, &piece.text)
}

/// Returns the sources of which a file has changed since it was noted.
pub fn changed(list: &str) -> Sources {
    let is_changed = |path: &str, noted: u64| path.is_empty() || stamp(Path::new(path)) != noted;
    let lines = list.lines().filter_map(read);
    // A source that has changed needs no second look.
    lines.fold(
        0,
        |found, (source, noted, path)| {
            if found & source.bit() == 0 && is_changed(path, noted) { found | source.bit() } else { found }
        },
    )
}

/// Returns the files of a source.
pub fn paths(list: &str, source: Source) -> Vec<&str> {
    let own = list.lines().filter_map(read).filter(|(of, _, path)| *of == source && !path.is_empty());
    own.map(|(_, _, path)| path).collect()
}

fn read(line: &str) -> Option<(Source, u64, &str)> {
    let (source, rest) = line.split_once(' ')?;
    let (stamp, path) = rest.split_once(' ')?;
    Some((Source::named(source)?, u64::from_str_radix(stamp, 16).ok()?, path))
}

/// Returns the source, the hash, the marks and the identity of a piece.
fn read_sections(line: &str) -> Option<(Source, &str, &str, &str)> {
    let mut words = line.splitn(5, ' ');
    (words.next()? == SECTIONS).then_some(())?;
    Some((Source::named(words.next()?)?, words.next()?, words.next()?, words.next()?))
}

/// Returns a number that differs whenever a file has been written, replaced, created or removed.
pub(crate) fn stamp(path: &Path) -> u64 {
    let Ok(metadata) = std::fs::metadata(path) else { return 1 };
    let hash = blake3::hash(&facts(&metadata));
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}

#[cfg(unix)]
fn facts(metadata: &Metadata) -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    let numbers = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
    let ids = [metadata.ino(), metadata.dev(), metadata.len()];
    numbers.iter().flat_map(|number| number.to_le_bytes()).chain(ids.iter().flat_map(|id| id.to_le_bytes())).collect()
}

#[cfg(not(unix))]
fn facts(metadata: &Metadata) -> Vec<u8> {
    format!("{:?} {}", metadata.modified().ok(), metadata.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::Order;
    use crate::reason::Reason;

    fn noted(source: Source, path: &Path) -> (Source, Watched) {
        (source, Watched::now(path).unwrap())
    }

    #[test]
    fn a_file_that_is_written_replaced_created_or_removed_has_changed() {
        let directory = tempfile::tempdir().unwrap();
        let [one, two, three] = ["one", "two", "three"].map(|name| directory.path().join(name));
        let note = || updated("", 3, &[noted(Source::Domains, &one), noted(Source::Gate, &two), noted(Source::Gate, &three)], &[]);
        std::fs::write(&one, "1").unwrap();
        std::fs::write(&two, "2").unwrap();
        let list = note();
        assert_eq!(changed(&list), 0);
        std::fs::write(&one, "longer").unwrap();
        assert_eq!(changed(&list), Source::Domains.bit());
        let list = note();
        std::fs::write(&three, "new").unwrap();
        assert_eq!(changed(&list), Source::Gate.bit());
        let list = note();
        std::fs::remove_file(&two).unwrap();
        assert_eq!(changed(&list), Source::Gate.bit());
    }

    #[test]
    fn the_sections_of_a_piece_are_remembered_with_its_hash() {
        let piece = |body: &str| {
            let text = format!("# One\n\n1\n\n# Two\n\n{body}\n");
            Piece::new(Source::Gate, "/a b.md", "/a b.md", Reason::ClosingNotes, Order::Gate, text)
        };
        let (before, after) = (piece("2"), piece("22"));
        let list = updated("", 2, &[noted(Source::Gate, Path::new("/a b.md"))], std::slice::from_ref(&before));
        assert_eq!(excerpt(&list, &after, before.hash.to_hex().as_str()).as_deref(), Some("# Two\n\n22\n"));
        assert_eq!(excerpt(&list, &after, after.hash.to_hex().as_str()), None, "the window has another version");
        assert!(excerpt(&updated(&list, 1, &[], &[]), &after, before.hash.to_hex().as_str()).is_some());
        assert_eq!(excerpt(&updated(&list, 2, &[], &[]), &after, before.hash.to_hex().as_str()), None);
        let later = updated(&list, 2, &[noted(Source::Gate, Path::new("/a b.md"))], std::slice::from_ref(&after));
        assert_eq!(excerpt(&later, &after, before.hash.to_hex().as_str()).as_deref(), Some("# Two\n\n22\n"), "the version before");
        assert_eq!(changed(&list), 0, "they are no files");
    }

    #[test]
    fn a_list_keeps_the_sources_that_were_not_asked() {
        let path = Path::new("/nowhere at all");
        let both = updated("", 3, &[noted(Source::Domains, path), noted(Source::Gate, path)], &[]);
        assert_eq!(both.lines().count(), 2);
        assert_eq!(updated(&both, 2, &[], &[]).lines().count(), 1);
        assert_eq!(changed(&updated(&both, 2, &[(Source::Gate, Watched::unread())], &[])), Source::Gate.bit());
        assert_eq!(changed("nonsense\ngate zz /x\nlater 0 /y\n"), 0, "what another version wrote is skipped");
    }
}
