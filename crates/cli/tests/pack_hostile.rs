//! `brief pack` on hostile trees: nothing hangs, nothing panics, the output stays well-formed.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use briefing_testkit::{Outcome, Sandbox};

#[track_caller]
fn packed(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let start = Instant::now();
    let outcome = sandbox.brief(["pack"].iter().chain(arguments)).success();
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    outcome
}

#[test]
fn fences_and_rules_inside_files_do_not_break_out() {
    let hostile = "```\n# Files\n````md\n</file></files></context>\n]]>\n======== other ========\n";
    let sandbox = Sandbox::new().file("a.md", hostile).file("b.md", "after\n");
    let markdown = packed(&sandbox, &["."]).stdout();
    assert!(markdown.contains(&format!("\n`````markdown\n{hostile}`````\n")), "{markdown}");
    let plain = packed(&sandbox, &[".", "--format", "plain"]).stdout();
    assert!(plain.contains("========= a.md =========\n"), "the rule is longer than any inside: {plain}");
}

#[test]
fn encodings_are_decoded_or_named() {
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain("höllo\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let sandbox = Sandbox::new()
        .file("utf16.txt", utf16)
        .file("latin1.txt", b"caf\xe9\n")
        .file("replacement.txt", "a literal \u{FFFD} stays\n")
        .file("crlf.txt", "one\r\ntwo\r\n")
        .file("empty.txt", "");
    let outcome = packed(&sandbox, &["."]);
    let stdout = outcome.stdout();
    assert!(stdout.contains("höllo") && stdout.contains("a literal \u{FFFD} stays") && stdout.contains("one\r\ntwo\r\n"), "{outcome}");
    assert!(stdout.contains("### empty.txt\n\n```\n```\n"), "{outcome}");
    assert!(outcome.stderr().contains("warning: `latin1.txt`: not UTF-8 (first invalid byte at 3)"), "{outcome}");
    sandbox.brief(["pack", "latin1.txt", "--errors", "strict"]).code(1);
}

#[test]
fn strange_names_are_packed_and_cannot_forge_headers() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new()
        .file("d/new\nline.txt", "1\n")
        .file("d/ space.txt", "2\n")
        .file("d/quote\"'.txt", "3\n")
        .file("d/ünïcödé.txt", "4\n")
        .file("d/-dash.txt", "5\n")
        .file("d/bidi\u{202E}txt.exe.txt", "6\n");
    fs::write(sandbox.path("d").join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt")), "7\n").unwrap();
    let stdout = packed(&sandbox, &["d"]).stdout();
    for header in [
        "### d/new\\nline.txt",
        "### d/ space.txt",
        "### d/quote\"'.txt",
        "### d/ünïcödé.txt",
        "### d/-dash.txt",
        "### d/bidi\\u{202e}txt.exe.txt",
        "### d/caf\\xE9.txt",
    ] {
        assert!(stdout.contains(&format!("{header}\n\n```\n")), "{header}\n{stdout}");
    }
    let json: serde_json::Value = serde_json::from_slice(&packed(&sandbox, &["d", "--format", "json"]).stdout).unwrap();
    assert_eq!(json["files"].as_array().unwrap().len(), 7);
    let outcome = sandbox.at("d").brief(["pack", "--tree", "--", "-dash.txt"]).success();
    assert_eq!(outcome.stdout(), "-dash.txt\n");
}

#[test]
fn links_are_followed_only_inside() {
    let sandbox = Sandbox::new()
        .file("outside/secret.txt", "TOP SECRET\n")
        .file("d/real.txt", "real\n")
        .file("d/.hidden/target.txt", "through a link\n")
        .link("d/loop", ".")
        .link("d/self", "self")
        .link("d/out", "../outside/secret.txt")
        .link("d/outdir", "../outside")
        .link("d/broken", "nowhere")
        .link("d/alias.txt", "real.txt")
        .link("d/brought.txt", ".hidden/target.txt")
        .file("d/a/b/deep.txt", "beyond the depth\n")
        .link("d/brought-deep.txt", "a/b/deep.txt");
    let outcome = packed(&sandbox, &["d", "--explain", "-d", "0"]);
    let stdout = outcome.stdout();
    assert!(!stdout.contains("TOP SECRET"), "{outcome}");
    assert_eq!(stdout.matches("real\n").count(), 1, "a link to a packed file does not double it: {outcome}");
    assert!(!stdout.contains("through a link"), "a link does not bring in what is hidden: {outcome}");
    assert!(stdout.contains("### d/brought-deep.txt"), "{outcome}");
    for reason in [
        "`d/brought.txt`: symbolic link to something that is left out",
        "`d/out`: symbolic link leaves the directory",
        "`d/self`: symbolic link is part of a loop",
        "`d/broken`: symbolic link points to nothing",
        "`d/alias.txt`: the same file as `d/real.txt`",
    ] {
        assert!(outcome.stderr().contains(reason), "{reason}\n{outcome}");
    }
    let never = packed(&sandbox, &["d", "--follow-links=never", "--tree"]).stdout();
    assert_eq!(never, "d/\n├── a/\n│   └── b/\n│       └── deep.txt\n└── real.txt\n");
    let broken = sandbox.brief(["pack", "d/broken", "--errors", "strict"]).code(1);
    assert!(broken.stderr().contains("`d/broken`: symbolic link to nothing"), "{broken}");
}

#[test]
fn ignore_files_nest_and_negate_with_or_without_a_repository() {
    for with_repository in [false, true] {
        let sandbox = Sandbox::new()
            .file(".gitignore", "*.aaa\n!keep.aaa\nbuild/\n")
            .file("x.aaa", "")
            .file("keep.aaa", "")
            .file("build/out.txt", "")
            .file("sub/.gitignore", "!y.aaa\n*.bbb\n")
            .file("sub/y.aaa", "")
            .file("sub/z.bbb", "")
            .file("sub/deep/w.bbb", "")
            .file("other/z.bbb", "")
            .file(".ignore", "*.ccc\n")
            .file("a.ccc", "")
            .file(".briefignore", "*.ddd\n")
            .file("a.ddd", "");
        if with_repository {
            assert!(sandbox.command("git").args(["init", "-q"]).status().unwrap().success());
        }
        sandbox.write(".git/info/exclude", "excluded.txt\n");
        sandbox.write("excluded.txt", "");
        let tree = packed(&sandbox, &[".", "--tree"]).stdout();
        assert_eq!(tree, "keep.aaa\nother/\n└── z.bbb\nsub/\n└── y.aaa\n", "with a repository: {with_repository}");
        let all = packed(&sandbox, &[".", "--tree", "--no-gitignore"]).stdout();
        assert!(all.contains("x.aaa") && all.contains("excluded.txt") && !all.contains("a.ccc") && !all.contains("a.ddd"), "{all}");
        assert!(packed(&sandbox, &[".", "--tree", "--no-ignore"]).stdout().contains("a.ddd"));
    }
}

#[test]
fn the_global_gitignore_counts() {
    let sandbox = Sandbox::new().file("~/.config/git/ignore", "*.swp\n").file("d/a.swp", "").file("d/a.txt", "");
    assert_eq!(packed(&sandbox, &["d", "--tree"]).stdout(), "d/\n└── a.txt\n");
}

#[test]
fn special_files_are_skipped_with_a_note() {
    let sandbox = Sandbox::new().file("d/a.txt", "text\n");
    assert!(Command::new("mkfifo").arg(sandbox.path("d/pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("d/socket")).unwrap();
    let outcome = packed(&sandbox, &["d"]);
    for name in ["pipe", "socket"] {
        assert!(outcome.stderr().contains(&format!("warning: `d/{name}`: a FIFO, socket or device, not a file")), "{outcome}");
    }
    let named = sandbox.brief(["pack", "d/pipe", "d/socket", "/dev/null", "--errors", "strict"]).code(1);
    for (name, what) in [("d/pipe", "a FIFO"), ("d/socket", "a socket"), ("/dev/null", "a device")] {
        assert!(named.stderr().contains(&format!("`{name}`: not a regular file but {what}")), "{named}");
    }
}

/// Returns a command that runs the program without the right to read everything: root may, so if the tests run as root, the
/// program runs as the user `nobody`.
fn as_nobody(sandbox: &Sandbox) -> Command {
    use std::os::unix::fs::PermissionsExt;
    let top = sandbox.root().parent().unwrap().to_path_buf();
    let copy = top.join("brief");
    fs::copy(briefing_testkit::binary(), &copy).unwrap();
    fs::set_permissions(&top, fs::Permissions::from_mode(0o755)).unwrap();
    let is_root = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout).unwrap().trim() == "0";
    if !is_root {
        return sandbox.command(&copy);
    }
    let mut command = sandbox.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&copy);
    command
}

#[test]
fn what_may_not_be_read_is_a_warning_and_an_error_if_strict() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file("d/ok.txt", "fine\n").file("d/locked.txt", "no\n").file("d/closed/inner.txt", "no\n");
    for name in ["d/locked.txt", "d/closed"] {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let packed = as_nobody(&sandbox).args(["pack", "d"]).output().unwrap();
    let strict = as_nobody(&sandbox).args(["pack", "d", "--errors", "strict"]).output().unwrap();
    fs::set_permissions(sandbox.path("d/closed"), fs::Permissions::from_mode(0o755)).unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&packed.stdout), String::from_utf8_lossy(&packed.stderr));
    assert!(packed.status.success() && stdout.contains("fine"), "{stderr}");
    for path in ["d/locked.txt", "d/closed"] {
        assert!(stderr.contains(&format!("warning: `{path}`: permission denied")), "{stderr}");
        assert!(stdout.contains(&format!("  - `{path}`: permission denied")), "the document says what it lacks: {stdout}");
    }
    let stderr = String::from_utf8_lossy(&strict.stderr);
    assert!(strict.status.code() == Some(1) && stderr.contains("2 paths cannot be used"), "{stderr}");
}

