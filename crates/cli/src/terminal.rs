//! Saves the state of the terminal before another program uses it, and restores it afterwards.

/// A saved terminal state.
#[derive(Debug)]
pub(crate) struct Terminal {
    #[cfg(unix)]
    state: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Terminal {
    /// Saves the state of the terminal on standard input, if there is one.
    pub(crate) fn now() -> Self {
        Self { state: rustix::termios::tcgetattr(std::io::stdin()).ok() }
    }

    /// Restores the terminal: an agent that was killed may leave it without echo or line breaks.
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
