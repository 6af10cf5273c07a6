//! Test harness of Briefing.

mod sandbox;

pub use sandbox::{NOW, Outcome, Sandbox, binary};
