//! `brief gate`: shows how each core file is delivered, and what it costs.

use std::fmt::Write as _;
use std::path::PathBuf;

use briefing_agents::gate_outputs::GateOutputs;
use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::{one_line, path_text};
use briefing_core::sources::gate::{self, Gate, Planned, Section, Strategy, UNFILLED};
use clap::Args;
use serde_json::json;

use crate::commands::preview;
use crate::host::Asking;
use crate::{environment, output, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The directory that the agent works in [default: the current directory]
    path: Option<PathBuf>,
    /// The agent whose limits decide which output each file goes to
    #[arg(long, default_value = briefing_agents::USUAL.name)]
    agent: String,
    /// Print the message that the agent receives
    #[arg(long, conflicts_with = "json")]
    print: bool,
    /// Find paths in the files that no longer exist, and fail if there is one
    #[arg(long, conflicts_with = "print")]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let here = environment::absolute(arguments.path.as_deref())?;
    if !here.exists() {
        return Err(Failure::new(format!("`{}` does not exist", path_text(&here)))
            .hint("name a directory of the project, or none for the current one"));
    }
    let places = environment::places_at(here);
    let settings = environment::settings(&places, Layer::default())?;
    let Some(gate) = gate::load(&places, &settings) else {
        return Err(Failure::new("no `.context` directory with core files here or in a parent directory")
            .hint("`brief init context` creates one; `[gate.files]` in brief.toml lists files with other names"));
    };
    if arguments.print {
        talk::notes(&gate.notes);
        return output::print(&gate.message());
    }
    if arguments.check {
        return check(&gate, arguments.json);
    }
    let agent = preview::agent(&arguments.agent)?;
    let carried = GateOutputs::of(agent, &Asking::of(agent, &places, &settings)?.ask())?;
    if arguments.json {
        return output::print(&format!("{:#}\n", as_json(&gate, &carried)));
    }
    talk::notes(&gate.notes);
    output::print(&table(&gate, &carried))
}

/// Prints the dead paths, and fails if there is one.
fn check(gate: &Gate, as_json: bool) -> Result<(), Failure> {
    talk::notes(&gate.notes);
    let dead = gate::dead_paths(gate);
    if as_json {
        output::print(&format!("{:#}\n", json!({ "directory": path_text(&gate.directory), "dead_paths": dead })))?;
    } else {
        let lines = dead.iter().map(|dead| format!("{}:{}: `{}` does not exist\n", one_line(&dead.file), dead.line, dead.path));
        output::print(&lines.collect::<String>())?;
    }
    match dead.len() {
        0 => {
            talk::plain(&format!("Every path in the core files of {} exists.", path_text(&gate.directory)));
            Ok(())
        }
        1 => Err(Failure::new("found 1 path that does not exist")),
        count => Err(Failure::new(format!("found {count} paths that do not exist"))),
    }
}

/// A row of the table.
struct Row {
    name: String,
    strategy: Strategy,
    /// The setting that chose the strategy; `None` for the defaults.
    decided_by: Option<String>,
    tokens: Option<u64>,
    /// The outputs that contain it, counted from 1.
    outputs: Vec<usize>,
    remark: String,
}

/// Returns the rows: first the constitutions of parent directories, which are not in the plan, then the plan.
fn rows(gate: &Gate, carried: &GateOutputs) -> Vec<Row> {
    let loaded = |section: &Section, decided_by: Option<String>| Row {
        name: section.name.clone(),
        strategy: section.strategy,
        decided_by,
        tokens: Some(section.tokens),
        outputs: carried.holding(&section.path),
        remark: String::new(),
    };
    let is_above = |name: &str| !gate.planned.iter().any(|file| file.name == name);
    let above =
        gate.sections.iter().filter(|section| is_above(&section.name)).map(|section| loaded(section, Some("a parent directory".into())));
    let planned = gate.planned.iter().map(|file| match gate.sections.iter().find(|section| section.name == file.name) {
        Some(section) => loaded(section, file.decided_by.clone()),
        None => Row {
            name: file.name.clone(),
            strategy: file.strategy,
            decided_by: file.decided_by.clone(),
            tokens: None,
            outputs: Vec::new(),
            remark: remark(gate, file),
        },
    });
    above.chain(planned).collect()
}

