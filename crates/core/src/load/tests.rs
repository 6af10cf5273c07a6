//! Every way into and out of a root, resolved by the kernel and by the walk.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::root::{Links, Resolver};
use super::{Neighbours, Opened, Root, below, guard, open_named, open_real};
use crate::fs::{FileProblem, Irregular, LinkProblem};

const LIMIT: u64 = 1_000_000;

/// A directory `root` with some files, and a secret next to it.
struct House {
    _keep: tempfile::TempDir,
    root: PathBuf,
}

impl House {
    fn new(files: &[&str]) -> Self {
        let keep = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(keep.path()).unwrap().join("root");
        fs::create_dir(&root).unwrap();
        let house = Self { _keep: keep, root };
        house.write("../secret", "secret");
        for file in files {
            house.write(file, file);
        }
        house
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.root.join(name)).unwrap();
    }

    fn read(&self, path: &str) -> [Result<String, FileProblem>; 2] {
        read(&Root::open(&self.root).unwrap(), path)
    }

    #[track_caller]
    fn assert_text(&self, path: &str, text: &str) {
        for read in self.read(path) {
            assert_eq!(read.as_deref(), Ok(text), "{path}");
        }
    }

    #[track_caller]
    fn assert_problem(&self, path: &str, problem: &FileProblem) {
        for read in self.read(path) {
            assert_eq!(read.as_ref(), Err(problem), "{path}");
        }
    }

    #[track_caller]
    fn assert_outside(&self, path: &str) {
        self.assert_problem(path, &FileProblem::Outside { root: self.root.to_str().unwrap().to_owned() });
    }
}

fn open(root: &Root, path: &str, resolver: Resolver) -> Result<Opened, FileProblem> {
    root.file(&below(root, Path::new(path))?, Links::Inside, resolver)
}

/// Reads a file both ways.
fn read(root: &Root, path: &str) -> [Result<String, FileProblem>; 2] {
    [Resolver::Kernel, Resolver::Walk].map(|resolver| open(root, path, resolver)?.text(LIMIT))
}

#[test]
fn paths_inside_are_read_relative_and_absolute() {
    let house = House::new(&["a", "deep/er/b"]);
    house.assert_text("a", "a");
    house.assert_text("./deep/./er/b", "deep/er/b");
    house.assert_text("deep/../a", "a");
    house.assert_text("deep/er/../../a", "a");
    house.assert_text(house.root.join("deep/er/b").to_str().unwrap(), "deep/er/b");
    house.assert_problem("gone", &FileProblem::Missing);
    house.assert_problem("gone/../a", &FileProblem::Missing);
    house.assert_problem("a/below", &FileProblem::NotADirectory);
    house.assert_problem(&"n".repeat(300), &FileProblem::NameTooLong);
    house.assert_problem("nul\0", &FileProblem::Io("file name contained an unexpected NUL byte".into()));
}

#[test]
fn names_that_leave_the_root_are_refused_whether_they_exist_or_not() {
    let house = House::new(&["a"]);
    for path in ["../secret", "../nothing", "a/../../secret", "/etc/passwd", "/nothing", ".."] {
        house.assert_outside(path);
    }
}

#[test]
fn links_that_end_inside_are_followed() {
    let house = House::new(&["a", "deep/er/b", "deep/c"]);
    house.link("relative", "deep/er/b");
    house.link("deep/er/up", "../../a");
    house.link("absolute", house.root.join("deep/c"));
    house.link("directory", "deep/er");
    house.link("absolute-directory", house.root.join("deep"));
    house.link("first", "second");
    house.link("second", "absolute-directory/er/up");
    house.link("out-and-in", "../root/deep/c");
    for (path, text) in [
        ("relative", "deep/er/b"),
        ("deep/er/up", "a"),
        ("absolute", "deep/c"),
        ("directory/b", "deep/er/b"),
        ("directory/../c", "deep/c"),
        ("absolute-directory/er/b", "deep/er/b"),
        ("absolute-directory/er/../../absolute", "deep/c"),
        ("first", "a"),
        ("out-and-in", "deep/c"),
    ] {
        house.assert_text(path, text);
    }
}

#[test]
fn an_absolute_link_may_take_another_way_to_the_root() {
    let house = House::new(&["a", "deep/b"]);
    house.link("../alias", &house.root);
    house.link("../deeper-alias", house.root.join("deep"));
    house.link("by-alias", house.root.with_file_name("alias").join("a"));
    house.link("by-deeper-alias", house.root.with_file_name("deeper-alias").join("b"));
    house.assert_text("by-alias", "a");
    house.assert_text("by-deeper-alias", "deep/b");
}

