//! The library as a program uses it.

mod one_place;
#[cfg(target_os = "linux")]
mod race;
mod use_cases;
