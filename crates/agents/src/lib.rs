//! The agents that Briefing talks to: who they are ([`table`]), what they say ([`wire`], [`request`]), what is due
//! ([`moment`], [`source`]), how it is cut to their measure ([`fit`], [`render`]) and given exactly once ([`hook`]).
//!
//! Everything that differs between agents is a row of [`AGENTS`]. Nothing else asks which agent it is.

pub mod agent;
mod fields;
pub mod fit;
mod fork;
mod gate_alone;
pub mod hook;
pub mod install;
pub mod lanes;
pub mod measure;
pub mod moment;
pub mod preview;
pub mod render;
pub mod request;
pub mod source;
mod stateless;
pub mod table;
pub mod tmux;
pub mod wire;

pub use agent::{Agent, Event, Keeps, Shape, TimeoutUnit, When};
pub use hook::{Call, Host, Lane};
pub use measure::Unit;
pub use request::Request;
pub use source::{Ask, Source};
pub use table::{AGENTS, Version, as_of, find};
