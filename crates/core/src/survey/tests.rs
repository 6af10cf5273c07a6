use briefing_testkit::Sandbox;

use super::*;

fn tools(survey: &Survey) -> Vec<(&'static str, &str)> {
    survey.tools.iter().map(|tool| (tool.purpose.word(), tool.command.as_str())).collect()
}

fn rules(survey: &Survey) -> Vec<(&str, &str)> {
    survey.rules.iter().flat_map(|rules| &rules.lines).map(|rule| (rule.section.as_str(), rule.text.as_str())).collect()
}

#[test]
fn the_first_prose_of_a_readme_says_what_a_project_is() {
    let readme = |text: &str| survey(&Sandbox::new().file("Readme.md", text).root()).unwrap().readme.unwrap().lines;
    assert_eq!(
        readme(
            "<p align=center><img src=x></p>\n\n# Name\n\n[![a](b)](c) [![d](e)](f)\n\n[Docs](x) | [Chat](y) | [Blog](z)\n\n\
             > A quote that nobody needs to read here.\n\nIt **sells** small things,\nwith [care](docs/care.md) and `cents`.\n\n\
             A second paragraph of some words.\n\n- item one of a list\n\n## Install\n\nRun the installer and wait a while.\n"
        ),
        ["It sells small things, with care (`docs/care.md`) and `cents`.", "A second paragraph of some words."]
    );
    assert_eq!(
        readme("# Name\n\n## About\n\nThe first section says it in words.\n\n## Use\n\nUse it as you like it.\n"),
        ["The first section says it in words."]
    );
    assert_eq!(readme("---\ntitle: x\n---\n# Only a title\n"), [""; 0]);
}

#[test]
fn rules_are_taken_from_the_file_for_contributors() {
    let text = "# Contributing\n\nThank you for contributing! You must be registered.\n\n\
        ## Getting started\n\n1. Fork the repository\n2. Create your feature branch (`git checkout -b x`)\n\n\
        ## Style\n\n* Use tabs, not spaces.\n* Two blank lines are pretty.\n* Names of tests should be sentences;\n  see [the guide](docs/style.md).\n\
        * Errors:\n  * must name the path\n\n\
        Never commit secrets, e.g. Keys. The mustache template is old. Do you want more?\n\n\
        ```\nYou must not read code.\n```\n\n\
        ## Reporting bugs\n\nYou should always include a version.\n\n### Format\n\nUse the template.\n";
    let survey = survey(&Sandbox::new().file("CONTRIBUTING.md", text).root()).unwrap();
    assert_eq!(
        rules(&survey),
        [
            ("", "You must be registered."),
            ("Style", "Use tabs, not spaces."),
            ("Style", "Names of tests should be sentences; see the guide (`docs/style.md`)."),
            ("Style", "must name the path"),
            ("Style", "Never commit secrets, e.g. Keys."),
        ]
    );
    assert_eq!(survey.rules.unwrap().file, "CONTRIBUTING.md");
}

