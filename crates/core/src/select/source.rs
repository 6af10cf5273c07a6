//! Where the bytes of a search file come from, read by ranges.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

use super::SearchFileError;

/// A search file on disk, or the bytes of one in memory.
#[derive(Debug)]
pub(super) enum Source {
    Memory(Vec<u8>),
    Disk { file: File, len: u64 },
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self, SearchFileError> {
        let failed = |source| SearchFileError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(SearchFileError::Foreign);
        }
        Ok(Self::Disk { len: metadata.len(), file })
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Disk { len, .. } => *len,
        }
    }

    /// Returns `len` bytes at `offset`. The length is compared with the file's first, so a corrupt offset cannot
    /// make us allocate more than the file holds.
    pub(super) fn read(&self, offset: u64, len: u64) -> Result<Cow<'_, [u8]>, SearchFileError> {
        let short = SearchFileError::Corrupt("an offset points behind the end");
        let end = offset.checked_add(len).filter(|end| *end <= self.len());
        let (Some(end), Ok(size)) = (end, usize::try_from(len)) else {
            return Err(short);
        };
        match self {
            Self::Memory(bytes) => Ok(Cow::Borrowed(&bytes[offset as usize..end as usize])),
            Self::Disk { file, .. } => {
                let mut buffer = vec![0; size];
                read_exact_at(file, &mut buffer, offset).map_err(SearchFileError::Range)?;
                Ok(Cow::Owned(buffer))
            }
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}
