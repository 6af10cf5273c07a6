//! A packed document: the files in it, what was left out, and how it is written.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;

use super::fit::Fitted;
use super::rules::ShownLimits;
use super::spool::{Run, Spool};
use super::tree::tree;
use crate::failure::Failure;
use crate::fs::{FileError, Replacement, name_unlinked};
use crate::note::{Level, Note, NoteKind};
use crate::render::{Frame, Style};

/// Everything that goes into a document, decided and rendered.
#[derive(Debug)]
pub struct Packed {
    pub fitted: Fitted,
    /// Requested paths that cannot be used, in tree order.
    pub errors: Vec<FileError>,
    /// Notes about all other files, in tree order.
    pub notes: Vec<Note>,
    /// The encoding of the counts, if tokens were counted.
    pub encoding: Option<String>,
    pub(super) style: Style,
    pub(super) limits: ShownLimits,
    /// Notes that are part of the document.
    pub(super) document_notes: Vec<Note>,
    pub(super) spool: Spool,
}

impl Packed {
    /// Returns the number of files in the document.
    pub fn files(&self) -> usize {
        self.fitted.kept.len()
    }

    /// Returns the size on disk of all included files.
    pub fn bytes(&self) -> u64 {
        self.fitted.kept.iter().map(|section| section.bytes).sum()
    }

    /// Returns the exact tokens of all contents, if they were counted.
    pub fn tokens(&self) -> Option<u64> {
        self.encoding.as_ref()?;
        Some(self.fitted.kept.iter().filter_map(|section| section.tokens).sum())
    }

    /// Returns the number of files left out, by kind.
    pub fn skipped(&self) -> BTreeMap<NoteKind, usize> {
        let mut counts = BTreeMap::new();
        // A directory with too many files is one error or warning; each file beyond the limit has its own note.
        let is_directory = |note: &&Note| note.kind == NoteKind::TooMany && note.level > Level::Info;
        let from_errors = self.errors.iter().map(|error| error.problem.kind()).filter(|kind| *kind != NoteKind::TooMany);
        let from_notes = self.notes.iter().filter(|note| !is_directory(note)).map(|note| note.kind).filter(|kind| is_skip(*kind));
        for kind in from_notes.chain(from_errors) {
            *counts.entry(kind).or_default() += 1;
        }
        counts
    }

    /// Returns a drawing of the included files.
    fn tree(&self) -> String {
        tree(self.fitted.kept.iter().map(|section| (section.shown.as_str(), section.tokens)))
    }

    /// Writes header, tree, sections and footer.
    pub fn write<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let frame = self.frame();
        out.write_all(self.style.header(&frame).as_bytes())?;
        for run in self.runs() {
            self.spool.copy(run.offset, run.length, out)?;
        }
        out.write_all(self.style.footer(&frame).as_bytes())
    }

    /// Returns the whole document.
    pub fn text(&self) -> Result<String, Failure> {
        let mut document = Vec::new();
        self.write(&mut document).map_err(|error| Failure::new("cannot read the temporary file back").because(&error))?;
        Ok(String::from_utf8(document).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Writes the document to a file atomically: if anything fails, the file stays unchanged. A device or a FIFO is
    /// written to, never replaced.
    ///
    /// If the request named this file as the output, the sections are already next to it: header and footer are added,
    /// and the spool's own file gets the name.
    pub fn save(&self, target: &Path) -> Result<(), Box<dyn Error>> {
        if fs::metadata(target).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return Ok(self.write(&mut File::options().write(true).open(target)?)?);
        }
        let settled = self.settle()?;
        if settled.is_some_and(|document| name_unlinked(document, target).is_ok()) {
            return Ok(());
        }
        let mut replacement = Replacement::beside(target)?;
        match settled {
            Some(mut document) => {
                document.rewind()?;
                io::copy(&mut document, replacement.file())?;
            }
            None => self.write(replacement.file())?,
        }
        Ok(replacement.commit()?)
    }

    /// Turns the spool's own file into the document, if it is next to it; otherwise the document must be written.
    fn settle(&self) -> io::Result<Option<&File>> {
        let frame = self.frame();
        self.spool.settle(&self.style.header(&frame), &self.runs(), &self.style.footer(&frame))
    }

    fn frame(&self) -> Frame<'_> {
        Frame {
            limits: &self.limits,
            tree: self.tree(),
            files: self.files(),
            bytes: self.bytes(),
            tokens: self.tokens(),
            encoding: self.encoding.as_deref(),
            left_out: &self.fitted.left_out[..self.fitted.left_out.len().min(self.fitted.named)],
            left_out_total: self.fitted.left_out.len(),
            notes: &self.document_notes,
        }
    }

    /// Returns the ranges of the sections, with adjacent ones joined. The separator after the last one is dropped.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for section in &self.fitted.kept {
            match runs.last_mut() {
                Some(run) if run.offset + run.length == section.offset => run.length += section.length,
                _ => runs.push(Run { offset: section.offset, length: section.length }),
            }
        }
        if let Some(last) = runs.last_mut() {
            last.length -= self.style.separator().len() as u64;
        }
        runs
    }
}

/// Returns whether a note of this kind means that the file is not in the document.
fn is_skip(kind: NoteKind) -> bool {
    !matches!(kind, NoteKind::Redacted | NoteKind::NearLimit | NoteKind::Empty | NoteKind::Replaced | NoteKind::Config)
}
