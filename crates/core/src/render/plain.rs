//! Plain text: before each file a ruled line with its path, longer than any such line in the content.

use std::fmt::Write as _;

use super::Frame;
use crate::fs::Buffer;
use crate::shown::one_line;
use crate::sources::files::LoadedFile;
use crate::text::longest_run;

pub(super) fn header(frame: &Frame<'_>) -> String {
    let mut text = format!("{}\n", frame.tree);
    let missing = frame.missing();
    if !missing.is_empty() {
        let _ = writeln!(text, "Not included:\n  {}\n", missing.join("\n  "));
    }
    if !frame.left_out.is_empty() {
        let _ = writeln!(text, "Left out for the token budget ({} files):", frame.left_out_total);
        for left in frame.left_out {
            let _ = writeln!(text, "  {} ({} tokens)", one_line(&left.path), left.tokens);
        }
        text.push('\n');
    }
    text
}

pub(super) fn section(file: &LoadedFile<'_>, text: &str, out: &mut Buffer) {
    let rule = "=".repeat(longest_run(text.as_bytes(), b'=').max(7) + 1);
    let mut push = |part: &str| out.push(part.as_bytes());
    push(&rule);
    push(" ");
    push(&one_line(file.shown));
    push(" ");
    push(&rule);
    push("\n");
    push(text);
    if !text.is_empty() && !text.ends_with('\n') {
        push("\n");
    }
    push("\n");
}
