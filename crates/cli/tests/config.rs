//! `brief config`, `completions`, `man`, `--version`, and how errors look.

use briefing_testkit::Sandbox;

#[test]
fn show_tells_who_decided_each_value() {
    let sandbox = Sandbox::new()
        .file("~/.config/brief/brief.toml", "hidden = true\nmax_file_size_kb = 10\n")
        .file("brief.toml", "max_file_size_kb = 20\n")
        .directory(".git")
        .file("sub/x", "");
    let outcome = sandbox.env("BRIEF_MAX_FILES_PER_DIRECTORY", "7").at("sub").brief(["config", "show"]).success();
    let stdout = outcome.stdout();
    assert!(stdout.contains("# project file: [ROOT]/brief.toml"), "{stdout}");
    for (line, origin) in [
        ("max_file_size_kb = 20 ", "# [ROOT]/brief.toml:1, overrides [HOME]/.config/brief/brief.toml:2"),
        ("hidden = true ", "# [HOME]/.config/brief/brief.toml:1"),
        ("max_files_per_directory = 7 ", "# BRIEF_MAX_FILES_PER_DIRECTORY"),
        ("follow_links = \"inside\" ", "# default"),
    ] {
        let found = stdout.lines().find(|shown| shown.starts_with(line)).unwrap_or_else(|| panic!("{line} not in {stdout}"));
        assert!(found.ends_with(origin), "{found}");
    }
}

#[test]
fn a_list_of_the_environment_may_be_what_show_prints() {
    let shown = Sandbox::new().env("BRIEF_EXCLUDED_DIRECTORIES", "[\"sub\", \"x,y\"]").brief(["config", "show"]).success().stdout();
    assert!(shown.contains("excluded_directories = [\"sub\", \"x,y\"]"), "{shown}");
}

#[test]
fn the_second_of_two_project_files_is_reported_as_ignored() {
    let sandbox = Sandbox::new().directory(".git").file("brief.toml", "").file(".context/brief.toml", "hidden = true\n");
    let told = "[ROOT]/.context/brief.toml: is ignored: `[ROOT]/brief.toml` is read instead";
    let outcome = sandbox.brief(["config", "show"]).success();
    assert!(outcome.stderr().contains(told), "{outcome}");
    let doctor = sandbox.brief(["doctor"]).stdout();
    assert!(doctor.contains(".context/brief.toml: is ignored: `brief.toml` is read instead"), "{doctor}");
    assert_eq!(sandbox.brief(["pack", "."]).success().stderr().matches("is ignored").count(), 0);
}

#[test]
fn the_default_file_can_be_used_as_it_is() {
    let text = Sandbox::new().brief(["config", "default"]).success().stdout();
    let outcome = Sandbox::new().file("brief.toml", text).brief(["config", "show"]).success();
    assert_eq!(outcome.stderr(), "");
}

#[test]
fn a_broken_settings_file_is_named_with_its_line_and_nothing_else_happens() {
    let sandbox = Sandbox::new().file("brief.toml", "hidden = true\nmax_file_size_kb = \"many\"\nhiden = 1\n");
    insta::assert_snapshot!(sandbox.brief(["config", "show"]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    warning: [ROOT]/brief.toml:3: unknown setting `hiden` (did you mean `hidden`?)
    error: the settings are invalid
      caused by: [ROOT]/brief.toml:2: `max_file_size_kb` must be a whole number, zero or more
    hint: `brief config default` prints every setting with its type
    ");
}

#[test]
fn completions_and_manual_are_made_from_the_same_table() {
    let sandbox = Sandbox::new();
    let script = sandbox.brief(["completions", "bash"]).success().stdout();
    assert!(script.contains("config"), "{script}");
    let page = sandbox.brief(["man"]).success().stdout();
    assert!(page.contains(".TH brief") && page.contains("brief\\-config"), "{page}");
}

#[test]
fn help_lists_commands_in_groups_and_can_be_asked_for_in_every_way() {
    let sandbox = Sandbox::new();
    let help = sandbox.brief(["--help"]).success().stdout();
    let titles = ["Start:", "Agents:", "Knowledge:", "Documents:", "Files:", "See:", "Settings:", "Options:"];
    assert!(help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).eq(titles), "{help}");
    assert_eq!(sandbox.brief(["help"]).success().stdout(), help);
    assert_eq!(sandbox.brief(["help", "pack"]).success().stdout(), sandbox.brief(["pack", "--help"]).success().stdout());
}

#[test]
fn version_and_wrong_usage() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.brief(["--version"]).success().stdout(), format!("brief {}\n", env!("CARGO_PKG_VERSION")));
    let outcome = sandbox.brief(["no-such-command"]).code(2);
    assert_eq!(outcome.stdout(), "");
    assert!(outcome.stderr().contains("there is no command `no-such-command`"), "{outcome}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    let mut shell = sandbox.command("sh");
    let output = shell
        .args(["-c", "brief config default | head -n 1 >/dev/null; brief config default >&-; echo ${PIPESTATUS:-$?}"])
        .output()
        .unwrap();
    let outcome = String::from_utf8_lossy(&output.stdout);
    assert!(String::from_utf8_lossy(&output.stderr).lines().all(|line| !line.contains("panicked")), "{outcome}");
    let output = sandbox.command("bash").args(["-c", "brief config default | true; echo ${PIPESTATUS[0]}"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n");
}

#[test]
fn a_setting_in_the_wrong_file_names_the_right_one() {
    let sandbox = Sandbox::new().file("brief.toml", "redact = false\n");
    let outcome = sandbox.brief(["config", "show"]).success();
    assert!(
        outcome.stderr().contains("only your own configuration can set it (move it to `[HOME]/.config/brief/brief.toml`)"),
        "{outcome}"
    );
    let elsewhere = sandbox.env("XDG_CONFIG_HOME", "/srv/config");
    assert!(elsewhere.brief(["config", "show"]).success().stderr().contains("(move it to `/srv/config/brief/brief.toml`)"));
}

#[test]
fn a_broken_claw_yaml_is_explained_in_plain_words() {
    for (text, expected) in [
        ("- a\n", "claw.yaml:1:1: expected a table of names and values"),
        ("llm_command: x\nllm_command: y\n", "claw.yaml:2:1: `llm_command` is given twice"),
        ("a: [\n", "claw.yaml:1:"),
    ] {
        let outcome = Sandbox::new().file(".claw/claw.yaml", text).brief(["config", "show"]).code(1);
        assert!(outcome.stderr().contains(expected) && !outcome.stderr().contains("Policy"), "{outcome}");
    }
}
