//! Test harness of Briefing.

mod assign;
pub mod bench;
#[cfg(unix)]
pub mod clients;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod faults;
mod full;
pub mod http;
pub mod mcp;
pub mod model_api;
mod sandbox;
mod wait;

pub use assign::{Assigned, parse_assigns};
pub use full::{is_full, tell};
pub use sandbox::{NOW, Outcome, Sandbox, binary, context};
pub use wait::wait_until;
