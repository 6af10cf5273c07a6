//! Reads what a model asks for by name: a document or a section of one, an entry of a larger file, or a file of the
//! project. Every name gets its own result, because the model has to know which of them failed, and why.

use std::path::{Path, PathBuf};

use super::read::{Options, read_requested_files};
use super::read_files::{Content, ReadFiles};
use crate::failure::Failure;
use crate::fs::{FileProblem, Irregular};
use crate::note::Note;
use crate::piece::{Order, Piece, Whole, content_hash};
use crate::project::repository_or_self;
use crate::reason::Reason;
use crate::settings::{Places, Settings};
use crate::shown::{normalize, path_text, relative_text};
use crate::sources::Source;
use crate::sources::docs::{self, Catalogue, Fetched};

/// One name, and what was found for it.
#[derive(Debug)]
pub struct Asked {
    pub name: String,
    pub found: Result<Named, Failure>,
}

/// Something that was found by its name.
#[derive(Debug)]
pub struct Named {
    /// Its identity and hash are those of the hook's pieces, so that the ledger knows when a window has it.
    pub piece: Piece,
    /// The documents that must be read with it, as shown. They are not read.
    pub required: Vec<String>,
}

/// Reads what has these names, in order. A name that was given twice is read once.
///
/// Documents and entries are found by id, path or `path#section`; everything else is a path below the repository, or
/// below the directory of the request if there is none.
pub fn named(names: &[String], places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Vec<Asked> {
    let catalogue = docs::everything(places, settings);
    let mut all: Vec<Asked> = Vec::new();
    for name in names {
        let found = one(name, &catalogue, places, settings, notes);
        let is_new = |found: &Named| !all.iter().any(|other| other.found.as_ref().is_ok_and(|other| other.piece.id == found.piece.id));
        if found.as_ref().map_or(true, is_new) {
            all.push(Asked { name: name.clone(), found });
        }
    }
    all
}

fn one(name: &str, catalogue: &Catalogue, places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Result<Named, Failure> {
    let redacts = settings.guards.redact.value;
    if let Some(found) = catalogue.fetch_named(name, places, redacts, notes) {
        return found.map(|Fetched { piece, required, .. }| Named { piece, required });
    }
    if name.trim().is_empty() {
        return Err(Failure::usage("a name is empty").hint("name documents by id or path, files by path"));
    }
    let is_there = |name: &str| normalize(&places.here.join(name)).symlink_metadata().is_ok();
    let (file, section) = match name.split_once('#') {
        Some((file, section)) if !is_there(name) => (file, Some(section)),
        _ => (name, None),
    };
    let (path, text) = read(file, places, redacts, notes).map_err(|failure| match catalogue.nearest(name) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    })?;
    let (id, shown) = (path_text(&path), relative_text(&path, &places.here));
    let whole = Whole { id: id.clone(), hash: content_hash(&text) };
    let make = |id: String, path: String, text: String| Piece::new(Source::Docs, id, path, Reason::Requested, Order::Document, text);
    let piece = match section {
        None => make(id, shown, text).of_content(whole.hash),
        Some(section) => {
            let (key, heading, text) = docs::section_of(&text, section).map_err(|names| {
                Failure::new(format!("`{shown}` has no section `{section}`")).because_of(format!("its sections: {}", names.join(", ")))
            })?;
            make(format!("{id}#{key}"), format!("{shown}#{heading}"), text).part_of(&whole).in_file(shown)
        }
    };
    Ok(Named { piece, required: Vec::new() })
}

/// Reads a file of the project.
fn read(name: &str, places: &Places, redacts: bool, notes: &mut Vec<Note>) -> Result<(PathBuf, String), Failure> {
    let here = normalize(&places.here);
    let options = Options { redact: redacts, here: here.clone(), ..Options::in_directory(repository_or_self(&here), &here)? };
    let path = normalize(&here.join(Path::new(name)));
    let mut files = ReadFiles::new();
    read_requested_files(&[&path], &mut files, &options);
    let failed = |problem: &FileProblem| {
        let failure = Failure::new(format!("cannot read `{name}`")).because(problem);
        match problem {
            FileProblem::Missing => failure.hint("`select` finds documents and files for a message or a task"),
            FileProblem::NotRegular(Irregular::Directory) => failure.hint("`pack` returns the files of a directory"),
            FileProblem::Outside { .. } | FileProblem::Link(_) => {
                failure.hint("only files of this project and indexed documents can be read")
            }
            _ => failure,
        }
    };
    match files.iter().next().map(|file| &file.content) {
        Some(Content::Read { content }) => {
            notes.append(&mut files.notes.clone());
            Ok((path, content.clone()))
        }
        Some(Content::Error { problem, .. }) => Err(failed(problem)),
        Some(Content::Skipped { size, limit }) => Err(failed(&FileProblem::TooLarge { size: *size, limit: *limit })),
        None => Err(failed(&FileProblem::Missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn read(files: &[(&str, &str)], names: &[&str]) -> Vec<(String, String)> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let here = directory.path().to_path_buf();
        let places = Places { here, home: None, config: None, state: None, cache: None };
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let all = named(&names, &places, &Settings::defaults(), &mut Vec::new());
        let shown = |asked: Asked| match asked.found {
            Ok(found) => (found.piece.path, found.piece.text),
            Err(failure) => (asked.name, format!("{failure}: {}", failure.causes().join("; "))),
        };
        all.into_iter().map(shown).collect()
    }

    #[test]
    fn documents_sections_and_files_are_found_by_name() {
        let files = [
            ("docs/index.json", r#"["guide.md"]"#),
            ("docs/guide.md", "# Guide\n\nintro\n\n## Deploy\n\nsteps\n"),
            (".context/CONSTITUTION.md", "# Rules\n\n- one\n"),
            ("src/a.rs", "fn a() {}\n"),
        ];
        let names = [
            "docs/guide.md",
            "./docs/guide.md",
            "docs/guide.md#deploy",
            ".context/CONSTITUTION.md#rules",
            "src/a.rs",
            "src",
            "gone.md",
            "",
        ];
        let found = read(&files, &names);
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        let expected =
            ["docs/guide.md", "docs/guide.md#Guide › Deploy", ".context/CONSTITUTION.md#Rules", "src/a.rs", "src", "gone.md", ""];
        assert_eq!(paths, expected);
        assert_eq!(found[1].1, "## Deploy\n\nsteps");
        assert!(found[4].1.contains("directory") && found[5].1.contains("cannot read `gone.md`"), "{found:?}");
    }

    #[test]
    fn nothing_outside_the_project_is_read() {
        let found = read(&[(".git/HEAD", ""), ("a.md", "x")], &["/etc/passwd", "../../etc/passwd", "a.md"]);
        assert!(found[0].1.contains("outside") && found[1].1.contains("outside"), "{found:?}");
        assert_eq!(found[2].1, "x");
    }
}
