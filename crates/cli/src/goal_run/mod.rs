//! Runs the scripts of a goal and the receiver of its prompt. Their processes end when ours does.

pub(crate) mod children;
pub(crate) mod receiver;
pub(crate) mod scripts;
mod template;
