//! `context`: the domains above a path, with their knowledge and state.

use briefing_agents::window::requested::{self, Requested};
use briefing_core::sources::domains::{self, ContextRequest, Reader, Reading};
use briefing_core::{Failure, Rendered};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::answer::{Answer, told};
use crate::page::{Cursor, more};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// Directory or file; default: the project
    path: Option<String>,
    /// Only the knowledge about this topic, however large it is
    topic: Option<String>,
    cursor: Option<String>,
}

/// What a program may want to know about the text.
#[derive(Debug, Serialize)]
struct About {
    domains: Vec<String>,
    topics: Vec<String>,
    next_cursor: Option<String>,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    let (places, settings) = (&call.project.places, &call.project.settings);
    let path = call.project.path(parameters.path.as_deref());
    let topic = parameters.topic.as_deref().filter(|topic| !topic.trim().is_empty());
    let reading = Reading::of(settings, places);
    let context = domains::context(&ContextRequest { path: &path, topic, now: call.host.now(), reading });
    if context.chain.is_empty() && context.deepest.is_none() {
        return Err(Failure::new("there is no domain here or above").hint("`select` finds documents; `brief init domain` starts a domain"));
    }
    let text = domains::text(&context, Reader::Window);
    let cursor = Cursor::read(parameters.cursor.as_deref(), text.as_bytes())?;
    let (page, next) = cut(&text, cursor.at, call.caller.cap())?;
    let next_cursor = next.map(|at| cursor.to(at));
    if next.is_none() && topic.is_none() {
        count(call, &path, reading);
    }
    let rest = next_cursor.as_deref().map(more).unwrap_or_default();
    let about = About {
        domains: context.chain.iter().map(|level| level.domain.clone()).collect(),
        topics: context.knowledge.as_ref().map(|knowledge| knowledge.topics.clone()).unwrap_or_default(),
        next_cursor,
    };
    Ok(Answer::text(format!("{}{page}{rest}", told(&context.notes)), &about))
}

/// Counts the domains as delivered to the session: the text has all of them.
fn count(call: &Call<'_>, path: &std::path::Path, reading: Reading<'_>) {
    let Some(asking) = call.caller.asking(None) else { return };
    let pieces = domains::bring(path, call.host.now(), reading).pieces;
    let (places, settings) = (&call.project.places, &call.project.settings);
    let requested = Requested { pieces: &pieces, asking: Some(asking), places, settings, event: "mcp context", cap: None, page: 0 };
    let printed = |_: &Rendered| call.deliverable();
    match requested::deliver(&requested, &mut super::Printed(&printed)) {
        Ok(delivered) => delivered.problem.iter().for_each(|problem| call.host.log(&format_args!("the ledger was not used: {problem}"))),
        Err(error) => call.host.log(&format_args!("not counted: {error}")),
    }
}

/// Returns as much of a text from `at` on as fits, up to the end of a line, and where it goes on.
pub(super) fn cut(text: &str, at: usize, cap: u64) -> Result<(&str, Option<usize>), Failure> {
    let rest = text.get(at..).ok_or_else(|| Failure::usage("the cursor is beyond the end").hint("call again without `cursor`"))?;
    let Some((end, _)) = rest.char_indices().nth(usize::try_from(cap).unwrap_or(usize::MAX)) else { return Ok((rest, None)) };
    let end = rest[..end].rfind('\n').map_or(end, |line| line + 1);
    Ok((&rest[..end], Some(at + end)))
}
