//! The rules that concern a file whatever the message is: its source, its guard, or why no source has it.

use std::fs;
use std::path::Path;

use briefing_core::load::Root;
use briefing_core::project::marked_or_self;
use briefing_core::secrets::redact;
use briefing_core::shown::{path_text, relative_text};
use briefing_core::sources::Ask;
use briefing_core::sources::docs::{self, MAX_DOCUMENT_BYTES, TestKind};
use briefing_core::sources::domains::{self, Context, ContextRequest, Mode, Reading};
use briefing_core::sources::gate::{self, Gate, Strategy};
use briefing_core::sources::instructions::{self, Concern};
use briefing_core::{Level, NoteKind};
use serde::Serialize;

use super::{Answer, Subject, Verdict};
use crate::agent::Agent;
use crate::loading;

pub use docs::Unlisted;

/// A rule that concerns a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Rule {
    /// Nothing has this name.
    Missing {
        #[serde(skip_serializing_if = "Option::is_none")]
        similar: Option<String>,
    },
    /// It may not or cannot be read.
    Refused { kind: NoteKind, problem: String },
    /// Parts of it are replaced.
    Redacted { secrets: Vec<String> },
    /// The agent loads it by itself.
    LoadedByAgent { agent: &'static str },
    /// The agent does not load it by itself, and receives it.
    Instructions {
        agent: &'static str,
        #[serde(flatten)]
        concern: Concern,
    },
    /// It is a core file.
    CoreFile {
        strategy: Strategy,
        /// The setting that decided, with its origin; `None` for the usual strategy.
        decided_by: Option<String>,
        state: CoreState,
        tokens: u64,
    },
    /// It belongs to a domain.
    Domain { domain: String, part: DomainPart },
    /// An index lists it.
    Document {
        index: String,
        title: String,
        tokens: u64,
        /// Why it cannot be opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// Its entries are chosen one by one.
    Entries { entries: usize },
    /// No index has it.
    Unlisted {
        #[serde(flatten)]
        because: Unlisted,
    },
}

/// What goes into a window of a core file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoreState {
    /// All of it, or its index.
    Included,
    /// Its name.
    Mentioned,
    /// Nothing: its strategy says so.
    Skipped,
    /// Nothing: it has only its template.
    Unfilled,
    /// Nothing: it cannot be read.
    Unreadable,
    /// The files of another directory are used here.
    Elsewhere,
}

/// What a file is in its domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum DomainPart {
    /// The identity: always whole.
    Identity,
    /// The knowledge, whole, summarised or blocked by its size.
    Knowledge { mode: Mode, tokens: u64 },
    /// The knowledge of a domain above: named, and read on demand.
    KnowledgeAbove,
    /// What the session before left.
    HandOff,
    /// The same, but too old.
    ExpiredHandOff { reason: String },
    /// Another file of the domain: named, and read on demand.
    OnDemand,
    /// The domain does not lie on the way from the root to here.
    NotInChain,
}

impl Rule {
    /// Returns whether messages choose the file, or entries of it.
    pub(super) fn is_selectable(&self) -> bool {
        matches!(self, Self::Document { .. } | Self::Entries { .. })
    }

    /// Returns whether the rule brings something of the file into a window by itself.
    pub(super) fn brings(&self) -> bool {
        match self {
            Self::CoreFile { state, .. } => *state == CoreState::Included,
            Self::Domain { part, .. } => match part {
                DomainPart::Identity | DomainPart::HandOff => true,
                DomainPart::Knowledge { mode, .. } => *mode != Mode::Blocked,
                _ => false,
            },
            Self::LoadedByAgent { .. } => true,
            Self::Instructions { concern, .. } => *concern != Concern::Beside,
            _ => false,
        }
    }
}

