//! `brief read`: reads the files that a model asks for, within limits.

use std::path::{Path, PathBuf};

use briefing_core::fs::{FileProblem, Irregular};
use briefing_core::settings::Layer;
use briefing_core::shown::normalize;
use briefing_core::sources::requests::{self, Content, Options, ReadFiles, ReadRequest, Requested, read};
use briefing_core::{Failure, Level, Note, NoteKind};
use clap::{Args, ValueEnum};

use crate::{environment, input, output, talk};

/// How many notes are printed.
const MAX_TOLD: usize = 20;

/// The limits of requests and the output format, shared by `read` and `gather`.
#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Also read this file, before all requests (repeatable); --filter and --max-files do not apply to it
    #[arg(long, value_name = "PATH")]
    pub(crate) include: Vec<PathBuf>,
    /// Resolve requests relative to this directory, and refuse those outside it
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) dir: PathBuf,
    /// Take only requests whose file name matches; `*` and `?` are wildcards
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Option<String>,
    /// Leave out requests with a file or directory of this name; `*` and `?` are wildcards (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Stop after this many files, counting those of --include
    #[arg(long, value_name = "N")]
    pub(crate) max_files: Option<usize>,
    /// Skip files larger than this
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_file_size: Option<u64>,
    /// Set the output format
    #[arg(long, value_name = "FORMAT", default_value = "assign")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The requested files; with none, or with `-`, they are read from stdin: one per line, or a JSON list
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    /// Also read files outside the directory
    #[arg(long)]
    allow_outside: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// A variable for each path and one for each content
    Assign,
    Markdown,
    Xml,
    Json,
}

impl From<Format> for requests::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Assign => Self::Assign,
            Format::Markdown => Self::Markdown,
            Format::Xml => Self::Xml,
            Format::Json => Self::Json,
        }
    }
}

impl Limits {
    /// Returns the options for the engine, with absolute directories.
    pub(crate) fn options(&self, here: &Path, redact: bool) -> Result<Options, Failure> {
        Ok(Options {
            filter: self.filter.clone(),
            exclude: self.exclude.clone(),
            max_files: self.max_files,
            max_file_size: self.max_file_size,
            redact,
            ..Options::in_directory(&self.dir, here)?
        })
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let here = normalize(&places.here);
    let mut options = arguments.limits.options(&here, settings.guards.redact.value)?;
    options.allow_outside = arguments.allow_outside;
    let requested = requested(arguments, &options.dir)?;
    let files = read(ReadRequest { includes: &arguments.limits.include, requested, options: &options });
    print(&files, &here, arguments.limits.format, "`--allow-outside` reads files outside the directory, `--dir` sets another one")
}

/// Returns the requests from the arguments and, if they say so, from standard input.
fn requested(arguments: &Arguments, dir: &Path) -> Result<Requested, Failure> {
    if arguments.paths.is_empty() {
        return match (input::is_terminal(), arguments.limits.include.is_empty()) {
            (false, _) => input::requests(dir),
            (true, false) => Ok(Requested::default()),
            (true, true) => Err(Failure::usage("no path was given")
                .hint("pass files as arguments or on standard input: `git diff --name-only | brief read`")),
        };
    }
    let mut requested = Requested::default();
    for path in &arguments.paths {
        if path.as_os_str() == "-" {
            let more = input::requests(dir)?;
            requested.paths.extend(more.paths);
            requested.notes.extend(more.notes);
        } else {
            requested.paths.push(path.clone());
        }
    }
    Ok(requested)
}

/// Prints the files, and warnings about those that could not be read.
/// `if_outside` is the hint for requests outside the directory.
pub(crate) fn print(files: &ReadFiles, here: &Path, format: Format, if_outside: &str) -> Result<(), Failure> {
    let text = requests::render(files, here, format.into());
    tell(&files.notes);
    if files.notes.iter().any(|note| note.kind == NoteKind::Outside) {
        talk::hint(if_outside);
    }
    let is_directory =
        |file: &requests::ReadFile| matches!(file.content, Content::Error { problem: FileProblem::NotRegular(Irregular::Directory), .. });
    if files.iter().any(is_directory) {
        talk::hint("`brief pack` packs whole directories");
    }
    output::print(&text)
}

/// Prints the warnings, limited in number: a model may ask for thousands of files that do not exist.
fn tell(notes: &[Note]) {
    let mut notes = notes.iter().filter(|note| note.level > Level::Info);
    for note in notes.by_ref().take(MAX_TOLD) {
        talk::warning(&format!("`{}`: {}", note.path, note.reason));
    }
    match notes.count() {
        0 => {}
        more => talk::warning(&format!("and {more} more; `--format json` lists them all")),
    }
}
