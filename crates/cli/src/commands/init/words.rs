//! What `brief init` says: what it found, what it will do, what came of it.

use std::fmt::Write as _;
use std::path::Path;

use briefing_agents::setup::undo::{Fate, Undo};
use briefing_agents::setup::{Choice, Part, Plan, Planned, Why};
use briefing_core::Moment;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::{Value, json};

use super::outlook::Outlook;
use crate::columns::{WIDTH, fill, quoted, short, tilde, width};

/// How many domains are listed one by one.
const LISTED: usize = 4;

/// Returns what was found, and what will be done.
pub(super) fn found(plan: &Plan, places: &Places) -> String {
    let mut text = String::new();
    let mut line = |words: &str| {
        let _ = writeln!(text, "{}", fill("", words));
    };
    line(&tilde(&plan.found.project, places));
    line(&project(plan));
    line(&for_agents(plan, places));
    if plan.changes.is_empty() {
        let what = if plan.obstacles.is_empty() { "Nothing is missing." } else { "Nothing else can be done here." };
        line(&format!("{} {what}", choice(plan, places)));
    } else {
        text.push('\n');
        text.push_str("brief will\n");
        text.push_str(&changes(plan, places));
        let _ = writeln!(text, "{}", fill("", &choice(plan, places)));
        if !plan.is_reversible() {
            let _ = writeln!(text, "{}", fill("", "Without a state directory, `brief init --undo` cannot take this back."));
        }
    }
    for (agent, files) in &plan.repeated {
        let names: Vec<String> = files.iter().map(|file| short(file, &plan.found.project, places)).collect();
        let words = format!(
            "{} loads {}, which have the same text: it reads that {} times. Keep it in one of them; `CLAUDE.md` can import it with \
             `@AGENTS.md`.",
            agent.title,
            listed(&names),
            names.len()
        );
        let _ = writeln!(text, "\n{}", fill("", &words));
    }
    if !plan.offers.is_empty() {
        text.push_str("\nOnly if you want it:\n");
        for offer in &plan.offers {
            let _ = writeln!(text, "{}\n{}", fill("- ", &offer.to_string()), fill("  ", &format!("brief init --with {}", offer.word())));
        }
    }
    if !plan.obstacles.is_empty() {
        text.push_str("\nNot possible here:\n");
        for obstacle in &plan.obstacles {
            let _ = writeln!(text, "{}\n{}", fill("- ", &obstacle.to_string()), fill("  fix: ", &obstacle.fix()));
        }
    }
    text
}

/// Says what kind of project this is, and what documents it has.
fn project(plan: &Plan) -> String {
    let survey = &plan.found.survey;
    let mut has: Vec<String> = Vec::new();
    has.extend(survey.readme.as_ref().map(|readme| readme.file.clone()));
    has.extend(survey.rules.as_ref().map(|rules| rules.file.clone()));
    if plan.found.project.join("docs").is_dir() {
        has.push("docs/".to_owned());
    }
    if plan.found.has_goals {
        has.push("goals (`brief goals`)".to_owned());
    }
    let languages = listed(&survey.languages.iter().take(3).map(|language| (*language).to_owned()).collect::<Vec<_>>());
    let kind = if languages.is_empty() { "A directory".to_owned() } else { format!("{} {languages} project", article(&languages)) };
    let packages = match survey.units.len() {
        0 | 1 => String::new(),
        count => format!(" of {count} packages"),
    };
    let with = if has.is_empty() { " without a README".to_owned() } else { format!(" with {}", listed(&has)) };
    format!("{kind}{packages}{with}.")
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O']) { "An" } else { "A" }
}

/// Says what agents already have here, and which are on this machine.
fn for_agents(plan: &Plan, places: &Places) -> String {
    let found = &plan.found;
    let mut has: Vec<String> = found.instructions.iter().map(|file| format!("`{}`", file.path)).collect();
    has.extend(found.context.iter().chain(&found.domain).map(|path| format!("`{}`", short(path, &found.project, places))));
    has.extend(found.indexes.iter().map(|path| format!("`{}`", short(path, &found.project, places))));
    let has = if has.is_empty() { "Agents receive nothing here yet.".to_owned() } else { format!("For agents it has {}.", listed(&has)) };
    let agents: Vec<String> = found.agents.iter().map(|agent| agent.title.to_owned()).collect();
    let agents = if agents.is_empty() {
        "No supported agent was found on this machine (`brief install AGENT` adds the hooks later).".to_owned()
    } else {
        format!("On this machine: {}.", listed(&agents))
    };
    format!("{has} {agents}")
}