/// Finds the rules that concern a file. What is the same file under another name gets the name that the sources use.
pub(super) fn rules(subject: &mut Subject, ask: &Ask<'_>, agent: &Agent) -> Vec<Rule> {
    let Some(path) = subject.path.clone() else { return vec![Rule::Missing { similar: subject.similar.clone() }] };
    let is_same =
        |other: &Path| other == path || fs::canonicalize(other).ok().is_some_and(|other| fs::canonicalize(&path).ok() == Some(other));
    let mut rules = Vec::new();
    let others;
    let reader = if agent.title == ask.reader.title {
        ask.reader
    } else {
        others = loading::reader(agent, ask.places, |_| None);
        &others
    };
    if reader.loads(&path) {
        rules.push(Rule::LoadedByAgent { agent: agent.title });
    } else if let Some(concern) = instructions::concern(ask, reader, &path) {
        rules.push(Rule::Instructions { agent: agent.title, concern });
    }
    rules.extend(core_file(&path, ask, &is_same));
    rules.extend(domain_file(&path, ask, &is_same));
    let catalogue = docs::everything(ask.places, ask.settings);
    if let Some(listed) = catalogue.documents.iter().find(|listed| is_same(&listed.document.file)) {
        // The ledger and the selector know it by this name.
        subject.path = Some(listed.document.file.clone());
        rules.push(Rule::Document {
            index: relative_text(&listed.index, &ask.places.here),
            title: listed.document.title.clone(),
            tokens: listed.document.tokens,
            problem: listed.problem.as_ref().map(ToString::to_string),
        });
    }
    let entries = catalogue.entries.iter().filter(|entry| is_same(&entry.path)).count();
    if entries > 0 {
        rules.push(Rule::Entries { entries });
    }
    let is_known = !rules.is_empty();
    let is_listed = rules.iter().any(|rule| matches!(rule, Rule::Document { .. }));
    rules.extend(guard(&path, is_listed, ask));
    if !is_known && !rules.iter().any(|rule| matches!(rule, Rule::Refused { .. })) {
        rules.push(Rule::Unlisted { because: docs::unlisted(ask.places, ask.settings, &path) });
    }
    rules
}

/// Returns what the guard of content says: whether the file may be read, and what is replaced in it.
///
/// A document is read beneath the root of its index, which may be elsewhere; everything else beneath the project.
fn guard(path: &Path, is_listed: bool, ask: &Ask<'_>) -> Option<Rule> {
    let root = if is_listed { path.parent().unwrap_or(path) } else { marked_or_self(&ask.places.here) };
    let opened = Root::open(root).and_then(|root| root.open_file(path));
    match opened.and_then(|opened| opened.text(MAX_DOCUMENT_BYTES)) {
        Ok(text) => {
            let secrets: Vec<String> = redact(&text).secrets.iter().map(|secret| secret.note("").reason).collect();
            (!secrets.is_empty() && ask.settings.guards.redact.value).then_some(Rule::Redacted { secrets })
        }
        Err(problem) => Some(Rule::Refused { kind: problem.kind(), problem: problem.to_string() }),
    }
}

fn core_file(path: &Path, ask: &Ask<'_>, is_same: &dyn Fn(&Path) -> bool) -> Option<Rule> {
    let gate = gate::load(ask.places, ask.settings)?;
    if let Some(section) = gate.sections.iter().find(|section| is_same(&section.path)) {
        let decided_by = planned(&gate, path).and_then(|planned| planned.decided_by.clone());
        let (strategy, tokens) = (section.strategy, section.tokens);
        return Some(Rule::CoreFile { strategy, decided_by, state: CoreState::Included, tokens });
    }
    let planned = planned(&gate, path)?;
    let is_in = |names: &[String]| names.contains(&planned.name);
    let state = match planned.strategy {
        _ if gate.left_out.iter().any(|(name, _)| *name == planned.name) => CoreState::Unreadable,
        _ if is_in(&gate.unfilled) => CoreState::Unfilled,
        _ if path.parent() != Some(&gate.directory) => CoreState::Elsewhere,
        Strategy::Mention => CoreState::Mentioned,
        Strategy::Skip => CoreState::Skipped,
        Strategy::Verbatim | Strategy::Index => CoreState::Unreadable,
    };
    Some(Rule::CoreFile { strategy: planned.strategy, decided_by: planned.decided_by.clone(), state, tokens: 0 })
}

/// Returns the row of the plan for a file in a directory of core files.
fn planned<'a>(gate: &'a Gate, path: &Path) -> Option<&'a gate::Planned> {
    let is_context = path.parent().is_some_and(|directory| directory.file_name() == gate.directory.file_name());
    let name = path.file_name().filter(|_| is_context)?.to_string_lossy();
    gate.planned.iter().find(|planned| planned.name == name)
}

fn domain_file(path: &Path, ask: &Ask<'_>, is_same: &dyn Fn(&Path) -> bool) -> Option<Rule> {
    let megg = path.parent().filter(|directory| directory.file_name().is_some_and(|name| name == domains::DIRECTORY))?;
    let reading = Reading::of(ask.settings, ask.places);
    let context = domains::context(&ContextRequest { path: &ask.places.here, topic: None, now: ask.now, reading });
    let domain = megg.parent().and_then(Path::file_name).map(|name| path_text(Path::new(name))).unwrap_or_default();
    Some(Rule::Domain { domain, part: domain_part(path, megg, &context, is_same) })
}

