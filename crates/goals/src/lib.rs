//! Goals: a prompt in a directory of its own, with parameters, context scripts and templates.
//!
//! [`find`] looks for goals where people keep them, [`Goal`] is one of them read whole, [`arguments`] checks what was
//! typed against its parameters, [`template`] renders scripts and prompt, and [`Trust`] remembers which goals of a
//! repository a person has agreed to. [`bundled`] goals come with the program, [`check`] looks a goal over, [`draft`] makes new
//! ones. Nothing here runs a command or reads the environment.

pub mod arguments;
pub mod bundled;
pub mod check;
pub mod draft;
pub mod find;
mod goal;
mod receiver;
pub mod template;
mod trust;

pub use find::{FoundGoal, Home, Level};
pub use goal::{Goal, Kind, Parameter, Script};
pub use receiver::{ProjectReceiver, deciding, project_receivers};
pub use trust::Trust;
