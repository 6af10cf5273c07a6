//! Meaning of a text as a short vector.

/// Numbers per vector.
pub(super) const DIMENSIONS: usize = 128;

/// Returns the vector of a text.
pub(super) fn embed(_text: &str) -> Option<[f32; DIMENSIONS]> {
    None
}

/// Packs a vector into bytes; only its direction is kept.
pub(super) fn pack(vector: Option<&[f32; DIMENSIONS]>) -> [i8; DIMENSIONS] {
    let mut packed = [0; DIMENSIONS];
    let Some(vector) = vector else { return packed };
    let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        for (byte, x) in packed.iter_mut().zip(vector) {
            *byte = (x / largest * 127.0).round() as i8;
        }
    }
    packed
}

/// Returns the cosine between a vector and a packed one; 0 where either says nothing.
pub(super) fn cosine(vector: &[f32; DIMENSIONS], packed: &[u8]) -> f32 {
    let (mut dot, mut own, mut other) = (0f32, 0f32, 0f32);
    for (x, byte) in vector.iter().zip(packed) {
        let y = f32::from(byte.cast_signed());
        dot += x * y;
        own += x * x;
        other += y * y;
    }
    let norm = (own * other).sqrt();
    if norm > 0.0 { dot / norm } else { 0.0 }
}
