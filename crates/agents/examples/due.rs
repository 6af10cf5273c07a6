//! Prints what is due in a window: the rules and documents that belong before a message, each exactly once.
use std::path::Path;

use briefing_agents::host::Embedded;
use briefing_agents::{Request, find, window};

pub fn say(project: &Path, home: &Path, message: &str, turn: &str) -> String {
    let host = Embedded { home: home.to_path_buf(), now: jiff::Timestamp::now() };
    let agent = find("generic").expect("is in the table");
    let request = Request::message(agent, "my-session", project.to_path_buf(), message, turn).expect("has an event for messages");
    let mut text = String::new();
    window::brief(&request, &host, &mut text);
    text
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    print!("{}", say(&std::env::current_dir().unwrap(), &std::env::temp_dir(), "how are documents selected?", "1"));
}
