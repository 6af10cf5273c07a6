//! What an agent will receive in a project: at the start, for an example of a message, and when work begins.

use briefing_agents::Agent;
use briefing_agents::preview::{self, Told};
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::{Ask, docs};
use briefing_core::{Failure, Moment};

use crate::host::Asking;

/// How many documents are tried for an example.
const TRIED: usize = 12;
/// A longer title makes no natural question.
const MAX_TITLE: usize = 40;

pub(crate) struct Outlook {
    pub(crate) agent: &'static Agent,
    /// A message that brings a document, if one was found.
    pub(crate) message: Option<String>,
    pub(crate) told: Vec<Told>,
}

impl Outlook {
    pub(crate) fn of(agent: &'static Agent, places: &Places, settings: &Settings) -> Result<Self, Failure> {
        let asking = Asking::of(agent, places, settings)?;
        let ask = asking.ask();
        let by_message = |told: &Told| told.moment == Moment::Message && !told.files.is_empty();
        let bare = preview::outlook(agent, &ask);
        for message in examples(places, settings) {
            let told = preview::outlook(agent, &Ask { message: Some(&message), ..ask });
            let count = |told: &[Told]| told.iter().filter(|told| by_message(told)).map(|told| told.files.len()).sum::<usize>();
            if count(&told) > count(&bare) {
                return Ok(Self { agent, message: Some(message), told });
            }
        }
        Ok(Self { agent, message: None, told: bare })
    }
}

/// Returns messages about documents of the index, the most natural ones first.
fn examples(places: &Places, settings: &Settings) -> Vec<String> {
    let Ok(catalogue) = docs::catalogue(places, settings, None) else { return Vec::new() };
    let depth = |path: &str| path.matches('/').count();
    let mut documents: Vec<_> = catalogue.documents.iter().map(|found| (&found.shown, &found.document.title)).collect();
    let is_usual = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let is_about_all = depth(path) == 0 && ["readme", "contributing", "changelog"].iter().any(|word| name.starts_with(word));
        is_about_all || name.starts_with("index.")
    };
    documents.retain(|(path, title)| !is_usual(path) && (3..=MAX_TITLE).contains(&title.chars().count()));
    documents.sort_by_key(|(path, _)| (depth(path), path.as_str()));
    documents.iter().take(TRIED).map(|(_, title)| format!("explain {title}")).collect()
}