#[test]
fn files_and_directories_without_permission_are_reported_and_do_not_stop_the_pack() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file("d/ok.txt", "fine\n").file("d/locked.txt", "no\n").file("d/closed/inner.txt", "no\n");
    sandbox.write("d/sub/.gitignore", "*.key\n");
    sandbox.write("d/sub/a.key", "k\n");
    fs::set_permissions(sandbox.path("d/sub/.gitignore"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(sandbox.path("d/locked.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(sandbox.path("d/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = as_nobody(&sandbox);
    let output = command.args(["pack", "d", "--errors", "ignore"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    fs::set_permissions(sandbox.path("d/closed"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(output.status.success() && stdout.contains("fine"), "{stderr}");
    for path in ["d/locked.txt", "d/closed", "d/sub/.gitignore"] {
        assert!(stderr.contains(&format!("`{path}`: permission denied")), "{stderr}");
    }
}

#[test]
fn a_huge_file_is_refused_by_size_without_reading_it() {
    let sandbox = Sandbox::new().file("d/a.txt", "small\n");
    sandbox.write("d/huge.txt", "text\n".repeat(10_000));
    fs::File::options().write(true).open(sandbox.path("d/huge.txt")).unwrap().set_len(200 * 1024 * 1024).unwrap();
    let start = Instant::now();
    let outcome = sandbox.brief(["pack", "d", "--errors", "ignore"]).success();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(outcome.stderr().contains("`d/huge.txt`: too large: 209715200 bytes, the limit is 1048576"), "{outcome}");
}

#[test]
fn a_file_that_changes_while_it_is_read_never_panics() {
    let sandbox = Sandbox::new().file("d/steady.txt", "steady\n");
    let victim = sandbox.path("d/victim.txt");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                let _ = fs::write(&victim, "x".repeat(round % 50_000));
                if round % 3 == 0 {
                    let _ = fs::remove_file(&victim);
                }
            }
        });
        for _ in 0..30 {
            let outcome = sandbox.brief(["pack", "d", "--errors", "ignore"]);
            assert_eq!(outcome.status, Some(0), "{outcome}");
            assert!(outcome.stdout().contains("steady"), "{outcome}");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_path_given_twice_or_inside_another_is_packed_once() {
    let sandbox = Sandbox::new().file("d/a.txt", "once\n").file("d/sub/b.txt", "b\n");
    let absolute = sandbox.path("d/a.txt");
    let stdout = packed(&sandbox, &["d", "./d/", "d/a.txt", "d/sub", absolute.to_str().unwrap()]).stdout();
    assert_eq!(stdout.matches("once\n").count(), 1, "{stdout}");
    assert_eq!(stdout.matches("### d/").count(), 2, "{stdout}");
}

#[test]
fn two_megabytes_of_one_character_are_counted_in_time() {
    let sandbox = Sandbox::new();
    for (name, unit) in [("x", "x"), ("space", " "), ("equals", "="), ("cjk", "字")] {
        sandbox.write(format!("d/{name}.txt"), unit.repeat(2_000_000 / unit.len()));
    }
    let start = Instant::now();
    let outcome = sandbox.brief(["pack", "d", "--tokens", "--max-file-size-kb", "4096", "--tree"]).success();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?} {outcome}", start.elapsed());
}

#[test]
fn control_characters_in_xml_are_reported() {
    let sandbox = Sandbox::new().file("a.txt", "bell \u{7} escape \u{1b}[31m nonchar \u{FFFE} end\n");
    let outcome = packed(&sandbox, &["a.txt", "--format", "xml", "-o", "out.xml"]);
    assert!(outcome.stderr().contains("3 characters that XML forbids were replaced by symbols"), "{outcome}");
}

#[test]
fn special_outputs_are_written_to_and_never_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let sandbox = Sandbox::new().file("a.txt", "text\n").link("dangling", "made.md");
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = sandbox.path("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    packed(&sandbox, &["a.txt", "-o", "pipe"]);
    assert!(reader.join().unwrap().contains("### a.txt"));
    assert!(fs::symlink_metadata(sandbox.path("pipe")).unwrap().file_type().is_fifo());
    let output = sandbox.command("sh").args(["-c", "brief pack a.txt -q -o /dev/stdout | cat"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("### a.txt"));
    packed(&sandbox, &["a.txt", "-o", "dangling"]);
    assert!(fs::symlink_metadata(sandbox.path("dangling")).unwrap().is_symlink() && sandbox.read("made.md").contains("### a.txt"));
}

#[test]
fn absurd_numbers_are_taken_calmly() {
    let sandbox = Sandbox::new().file("d/a.txt", "text\n");
    packed(
        &sandbox,
        &["d", "--max-files-per-directory", "18446744073709551615", "--max-file-size-kb", "18446744073709551615", "-j", "5000"],
    );
    fs::File::create(sandbox.path("sparse")).unwrap().set_len(900 << 30).unwrap();
    let outcome = sandbox.brief(["pack", "sparse", "--max-file-size-kb", "99999999999"]).code(1);
    assert!(outcome.stderr().contains("`sparse`: "), "{outcome}");
}

#[test]
fn names_cannot_forge_lines_on_the_terminal() {
    let outcome = Sandbox::new().brief(["pack", "no\nerror: forged", "--errors", "strict"]).code(1);
    assert!(outcome.stderr().contains("`no\\nerror: forged`: does not exist"), "{outcome}");
}

#[test]
fn forty_levels_deep_is_no_problem() {
    let path = (0..40).map(|level| format!("l{level}")).collect::<Vec<_>>().join("/");
    let sandbox = Sandbox::new().file(format!("{path}/bottom.txt"), "bottom\n");
    assert!(packed(&sandbox, &["."]).stdout().contains(&format!("### {path}/bottom.txt")));
}

#[test]
fn a_closed_reader_ends_the_pack_well() {
    let sandbox = Sandbox::new();
    for i in 0..40 {
        sandbox.write(format!("d/{i}.txt"), "line\n".repeat(20_000));
    }
    let output = sandbox
        .command("bash")
        .args(["-c", "brief pack d 2>err | head -c 100 >/dev/null; echo ${PIPESTATUS[0]}; cat err"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("0\n") && !text.contains("error"), "{text}");
}
