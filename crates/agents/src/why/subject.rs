//! What a question is about: a file, and perhaps an entry or a section of it.

use std::path::{Path, PathBuf};

use briefing_core::shown::{normalize, path_text, relative_text};
use briefing_core::sources::Ask;
use briefing_core::sources::docs::{self, Catalogue};
use serde::Serialize;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// As it is shown: relative to the directory of the question.
    pub shown: String,
    /// The file, absolute. `None`: nothing has this name.
    pub path: Option<PathBuf>,
    /// The part of the file that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// A document with nearly this name.
    #[serde(skip)]
    pub similar: Option<String>,
}

impl Subject {
    /// Finds what a name means: a path, a path with `#section`, or the name of a document in an index.
    pub(super) fn find(what: &str, ask: &Ask<'_>) -> Self {
        let here = &ask.places.here;
        let at = |path: &Path, section: Option<&str>| Self {
            shown: relative_text(path, here),
            path: Some(path.to_path_buf()),
            section: section.map(str::to_owned),
            similar: None,
        };
        let whole = normalize(&here.join(what));
        if whole.symlink_metadata().is_ok() {
            return at(&whole, None);
        }
        // File names may contain `#`.
        let parts = what.rsplit_once('#').map(|(file, section)| (normalize(&here.join(file)), section));
        if let Some((file, section)) = parts.filter(|(file, _)| file.symlink_metadata().is_ok()) {
            return at(&file, Some(section));
        }
        let catalogue = docs::everything(ask.places, ask.settings);
        match named(&catalogue, what, &whole) {
            Some(path) => at(&path, None),
            None => {
                Self { shown: relative_text(&whole, here), path: None, section: None, similar: catalogue.nearest(what).map(str::to_owned) }
            }
        }
    }

    /// Returns its identity in the ledger.
    pub(super) fn piece(&self) -> String {
        let path = self.path.as_deref().map_or_else(|| self.shown.clone(), path_text);
        self.section.as_ref().map_or(path.clone(), |section| format!("{path}#{section}"))
    }
}

/// Returns the file of a document that an index calls so. It may be missing.
fn named(catalogue: &Catalogue, what: &str, whole: &Path) -> Option<PathBuf> {
    let is_it = |document: &&docs::Catalogued| {
        document.document.id == what || document.document.path == what || document.shown == what || document.document.file == whole
    };
    catalogue.documents.iter().find(is_it).map(|document| document.document.file.clone())
}
