//! The terminal: its width, and its state, which is saved before another program uses it and restored afterwards.

/// Returns how wide the terminal on standard output is, if there is one.
pub(crate) fn width() -> Option<usize> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }
    #[cfg(not(unix))]
    {
        use std::io::IsTerminal as _;
        std::io::stdout().is_terminal().then_some(80)
    }
}

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
