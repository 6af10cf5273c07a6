//! `brief maintain [PATH] [--json] [--check] [--apply [--yes] | --undo]`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::{path_text, shell_word};
use briefing_core::sources::domains::maintain::{self, DomainPlan, MaintainRules, Report, STALE_ENTRY_DAYS};
use clap::Args;
use serde_json::json;

use crate::{environment, output, prompt, talk};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that can be typed")]
pub(crate) struct Arguments {
    /// Where to start: the domain that contains this path, and all below it [default: the current directory]
    path: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["apply", "undo"])]
    json: bool,
    /// Exit with 1 if something needs attention
    #[arg(long, conflicts_with_all = ["apply", "undo"])]
    check: bool,
    /// Archive stale entries and merge repeated ones; shows a diff, asks first, keeps a backup
    #[arg(long)]
    apply: bool,
    /// Apply without asking
    #[arg(long, short, requires = "apply")]
    yes: bool,
    /// Undo the last --apply
    #[arg(long, conflicts_with = "apply")]
    undo: bool,
    /// Treat entries older than this as stale
    #[arg(long, value_name = "DAYS", default_value_t = STALE_ENTRY_DAYS, value_parser = clap::value_parser!(i64).range(0..=100_000))]
    older_than: i64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = environment::absolute(arguments.path.as_deref())?;
    let places = environment::places_at(path.clone());
    if arguments.undo {
        return undo(&path, places.state.as_deref());
    }
    let settings = environment::settings(&places, Layer::default())?;
    let rules = MaintainRules {
        older_than_days: arguments.older_than,
        skip: settings.files.excluded_directories.value.clone(),
        honours_gitignore: settings.files.gitignore.value,
    };
    let report = maintain::examine(&path, &rules, environment::now()?);
    if arguments.apply {
        return apply(&report, &rules, places.state.as_deref(), arguments.yes);
    }
    talk::notes(&report.notes);
    if arguments.json {
        output::print(&format!("{:#}\n", json!(report)))?;
    } else {
        output::print(&maintain::report_text(&report))?;
    }
    match report.problems() {
        1 if arguments.check => Err(Failure::new("found 1 problem")),
        problems if arguments.check && problems > 0 => Err(Failure::new(format!("found {problems} problems"))),
        _ => Ok(()),
    }
}

fn apply(report: &Report, rules: &MaintainRules, state: Option<&Path>, is_agreed: bool) -> Result<(), Failure> {
    let now = environment::now()?;
    let plans = maintain::plan(report, rules, now)?;
    if plans.is_empty() {
        return output::print("Nothing to archive and nothing to merge.\n");
    }
    let diff: String = plans.iter().flat_map(|plan| &plan.changes).map(briefing_core::sources::domains::Change::diff).collect();
    let mut printed = output::print(&diff);
    if !is_agreed {
        // Nobody can agree to a change that was not shown.
        printed?;
        printed = Ok(());
    }
    let question = question(&plans);
    if !is_agreed && !prompt::can_ask() {
        return Err(Failure::new("nothing was changed: not a terminal").hint("pass `--yes` to confirm"));
    }
    if !is_agreed && !prompt::yes(&format!("Apply these changes ({question})?")) {
        return output::print("Nothing was changed.\n");
    }
    maintain::apply(&plans, &report.root, rules, now, state)?;
    talk::plain(&format!("Done: {question}. `brief maintain {} --undo` undoes it.", shell_word(&report.root)));
    printed
}

fn question(plans: &[DomainPlan]) -> String {
    let (archived, merged) = plans.iter().fold((0, 0), |(archived, merged), plan| (archived + plan.archived, merged + plan.merged));
    let entries = |count: usize| if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
    let archive = format!("move {} to the archive", entries(archived));
    let remove = if merged == 1 { "remove 1 duplicate entry".to_owned() } else { format!("remove {merged} duplicate entries") };
    match (archived, merged) {
        (_, 0) => archive,
        (0, _) => remove,
        _ => format!("{archive} and {remove}"),
    }
}

fn undo(path: &Path, state: Option<&Path>) -> Result<(), Failure> {
    let undone = maintain::undo(&maintain::maintain_root(path), state)?;
    let mut text = format!("Restored the files from before {}:\n", undone.made);
    for path in &undone.restored {
        let _ = writeln!(text, "  {}", path_text(path));
    }
    output::print(&text)
}
