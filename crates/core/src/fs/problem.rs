//! Why a file could not be used. Code matches on these variants; the messages are only for users.

use std::fmt;
use std::fs::Metadata;
use std::io;

use thiserror::Error;

use super::private::NotOurs;
use crate::note::{Level, Note, NoteKind};
use crate::text::Undecodable;

/// Why one file could not be used. Each situation has its own variant and message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileProblem {
    #[error("does not exist")]
    Missing,
    #[error("permission denied")]
    PermissionDenied,
    #[error("too large: {size} bytes, the limit is {limit}")]
    TooLarge { size: u64, limit: u64 },
    #[error("too many files in the directory: {count}, the limit is {limit}")]
    TooMany { count: usize, limit: usize },
    #[error("binary file")]
    Binary,
    #[error("not UTF-8 (first invalid byte at {offset})")]
    NotUtf8 { offset: usize },
    #[error("locked by another process")]
    Locked,
    #[error("not a regular file but {0}")]
    NotRegular(Irregular),
    #[error("symbolic link {0}")]
    Link(LinkProblem),
    #[error("is outside `{root}`")]
    Outside { root: String },
    #[error("not among the listed files")]
    NotListed,
    #[error("is also the output file")]
    Output,
    /// A part of the path is not a directory.
    #[error("not a directory")]
    NotADirectory,
    #[error("file name too long")]
    NameTooLong,
    #[error(transparent)]
    NotOurs(NotOurs),
    /// Any other system error, with its message.
    #[error("{0}")]
    Io(String),
}

/// What was found instead of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Irregular {
    Directory,
    Fifo,
    Socket,
    Device,
    Other,
}

impl Irregular {
    /// Returns the kind of file, or `None` for a regular file or a link.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            #[allow(clippy::unnecessary_cast, reason = "the width of this type differs from system to system")]
            Self::of_kind(rustix::fs::FileType::from_raw_mode(metadata.mode() as rustix::fs::RawMode))
        }
        #[cfg(not(unix))]
        metadata.is_dir().then_some(Self::Directory)
    }

    #[cfg(unix)]
    pub(crate) fn of_kind(kind: rustix::fs::FileType) -> Option<Self> {
        use rustix::fs::FileType;
        Some(match kind {
            FileType::Directory => Self::Directory,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::BlockDevice | FileType::CharacterDevice => Self::Device,
            _ => return None,
        })
    }
}

impl fmt::Display for Irregular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "something else",
        })
    }
}

/// What is wrong with a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkProblem {
    Loop,
    ToNothing,
    LeavesProject,
    /// Deliberately vague: an error must not reveal what exists outside.
    OutsideOrNowhere,
    NotMarkdown,
    /// A file was replaced by a link after it was checked.
    Unexpected,
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loop => "in a loop",
            Self::ToNothing => "to nothing",
            Self::LeavesProject => "that leaves the project",
            Self::OutsideOrNowhere => "that leads outside or nowhere",
            Self::NotMarkdown => "to something that is not a .md file",
            Self::Unexpected => "where a file was",
        })
    }
}

impl FileProblem {
    /// Returns whether the next attempt may succeed although the file stays as it is: there were no file handles left,
    /// the disk had a problem, or another process may read what this one may not. Such a problem is never remembered.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Locked | Self::PermissionDenied | Self::Io(_))
    }

    /// Returns the kind under which this problem is counted.
    pub fn kind(&self) -> NoteKind {
        match self {
            Self::Missing => NoteKind::Missing,
            Self::PermissionDenied | Self::NotOurs(_) => NoteKind::Permission,
            Self::TooLarge { .. } => NoteKind::TooLarge,
            Self::TooMany { .. } => NoteKind::TooMany,
            Self::Binary => NoteKind::Binary,
            Self::NotUtf8 { .. } => NoteKind::NotUtf8,
            Self::Locked => NoteKind::Locked,
            Self::NotRegular(_) => NoteKind::NotRegular,
            Self::Link(_) => NoteKind::Link,
            Self::Outside { .. } => NoteKind::Outside,
            Self::Output => NoteKind::OwnOutput,
            Self::NotListed | Self::NotADirectory | Self::NameTooLong | Self::Io(_) => NoteKind::Io,
        }
    }
}

impl From<io::Error> for FileProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::WouldBlock | io::ErrorKind::ResourceBusy | io::ErrorKind::ExecutableFileBusy => Self::Locked,
            io::ErrorKind::IsADirectory => Self::NotRegular(Irregular::Directory),
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            #[cfg(unix)]
            _ if error.raw_os_error() == Some(libc::ELOOP) => Self::Link(LinkProblem::Loop),
            #[cfg(unix)]
            _ if error.raw_os_error() == Some(libc::ENAMETOOLONG) => Self::NameTooLong,
            // ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION have no kind of their own.
            _ if cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33)) => Self::Locked,
            _ => Self::Io(plain_message(&error)),
        }
    }
}

impl From<Undecodable> for FileProblem {
    fn from(undecodable: Undecodable) -> Self {
        match undecodable {
            Undecodable::Binary => Self::Binary,
            Undecodable::NotUtf8 { offset } => Self::NotUtf8 { offset },
        }
    }
}

/// Returns the message of an I/O error without Rust's `(os error N)`.
fn plain_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

/// A file that could not be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{}`: {problem}", crate::shown::one_line(path))]
pub struct FileError {
    /// The path as shown to users.
    pub path: String,
    pub problem: FileProblem,
}

impl FileError {
    pub fn new(path: impl Into<String>, problem: FileProblem) -> Self {
        Self { path: path.into(), problem }
    }

    /// Returns the same problem as a note of the given level.
    pub fn note(&self, level: Level) -> Note {
        Note::new(self.path.clone(), self.problem.kind(), level, self.problem.to_string())
    }
}