#[test]
fn links_that_end_outside_or_nowhere_are_refused() {
    let house = House::new(&["a"]);
    house.link("way-out", "../secret");
    house.link("absolute-way-out", house.root.with_file_name("secret"));
    house.link("up", "..");
    house.link("top", "/");
    house.link("chain", "way-out");
    for path in ["way-out", "absolute-way-out", "up/secret", "top/etc/passwd", "chain"] {
        house.assert_outside(path);
    }
    house.link("dangling", "nothing");
    house.link("dangling-outside", "../nothing");
    house.link("dangling-absolute", house.root.join("nothing"));
    for path in ["dangling", "dangling-outside", "dangling-absolute", "up/nothing"] {
        house.assert_problem(path, &FileProblem::Missing);
    }
}

#[test]
fn loops_end() {
    let house = House::new(&[]);
    house.link("self", "self");
    house.link("ping", "pong");
    house.link("pong", "ping");
    house.link("absolute", house.root.join("absolute"));
    house.link("below", "below/x");
    for path in ["self", "ping", "absolute", "below", "ping/x"] {
        house.assert_problem(path, &FileProblem::Link(LinkProblem::Loop));
    }
    house.write("end", "end");
    for at in 0..60 {
        house.link(&format!("chain{at}"), if at == 0 { "end".to_owned() } else { format!("chain{}", at - 1) });
    }
    house.assert_text("chain39", "end");
    house.assert_problem("chain40", &FileProblem::Link(LinkProblem::Loop));
}

