//! Notices that a file which a window already holds has changed, at the cost of one `stat` per file.
//!
//! A source names the files it depends on together with their stamps; the ledger keeps the list with the session. A file
//! that was missing has a stamp too, so one that is created later counts as a change.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::path::Path;

use crate::sources::{Source, Sources};

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

/// Returns `list` with the files of these sources replaced.
pub fn updated(list: &str, sources: Sources, watched: &[(Source, Watched)]) -> String {
    let mut text = String::new();
    for line in list.lines().filter(|line| read(line).is_some_and(|(source, ..)| source.bit() & sources == 0)) {
        text.push_str(line);
        text.push('\n');
    }
    for (source, Watched { path, stamp }) in watched.iter().filter(|(source, _)| source.bit() & sources != 0) {
        let _ = writeln!(text, "{} {stamp:x} {path}", source.name());
    }
    text
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

fn read(line: &str) -> Option<(Source, u64, &str)> {
    let (source, rest) = line.split_once(' ')?;
    let (stamp, path) = rest.split_once(' ')?;
    Some((Source::named(source)?, u64::from_str_radix(stamp, 16).ok()?, path))
}

/// Returns a number that differs whenever a file has been written, replaced, created or removed.
fn stamp(path: &Path) -> u64 {
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

    fn noted(source: Source, path: &Path) -> (Source, Watched) {
        (source, Watched::now(path).unwrap())
    }

    #[test]
    fn a_file_that_is_written_replaced_created_or_removed_has_changed() {
        let directory = tempfile::tempdir().unwrap();
        let [one, two, three] = ["one", "two", "three"].map(|name| directory.path().join(name));
        let note = || updated("", 3, &[noted(Source::Domains, &one), noted(Source::Gate, &two), noted(Source::Gate, &three)]);
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
    fn a_list_keeps_the_sources_that_were_not_asked() {
        let path = Path::new("/nowhere at all");
        let both = updated("", 3, &[noted(Source::Domains, path), noted(Source::Gate, path)]);
        assert_eq!(both.lines().count(), 2);
        assert_eq!(updated(&both, 2, &[]).lines().count(), 1);
        assert_eq!(changed(&updated(&both, 2, &[(Source::Gate, Watched::unread())])), Source::Gate.bit());
        assert_eq!(changed("nonsense\ngate zz /x\nlater 0 /y\n"), 0, "what another version wrote is skipped");
    }
}
