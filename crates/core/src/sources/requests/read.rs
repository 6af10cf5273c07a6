//! Reads requested files in the steps of the spec: maximum, duplicate, filter, resolve, size, read. Every error
//! becomes text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::matcher::{build_excluder, build_matcher};
use super::read_files::{Content, ReadFiles, relative};
use crate::fs::{Buffer, FileError, FileProblem, Irregular, LinkProblem};
use crate::load::{self, Opened, Root, guard};
use crate::note::{Level, Note, NoteKind};
use crate::shown::{normalize, one_line};
use crate::text;

/// The maximum size of one file if no limit is given: more than any model accepts, less than a machine's memory.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Where requests are resolved, and what they may reach.
#[derive(Debug, Clone)]
pub struct Options {
    /// The directory that requests are relative to and must not leave; absolute.
    pub dir: PathBuf,
    /// The directory that labels are relative to; absolute.
    pub here: PathBuf,
    /// A glob over the last segment of a requested path, with `*` and `?`.
    pub filter: Option<String>,
    /// Globs over every segment of a requested path, with `*` and `?`: what matches is left out.
    pub exclude: Vec<String>,
    /// The number of entries from which no more requests are read.
    pub max_files: Option<usize>,
    /// The size in bytes above which a file is skipped.
    pub max_file_size: Option<u64>,
    /// Whether requests may leave the directory.
    pub allow_outside: bool,
    /// If set, the only files that may be requested (absolute, normalised).
    pub listed: Option<HashSet<PathBuf>>,
    /// Whether secrets are redacted.
    pub redact: bool,
}

impl Options {
    /// Returns options without limits for requests in `dir`, with labels relative to it.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        let here = dir.clone();
        Self {
            dir,
            here,
            filter: None,
            exclude: Vec::new(),
            max_files: None,
            max_file_size: None,
            allow_outside: false,
            listed: None,
            redact: true,
        }
    }

    fn resolve(&self, asked: &Path) -> PathBuf {
        normalize(&self.dir.join(asked))
    }
}

/// Reads the files that a model requests into `files`. A problem with one file does not affect the others.
pub fn read_requested_files<P: AsRef<Path>>(asked: &[P], files: &mut ReadFiles, options: &Options) {
    let matcher = options.filter.as_deref().map(build_matcher);
    let excluded = build_excluder(&options.exclude);
    let mut reader = Reader::new(options);
    for (at, asked_path) in asked.iter().map(AsRef::as_ref).enumerate() {
        if let Some(limit) = options.max_files.filter(|limit| files.len() >= *limit) {
            let reason = format!("{} of {} requests were not read: the limit is {limit} files", asked.len() - at, asked.len());
            files.notes.push(Note::warning(shown(asked_path), NoteKind::TooMany, reason));
            break;
        }
        let path = options.resolve(asked_path);
        if files.contains(&path) {
            continue;
        }
        if let Some(matcher) = &matcher
            && !matcher(last_segment(&asked_path.to_string_lossy()))
        {
            files.notes.push(Note::info(shown(asked_path), NoteKind::Excluded, "does not match the filter"));
            continue;
        }
        if excluded(&relative(&path, &options.dir)) {
            files.notes.push(Note::info(shown(asked_path), NoteKind::Excluded, "is excluded").decided_by("--exclude"));
            continue;
        }
        let reach = if options.allow_outside { Reach::Anywhere } else { Reach::Beneath };
        reader.read(path, reach, files);
    }
}

/// Reads the files that the user includes: like requests, but without filter and maximum, and from anywhere.
///
/// The user may name any file; only requests of a model must stay below the directory.
pub fn read_include_files<P: AsRef<Path>>(included: &[P], files: &mut ReadFiles, options: &Options) {
    let mut reader = Reader::new(options);
    for asked in included {
        let path = options.resolve(asked.as_ref());
        if !files.contains(&path) {
            reader.read(path, Reach::Anywhere, files);
        }
    }
}

fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How far a path may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Anywhere,
    Beneath,
}

/// Reads one file after another into the same buffer.
struct Reader<'a> {
    options: &'a Options,
    /// The directory that requests must not leave.
    root: Result<Root, FileProblem>,
    buffer: Buffer,
}

