//! The state of the terminal: kept before another program gets it, and given back after.

/// The terminal as it was.
#[derive(Debug)]
pub(crate) struct Terminal {
    #[cfg(unix)]
    state: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Terminal {
    /// Keeps the state of the terminal on standard input, if there is one.
    pub(crate) fn now() -> Self {
        Self { state: rustix::termios::tcgetattr(std::io::stdin()).ok() }
    }

    /// Gives the terminal back as it was: an agent that was ended may leave it without echo or line breaks.
    pub(crate) fn restore(&self) {
        if let Some(state) = &self.state {
            let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Drain, state);
        }
    }
}

#[cfg(not(unix))]
impl Terminal {
    pub(crate) fn now() -> Self {
        Self {}
    }

    pub(crate) fn restore(&self) {}
}
