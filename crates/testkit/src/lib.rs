//! Test harness of Briefing.

mod assign;
pub mod bench;
pub mod clients;
pub mod http;
pub mod model_api;
mod sandbox;
mod wait;

pub use assign::{Assigned, parse_assigns};
pub use sandbox::{NOW, Outcome, Sandbox, binary, context};
pub use wait::wait_until;
