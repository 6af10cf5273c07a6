//! The outcome of one turn of a client.

use std::fmt;
use std::time::Duration;

use crate::model_api::{Kind, ModelRequest};

/// The result of one run: how it ended, what it printed and what it asked the model.
#[derive(Debug)]
#[must_use]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// Every request of this run, side requests included, in order.
    pub requests: Vec<ModelRequest>,
}

impl Outcome {
    /// Returns the requests that are steps of a conversation, sub-agents included.
    #[must_use]
    pub fn turns(&self) -> Vec<&ModelRequest> {
        self.requests.iter().filter(|request| request.kind == Kind::Turn).collect()
    }

    /// Returns the first step. Panics if there is none.
    #[must_use]
    pub fn first_turn(&self) -> &ModelRequest {
        self.turns().first().copied().unwrap_or_else(|| panic!("no model request\n{self}"))
    }

    /// Returns the last step. Panics if there is none.
    #[must_use]
    pub fn last_turn(&self) -> &ModelRequest {
        self.turns().last().copied().unwrap_or_else(|| panic!("no model request\n{self}"))
    }

    /// Returns how often the model sees `needle` in each step.
    #[must_use]
    pub fn counts(&self, needle: &str) -> Vec<usize> {
        self.turns().iter().map(|request| request.count(needle)).collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "exit code: {:?} after {:.1} s", self.code, self.took.as_secs_f32())?;
        writeln!(out, "--- stdout\n{}\n--- stderr\n{}\n--- requests", self.stdout.trim_end(), self.stderr.trim_end())?;
        for request in &self.requests {
            writeln!(out, "{:>3} {:?} {:?} {}", request.serial, request.api, request.kind, request.path)?;
            for part in request.parts() {
                let text: String = part.text.chars().take(100).collect();
                writeln!(out, "      {}.{} {:?} {text:?}", part.message, part.block, part.role)?;
            }
        }
        Ok(())
    }
}
