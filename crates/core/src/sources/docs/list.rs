//! The list next to a search file: the documents it was built from, and the metadata of each file at that time.
//!
//! With it, a query needs only one `stat` per document instead of reading indexes and documents, and reads details
//! only of the chosen ones. A list that cannot be read is rebuilt, so the format never needs conversion: a file in
//! another format is treated as missing.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::changes;
use super::stamp::Stamp;
use crate::packed::Damage;
use crate::packed::blocks::{BlockWriter, Blocks};
use crate::packed::codec::{Cursor, put_text, put_varint};
use crate::select::Fingerprint;

const MAGIC: &[u8; 8] = b"BRIEFLS3";
/// The size of a position in the details, in bytes.
const PLACE: u64 = 8;

/// An index that documents came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedIndex {
    pub(super) file: PathBuf,
    pub(super) root: PathBuf,
    pub(super) named_root: Option<PathBuf>,
    /// Whether the user's own configuration names it.
    pub(super) is_trusted: bool,
    /// What [`place_of`](super::root::place_of) was when it was read.
    pub(super) place: u64,
    pub(super) stamp: Stamp,
    /// The number of its documents, and of those without readable content.
    pub(super) documents: u64,
    pub(super) unread: u64,
}

impl ListedIndex {
    fn encode(&self, out: &mut Vec<u8>) -> Option<()> {
        put_text(out, self.file.to_str()?);
        put_text(out, self.root.to_str()?);
        put_text(out, self.named_root.as_deref().map_or(Some(""), Path::to_str)?);
        out.push(u8::from(self.is_trusted));
        for number in [self.place, self.stamp.0, self.documents, self.unread] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        Some(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(Self {
            file: cursor.text()?.into(),
            root: cursor.text()?.into(),
            named_root: Some(cursor.text()?).filter(|root| !root.is_empty()).map(PathBuf::from),
            is_trusted: cursor.byte()? == 1,
            place: cursor.u64()?,
            stamp: Stamp(cursor.u64()?),
            documents: cursor.u64()?,
            unread: cursor.u64()?,
        })
    }
}

/// A document of an index, as of when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// The number of its index.
    pub source: usize,
    /// The path as written in the index.
    pub path: String,
    pub file: PathBuf,
    /// Its name in the index; empty if it has none.
    pub name: String,
    /// What its index says about it.
    pub title: String,
    pub description: String,
    pub tags: Vec<String>,
    /// The documents that its index requires to be read with it.
    pub requires: Vec<PathBuf>,
    pub(super) stamp: Stamp,
    /// The hash of its bytes; `None` if it could not be read.
    pub(super) content: Option<[u8; 32]>,
}

impl Default for Listed {
    fn default() -> Self {
        Self {
            source: 0,
            path: String::new(),
            file: PathBuf::new(),
            name: String::new(),
            title: String::new(),
            description: String::new(),
            tags: Vec::new(),
            requires: Vec::new(),
            stamp: Stamp::UNKNOWN,
            content: None,
        }
    }
}

impl Listed {
    /// Returns its name in the search file: unique, and the same on every run.
    pub(super) fn id(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }

    /// Returns the key that the search file is valid for: a hash of its content and of what the index says about it.
    pub(super) fn key(&self) -> Option<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.content?);
        for text in [&self.path, &self.title, &self.description].into_iter().chain(&self.tags) {
            hasher.update(text.as_bytes()).update(&[0]);
        }
        Some(hasher.finalize().to_hex().to_string())
    }

    fn encode(&self, out: &mut Vec<u8>) -> Option<()> {
        put_text(out, self.file.to_str()?);
        put_varint(out, self.source as u64);
        for text in [&self.path, &self.name, &self.title, &self.description] {
            put_text(out, text);
        }
        put_varint(out, self.tags.len() as u64);
        for tag in &self.tags {
            put_text(out, tag);
        }
        put_varint(out, self.requires.len() as u64);
        for file in &self.requires {
            put_text(out, file.to_str()?);
        }
        out.extend_from_slice(&self.stamp.0.to_le_bytes());
        out.push(u8::from(self.content.is_some()));
        out.extend_from_slice(&self.content.unwrap_or_default());
        Some(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        let mut listed = Self { file: cursor.text()?.into(), source: cursor.varint_u32()? as usize, ..Self::default() };
        for text in [&mut listed.path, &mut listed.name, &mut listed.title, &mut listed.description] {
            cursor.text()?.clone_into(text);
        }
        for _ in 0..cursor.varint()? {
            listed.tags.push(cursor.text()?.to_owned());
        }
        for _ in 0..cursor.varint()? {
            listed.requires.push(cursor.text()?.into());
        }
        listed.stamp = Stamp(cursor.u64()?);
        let is_read = cursor.byte()? == 1;
        listed.content = Some(hash(cursor)?).filter(|_| is_read);
        Ok(listed)
    }
}