/// Explains why a file of the plan is not in the message.
fn remark(gate: &Gate, file: &Planned) -> String {
    if let Some((_, problem)) = gate.left_out.iter().find(|(name, _)| *name == file.name) {
        return format!("left out: {problem}");
    }
    let words = match file.strategy {
        _ if gate.unfilled.contains(&file.name) => UNFILLED,
        Strategy::Mention if gate.mentioned.contains(&file.name) => "named in the closing notes",
        Strategy::Skip => "",
        _ => "does not exist",
    };
    words.to_owned()
}

fn table(gate: &Gate, carried: &GateOutputs) -> String {
    let rows = rows(gate, carried);
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n\n", path_text(&gate.directory));
    for row in rows {
        let tokens = row.tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string());
        let place = if row.outputs.is_empty() { row.remark } else { place_words(carried, &row.outputs) };
        let by = row.decided_by.map(|by| format!("# {by}")).unwrap_or_default();
        let remarks = [place, by].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("  ");
        let line = format!("{:width$}  {:8}  {tokens:>7}  {remarks}", one_line(&row.name), row.strategy.word());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(text, "\n{} files, ~{} tokens, {} bytes", gate.files(), gate.tokens(), gate.message().len());
    let _ = writeln!(text, "{}", summary(carried));
    text
}

/// Describes the outputs that contain a file.
fn place_words(carried: &GateOutputs, outputs: &[usize]) -> String {
    let numbers: Vec<_> = outputs.iter().map(ToString::to_string).collect();
    let waits = if outputs.iter().any(|number| *number > carried.leaving) { ", waits for the next event" } else { "" };
    format!("output {} of {}{waits}", numbers.join(", "), carried.outputs.len())
}

/// Describes all outputs.
fn summary(carried: &GateOutputs) -> String {
    let sizes: Vec<_> = carried.outputs.iter().map(|output| output.size.to_string()).collect();
    let unit = carried.agent.unit.words();
    let waiting = carried.outputs.len() - carried.leaving;
    let later = if waiting > 0 { format!("; {waiting} of them wait for the next events") } else { String::new() };
    let (title, event, cap) = (carried.agent.title, carried.event.name, carried.agent.cap);
    format!("{title} at {event}: outputs of {} {unit}, each at most {cap}{later}", sizes.join(", "))
}

fn agent_json(carried: &GateOutputs) -> serde_json::Value {
    let sizes: Vec<_> = carried.outputs.iter().map(|output| output.size).collect();
    let (agent, event) = (carried.agent, carried.event);
    json!({ "name": agent.name, "event": event.name, "cap": agent.cap, "unit": agent.unit.words(), "outputs": sizes, "leaving": carried.leaving })
}

fn as_json(gate: &Gate, carried: &GateOutputs) -> serde_json::Value {
    let files: Vec<_> = rows(gate, carried)
        .into_iter()
        .map(|row| {
            let remark = (!row.remark.is_empty()).then_some(row.remark);
            let (strategy, tokens, outputs) = (row.strategy, row.tokens, row.outputs);
            let decided_by = row.decided_by.as_deref().unwrap_or("default");
            json!({ "file": row.name, "strategy": strategy, "decided_by": decided_by, "tokens": tokens, "outputs": outputs, "remark": remark })
        })
        .collect();
    json!({
        "directory": path_text(&gate.directory),
        "files": files,
        "loaded": gate.files(),
        "tokens": gate.tokens(),
        "bytes": gate.message().len(),
        "agent": agent_json(carried),
        "notes": gate.notes,
    })
}
