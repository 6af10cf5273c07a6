//! Prints the knowledge about a directory: its domains, their knowledge, the hand-off of the session before.
use std::path::Path;

use briefing_core::sources::domains::{ContextRequest, Reader, Reading, context, text};
use jiff::Timestamp;

pub fn about(path: &Path, topic: Option<&str>) -> String {
    let reading = Reading { redacts: true, links: None };
    text(&context(&ContextRequest { path, topic, now: Timestamp::now(), reading }), Reader::Window)
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    print!("{}", about(&std::env::current_dir().expect("it exists"), None));
}
