//! Opens what users wrote: the only code that opens a user's content files.
//!
//! A [`Root`] is an open directory that reading must not leave. Paths are resolved relative to its handle and never
//! from the root of the file system, so nothing outside can be reached even if files are renamed or linked at the same
//! time. Type, size and encoding are checked on the open handle ([`Opened`]); [`guard`] redacts secrets if the
//! settings ask for it.
//!
//! The root of each source:
//!
//! | source | root |
//! |---|---|
//! | `pack` with a directory, relative or absolute | that directory |
//! | `pack` with a file, `read --include`, `read --allow-outside` | none: the user chose the file ([`open_named`]) |
//! | `read` and `gather` | `--dir`, otherwise the current directory |
//! | gate | the repository's root, otherwise the directory that contains `.context` |
//! | documents | the root of their index |
//! | domains | the directory that contains `.megg`; a link may lead to a `.md` file in the same repository, and with `domains.follow_links` below the home |
//! | goals | the directory of the goal; its `prompt.yaml` may be a link to anywhere |
//! | an index of documents | none, but it is read from the same directory that its documents are looked up in |
//!
//! A link that ends inside the root is followed, even an absolute one. The root itself may be a link; it is followed
//! once, when it is opened. This protects contents, not names: walking a tree and testing for existence go by path.
//!
//! Files without content for models (settings, caches, agents' transcripts) are read by [`crate::fs`].

#[cfg(not(unix))]
mod by_path;
#[cfg(unix)]
mod neighbours;
#[cfg(unix)]
mod root;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod walk;

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

use crate::fs::{Buffer, FileProblem, open_regular};
use crate::note::Note;
use crate::secrets;
use crate::shown::{normalize, path_text};
use crate::text;

#[cfg(not(unix))]
pub use by_path::{Neighbours, Root};
#[cfg(unix)]
pub use neighbours::Neighbours;
#[cfg(unix)]
pub use root::Root;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct Opened {
    file: File,
    /// The metadata of the open file, whatever its name leads to by now.
    pub metadata: Metadata,
}

impl Opened {
    /// Reads the file into `buffer`, replacing its content. A file larger than `limit` is a problem.
    pub fn read(mut self, buffer: &mut Buffer, limit: u64) -> Result<&[u8], FileProblem> {
        buffer.read(&mut self.file, &self.metadata, limit)
    }

    /// Appends the file to `buffer`. One that is larger than `limit` and begins like a binary file is
    /// [`FileProblem::Binary`]: a higher limit would not help.
    pub fn append(mut self, buffer: &mut Buffer, limit: u64) -> Result<(), FileProblem> {
        if self.metadata.len() > limit && self.begins_binary() {
            return Err(FileProblem::Binary);
        }
        buffer.append(&mut self.file, &self.metadata, limit)
    }

    fn begins_binary(&mut self) -> bool {
        let mut start = [0; 8 * 1024];
        let read = self.file.read(&mut start).unwrap_or(0);
        matches!(text::decode(&start[..read]), Err(text::Undecodable::Binary))
    }

    /// Returns the bytes of the file.
    pub fn bytes(self, limit: u64) -> Result<Vec<u8>, FileProblem> {
        let mut buffer = Buffer::default();
        self.read(&mut buffer, limit).map(<[u8]>::to_vec)
    }

    /// Returns the text of the file: UTF-8 (a byte order mark is dropped) or UTF-16 with a mark.
    pub fn text(self, limit: u64) -> Result<String, FileProblem> {
        let mut buffer = Buffer::default();
        Ok(text::decode(self.read(&mut buffer, limit)?)?.into_owned())
    }

    /// Returns the text of the file with U+FFFD in place of invalid UTF-8, and the position of the first invalid byte.
    pub fn lossy_text(self, limit: u64) -> Result<(String, Option<usize>), FileProblem> {
        let mut buffer = Buffer::default();
        let bytes = self.read(&mut buffer, limit)?;
        match text::decode(bytes) {
            Ok(text) => Ok((text.into_owned(), None)),
            Err(text::Undecodable::NotUtf8 { offset }) => Ok((String::from_utf8_lossy(bytes).into_owned(), Some(offset))),
            Err(undecodable) => Err(undecodable.into()),
        }
    }
}

/// Opens a file that the user named. Links are followed wherever they lead.
pub fn open_named(path: &Path) -> Result<Opened, FileProblem> {
    open_regular(path).map(|(file, metadata)| Opened { file, metadata })
}

/// Opens a file by its real path. A link in it was created after the path was resolved, and is refused.
pub fn open_real(path: &Path) -> Result<Opened, FileProblem> {
    let top = path.ancestors().last().unwrap_or(path);
    Root::open(top)?.open_plain(path.strip_prefix(top).unwrap_or(path))
}

/// Redacts secrets in `text` if `redacts` is set, and adds a note for each.
pub fn guard(shown: &str, text: String, redacts: bool, notes: &mut Vec<Note>) -> String {
    if !redacts {
        return text;
    }
    let redacted = secrets::redact(&text);
    if redacted.secrets.is_empty() {
        return text;
    }
    notes.extend(redacted.secrets.iter().map(|secret| secret.note(shown)));
    redacted.text.into_owned()
}

/// Returns `asked` (absolute, or relative to the root) as a path below the root. A path that leaves the root by name
/// is refused before anything is looked up, so that an error does not reveal what exists outside.
fn below<'a>(root: &Root, asked: &'a Path) -> Result<Cow<'a, Path>, FileProblem> {
    let (top, joined) = (normalize(root.path()), normalize(&root.path().join(asked)));
    if let Ok(below) = joined.strip_prefix(&top) {
        // Keep the path as written if possible: the file system must resolve `..` after a link.
        return Ok(match asked.strip_prefix(root.path()) {
            Ok(below) => Cow::Borrowed(below),
            Err(_) if asked.is_relative() => Cow::Borrowed(asked),
            Err(_) => Cow::Owned(below.to_path_buf()),
        });
    }
    match root.real().and_then(|real| joined.strip_prefix(real).ok()) {
        Some(below) => Ok(Cow::Owned(below.to_path_buf())),
        None => Err(outside(root)),
    }
}

fn outside(root: &Root) -> FileProblem {
    FileProblem::Outside { root: path_text(root.path()) }
}