fn hash(cursor: &mut Cursor<'_>) -> Result<[u8; 32], Damage> {
    let mut hash = [0; 32];
    hash.copy_from_slice(cursor.take(32)?);
    Ok(hash)
}

/// The whole list, in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) sources: Vec<ListedIndex>,
    /// In the order of their ids.
    pub(super) documents: Vec<Listed>,
}

impl List {
    /// Writes the list, and what it belongs to: the search file and the entries of other sources. Returns `None` if a
    /// path is not UTF-8 or the file cannot be written, which only costs time.
    pub(super) fn write(&self, file: &mut File, search: Fingerprint, entries: [u8; 32]) -> Option<()> {
        let mut head = Vec::new();
        put_varint(&mut head, self.sources.len() as u64);
        for source in &self.sources {
            source.encode(&mut head)?;
        }
        let stamps = changes::encode(&self.documents)?;
        let (mut places, mut details) = (Vec::new(), Vec::new());
        for document in &self.documents {
            places.extend_from_slice(&(details.len() as u64).to_le_bytes());
            document.encode(&mut details)?;
        }
        places.extend_from_slice(&(details.len() as u64).to_le_bytes());
        let mut trailer = MAGIC.to_vec();
        trailer.extend_from_slice(&search.to_bytes());
        trailer.extend_from_slice(&entries);
        trailer.extend_from_slice(&(self.documents.len() as u64).to_le_bytes());
        let mut blocks = BlockWriter::new(file);
        for part in [&head, &stamps, &places, &details] {
            blocks.put(part).ok()?;
            trailer.extend_from_slice(&blocks.position().to_le_bytes());
        }
        blocks.finish(&trailer).ok().map(|_| ())
    }
}

/// A list on disk, of which only the requested parts are read.
#[derive(Debug)]
pub(super) struct ListFile {
    blocks: Blocks,
    pub(super) search: Fingerprint,
    pub(super) entries: [u8; 32],
    count: u64,
    /// Where each part ends: head, stamps, places, details.
    ends: [u64; 4],
    pub(super) sources: Vec<ListedIndex>,
}

impl ListFile {
    pub(super) fn open(path: &Path) -> Result<Self, Damage> {
        let blocks = Blocks::open(path)?;
        let trailer = blocks.trailer()?;
        let mut cursor = Cursor::new(trailer.strip_prefix(MAGIC).ok_or(Damage::Corrupt("this is not a list"))?);
        let (search, entries, count) = (Fingerprint::from_bytes(hash(&mut cursor)?), hash(&mut cursor)?, cursor.u64()?);
        let mut ends = [0; 4];
        for end in &mut ends {
            *end = cursor.u64()?;
        }
        let is_ordered = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        if !is_ordered || Some(ends[2] - ends[1]) != count.checked_add(1).and_then(|places| places.checked_mul(PLACE)) {
            return Err(Damage::Corrupt("the parts of the list are inconsistent"));
        }
        let head = blocks.read(0, ends[0])?;
        let mut cursor = Cursor::new(&head);
        let mut sources = Vec::new();
        for _ in 0..cursor.varint()? {
            sources.push(ListedIndex::decode(&mut cursor)?);
        }
        Ok(Self { blocks, search, entries, count, ends, sources })
    }

