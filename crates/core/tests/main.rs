//! The library as a program uses it.

mod openings;
#[cfg(target_os = "linux")]
mod race;
mod use_cases;
