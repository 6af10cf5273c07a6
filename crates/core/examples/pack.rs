//! Packs a directory into one Markdown document.
use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::Settings;
use briefing_core::sources::files::{PackRequest, Rules, pack};

pub fn document(here: &Path) -> Result<String, Failure> {
    let rules = Rules::settle(&Settings::defaults(), &[], &[], None)?;
    let packed = pack(&PackRequest::new(&[".".into()], here, &rules))?;
    Ok(format!("{}\n{} files\n", packed.text()?, packed.files()))
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() -> Result<(), Failure> {
    print!("{}", document(&std::env::current_dir().expect("it exists"))?);
    Ok(())
}
