//! Running a goal: its scripts, and the receiver of its prompt. The children they start are ended with us.

pub(crate) mod children;
pub(crate) mod receiver;
pub(crate) mod scripts;
mod template;
