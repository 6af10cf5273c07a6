//! Recognises messages for which documents are useful, independent of the project.
//!
//! "Rename this variable" and "what's for dinner" share words with some document in any project, but do not ask for
//! one. A linear function over the message's vector recognises most of them. It was fitted on messages written for
//! this purpose (`examples/select_tune/messages.jsonl`), about no project in particular.

use super::vectors::{DIMENSIONS, Embedder, Sought};

/// Returns how much a message sounds as if a document would help: positive if it does.
pub(super) fn sound(message: &Sought) -> f32 {
    let direction = message.direction();
    direction.iter().zip(SOUND).fold(CONSTANT, |sum, (x, weight)| sum + x * weight)
}

/// Returns the direction of a message's vector, on which `SOUND` is fitted.
pub fn direction(message: &str) -> [f32; DIMENSIONS] {
    Sought::new(Embedder::default().embed(message)).direction()
}

const CONSTANT: f32 = 0.037;

#[rustfmt::skip]
const SOUND: [f32; DIMENSIONS] = [
    1.548, -1.799, 0.112, -1.811, -1.212, 0.258, 1.481, 0.623,
    -2.884, -1.525, -0.069, 0.687, 0.930, -0.312, 0.419, 0.135,
    0.172, 0.520, -1.937, -0.642, 0.926, 0.081, 0.198, 0.939,
    1.130, -0.429, 0.926, 0.725, -0.728, -1.275, 0.374, -1.327,
    -0.430, -1.079, -1.219, 0.085, -0.733, 0.833, -0.746, -0.374,
    0.746, 0.494, 0.848, -0.348, -0.561, 2.531, -0.008, -0.882,
    0.178, 1.013, -0.106, -1.767, -0.468, 0.353, -1.524, 0.071,
    0.585, 1.944, -0.573, 0.685, 0.572, -1.204, -0.043, 0.153,
    0.214, -0.779, 1.869, 0.986, -1.448, -0.263, 1.333, -0.116,
    1.222, -0.847, 1.422, 0.345, 1.072, 0.729, 0.324, 0.612,
    0.747, -2.337, -2.072, -0.352, 0.578, 1.219, 0.722, 1.639,
    -0.931, -0.589, -0.336, -0.847, 1.369, 1.855, -1.071, 1.006,
    -0.637, -0.519, 0.726, 1.841, -0.195, 1.747, 1.532, 0.365,
    -0.538, 0.126, 1.238, -1.177, -1.824, -0.550, -0.069, -2.312,
    0.655, 0.351, 2.092, 2.555, 1.423, -0.804, -0.920, 1.612,
    0.443, -0.033, -0.450, 0.086, -0.739, 1.620, 0.984, 0.281,
];
