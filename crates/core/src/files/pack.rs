//! A finished pack: what was kept, and how it leaves.

use std::io::{self, Write};

use super::fit::Fitted;
use super::rules::ShownLimits;
use super::spool::Spool;
use super::tree::tree;
use crate::note::Note;
use crate::render::{Frame, Style};

/// Everything that goes into the document, decided.
#[derive(Debug)]
pub struct Pack<'a> {
    pub fitted: &'a Fitted,
    pub spools: &'a [Spool],
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
        let frame = Frame {
            limits: self.limits,
            tree: self.tree(),
            files: self.fitted.kept.len(),
            bytes: self.bytes(),
            tokens: self.tokens(),
            encoding: self.encoding,
            left_out: &self.fitted.left_out[..self.fitted.left_out.len().min(self.fitted.named)],
            left_out_total: self.fitted.left_out.len(),
            notes: self.notes,
        };
        out.write_all(self.style.header(&frame).as_bytes())?;
        self.write_sections(out)?;
        out.write_all(self.style.footer(&frame).as_bytes())
    }

    /// Copies the sections, neighbours in one go. The separator behind the last one is dropped.
    fn write_sections<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let mut run: Option<(usize, u64, u64)> = None;
        for section in &self.fitted.kept {
            run = match run {
                Some((spool, offset, length)) if spool == section.spool && offset + length == section.offset => {
                    Some((spool, offset, length + section.length))
                }
                other => {
                    if let Some((spool, offset, length)) = other {
                        self.spools[spool].copy(offset, length, out)?;
                    }
                    Some((section.spool, section.offset, section.length))
                }
            };
        }
        match run {
            Some((spool, offset, length)) => self.spools[spool].copy(offset, length - self.style.separator().len() as u64, out),
            None => Ok(()),
        }
    }
}
