//! Reads the files that a model asks for; none of them can be outside the directory.
use std::path::{Path, PathBuf};

use briefing_core::sources::requests::{Format, Options, ReadRequest, Requested, read, render};

pub fn files(here: &Path, paths: Vec<PathBuf>) -> String {
    let requested = Requested { paths, notes: Vec::new() };
    let files = read(ReadRequest { includes: &[], requested, options: &Options::new(here) });
    render(&files, here, Format::Assign)
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    let here = std::env::current_dir().expect("it exists");
    print!("{}", files(&here, vec!["README.md".into(), "../secret".into()]));
}
