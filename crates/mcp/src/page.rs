//! Long results in pages. A cursor says where to go on, and in what: the server remembers nothing, so it makes the result
//! again and compares.

use briefing_core::Failure;

/// A place in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Where to go on: a page, or a byte.
    pub(crate) at: usize,
    /// The fingerprint of the whole result.
    of: u32,
}

impl Cursor {
    /// Reads a cursor of a result with this fingerprint; without one, the beginning.
    pub(crate) fn read(text: Option<&str>, fingerprint: &[u8]) -> Result<Self, Failure> {
        let of = short(fingerprint);
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Self { at: 0, of }) };
        let again = "call again without `cursor`";
        let parsed = text.split_once('-').and_then(|(at, of)| Some(Self { at: at.parse().ok()?, of: u32::from_str_radix(of, 16).ok()? }));
        match parsed {
            None => Err(Failure::usage(format!("`{text}` is not a cursor")).hint(again)),
            Some(cursor) if cursor.of != of => Err(Failure::new("the content has changed since the first page").hint(again)),
            Some(cursor) => Ok(cursor),
        }
    }

    /// Returns the cursor for another place of the same result.
    pub(crate) fn to(self, at: usize) -> String {
        format!("{at}-{:08x}", self.of)
    }
}

fn short(bytes: &[u8]) -> u32 {
    let hash = briefing_core::hash(bytes);
    u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("a hash has 32 bytes"))
}

/// Returns the line that ends a page.
pub(crate) fn more(cursor: &str) -> String {
    format!("\n[more follows: call again with the same arguments and `cursor`: \"{cursor}\"]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_only_good_for_the_result_that_it_was_made_for() {
        let first = Cursor::read(None, b"one").unwrap();
        let next = first.to(7);
        assert_eq!(Cursor::read(Some(&next), b"one").unwrap().at, 7);
        assert!(Cursor::read(Some(&next), b"two").unwrap_err().to_string().contains("changed"));
        for wrong in ["x", "1", "1-", "-1-00", "9-zz"] {
            assert!(Cursor::read(Some(wrong), b"one").unwrap_err().to_string().contains("not a cursor"), "{wrong}");
        }
    }
}
