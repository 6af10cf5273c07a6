//! `brief pack PATH…`: packs files and directories into one document.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::render::{Format, Style};
use briefing_core::shown::relative_text;
use briefing_core::sources::files::{PackRequest, Packed, Priority, SortBy, Tokens};
use briefing_tokens::{ENCODINGS, ExactCounter};
use clap::{Args, ValueEnum};

use crate::pack_report::{self, pack_shown};
use crate::walk_flags::WalkFlags;
use crate::{clipboard, environment, input, output, talk};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief pack src docs/guide.md            everything below src, and one file
  brief pack . -d 0                       only the files of this directory
  git ls-files -z | brief pack -          a list from stdin
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
    let Given { named, listed } = given(arguments, &places.here)?;

    let counts = arguments.tokens || arguments.budget.is_some() || arguments.sort == SortArgument::Tokens;
    let counter = counts.then(|| ExactCounter::new(&arguments.encoding, places.cache.clone())).transpose()?;
    let request = PackRequest {
        style: Style { format: arguments.format(), has_line_numbers: arguments.line_numbers },
        sort: arguments.sort.into(),
        tokens: counter.as_ref().map(|counter| Tokens { counter, budget: arguments.budget }),
        explains: arguments.explain,
        becomes: rules.own_output.as_deref(),
        listed: &listed,
        ..PackRequest::new(&named, &places.here, &rules)
    };
    let packed = pack_shown(&request, arguments.quiet)?;
    if let Some(counter) = &counter {
        counter.save();
    }
    pack_report::warn(&packed, arguments.quiet, arguments.explain);
    if arguments.explain && request.fills_by_priority() {
        let order: Vec<_> = Priority::ALL.iter().map(|priority| priority.words()).collect();
        talk::plain(&format!("the budget is filled in this order: {}; the nearest to the given paths first", order.join("; ")));
    }
    let mode = settings.files.error_handling_mode.value;
    pack_report::confirm(&packed, mode, arguments.walk.yes, arguments.quiet && !arguments.explain)?;
    let clipboard = deliver(arguments, rules.own_output.as_deref(), &places.here, &packed)?;
    if !arguments.quiet {
        talk::plain(&pack_report::summary(&packed, clipboard));
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

/// The paths to pack.
struct Given {
    /// Those on the command line.
    named: Vec<PathBuf>,
    /// Those in lists.
    listed: Vec<PathBuf>,
}

/// Collects the paths of the arguments and lists. No path at all is an error, so that `brief pack` alone does not pack the
/// current directory by accident.
fn given(arguments: &Arguments, here: &Path) -> Result<Given, Failure> {
    let dash = Path::new("-");
    let (dashes, named): (Vec<_>, Vec<_>) = arguments.paths.iter().chain(&arguments.context).cloned().partition(|path| path == dash);
    let lists: Vec<_> = dashes.iter().chain(&arguments.files_from).collect();
    let mut listed: Vec<PathBuf> = Vec::new();
    for list in &lists {
        listed.extend(input::path_list(list, here)?);
    }
    if named.is_empty() && lists.is_empty() {
        return Err(Failure::usage("no path was given").hint("`brief pack .` packs this directory"));
    }
    if named.is_empty() && listed.is_empty() {
        talk::warning("the list of paths is empty");
    }
    Ok(Given { named, listed })
}

/// Writes the document. Returns the program that copied it to the clipboard, if that is where it went.
fn deliver(arguments: &Arguments, target: Option<&Path>, here: &Path, packed: &Packed) -> Result<Option<&'static str>, Failure> {
    if let Some(target) = target {
        let failed = || Failure::new(format!("cannot write `{}`", relative_text(target, here)));
        packed.save(target).map_err(|error| failed().because(&*error))?;
        return Ok(None);
    }
    if arguments.copy {
        return clipboard::copy(packed.text()?.as_bytes()).map(Some);
    }
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        output::print(&packed.text()?)?;
    } else {
        output::finish(packed.write(&mut stdout).and_then(|()| stdout.flush()))?;
    }
    Ok(None)
}
