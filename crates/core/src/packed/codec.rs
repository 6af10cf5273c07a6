//! Encoding of numbers in packed files: little endian, with variable length where most are small.

use super::Damage;

/// Appends a number in groups of seven bits, lowest first.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7F) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a text prefixed by its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads numbers from a range of the file. Every read is checked, because the content is not trusted.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the bytes that have not been read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Damage::Corrupt("a range ends early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Damage> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Damage> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Damage> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Damage> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Damage> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damage::Corrupt("a number does not end"))
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, Damage> {
        u32::try_from(self.varint()?).map_err(|_| Damage::Corrupt("a number is too large"))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Damage> {
        let len = self.varint_u32()? as usize;
        std::str::from_utf8(self.take(len)?).map_err(|_| Damage::Corrupt("a name is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cursor, put_text, put_varint};

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(value: u64, text: String) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            put_text(&mut bytes, &text);
            let mut cursor = Cursor::new(&bytes);
            prop_assert_eq!(cursor.varint().unwrap(), value);
            prop_assert_eq!(cursor.text().unwrap(), text);
            prop_assert!(cursor.is_empty());
        }

        #[test]
        fn garbage_is_an_error_not_a_panic(bytes: Vec<u8>) {
            let mut cursor = Cursor::new(&bytes);
            while cursor.text().is_ok() && !cursor.is_empty() {}
        }
    }
}
