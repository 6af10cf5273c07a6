//! A finished pack: what was kept, and how it leaves.

use std::fs::File;
use std::io::{self, Write};

use super::fit::Fitted;
use super::rules::ShownLimits;
use super::spool::{Run, Spool};
use super::tree::tree;
use crate::note::Note;
use crate::render::{Frame, Style};

/// Everything that goes into the document, decided.
#[derive(Debug)]
pub struct Pack<'a> {
    pub fitted: &'a Fitted,
    pub spool: &'a Spool,
    pub limits: &'a ShownLimits,
    pub style: &'a Style,
    /// Notes that are part of the document (JSON only).
    pub notes: &'a [Note],
    /// The encoding of the counts, where tokens were counted.
    pub encoding: Option<&'a str>,
}

impl Pack<'_> {
    /// Returns the bytes of all files that were kept, as they are on disk.
    pub fn bytes(&self) -> u64 {
        self.fitted.kept.iter().map(|section| section.bytes).sum()
    }

    /// Returns the exact tokens of all contents, where they were counted.
    pub fn tokens(&self) -> Option<u64> {
        self.encoding?;
        Some(self.fitted.kept.iter().filter_map(|section| section.tokens).sum())
    }

    /// Returns the drawing of what was kept.
    pub fn tree(&self) -> String {
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

    /// Makes the spool's own file the document, where the spool waits beside it; else the document must be written.
    pub fn settle(&self) -> io::Result<Option<&File>> {
        let frame = self.frame();
        self.spool.settle(&self.style.header(&frame), &self.runs(), &self.style.footer(&frame))
    }

    fn frame(&self) -> Frame<'_> {
        Frame {
            limits: self.limits,
            tree: self.tree(),
            files: self.fitted.kept.len(),
            bytes: self.bytes(),
            tokens: self.tokens(),
            encoding: self.encoding,
            left_out: &self.fitted.left_out[..self.fitted.left_out.len().min(self.fitted.named)],
            left_out_total: self.fitted.left_out.len(),
            notes: self.notes,
        }
    }

    /// Returns where the sections lie, neighbours in one. The separator behind the last one is dropped.
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