impl<'a> Reader<'a> {
    fn new(options: &'a Options) -> Self {
        Self { options, root: Root::open(&options.dir), buffer: Buffer::default() }
    }

    fn read(&mut self, path: PathBuf, reach: Reach, files: &mut ReadFiles) {
        let label = relative(&path, &self.options.here);
        let content = match self.text(&path, reach) {
            Ok(text) => Content::Read { content: guard(&one_line(&label), text, self.options.redact, &mut files.notes) },
            Err(problem) => {
                files.notes.push(FileError::new(one_line(&label), problem.clone()).note(Level::Warning));
                match problem {
                    FileProblem::TooLarge { size, limit } => Content::Skipped { size, limit },
                    problem => Content::Error { message: node_message(&problem, &label), problem },
                }
            }
        };
        files.insert(path, content);
    }

    fn text(&mut self, path: &Path, reach: Reach) -> Result<String, FileProblem> {
        let opened = match reach {
            Reach::Anywhere => load::open_named(path)?,
            Reach::Beneath => self.open(path)?,
        };
        let limit = self.options.max_file_size.unwrap_or(MAX_BYTES);
        let bytes = opened.read(&mut self.buffer, limit)?;
        Ok(text::decode(bytes)?.into_owned())
    }

    /// Opens a file if it is below the directory and, if there is a listing, was listed.
    fn open(&self, path: &Path) -> Result<Opened, FileProblem> {
        let dir = normalize(&self.options.dir);
        let root = self.root.as_ref().map_err(Clone::clone)?;
        match root.open_file(path) {
            Err(problem @ FileProblem::Outside { .. }) if !passes_a_link(&dir, path) => Err(problem),
            // The error must not reveal whether an unlisted file exists.
            _ if self.options.listed.as_ref().is_some_and(|listed| !listed.contains(path)) => Err(FileProblem::NotListed),
            Ok(opened) => Ok(opened),
            // A problem inside the directory may be reported, even behind a link.
            Err(problem) if !passes_a_link(&dir, path) || root.place(path).is_ok() => Err(problem),
            // Otherwise, missing, unreadable and forbidden files must look the same.
            Err(_) => Err(FileProblem::Link(LinkProblem::OutsideOrNowhere)),
        }
    }
}

/// Returns whether a part of `path` below `dir` is a symbolic link.
fn passes_a_link(dir: &Path, path: &Path) -> bool {
    let below = path.ancestors().take_while(|ancestor| *ancestor != dir && ancestor.starts_with(dir));
    below.into_iter().any(Path::is_symlink)
}

/// Returns a problem in Node's wording, which consumers and models know from the original tool.
///
/// Node prints the absolute path; we print the label, because the output must not reveal where the project is.
fn node_message(problem: &FileProblem, label: &str) -> String {
    let label = one_line(label);
    match problem {
        FileProblem::Missing => format!("ENOENT: no such file or directory, open '{label}'"),
        FileProblem::PermissionDenied | FileProblem::NotOurs(_) => format!("EACCES: permission denied, open '{label}'"),
        FileProblem::NotRegular(Irregular::Directory) => "EISDIR: illegal operation on a directory, read".into(),
        FileProblem::NotRegular(_) => format!("EINVAL: {problem}, open '{label}'"),
        FileProblem::Binary | FileProblem::NotUtf8 { .. } => format!("EILSEQ: {problem}, read '{label}'"),
        FileProblem::Locked => format!("EBUSY: resource busy or locked, open '{label}'"),
        FileProblem::Link(LinkProblem::Loop) => format!("ELOOP: too many symbolic links encountered, open '{label}'"),
        FileProblem::Link(_) => format!("EPERM: {problem}, open '{label}'"),
        FileProblem::Outside { .. } => format!("EPERM: path is outside the allowed directory, open '{label}'"),
        FileProblem::NotADirectory => format!("ENOTDIR: not a directory, open '{label}'"),
        FileProblem::NameTooLong => format!("ENAMETOOLONG: name too long, open '{label}'"),
        FileProblem::NotListed | FileProblem::Io(_) | FileProblem::TooLarge { .. } | FileProblem::TooMany { .. } | FileProblem::Output => {
            format!("EIO: {problem}, open '{label}'")
        }
    }
}

#[cfg(test)]
mod tests;
