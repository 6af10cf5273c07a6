//! The library as a program uses it.

#[cfg(target_os = "linux")]
mod race;
mod use_cases;
