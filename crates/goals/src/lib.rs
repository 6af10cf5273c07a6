//! Goals: reusable prompts with parameters, context scripts and templates, each in its own directory.
//!
//! [`find`] finds goals, [`Goal`] is a goal with all its files, [`arguments`] checks arguments against its parameters,
//! [`template`] renders scripts and prompt, and [`Trust`] records which goals of a repository the user trusts.
//! [`bundled`] goals come with the program, [`check`] validates a goal, [`draft`] makes new ones. Nothing here runs a
//! command or reads environment variables.

pub mod arguments;
pub mod bundled;
pub mod check;
pub mod draft;
pub mod find;
mod goal;
mod receiver;
pub mod template;
mod trust;
mod uses;

pub use find::{FoundGoal, Home, Level};
pub use goal::{Goal, Kind, Parameter, Script};
pub use receiver::{ProjectReceiver, deciding, project_receivers};
pub use trust::{Moved, Trust};
