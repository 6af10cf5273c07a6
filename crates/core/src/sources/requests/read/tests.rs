//! Each key behaviour of the spec, and each guard.

use std::fs;

use super::*;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        fs::create_dir(tree.dir()).unwrap();
        for (name, content) in files {
            let path = tree.dir().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        tree
    }

    fn dir(&self) -> PathBuf {
        self.0.path().join("dir")
    }

    fn options(&self) -> Options {
        Options::new(self.dir())
    }
}

fn read(asked: &[&str], options: &Options) -> ReadFiles {
    let mut files = ReadFiles::new();
    read_requested_files(asked, &mut files, options);
    files
}

fn seen(files: &ReadFiles, here: &Path) -> Vec<(String, String)> {
    files.iter().map(|entry| (entry.label(here), entry.content.text().into_owned())).collect()
}

#[track_caller]
fn assert_seen(files: &ReadFiles, options: &Options, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(seen(files, &options.here), expected);
}

#[test]
fn requests_are_read_in_their_order_and_each_once() {
    let tree = Tree::new(&[("b.md", b"B"), ("a.md", b"A")]);
    let options = tree.options();
    let files = read(&["b.md", "a.md", "./b.md", "x/../a.md"], &options);
    assert_seen(&files, &options, &[("b.md", "B"), ("a.md", "A")]);
}

#[test]
fn the_filter_tests_the_last_segment_and_skips_silently() {
    let tree = Tree::new(&[("docs/a.md", b"A"), ("docs/a.rs", b"R")]);
    let options = Options { filter: Some("*.md".into()), ..tree.options() };
    let files = read(&["docs/a.rs", "docs/a.md", "docs.md/x.rs"], &options);
    assert_seen(&files, &options, &[("docs/a.md", "A")]);
    assert!(files.notes.iter().all(|note| note.level == Level::Info), "{:?}", files.notes);
}

#[test]
fn the_maximum_counts_every_entry_and_ends_the_reading() {
    let tree = Tree::new(&[("a", b"A"), ("b", b"B"), ("c", b"C")]);
    let options = Options { max_files: Some(2), ..tree.options() };
    let files = read(&["missing", "a", "b", "c"], &options);
    assert_eq!(files.len(), 2, "an error entry counts");
    assert_eq!(files.notes.last().unwrap().reason, "2 of 4 requests were not read: the limit is 2 files");
    let files = read(&["a"], &Options { max_files: Some(0), ..tree.options() });
    assert!(files.is_empty());
}

#[test]
fn includes_bypass_filter_and_maximum_but_not_the_size_limit() {
    let tree = Tree::new(&[("a.rs", b"A"), ("big.rs", b"0123456789"), ("b.md", b"B")]);
    let options = Options { filter: Some("*.md".into()), max_files: Some(1), max_file_size: Some(5), ..tree.options() };
    let mut files = ReadFiles::new();
    read_include_files(&["a.rs", "big.rs", "a.rs"], &mut files, &options);
    read_requested_files(&["b.md"], &mut files, &options);
    assert_seen(&files, &options, &[("a.rs", "A"), ("big.rs", "[Skipped: file size 10 bytes exceeds maxFileSize 5]")]);
}

#[test]
fn the_size_limit_is_exact() {
    let tree = Tree::new(&[("five", b"12345"), ("six", b"123456")]);
    let options = Options { max_file_size: Some(5), ..tree.options() };
    let files = read(&["five", "six"], &options);
    assert_seen(&files, &options, &[("five", "12345"), ("six", "[Skipped: file size 6 bytes exceeds maxFileSize 5]")]);
}

#[test]
fn labels_are_relative_to_the_current_directory_even_with_another_one() {
    let tree = Tree::new(&[("sub/a.md", b"A")]);
    let options = Options { dir: tree.dir().join("sub"), here: tree.dir(), ..tree.options() };
    let files = read(&["a.md", "gone.md"], &options);
    assert_seen(
        &files,
        &options,
        &[("sub/a.md", "A"), ("sub/gone.md", "[Error reading file: ENOENT: no such file or directory, open 'sub/gone.md']")],
    );
}

