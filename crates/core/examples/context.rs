//! Prints the knowledge about a directory: its domains, their knowledge, the hand-off of the session before.
use std::path::Path;

use briefing_core::sources::domains::{ContextRequest, Reader, context, text};
use jiff::Timestamp;

pub fn about(path: &Path, topic: Option<&str>) -> String {
    text(&context(&ContextRequest { path, topic, now: Timestamp::now(), redacts: true }), Reader::Window)
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    print!("{}", about(&std::env::current_dir().expect("it exists"), None));
}
