//! Builds the message of the gate: the core files of the nearest `.context` directory, each by its strategy.
use std::path::Path;

use briefing_core::settings::{Places, Settings};
use briefing_core::sources::gate;

pub fn message(here: &Path) -> Option<String> {
    let gate = gate::load(&Places::at(here), &Settings::defaults())?;
    Some(gate.message())
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    print!("{}", message(&std::env::current_dir().expect("it exists")).unwrap_or_default());
}
