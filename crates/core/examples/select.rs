//! Chooses the documents of a project that fit a message, by words alone.
use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::docs::{SelectRequest, select};

pub fn paths(here: &Path, message: &str) -> Result<Vec<String>, Failure> {
    let (places, settings) = (Places::at(here), Settings::defaults());
    let choice = select(&SelectRequest::new(message, &places, &settings))?;
    Ok(choice.chosen().iter().map(|candidate| candidate.shown.clone()).collect())
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<(), Failure> {
    println!("{}", paths(&std::env::current_dir().expect("it exists"), "how are documents selected?")?.join("\n"));
    Ok(())
}
