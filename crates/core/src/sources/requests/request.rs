//! One request for files: the user's includes, the model's requests, and where to look them up.

use std::path::{Path, PathBuf};

use super::read::{Options, read_include_files, read_requested_files};
use super::read_files::ReadFiles;
use crate::failure::Failure;
use crate::fs::FileProblem;
use crate::note::Note;
use crate::shown::{normalize, path_text};

/// The requested paths, and notes about the request's format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requested {
    pub paths: Vec<PathBuf>,
    pub notes: Vec<Note>,
}

/// What to read.
#[derive(Debug, Clone)]
pub struct ReadRequest<'a> {
    /// Files that the user names. They come first, from anywhere, and ignore filter and maximum.
    pub includes: &'a [PathBuf],
    /// Files that a model requests.
    pub requested: Requested,
    pub options: &'a Options,
}

/// Reads the requested files. A file that cannot be read is an entry that says so.
pub fn read(request: ReadRequest<'_>) -> ReadFiles {
    let mut files = ReadFiles::new();
    files.notes = request.requested.notes;
    read_include_files(request.includes, &mut files, request.options);
    read_requested_files(&request.requested.paths, &mut files, request.options);
    files
}

impl Options {
    /// Returns options without limits for requests in `dir`, which must be a directory, with labels relative to `here`
    /// (absolute).
    pub fn in_directory(dir: &Path, here: &Path) -> Result<Self, Failure> {
        let full = normalize(&here.join(dir));
        match std::fs::metadata(&full) {
            Ok(metadata) if metadata.is_dir() => Ok(Self { here: here.to_path_buf(), ..Self::new(full) }),
            Ok(_) => {
                Err(Failure::new(format!("`{}` is not a directory", path_text(dir)))
                    .hint("pass a directory to --dir, and the file as PATH"))
            }
            Err(error) => Err(Failure::new(format!("cannot use `{}` as a directory", path_text(dir)))
                .because(&FileProblem::from(error))
                .hint("requests are relative to --dir, or to the current directory without it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::NoteKind;

    #[test]
    fn includes_come_first_and_the_maximum_counts_them() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.md", "c.md"] {
            std::fs::write(directory.path().join(name), name).unwrap();
        }
        let mut options = Options::in_directory(Path::new("."), directory.path()).unwrap();
        options.max_files = Some(2);
        let odd = Note::warning("standard input", NoteKind::Format, "odd");
        let requested = Requested { paths: vec!["a.md".into(), "b.md".into()], notes: vec![odd.clone()] };
        let files = read(ReadRequest { includes: &["c.md".into()], requested, options: &options });
        let labels: Vec<_> = files.iter().map(|file| file.label(directory.path())).collect();
        assert_eq!(labels, ["c.md", "a.md"]);
        assert_eq!(files.notes[0], odd);
        assert_eq!(files.notes[1].kind, NoteKind::TooMany);
    }

    #[test]
    fn requests_need_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.md"), "").unwrap();
        let failure = |dir: &str| Options::in_directory(Path::new(dir), directory.path()).unwrap_err().to_string();
        assert_eq!(failure("a.md"), "`a.md` is not a directory");
        assert_eq!(failure("gone"), "cannot use `gone` as a directory");
    }
}
