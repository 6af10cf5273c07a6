//! `brief pack PATH…`: packs files and directories into one document.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::render::{Format, Style};
use briefing_core::shown::relative_text;
use briefing_core::sources::files::{PackRequest, Packed, SortBy, Tokens};
use briefing_tokens::{ENCODINGS, ExactCounter};
use clap::{Args, ValueEnum};

use crate::pack_report::{self, pack_shown};
use crate::walk_flags::WalkFlags;
use crate::{clipboard, environment, input, output, talk};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief pack src docs/guide.md            everything below src, and one file
  brief pack . -d 0                       only the files of this directory
  git ls-files | brief pack -             a list from stdin
  brief pack . --tokens --budget 50000    as much as fits into 50,000 tokens
  brief pack . --explain --quiet >/dev/null    why a file was left out")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// Files and directories; `-` reads a list from stdin
    paths: Vec<PathBuf>,
    /// More files and directories, as a list
    #[arg(short = 'c', long = "context", value_name = "PATH", num_args = 0..)]
    context: Vec<PathBuf>,
    /// Read paths from FILE, separated by newlines or NUL bytes; `-` is stdin
    #[arg(long, value_name = "FILE")]
    files_from: Vec<PathBuf>,

    #[command(flatten)]
    walk: WalkFlags,

    /// Set the output format
    #[arg(short, long, value_enum, default_value_t)]
    format: FormatArgument,
    /// Print only the directory tree
    #[arg(long, conflicts_with_all = ["format", "budget"])]
    tree: bool,
    /// Number the lines of every file
    #[arg(short = 'n', long)]
    line_numbers: bool,
    /// Write to FILE atomically; `-` is stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write to stdout (the default)
    #[arg(long, conflicts_with_all = ["output", "copy"])]
    stdout: bool,
    /// Copy the result to the clipboard
    #[arg(long, conflicts_with = "output")]
    copy: bool,
    /// Count the exact tokens of each file and in total
    #[arg(long)]
    tokens: bool,
    /// Set the encoding used to count tokens
    #[arg(long, value_name = "NAME", default_value = ENCODINGS[0], value_parser = clap::builder::PossibleValuesParser::new(ENCODINGS))]
    encoding: String,
    /// Limit the result to N tokens; files that do not fit are left out and listed
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// Set the order of files: by path, or largest or newest first
    #[arg(long, value_enum, default_value_t)]
    sort: SortArgument,
    /// List every file that was left out, why, and which setting decided it
    #[arg(long)]
    explain: bool,
    /// Print no summary and no warnings
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FormatArgument {
    #[default]
    Markdown,
    Xml,
    Json,
    Jsonl,
    Plain,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
enum SortArgument {
    #[default]
    Path,
    Size,
    Tokens,
    Mtime,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, arguments.walk.layer())?;
    let mut rules = arguments.walk.rules(&settings)?;
    rules.own_output = arguments.output.as_ref().map_or(Ok(None), |path| output::place(path, &places.here))?;
    let paths = paths(arguments, &places.here)?;

    let counts = arguments.tokens || arguments.budget.is_some() || arguments.sort == SortArgument::Tokens;
    let counter = counts.then(|| ExactCounter::new(&arguments.encoding, places.cache.clone())).transpose()?;
    let request = PackRequest {
        style: Style { format: arguments.format(), has_line_numbers: arguments.line_numbers },
        sort: arguments.sort.into(),
        tokens: counter.as_ref().map(|counter| Tokens { counter, budget: arguments.budget }),
        explains: arguments.explain,
        becomes: rules.own_output.as_deref(),
        ..PackRequest::new(&paths, &places.here, &rules)
    };
    let packed = pack_shown(&request, arguments.quiet)?;
    if let Some(counter) = &counter {
        counter.save();
    }
    pack_report::warn(&packed, arguments.quiet, arguments.explain);
    let mode = settings.files.error_handling_mode.value;
    pack_report::confirm(&packed, mode, arguments.walk.yes, arguments.quiet && !arguments.explain)?;
    deliver(arguments, rules.own_output.as_deref(), &places.here, &packed)?;
    if !arguments.quiet {
        talk::plain(&pack_report::summary(&packed));
        if packed.files() == 0 && !arguments.explain {
            talk::hint("`--explain` says why no file was included");
        }
    }
    Ok(())
}

impl Arguments {
    fn format(&self) -> Format {
        match (self.tree, self.format) {
            (true, _) => Format::Tree,
            (_, FormatArgument::Markdown) => Format::Markdown,
            (_, FormatArgument::Xml) => Format::Xml,
            (_, FormatArgument::Json) => Format::Json,
            (_, FormatArgument::Jsonl) => Format::Jsonl,
            (_, FormatArgument::Plain) => Format::Plain,
        }
    }
}

impl From<SortArgument> for SortBy {
    fn from(sort: SortArgument) -> Self {
        match sort {
            SortArgument::Path => Self::Path,
            SortArgument::Size => Self::Size,
            SortArgument::Tokens => Self::Tokens,
            SortArgument::Mtime => Self::Modified,
        }
    }
}

/// Collects the paths of the arguments and lists. No path at all is an error, so that `brief pack` alone does not pack the
/// current directory by accident.
fn paths(arguments: &Arguments, here: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let dash = Path::new("-");
    for path in arguments.paths.iter().chain(&arguments.context) {
        if path == dash { paths.extend(input::path_list(dash, here)?) } else { paths.push(path.clone()) }
    }
    for list in &arguments.files_from {
        paths.extend(input::path_list(list, here)?);
    }
    let has_list = !arguments.files_from.is_empty() || arguments.paths.iter().chain(&arguments.context).any(|path| path == dash);
    if paths.is_empty() && has_list {
        talk::warning("the list of paths is empty");
    }
    if paths.is_empty() && !has_list {
        return Err(Failure::usage("no path was given").hint("`brief pack .` packs this directory"));
    }
    Ok(paths)
}

fn deliver(arguments: &Arguments, target: Option<&Path>, here: &Path, packed: &Packed) -> Result<(), Failure> {
    if let Some(target) = target {
        let failed = || Failure::new(format!("cannot write `{}`", relative_text(target, here)));
        return packed.save(target).map_err(|error| failed().because(&*error));
    }
    if arguments.copy {
        return clipboard::copy(packed.text()?.as_bytes());
    }
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        // File contents are untrusted: on a terminal they must not move the cursor.
        return output::print_foreign(&packed.text()?);
    }
    output::finish(packed.write(&mut stdout).and_then(|()| stdout.flush()))
}
