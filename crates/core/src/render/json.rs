//! JSON: one object, or one line per file.

use serde::Serialize;
use serde_json::json;

use super::Frame;
use crate::fs::Buffer;
use crate::sources::files::LoadedFile;

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "is_zero")]
    redacted: usize,
    content: &'a str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(super) fn header(frame: &Frame<'_>) -> String {
    format!("{{\n\"version\": 1,\n\"limits\": {},\n\"tree\": {},\n\"files\": [\n", json!(frame.limits), json!(frame.tree))
}

pub(super) fn section(file: &LoadedFile<'_>, text: &str, separator: &str, out: &mut Buffer) {
    let row = File { path: file.shown, bytes: file.bytes, tokens: file.tokens, redacted: file.secrets.len(), content: text };
    serde_json::to_writer(&mut *out, &row).expect("writing to memory cannot fail");
    let end = if separator.is_empty() { "\n" } else { separator };
    out.push(end.as_bytes());
}

pub(super) fn footer(frame: &Frame<'_>) -> String {
    let summary = json!({ "files": frame.files, "bytes": frame.bytes, "tokens": frame.tokens, "encoding": frame.encoding, "left_out": frame.left_out_total });
    format!("\n],\n\"left_out\": {},\n\"notes\": {},\n\"summary\": {summary}\n}}\n", json!(frame.left_out), json!(frame.notes))
}
