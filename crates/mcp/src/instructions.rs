//! What a model is told about the project before it asks: what there is, which topics, when to call. The same project
//! gives the same bytes.

use std::collections::BTreeSet;

use briefing_agents::Host;
use briefing_core::frames::inline;
use briefing_core::sources::domains::{self, ContextRequest, Reading};
use briefing_core::sources::{docs, gate};
use briefing_core::text::beginning;

use crate::caller::Caller;
use crate::project::Project;

/// The longest instructions, in characters.
pub(crate) const MAX_CHARACTERS: usize = 1_000;
/// How much of that lists of names may take.
const LISTED: usize = 160;

const USE: &str = "Call `select` with the user's request before working on something unfamiliar, then `read` what fits; \
                   `context` for the knowledge about a directory. What hooks have already put into this conversation need not be read again.";

/// Returns the instructions for the project.
pub(crate) fn of(host: &dyn Host, caller: &Caller) -> String {
    let Ok(project) = Project::open(host, caller) else {
        return "Project knowledge from Briefing. The project's directory is gone: restart the server in a project.".to_owned();
    };
    let here = here(host, &project);
    let text = if here.is_empty() {
        format!(
            "Project knowledge from Briefing. Nothing is set up here yet; `select` with kind \"files\" and `pack` work on the source. {USE}"
        )
    } else {
        format!("Project knowledge from Briefing. Here: {}. {USE}", here.join("; "))
    };
    text.chars().take(MAX_CHARACTERS).collect()
}

/// Returns what there is, one phrase each.
fn here(host: &dyn Host, project: &Project) -> Vec<String> {
    let (places, settings) = (&project.places, &project.settings);
    let mut here = Vec::new();
    let reading = Reading::of(settings, places);
    let context = domains::context(&ContextRequest { path: &places.here, topic: None, now: host.now(), reading });
    if !context.chain.is_empty() {
        let names: Vec<&str> = context.chain.iter().map(|level| level.domain.as_str()).collect();
        let topics = context.knowledge.map(|knowledge| knowledge.topics).unwrap_or_default();
        let topics = if topics.is_empty() { String::new() } else { format!(", topics: {}", listed(topics.iter().map(String::as_str))) };
        here.push(format!("domains {}{topics}", listed(names.into_iter())));
    }
    if let Some(gate) = gate::load(places, settings) {
        let names: BTreeSet<&str> =
            gate.sections.iter().map(|section| section.name.as_str()).chain(gate.mentioned.iter().map(String::as_str)).collect();
        here.push(format!("core files {}", listed(names.into_iter())));
    }
    let indexes = docs::find(places, settings).files();
    let read = indexes.iter().filter_map(|file| docs::Index::read(file, places.home.as_deref()).ok());
    let documents: Vec<docs::IndexedDocument> = read.flat_map(|index| index.documents).collect();
    if !documents.is_empty() {
        let tags: BTreeSet<&str> = documents.iter().flat_map(|document| &document.tags).map(String::as_str).collect();
        let about = if tags.is_empty() { String::new() } else { format!(" about {}", listed(tags.into_iter())) };
        let documents = if documents.len() == 1 { "1 document".to_owned() } else { format!("{} documents", documents.len()) };
        here.push(format!("{documents}{about}"));
    }
    here
}

/// Returns names with commas, as many as there is room for.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut left = 0;
    for name in names.filter(|name| !name.is_empty()) {
        let name = inline(beginning(name, 60)).into_owned();
        if left > 0 || text.len() + name.len() > LISTED {
            left += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&name);
    }
    if left > 0 { format!("{text} and {left} more") } else { text }
}