    /// Returns the stored metadata of the documents.
    pub(super) fn stamps(&self) -> Result<Vec<u8>, Damage> {
        self.blocks.read(self.ends[0], self.ends[1] - self.ends[0])
    }

    /// Finds a document by its id; `near` is its approximate number.
    pub(super) fn find(&self, id: &str, near: usize) -> Result<Option<Listed>, Damage> {
        let (mut low, mut high) = (0, self.count);
        let mut at = (near as u64).min(self.count.saturating_sub(1));
        while low < high {
            let listed = self.listed(at)?;
            match listed.id().as_str().cmp(id) {
                std::cmp::Ordering::Equal => return Ok(Some(listed)),
                std::cmp::Ordering::Less => low = at + 1,
                std::cmp::Ordering::Greater => high = at,
            }
            at = low.midpoint(high);
        }
        Ok(None)
    }

    /// Reads one document.
    pub(super) fn listed(&self, number: u64) -> Result<Listed, Damage> {
        let places = self.blocks.read(self.ends[1] + number * PLACE, 2 * PLACE)?;
        let mut cursor = Cursor::new(&places);
        let (start, end) = (cursor.u64()?, cursor.u64()?);
        if end < start || end > self.ends[3] - self.ends[2] {
            return Err(Damage::Corrupt("a document's place is wrong"));
        }
        let listed = Listed::decode(&mut Cursor::new(&self.blocks.read(self.ends[2] + start, end - start)?))?;
        self.checked(listed)
    }

    fn checked(&self, listed: Listed) -> Result<Listed, Damage> {
        if listed.source < self.sources.len() { Ok(listed) } else { Err(Damage::Corrupt("a document's index is missing")) }
    }

    /// Reads the whole list.
    pub(super) fn all(&self) -> Result<List, Damage> {
        let bytes = self.blocks.read(self.ends[2], self.ends[3] - self.ends[2])?;
        let mut cursor = Cursor::new(&bytes);
        let documents = (0..self.count).map(|_| self.checked(Listed::decode(&mut cursor)?)).collect::<Result<_, _>>()?;
        Ok(List { sources: self.sources.clone(), documents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::Wanted;

    fn list() -> List {
        let listed = |name: &str, content| Listed {
            path: format!("{name}.md"),
            file: format!("/p/{name}.md").into(),
            title: name.to_uppercase(),
            tags: vec!["x".into(), String::new()],
            requires: vec!["/p/b.md".into()],
            stamp: Stamp(9),
            content,
            ..Listed::default()
        };
        List {
            sources: vec![ListedIndex {
                file: "/p/index.json".into(),
                root: "/p".into(),
                named_root: Some("/p/.".into()),
                is_trusted: true,
                place: 5,
                stamp: Stamp(7),
                documents: 4,
                unread: 2,
            }],
            documents: vec![listed("a", None), listed("b", Some([2; 32])), listed("c", Some([3; 32])), listed("é", None)],
        }
    }

    fn written(list: &List, path: &Path) -> Vec<u8> {
        let fingerprint = Wanted::new([("a", Some("b"))]).fingerprint();
        list.write(&mut File::create(path).unwrap(), fingerprint, [5; 32]).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_list_survives_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list");
        let list = list();
        written(&list, &path);
        let file = ListFile::open(&path).unwrap();
        assert_eq!(file.all().unwrap(), list);
        assert_eq!((file.search, file.entries), (Wanted::new([("a", Some("b"))]).fingerprint(), [5; 32]));
        for (number, document) in list.documents.iter().enumerate() {
            for near in 0..6 {
                assert_eq!(file.find(&document.id(), near).unwrap().as_ref(), Some(document), "{number} near {near}");
            }
        }
        assert_eq!(file.find("/p/nothing.md", 1).unwrap(), None);
    }

    #[test]
    fn damage_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("list");
        let list = list();
        let bytes = written(&list, &path);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            std::fs::write(&path, damaged).unwrap();
            assert!(ListFile::open(&path).and_then(|file| file.all()).is_err(), "{at}");
        }
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(ListFile::open(&path).is_err());
    }
}
