//! Reads the current content of documents beneath the roots of their indexes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::crawl::MAX_DOCUMENT_BYTES;
use super::stamp::Appearance;
use crate::fs::{Buffer, FileProblem};
use crate::load::Root;
use crate::text;

/// The roots that documents must not leave. Each is opened once and kept open for the duration of the request.
#[derive(Debug, Default)]
pub(super) struct Roots(RefCell<HashMap<PathBuf, Result<Rc<Root>, FileProblem>>>);

/// The current content of a document.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) appearance: Appearance,
    /// The hash of its bytes.
    pub(super) hash: [u8; 32],
    pub(super) text: String,
}

impl Roots {
    /// Opens a root by its real path.
    pub(super) fn open(&self, root: &Path) -> Result<Rc<Root>, FileProblem> {
        let mut opened = self.0.borrow_mut();
        if let Some(opened) = opened.get(root) {
            return opened.clone();
        }
        let new = Root::open_real(root).map(Rc::new);
        opened.insert(root.to_path_buf(), new.clone());
        new
    }

    /// Reads a document beneath a root.
    pub(super) fn read(&self, root: &Path, file: &Path) -> Result<Content, FileProblem> {
        #[cfg(test)]
        super::failing::check(file)?;
        let opened = self.open(root)?.open_file(file)?;
        let appearance = Appearance::of(&opened.metadata);
        let mut buffer = Buffer::default();
        let bytes = opened.read(&mut buffer, MAX_DOCUMENT_BYTES)?;
        let hash = *blake3::hash(bytes).as_bytes();
        Ok(Content { appearance, hash, text: text::decode(bytes)?.into_owned() })
    }
}
