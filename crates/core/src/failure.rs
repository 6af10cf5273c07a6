//! A request that failed, with a message that a user can act on.
//!
//! Every source returns [`Failure`] when it cannot do what was requested. Problems with a single file are not
//! failures: they are [`crate::note::Note`]s or [`crate::fs::FileError`]s, and the source continues.

use std::error::Error;
use std::fmt;

/// What failed, what caused it, and what to do next.
#[derive(Debug)]
pub struct Failure {
    what: String,
    causes: Vec<String>,
    hints: Vec<String>,
    is_usage: bool,
}

impl Failure {
    /// Returns a failure of the request (exit code 1).
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), causes: Vec::new(), hints: Vec::new(), is_usage: false }
    }

    /// Returns a failure for a wrong command line (exit code 2).
    pub fn usage(what: impl Into<String>) -> Self {
        Self { is_usage: true, ..Self::new(what) }
    }

    /// Adds a next step for the user.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds an error and its chain of sources as causes.
    #[must_use]
    pub fn because(mut self, error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds a cause given as text.
    #[must_use]
    pub fn because_of(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Returns whether the command line was wrong, as opposed to the request having failed.
    pub fn is_usage(&self) -> bool {
        self.is_usage
    }

    /// Returns the causes, nearest first.
    pub fn causes(&self) -> &[String] {
        &self.causes
    }

    /// Returns the next steps.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Failure {}