#[cfg(unix)]
#[test]
fn every_error_is_an_entry_in_the_format_of_node() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = Tree::new(&[("binary", b"\x7fELF\0"), ("latin1", b"caf\xe9"), ("file", b"x"), ("locked", b"x"), ("d/x", b"x")]);
    let pipe = tree.dir().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("loop", tree.dir().join("loop")).unwrap();
    fs::set_permissions(tree.dir().join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    let options = tree.options();
    let long = "n".repeat(300);
    let mut asked = vec!["gone", "d", "pipe", "binary", "latin1", "file/below", "loop", &long, "nul\0", ""];
    let mut expected = vec![
        "ENOENT: no such file or directory, open 'gone'".to_owned(),
        "EISDIR: illegal operation on a directory, read".into(),
        "EINVAL: not a regular file but a FIFO, open 'pipe'".into(),
        "EILSEQ: binary file, read 'binary'".into(),
        "EILSEQ: not UTF-8 (first invalid byte at 3), read 'latin1'".into(),
        "ENOTDIR: not a directory, open 'file/below'".into(),
        "EPERM: symbolic link that leads outside or nowhere, open 'loop'".into(),
        format!("ENAMETOOLONG: name too long, open '{long}'"),
        "EIO: file name contained an unexpected NUL byte, open 'nul\\u{0}'".into(),
        "EISDIR: illegal operation on a directory, read".into(),
    ];
    // Root can read everything, so there is nothing to test then.
    if fs::read(tree.dir().join("locked")).is_err() {
        asked.push("locked");
        expected.push("EACCES: permission denied, open 'locked'".into());
    }
    let files = read(&asked, &options);
    let told: Vec<_> = files.iter().map(|entry| entry.content.text().into_owned()).collect();
    let expected: Vec<_> = expected.iter().map(|message| format!("[Error reading file: {message}]")).collect();
    assert_eq!(told, expected);
    assert_eq!(files.notes.len(), told.len(), "each leaves a note");
}

#[cfg(unix)]
#[test]
fn requests_that_leave_the_directory_are_refused_and_say_nothing_about_the_outside() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new(&[("ok", b"fine")]);
    fs::write(tree.0.path().join("secret"), "s3cret").unwrap();
    symlink("../secret", tree.dir().join("way-out")).unwrap();
    symlink("../nothing", tree.dir().join("way-nowhere")).unwrap();
    symlink("..", tree.dir().join("up")).unwrap();
    symlink("ok", tree.dir().join("inside")).unwrap();
    let options = tree.options();
    let outside =
        ["../secret", "../nothing", "/etc/passwd", "/nothing", "a/../../secret", "way-out", "way-nowhere", "up/secret", "up/nothing"];
    let files = read(&outside, &options);
    for entry in &files {
        let text = entry.content.text();
        assert!(text.starts_with("[Error reading file: EPERM: "), "{text}");
    }
    let words = |name: &str| files.get(&tree.dir().join(name)).unwrap().text().replace(name, "");
    assert_eq!(words("way-out"), words("way-nowhere"));
    assert_eq!(words("up/secret"), words("up/nothing"));
    let absolute = tree.dir().join("ok");
    let files = read(&[absolute.to_str().unwrap(), "inside"], &options);
    assert_seen(&files, &options, &[("ok", "fine"), ("inside", "fine")]);
    let files = read(&["../secret", "way-out"], &Options { allow_outside: true, ..options.clone() });
    assert_seen(&files, &options, &[("../secret", "s3cret"), ("way-out", "s3cret")]);
}

#[test]
fn a_person_may_include_from_anywhere() {
    let tree = Tree::new(&[]);
    fs::write(tree.0.path().join("shared.md"), "S").unwrap();
    let options = tree.options();
    let mut files = ReadFiles::new();
    read_include_files(&["../shared.md"], &mut files, &options);
    assert_seen(&files, &options, &[("../shared.md", "S")]);
}

#[test]
fn with_a_listing_nothing_else_can_be_requested() {
    let tree = Tree::new(&[("a", b"A"), (".env", b"KEY=1")]);
    let options = Options { listed: Some(HashSet::from([tree.dir().join("a")])), ..tree.options() };
    let files = read(&["a", ".env"], &options);
    assert_seen(&files, &options, &[("a", "A"), (".env", "[Error reading file: EIO: not among the listed files, open '.env']")]);
}

#[test]
fn secrets_are_redacted_with_a_note_unless_disabled() {
    let url = "postgres://bob:hunter2@db/x";
    let tree = Tree::new(&[("a", url.as_bytes())]);
    let options = tree.options();
    let files = read(&["a"], &options);
    assert_seen(&files, &options, &[("a", "postgres://bob:[redacted: password]@db/x")]);
    assert_eq!(files.notes[0].kind, NoteKind::Redacted);
    let options = Options { redact: false, ..options };
    assert_seen(&read(&["a"], &options), &options, &[("a", url)]);
}