/// Joins words: `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns one line for each file, in columns.
fn changes(plan: &Plan, places: &Places) -> String {
    let project = &plan.found.project;
    let mut rows: Vec<(&str, String, String)> = Vec::new();
    let is_domain = |planned: &&Planned| matches!(planned.part, Part::Knowledge) && planned.file.ends_with(".megg/info.md");
    let domains = plan.changes.iter().filter(is_domain).count();
    let mut named = 0;
    for planned in &plan.changes {
        if is_domain(&planned) && domains > LISTED + 1 {
            named += 1;
            if named == LISTED + 1 {
                rows.push(("write", format!("and {} more domains", domains - LISTED), "each a draft from its README".to_owned()));
            }
            if named > LISTED {
                continue;
            }
        }
        let verb = if planned.before.is_some() { "edit" } else { "write" };
        rows.push((verb, short(&planned.file, project, places), planned.summary.clone()));
    }
    let widest = rows.iter().map(|(_, file, _)| width(file)).max().unwrap_or(0).min(WIDTH / 2);
    let mut text = String::new();
    for (verb, file, summary) in rows {
        let start = format!("  {verb:<5} {file:<widest$}  ");
        if width(&start) > WIDTH / 2 + 12 {
            let _ = writeln!(text, "{}\n{}", start.trim_end(), fill(&" ".repeat(widest + 10), &summary));
        } else {
            let _ = writeln!(text, "{}", fill(&start, &summary));
        }
    }
    text
}

/// Says where knowledge goes, and why.
fn choice(plan: &Plan, places: &Places) -> String {
    let shown = |path: &Path| short(path, &plan.found.project, places);
    match &plan.choice {
        Choice::Context => "`.context` because this is one project; a repository of several would get `.megg` domains. \
             Read the drafts: they hold only what the project already says."
            .to_owned(),
        Choice::Domains(Why::Packages(count), _) => format!(
            "`.megg` domains because {count} packages here have a README of their own; one project would get `.context`. \
             Read the drafts: they hold only what the project already says."
        ),
        Choice::Domains(Why::Above(above), _) => {
            format!("A `.megg` domain because there is one above it, `{}`, whose knowledge holds here too.", shown(above))
        }
        Choice::HasContext(path) | Choice::HasDomain(path) => format!("`{}` is there and stays as it is.", shown(path)),
        Choice::HasInstructions(file) => {
            format!("No `.context`: `{file}` has the rules already, and a second copy would contradict it one day.")
        }
        Choice::Nothing if plan.changes.is_empty() => {
            "There is nothing to tell an agent yet: write a README.md, then run `brief init` again.".to_owned()
        }
        Choice::Nothing => {
            "No `.context` yet: the project says too little about itself. Write a README.md, then run `brief init` again.".to_owned()
        }
    }
}