#[test]
fn only_regular_files_are_opened() {
    let house = House::new(&["directory/x"]);
    house.link("to-directory", "directory");
    assert!(std::process::Command::new("mkfifo").arg(house.root.join("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(house.root.join("socket")).unwrap();
    for (path, what) in [
        ("", Irregular::Directory),
        (".", Irregular::Directory),
        ("directory", Irregular::Directory),
        ("directory/..", Irregular::Directory),
        ("to-directory", Irregular::Directory),
        ("pipe", Irregular::Fifo),
        ("socket", Irregular::Socket),
    ] {
        house.assert_problem(path, &FileProblem::NotRegular(what));
    }
    let device = [Resolver::Kernel, Resolver::Walk].map(|way| open(&Root::open(Path::new("/dev")).unwrap(), "null", way).unwrap_err());
    assert_eq!(device, [FileProblem::NotRegular(Irregular::Device), FileProblem::NotRegular(Irregular::Device)]);
}

#[test]
fn unreadable_files_are_reported() {
    let house = House::new(&["locked", "closed/x"]);
    fs::set_permissions(house.root.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(house.root.join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read everything, so there is nothing to test then.
    if fs::read(house.root.join("locked")).is_err() {
        house.assert_problem("locked", &FileProblem::PermissionDenied);
        house.assert_problem("closed/x", &FileProblem::PermissionDenied);
        let root = Root::open(&house.root).unwrap();
        assert_eq!(root.place(Path::new("locked")), Ok(house.root.join("locked")), "it can be found all the same");
    }
    fs::set_permissions(house.root.join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn the_root_may_be_a_link() {
    let house = House::new(&["a"]);
    house.link("../alias", &house.root);
    house.link("absolute", house.root.join("a"));
    house.link("by-alias", house.root.with_file_name("alias").join("a"));
    let root = Root::open(&house.root.with_file_name("alias")).unwrap();
    for path in ["a", "absolute", "by-alias", house.root.join("a").to_str().unwrap(), root.path().join("a").to_str().unwrap()] {
        assert_eq!(read(&root, path), [Ok("a".into()), Ok("a".into())], "{path}");
    }
    assert_eq!(root.real(), Some(house.root.as_path()));
    assert!(matches!(read(&root, "../secret"), [Err(FileProblem::Outside { .. }), Err(FileProblem::Outside { .. })]));
    assert!(matches!(Root::open(&house.root.join("a")), Err(FileProblem::NotADirectory)));
    assert!(matches!(Root::open(&house.root.join("gone")), Err(FileProblem::Missing)));
}

#[test]
fn a_root_is_the_directory_that_was_opened_even_if_its_path_changes() {
    let house = House::new(&["a"]);
    house.link("absolute", house.root.join("a"));
    let root = Root::open(&house.root).unwrap();
    fs::rename(&house.root, house.root.with_file_name("moved")).unwrap();
    house.write("a", "another one");
    assert_eq!(read(&root, "a"), [Ok("a".into()), Ok("a".into())]);
    // The link leads to the directory that now has the root's name, which is outside.
    assert!(matches!(read(&root, "absolute"), [Err(FileProblem::Outside { .. }), Err(FileProblem::Outside { .. })]));
}

#[test]
fn a_real_path_has_no_links() {
    let house = House::new(&["deep/a"]);
    house.link("alias", "deep");
    assert_eq!(open_real(&house.root.join("deep/a")).unwrap().text(LIMIT).unwrap(), "deep/a");
    let unexpected = FileProblem::Link(LinkProblem::Unexpected);
    assert_eq!(open_real(&house.root.join("alias/a")).unwrap_err(), unexpected);
    assert_eq!(Root::open_real(&house.root.join("alias")).unwrap_err(), unexpected);
    assert_eq!(Root::open_real(&house.root.join("deep")).unwrap().path(), house.root.join("deep"));
    let root = Root::open(&house.root).unwrap();
    for resolver in [Resolver::Kernel, Resolver::Walk] {
        assert_eq!(root.file(Path::new("alias/a"), Links::Refused, resolver).unwrap_err(), unexpected);
    }
    assert_eq!(open_named(&house.root.join("alias/a")).unwrap().text(LIMIT).unwrap(), "deep/a", "a person may");
}

#[test]
fn places_are_real_paths_inside() {
    let house = House::new(&["deep/a"]);
    house.link("alias", house.root.join("deep"));
    house.link("way-out", "../secret");
    let root = Root::open(&house.root).unwrap();
    assert_eq!(root.place(Path::new("alias/a")), Ok(house.root.join("deep/a")));
    assert_eq!(root.place(Path::new("alias")), Ok(house.root.join("deep")));
    assert!(matches!(root.place(Path::new("way-out")), Err(FileProblem::Outside { .. })));
    assert_eq!(root.place(Path::new("nothing")), Err(FileProblem::Missing));
}

#[test]
fn neighbours_are_opened_without_links() {
    let house = House::new(&["top", "one/a", "one/b", "two/c", "one/deep/d"]);
    house.link("one/link", "a");
    house.link("alias", "one");
    let other = House::new(&["one/a"]);
    other.write("one/a", "other");
    let (root, other) = (Root::open(&house.root).unwrap(), Root::open(&other.root).unwrap());
    let mut neighbours = Neighbours::default();
    for path in ["one/a", "one/b", "top", "two/c", "one/a", "one/deep/d"] {
        assert_eq!(neighbours.open(&root, Path::new(path)).unwrap().text(LIMIT).unwrap(), path);
    }
    assert_eq!(neighbours.open(&other, Path::new("one/a")).unwrap().text(LIMIT).unwrap(), "other");
    for path in ["one/link", "alias/a"] {
        assert_eq!(neighbours.open(&root, Path::new(path)).unwrap_err(), FileProblem::Link(LinkProblem::Unexpected), "{path}");
    }
    assert_eq!(neighbours.open(&root, Path::new("gone/a")).unwrap_err(), FileProblem::Missing);
    assert_eq!(neighbours.open(&root, Path::new("one/gone")).unwrap_err(), FileProblem::Missing);
    assert_eq!(neighbours.open(&root, Path::new("one/deep")).unwrap_err(), FileProblem::NotRegular(Irregular::Directory));
}

#[test]
fn texts_are_decoded_as_they_are_asked_for() {
    let house = House::new(&[]);
    fs::write(house.root.join("latin1"), b"caf\xe9").unwrap();
    fs::write(house.root.join("binary"), b"\0").unwrap();
    let root = Root::open(&house.root).unwrap();
    let open = |name: &str| root.open_file(Path::new(name)).unwrap();
    assert_eq!(open("latin1").text(LIMIT), Err(FileProblem::NotUtf8 { offset: 3 }));
    assert_eq!(open("latin1").lossy_text(LIMIT), Ok(("caf\u{FFFD}".into(), Some(3))));
    assert_eq!(open("binary").lossy_text(LIMIT), Err(FileProblem::Binary));
    assert_eq!(open("latin1").bytes(3), Err(FileProblem::TooLarge { size: 4, limit: 3 }));
}

#[test]
fn secrets_stay_if_the_settings_say_so() {
    let url = "postgres://bob:hunter2@db/x";
    let mut notes = Vec::new();
    assert_eq!(guard("a", url.into(), false, &mut notes), url);
    assert_eq!(notes, []);
    assert_eq!(guard("a", url.into(), true, &mut notes), "postgres://bob:[redacted: password]@db/x");
    assert_eq!(notes.len(), 1);
}

/// Races on a kernel with `openat2` are tested in `tests/race.rs`; this tests the walk for kernels without it.
#[cfg(target_os = "linux")]
#[test]
fn the_walk_leaks_nothing_while_a_directory_is_exchanged_for_a_way_out() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};
    let house = House::new(&["swapped/file"]);
    house.write("../outside/file", "secret");
    house.link("../relative", "../outside");
    house.link("absolute", house.root.join("swapped/file"));
    let (inside, way_out) = (house.root.join("swapped"), house.root.with_file_name("relative"));
    let root = Root::open(&house.root).unwrap();
    let is_over = AtomicBool::new(false);
    let mut seen = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &inside, CWD, &way_out, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for at in 0..4_000 {
            let path = ["swapped/file", "absolute", "swapped/../swapped/file"][at % 3];
            let text = open(&root, path, Resolver::Walk).and_then(|opened| opened.text(LIMIT)).unwrap_or_default();
            assert!(text != "secret", "{path}");
            seen += usize::from(text == "swapped/file");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(seen > 0);
}
