//! Tests that are a sample by default and a measurement when `BRIEF_TEST_FULL` is set.

use std::io::Write;

/// Returns whether tests run all of their cases.
pub fn is_full() -> bool {
    std::env::var_os("BRIEF_TEST_FULL").is_some()
}

/// Prints a result of a full run, whatever the test harness does with output. A sample prints nothing.
pub fn tell(result: &str) {
    if is_full() {
        let _ = writeln!(std::io::stderr(), "{result}");
    }
}