#[test]
fn commands_come_from_the_projects_own_files_first() {
    let node = Sandbox::new()
        .file(
            "package.json",
            r#"{"name":"web","scripts":{"test":"vitest","build":"vite build","lint":"eslint .","dev":"vite","prepare":"x"}}"#,
        )
        .file("pnpm-lock.yaml", "")
        .file("src/a.ts", "");
    let survey_of = |sandbox: &Sandbox| survey(&sandbox.root()).unwrap();
    let found = survey_of(&node);
    assert_eq!(tools(&found), [("Build", "pnpm build"), ("Test", "pnpm test"), ("Check", "pnpm lint"), ("Run", "pnpm dev")]);
    assert_eq!((found.name.as_str(), found.languages.as_slice()), ("web", ["TypeScript"].as_slice()));
    let npm = Sandbox::new().file("package.json", r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1","start":"node ."}}"#);
    assert_eq!(tools(&survey_of(&npm)), [("Run", "npm run start")]);
    let rust = Sandbox::new()
        .file("Cargo.toml", "[package]\nname='x'\n")
        .file("Makefile", ".PHONY: test\nX := 1\ntest: build\n\tcargo nextest run\n");
    assert_eq!(tools(&survey_of(&rust)), [("Build", "cargo build"), ("Test", "make test")]);
    let just = Sandbox::new().file("justfile", "set shell := ['sh']\n@fmt:\n  x\ntest filter='':\n  x\n").file("go.mod", "module a.b/c\n");
    assert_eq!(tools(&survey_of(&just)), [("Build", "go build ./..."), ("Test", "just test"), ("Format", "just fmt")]);
    let python = Sandbox::new().file("pyproject.toml", "[project]\nname='p'\n[tool.pytest.ini_options]\n[tool.ruff]\n").file("uv.lock", "");
    assert_eq!(tools(&survey_of(&python)), [("Test", "uv run pytest"), ("Check", "uv run ruff check")]);
    let task = Sandbox::new().file("Taskfile.yml", "version: '3'\ntasks:\n  test:\n    cmds: [x]\n  build:\n    cmds: [y]\nvars: {}\n");
    assert_eq!(tools(&survey_of(&task)), [("Build", "task build"), ("Test", "task test")]);
}

#[test]
fn several_packages_with_readmes_are_many_projects_and_crates_without_are_one() {
    let shape = |sandbox: &Sandbox| survey(&sandbox.root()).unwrap().shape();
    let words = "# It\n\nIt does something for somebody.\n";
    let mixed = Sandbox::new()
        .file("web/package.json", "{}")
        .file("web/README.md", words)
        .file("api/go.mod", "module api\n")
        .file("api/readme.md", words)
        .file("examples/x/package.json", "{}")
        .file("examples/x/README.md", words);
    assert_eq!(shape(&mixed), Shape::Many);
    let units: Vec<_> = survey(&mixed.root()).unwrap().units.into_iter().map(|unit| unit.path).collect();
    assert_eq!(units, [Path::new("api"), Path::new("web")]);
    let workspace = |readmes: usize| {
        let sandbox = Sandbox::new().file("Cargo.toml", "[workspace]\nmembers = ['crates/*']\n");
        for name in ["a", "b", "c"] {
            sandbox.write(format!("crates/{name}/Cargo.toml"), format!("[package]\nname = '{name}'\ndescription = 'The {name} of it'\n"));
        }
        ["a", "b", "c"].iter().take(readmes).for_each(|name| sandbox.write(format!("crates/{name}/README.md"), words));
        sandbox
    };
    assert_eq!((shape(&workspace(0)), shape(&workspace(2)), shape(&workspace(3))), (Shape::Single, Shape::Single, Shape::Many));
    let directories = survey(&workspace(0).root()).unwrap().directories;
    let about: Vec<_> = directories.iter().map(|directory| (directory.path.as_str(), directory.about.as_deref().unwrap_or(""))).collect();
    assert_eq!(about, [("crates/a/", "The a of it"), ("crates/b/", "The b of it"), ("crates/c/", "The c of it")]);
}

#[test]
fn nothing_outside_the_project_and_no_secret_is_read() {
    let secret = format!("# A\n\nOur token is ghp_{}, please keep it to yourself.\n", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1z2A");
    let sandbox = Sandbox::new().file("README.md", secret);
    let about = survey(&sandbox.root()).unwrap().readme.unwrap().lines.join("\n");
    assert!(about.contains("[redacted:") && !about.contains("ghp_"), "{about}");
    #[cfg(unix)]
    {
        let linked = Sandbox::new().file("~/other.md", "# B\n\nThis is outside of the project.\n").link("README.md", "../home/other.md");
        assert_eq!(survey(&linked.root()).unwrap().readme, None);
    }
}
