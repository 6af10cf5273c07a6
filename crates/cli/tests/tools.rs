//! Tests that need a program which not every machine has. `scripts/test --quick` skips this module by its name; all other
//! tests need only Rust, git and a shell.

#[cfg(unix)]
mod browser;
#[cfg(target_os = "linux")]
mod escapes;
#[cfg(unix)]
mod inspect;
mod inspector;
mod opencode_plugin;
mod sbom;
#[cfg(target_os = "linux")]
mod terminal;
mod tmux;
mod xml;
