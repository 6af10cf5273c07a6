//! Chooses files for a task, with a model or by the words of the task.
use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::Settings;
use briefing_core::sources::files::Rules;
use briefing_core::sources::requests::{Format, Options, render};
use briefing_llm::gather::{GatherRequest, Model, gather};

pub fn files(here: &Path, task: &str, model: Option<&mut Model<'_>>) -> Result<String, Failure> {
    let rules = Rules::settle(&Settings::defaults(), &[], &[], None)?;
    let request = GatherRequest { task, includes: &[], options: Options::new(here), rules: &rules };
    Ok(render(&gather(&request, model)?.files, here, Format::Markdown))
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    print!("{}", files(&std::env::current_dir().expect("the current directory exists"), "retry a failed call", None).unwrap_or_default());
}
