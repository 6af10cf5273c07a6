//! Test harness of Briefing.

pub mod clients;
pub mod http;
pub mod model_api;
mod sandbox;

pub use sandbox::{NOW, Outcome, Sandbox, binary};
