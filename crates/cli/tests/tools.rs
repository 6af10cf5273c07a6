//! Tests that run a program which not every machine has. `scripts/test --quick` leaves this module out by its name;
//! everything else needs no more than Rust, git and a shell.

mod opencode_plugin;
#[cfg(target_os = "linux")]
mod terminal;
mod tmux;
mod xml;