/// Returns what came of it: what an agent will receive, and the next two commands.
pub(super) fn finish(plan: &Plan, outlook: &Outlook, places: &Places) -> String {
    let mut text = String::from("\n");
    if !plan.changes.is_empty() {
        text.push_str(if plan.is_reversible() { "Done. `brief init --undo` takes it back.\n\n" } else { "Done.\n\n" });
    }
    text.push_str(&told(outlook, &plan.found.project, places));
    let message = outlook.message.as_deref().map_or_else(|| "'your question'".to_owned(), quoted);
    let preview = format!("brief preview {message}");
    let log = "brief log".to_owned();
    let widest = width(&preview).max(width(&log)).min(WIDTH / 2);
    text.push_str("\nNext:\n");
    for (command, words) in [(preview, "shows the exact text"), (log, "shows what your agents have received")] {
        let start = format!("  {command:<widest$}  ");
        let line =
            if width(&start) > WIDTH / 2 + 4 { format!("{}\n{}", start.trim_end(), fill("      ", words)) } else { fill(&start, words) };
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Returns what an agent receives, moment by moment.
fn told(outlook: &Outlook, project: &Path, places: &Places) -> String {
    let title = outlook.agent.title;
    if outlook.told.is_empty() {
        return format!("{title} receives nothing here yet.\n");
    }
    let mut text = format!("What {title} will receive here:\n");
    for told in &outlook.told {
        let when = match (told.moment, &outlook.message) {
            (Moment::Session, _) => "at the start of a session".to_owned(),
            (Moment::Message, Some(message)) => format!("for the message \"{message}\""),
            (Moment::Message, None) => "with the first message".to_owned(),
            _ => "when it first uses a tool".to_owned(),
        };
        let files: Vec<String> = told.files.iter().map(|file| short(Path::new(file), project, places)).collect();
        let tokens = format!("({} tokens)", told.tokens);
        let words = if files.is_empty() { tokens } else { format!("{} {tokens}", files.join(", ")) };
        let _ = writeln!(text, "{}\n{}", fill("  ", &format!("{when}:")), fill("      ", &words));
    }
    text
}

/// Returns what will be taken back.
pub(super) fn undo(undo: &Undo, project: &Path, places: &Places) -> String {
    let mut text = String::from("brief will\n");
    for step in &undo.steps {
        let (verb, words) = match step.fate {
            Fate::Delete => ("delete", ""),
            Fate::Restore(_) => ("restore", "to what it was before"),
            Fate::Edit(_) => ("edit", "only our own lines go; it has changed since"),
            Fate::Stays => ("keep", "it has changed since; delete it yourself if you want to"),
            Fate::Gone => ("skip", "there is nothing of ours in it any more"),
        };
        let _ = writeln!(text, "{}", fill(&format!("  {verb:<7} {}  ", short(&step.file, project, places)), words).trim_end());
    }
    text
}

/// Returns the plan for programs.
pub(super) fn as_json(plan: &Plan, places: &Places, is_done: bool) -> Value {
    let found = &plan.found;
    let survey = &found.survey;
    let (kind, why) = match &plan.choice {
        Choice::Context => ("context", None),
        Choice::Domains(..) => ("domains", None),
        Choice::HasContext(path) | Choice::HasDomain(path) => ("existing", Some(path_text(path))),
        Choice::HasInstructions(file) => ("instructions", Some((*file).to_owned())),
        Choice::Nothing => ("nothing", None),
    };
    json!({
        "project": path_text(&found.project),
        "found": {
            "name": survey.name,
            "languages": survey.languages,
            "readme": survey.readme.as_ref().map(|readme| &readme.file),
            "rules": survey.rules.as_ref().map(|rules| &rules.file),
            "packages": survey.units.iter().map(|unit| path_text(&unit.path)).collect::<Vec<_>>(),
            "instructions": found.instructions.iter().map(|file| file.path).collect::<Vec<_>>(),
            "context": found.context.as_deref().map(path_text),
            "domain": found.domain.as_deref().map(path_text),
            "indexes": found.indexes.iter().map(|path| path_text(path)).collect::<Vec<_>>(),
            "agents": found.agents.iter().map(|agent| agent.name).collect::<Vec<_>>(),
        },
        "knowledge": { "kind": kind, "existing": why, "reason": choice(plan, places) },
        "changes": plan.changes.iter().map(|planned| json!({
            "part": planned.part.word(),
            "file": path_text(&planned.file),
            "is_new": planned.before.is_none(),
            "summary": planned.summary,
        })).collect::<Vec<_>>(),
        "offers": plan.offers.iter().map(|offer| offer.word()).collect::<Vec<_>>(),
        "obstacles": plan.obstacles.iter().map(|obstacle| json!({ "problem": obstacle.to_string(), "fix": obstacle.fix() })).collect::<Vec<_>>(),
        "done": is_done,
    })
}

/// Returns what will be taken back, for programs.
pub(super) fn undo_json(undo: &Undo) -> Value {
    let word = |fate: &Fate| match fate {
        Fate::Delete => "delete",
        Fate::Restore(_) => "restore",
        Fate::Edit(_) => "edit",
        Fate::Stays => "stays",
        Fate::Gone => "gone",
    };
    json!({ "files": undo.steps.iter().map(|step| json!({ "file": path_text(&step.file), "fate": word(&step.fate) })).collect::<Vec<_>>() })
}
