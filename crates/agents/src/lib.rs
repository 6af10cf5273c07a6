//! The agents that Briefing talks to: who they are ([`table`]), what they say ([`wire`], [`request`]), what is due at
//! which [`moment`], and how it gets into their [`window`] exactly once. [`hook`] answers an agent, [`preview`] a person.
//!
//! Everything that differs between agents is a row of [`AGENTS`]. Nothing else asks which agent it is.

pub mod agent;
mod fields;
mod fork;
pub mod gate_outputs;
pub mod hook;
pub mod host;
pub mod install;
pub mod lanes;
pub mod moment;
pub mod preview;
pub mod request;
pub mod table;
pub mod tmux;
pub mod window;
pub mod wire;

pub use agent::{Agent, Event, Keeps, Shape, TimeoutUnit, Version};
pub use host::Host;
pub use request::{Lane, Request};
pub use table::{AGENTS, GATE_EVENT, USUAL, find};
