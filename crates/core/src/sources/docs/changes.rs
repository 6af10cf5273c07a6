//! Finds the files whose metadata has changed, with one `stat` each.
//!
//! This runs for every message, so it is as cheap as possible: names are looked up in their open directory, and
//! several threads share the work if there are many files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::list::Listed;
use super::stamp::Stamp;
use crate::packed::Damage;
use crate::packed::codec::{Cursor, put_text, put_varint};

/// With more files than this, several threads are used.
const MANY: usize = 3_000;
const THREADS: usize = 4;
/// The number of files to check before looking at the clock again.
const TURN: usize = 512;
/// A directory with fewer files is not worth opening.
#[cfg(unix)]
const WORTH_OPENING: usize = 3;

/// The result of checking the files.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// The numbers of the documents that look different, in order.
    Known(Vec<usize>),
    OutOfTime,
}

/// The files of one directory: name, number of the document, and stored metadata.
struct Group<'a> {
    directory: &'a str,
    files: Vec<(&'a str, usize, Stamp)>,
}

/// Encodes the metadata of documents, directory by directory.
pub(super) fn encode(documents: &[Listed]) -> Option<Vec<u8>> {
    let mut directories: BTreeMap<&str, Vec<(&str, usize, Stamp)>> = BTreeMap::new();
    for (number, listed) in documents.iter().enumerate() {
        let (directory, name) = (listed.file.parent()?.to_str()?, listed.file.file_name()?.to_str()?);
        directories.entry(directory).or_default().push((name, number, listed.stamp));
    }
    let mut out = Vec::new();
    put_varint(&mut out, directories.len() as u64);
    for (directory, files) in directories {
        put_text(&mut out, directory);
        put_varint(&mut out, files.len() as u64);
        for (name, number, stamp) in files {
            put_text(&mut out, name);
            put_varint(&mut out, number as u64);
            out.extend_from_slice(&stamp.0.to_le_bytes());
        }
    }
    Some(out)
}

/// Checks every file.
pub(super) fn find_changes(bytes: &[u8], deadline: Option<Instant>) -> Result<Changes, Damage> {
    let (groups, files) = decode(bytes)?;
    let is_late = AtomicBool::new(false);
    let mut changed = Vec::new();
    if files <= MANY {
        look_at(&groups, deadline, &is_late, &mut changed);
    } else {
        let shares = shares(groups, files);
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let look = |share: &[Group<'_>]| {
                let mut changed = Vec::new();
                look_at(share, deadline, &is_late, &mut changed);
                changed
            };
            let threads: Vec<_> = shares.iter().map(|share| scope.spawn(move || look(share))).collect();
            threads.into_iter().map(|thread| thread.join().expect("looking does not panic")).collect()
        });
        changed = found.concat();
    }
    if is_late.into_inner() {
        return Ok(Changes::OutOfTime);
    }
    changed.sort_unstable();
    Ok(Changes::Known(changed))
}

fn decode(bytes: &[u8]) -> Result<(Vec<Group<'_>>, usize), Damage> {
    let mut cursor = Cursor::new(bytes);
    let (mut groups, mut all) = (Vec::new(), 0);
    for _ in 0..cursor.varint()? {
        let directory = cursor.text()?;
        let count = cursor.varint()?;
        let mut files = Vec::new();
        for _ in 0..count {
            files.push((cursor.text()?, cursor.varint_u32()? as usize, Stamp(cursor.u64()?)));
        }
        all += files.len();
        groups.push(Group { directory, files });
    }
    Ok((groups, all))
}

