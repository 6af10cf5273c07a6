//! Support for coding agents: the table of agents ([`table`]), their hook payloads ([`wire`], [`request`]), which
//! sources open at which [`moment`], and exactly-once delivery into a context [`window`]. [`hook`] answers an agent;
//! [`preview`] shows a user what a hook would print.
//!
//! Everything that differs between agents is data in a row of [`AGENTS`]. No other code checks which agent it serves.

pub mod agent;
mod ancestry;
mod fields;
mod fork;
pub mod gate_outputs;
pub mod hook;
pub mod host;
pub mod install;
pub mod lanes;
pub mod loading;
pub mod moment;
pub mod preview;
pub mod report;
pub mod request;
pub mod setup;
pub mod table;
pub mod tmux;
mod touched;
pub mod transcripts;
pub mod why;
pub mod window;
pub mod wire;

pub use agent::{Agent, Event, Keeps, Shape, TimeoutUnit, Version};
pub use host::Host;
pub use request::{Lane, Request};
pub use table::{AGENTS, GATE_EVENT, USUAL, find};
