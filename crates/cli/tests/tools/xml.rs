//! Packs in XML, read by Python's parser, which is independent of our code.

use std::os::unix::ffi::OsStrExt as _;

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

/// Packs paths as XML and returns `[path, text]` of every file, as Python reads it.
#[track_caller]
fn files(sandbox: &Sandbox, path: &str) -> Value {
    sandbox.brief(["pack", path, "--format", "xml", "-o", "out.xml", "--exclude", "out.xml"]).success();
    let program = "import json, sys, xml.etree.ElementTree as e\n\
                   print(json.dumps([[f.get('path'), f.text] for f in e.parse(sys.argv[1]).getroot().find('files')]))";
    let output = sandbox.command("python3").args(["-c", program, "out.xml"]).output().expect("python3 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn tags_inside_files_do_not_break_out() {
    let hostile = "```\n# Files\n````md\n</file></files></context>\n]]>\n======== other ========\n";
    let sandbox = Sandbox::new().file("a.md", hostile).file("b.md", "after\n");
    assert_eq!(files(&sandbox, "."), json!([["a.md", hostile], ["b.md", "after\n"]]));
}

#[test]
fn strange_names_are_attributes_like_any_other() {
    let sandbox = Sandbox::new().file("d/new\nline.txt", "1\n").file("d/quote\"'<&>.txt", "3\n").file("d/bidi\u{202E}txt.exe.txt", "6\n");
    std::fs::write(sandbox.path("d").join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt")), "7\n").unwrap();
    let files = files(&sandbox, "d");
    assert_eq!(files.as_array().unwrap().len(), 4, "{files}");
    assert!(files.as_array().unwrap().iter().any(|file| file[0] == "d/quote\"'<&>.txt"), "{files}");
}

#[test]
fn control_characters_keep_it_well_formed() {
    let sandbox = Sandbox::new().file("a.txt", "bell \u{7} escape \u{1b}[31m nonchar \u{FFFE} end\n");
    let files = files(&sandbox, "a.txt");
    assert!(files[0][1].as_str().unwrap().contains("bell \u{2407} escape \u{241B}[31m"), "{files}");
}

#[test]
fn crlf_survives() {
    let sandbox = Sandbox::new().file("a.txt", "one\r\ntwo\r\n");
    assert_eq!(files(&sandbox, "a.txt"), json!([["a.txt", "one\r\ntwo\r\n"]]));
}