fn domain_part(path: &Path, megg: &Path, context: &Context, is_same: &dyn Fn(&Path) -> bool) -> DomainPart {
    if context.chain.iter().any(|level| is_same(&level.info_path())) {
        return DomainPart::Identity;
    }
    if let Some(knowledge) = context.knowledge.as_ref().filter(|knowledge| is_same(&knowledge.path)) {
        return DomainPart::Knowledge { mode: knowledge.mode, tokens: knowledge.tokens };
    }
    if context.state.as_ref().is_some_and(|state| is_same(&state.path)) {
        return DomainPart::HandOff;
    }
    let is_deepest = context.deepest.as_deref() == Some(megg);
    if let Some(reason) = context.expired.as_ref().filter(|_| is_deepest && path.file_name().is_some_and(|name| name == "state.md")) {
        return DomainPart::ExpiredHandOff { reason: reason.clone() };
    }
    match () {
        () if is_deepest => DomainPart::OnDemand,
        () if context.on_demand.iter().any(|other| is_same(other)) => DomainPart::KnowledgeAbove,
        () => DomainPart::NotInChain,
    }
}

/// Returns what to do so that the answer becomes another one.
pub(super) fn advice(answer: &Answer) -> Vec<String> {
    if matches!(answer.verdict, Verdict::Delivered | Verdict::Comes) {
        return Vec::new();
    }
    let name = answer.subject.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut advice: Vec<String> = answer.rules.iter().filter_map(|rule| rule_advice(rule, &name)).collect();
    let decision = answer.decision.as_ref().or_else(|| answer.replays.first().and_then(|replay| replay.decision.as_ref()));
    let Some(decision) = decision.filter(|_| !answer.rules.iter().any(Rule::brings)) else { return advice };
    let Some(candidate) = &decision.candidate else {
        advice.push("use words of the document in the message, or words of the message in its title, tags or headings".into());
        return advice;
    };
    if let Some(test) = candidate.tests.iter().find(|test| !test.is_passed) {
        advice.push(match test.test {
            TestKind::Topic => format!("name the file (`{name}`) or its subject in the message"),
            TestKind::Named => "name this document too, or none".into(),
            TestKind::Limit => format!("raise `docs.max_docs` (now {:.0})", test.needed),
            TestKind::Match | TestKind::Worth => "add the words that people use to its title, tags, description or headings".into(),
        });
    }
    if decision.notes.iter().any(|note| note.kind == NoteKind::Budget && note.level > Level::Info) {
        advice.push("raise `docs.max_tokens`, or split the document".into());
    }
    advice
}

fn rule_advice(rule: &Rule, name: &str) -> Option<String> {
    Some(match rule {
        Rule::Instructions { concern: Concern::Beside, .. } => {
            "`brief init --with agents-md`, or `beside = true` in `[instructions]`".into()
        }
        Rule::CoreFile { state: CoreState::Mentioned | CoreState::Skipped, .. } => {
            format!("`[gate.files]` with `\"{name}\" = \"verbatim\"` in brief.toml includes it")
        }
        Rule::CoreFile { state: CoreState::Unfilled, .. } => "replace the template's placeholders by content".into(),
        Rule::Domain { part: DomainPart::Knowledge { mode: Mode::Blocked | Mode::Summary, .. }, .. } => {
            "`brief maintain` makes the knowledge smaller; its entries are chosen per message until then".into()
        }
        Rule::Domain { part: DomainPart::NotInChain, .. } => "work in the directory of that domain".into(),
        Rule::Unlisted { because } => match because {
            Unlisted::NoIndex => "`brief index` makes an index that has it".into(),
            Unlisted::Outdated { .. } => "`brief index` adds it".into(),
            Unlisted::Ignored { file, .. } => format!("change `{file}`, or name the document with `brief index --from`"),
            Unlisted::NotReferenced | Unlisted::Hidden | Unlisted::ThirdParty { .. } => {
                "refer to it from an indexed document, name it with `brief index --from`, or use `brief index --all`".into()
            }
            Unlisted::Outside { .. } => "list it in an index that your own configuration names (`docs.index`, `docs.global_index`)".into(),
            Unlisted::NotMarkdown => "`brief pack` and `brief read` give files of any kind".into(),
            Unlisted::Refused { .. } | Unlisted::NoProject { .. } => return None,
        },
        _ => return None,
    })
}
