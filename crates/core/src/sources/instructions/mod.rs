//! Source 6: files with instructions that the agent at hand does not load by itself, and documents that say where they apply.
//!
//! A [`Reader`] knows what an agent loads on its own: that never goes into its window, whichever source would bring it. What
//! it does not load comes here: `AGENTS.md` from the project's root down to the current directory at the start of a
//! session, deeper ones, rules and documents with a [`Scope`] when work first touches a path they apply to. What is touched
//! is a path in the message or in the input of a tool ([`Touch`]).

mod bring;
mod reader;
mod scope;
mod scoped;
mod touch;

pub use bring::{Concern, STANDARD, VARIABLES, bring, concern, is_here, is_touched, may_have_come, needs_settings, supplied};
pub(super) use bring::{elsewhere, loaded};
pub use reader::{Loaded, Loading, Reader};
pub use scope::Scope;
pub use touch::{Touch, in_message, resolve};