/// Distributes the files among the threads; large directories are split.
fn shares(groups: Vec<Group<'_>>, files: usize) -> Vec<Vec<Group<'_>>> {
    let size = files.div_ceil(THREADS);
    let mut shares: Vec<Vec<Group<'_>>> = vec![Vec::new()];
    let mut filled = 0;
    for mut group in groups {
        while filled + group.files.len() > size {
            let later = group.files.split_off(size - filled);
            let directory = group.directory;
            shares.last_mut().expect("there is always one").push(group);
            shares.push(Vec::new());
            (group, filled) = (Group { directory, files: later }, 0);
        }
        filled += group.files.len();
        shares.last_mut().expect("there is always one").push(group);
    }
    shares
}

fn look_at(groups: &[Group<'_>], deadline: Option<Instant>, is_late: &AtomicBool, changed: &mut Vec<usize>) {
    let mut turn = 0;
    for group in groups {
        let directory = Directory::of(group);
        for (name, number, stamp) in &group.files {
            turn += 1;
            if turn % TURN == 0 && (is_late.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() > deadline)) {
                is_late.store(true, Ordering::Relaxed);
                return;
            }
            if directory.stamp(name) != *stamp {
                changed.push(*number);
            }
        }
    }
}

/// A directory whose files are checked.
struct Directory<'a> {
    path: &'a str,
    #[cfg(unix)]
    open: Option<std::os::fd::OwnedFd>,
}

impl<'a> Directory<'a> {
    fn of(group: &Group<'a>) -> Self {
        #[cfg(unix)]
        {
            use rustix::fs::{Mode, OFlags, open};
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let is_worth = group.files.len() >= WORTH_OPENING;
            Self { path: group.directory, open: is_worth.then(|| open(group.directory, flags, Mode::empty()).ok()).flatten() }
        }
        #[cfg(not(unix))]
        Self { path: group.directory }
    }

    fn stamp(&self, name: &str) -> Stamp {
        #[cfg(unix)]
        if let Some(open) = &self.open {
            let stat = rustix::fs::statat(open, name, rustix::fs::AtFlags::empty());
            return stat.map_or(Stamp::MISSING, |stat| super::stamp::Appearance::of_stat(&stat).stamp());
        }
        Stamp::of(&Path::new(self.path).join(name))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;

    fn listed(file: PathBuf) -> Listed {
        Listed { stamp: Stamp::of(&file), file, ..Listed::default() }
    }

    fn made(directories: usize, files: usize) -> (tempfile::TempDir, Vec<Listed>) {
        let keep = tempfile::tempdir().unwrap();
        let mut documents = Vec::new();
        for directory in 0..directories {
            let directory = keep.path().join(format!("d{directory}"));
            fs::create_dir(&directory).unwrap();
            for file in 0..files {
                let file = directory.join(format!("{file}.md"));
                fs::write(&file, "x").unwrap();
                documents.push(listed(file));
            }
        }
        (keep, documents)
    }

    #[test]
    fn finds_what_changed_came_and_went() {
        // Few and many files, in directories that are worth opening and others.
        for (directories, files) in [(2, 2), (1, 5), (40, 1), (3, MANY / 2)] {
            let (_keep, mut documents) = made(directories, files);
            let gone = documents.len() - 1;
            fs::write(&documents[0].file, "longer").unwrap();
            fs::remove_file(&documents[gone].file).unwrap();
            let missing = documents[1].file.with_file_name("not-there.md");
            documents.push(listed(missing.clone()));
            let bytes = encode(&documents).unwrap();
            assert_eq!(find_changes(&bytes, None).unwrap(), Changes::Known(vec![0, gone]), "{directories} × {files}");
            fs::write(missing, "now").unwrap();
            assert_eq!(find_changes(&bytes, None).unwrap(), Changes::Known(vec![0, gone, gone + 1]));
        }
    }

    #[test]
    fn ends_when_there_is_no_time() {
        let (_keep, documents) = made(2, MANY);
        let bytes = encode(&documents).unwrap();
        let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(find_changes(&bytes, Some(past)).unwrap(), Changes::OutOfTime);
    }

    #[test]
    fn malformed_bytes_are_an_error() {
        assert!(find_changes(&[200], None).is_err());
        assert!(find_changes(&[1, 3, b'a'], None).is_err());
    }
}
