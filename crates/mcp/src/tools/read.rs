//! `read`: contents by name, through the loader, in pages, and counted in the ledger where the session is known.

use briefing_agents::window::requested::{self, Requested};
use briefing_core::sources::requests::{Asked, named};
use briefing_core::{Failure, Piece, Rendered};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Printed};
use crate::answer::{Answer, failure_words, told};
use crate::page::{Cursor, more};

/// How many names one call may have.
const MOST: usize = 100;
/// The name of a read in the log.
const EVENT: &str = "mcp read";
/// The room of the lines around the contents.
const AROUND: u64 = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// Names from `select`, document ids, or paths; `#section` takes one section
    paths: Vec<String>,
    /// From the last page
    cursor: Option<String>,
    /// Id of your session, if you know it: what you read is then not sent again
    session: Option<String>,
}

/// What a program may want to know about the contents.
#[derive(Debug, Serialize)]
struct About {
    read: Vec<Content>,
    failed: Vec<String>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize)]
struct Content {
    name: String,
    path: String,
    tokens: u64,
    /// Whether the session had received it before.
    was_delivered: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required: Vec<String>,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    match parameters.paths.len() {
        0 => return Err(Failure::usage("`paths` is empty").hint("name documents or files; `select` finds them")),
        MOST.. => return Err(Failure::usage(format!("more than {MOST} names")).hint("`pack` returns whole directories")),
        _ => {}
    }
    let (places, settings) = (&call.project.places, &call.project.settings);
    let mut notes = Vec::new();
    let all = named(&parameters.paths, places, settings, &mut notes);
    let (found, failures): (Vec<&Asked>, Vec<&Asked>) = all.iter().partition(|asked| asked.found.is_ok());
    let failed: Vec<String> = failures.iter().filter_map(|asked| asked.found.as_ref().err()).map(failure_words).collect();
    let found: Vec<_> = found.into_iter().filter_map(|asked| Some((asked.name.clone(), asked.found.as_ref().ok()?))).collect();
    if found.is_empty() {
        return Err(Failure::new(failed.join("\n")));
    }
    let pieces: Vec<Piece> = found.iter().map(|(_, named)| named.piece.clone()).collect();
    let fingerprint: Vec<u8> = pieces.iter().flat_map(|piece| *piece.hash.as_bytes()).collect();
    let cursor = Cursor::read(parameters.cursor.as_deref(), &fingerprint)?;
    let asking = call.caller.asking(parameters.session.as_deref());
    let cap = call.caller.cap().saturating_sub(AROUND);
    let mut page = String::new();
    let printed = std::cell::RefCell::new(&mut page);
    let print = |rendered: &Rendered| {
        call.deliverable()?;
        printed.borrow_mut().push_str(&rendered.text);
        Ok(())
    };
    let requested = Requested { pieces: &pieces, asking, places, settings, event: EVENT, cap: Some(cap), page: cursor.at };
    let delivered = requested::deliver(&requested, &mut Printed(&print)).map_err(|error| Failure::new("cancelled").because(&error))?;
    if cursor.at >= delivered.pages {
        return Err(Failure::usage("the cursor is beyond the end").hint("call again without `cursor`"));
    }
    if let Some(problem) = &delivered.problem {
        call.host.log(&format_args!("the ledger was not used: {problem}"));
    }
    let next_cursor = (cursor.at + 1 < delivered.pages).then(|| cursor.to(cursor.at + 1));
    let mut before: Vec<String> = Vec::new();
    if cursor.at == 0 {
        before.extend(failed.iter().map(|failure| format!("{failure}\n")));
        before.push(told(&notes));
    }
    let had: Vec<&str> = pieces.iter().zip(&delivered.had).filter(|(_, had)| **had).map(|(piece, _)| piece.path.as_str()).collect();
    if !had.is_empty() {
        before.push(format!("note: this session has received {} before\n", had.join(", ")));
    }
    let required = found.iter().filter(|(_, named)| !named.required.is_empty() && next_cursor.is_none());
    let after: Vec<String> = required.map(|(name, named)| format!("note: `{name}` requires {}\n", named.required.join(", "))).collect();
    let rest = next_cursor.as_deref().map(more).unwrap_or_default();
    let text = format!("{}{page}{}{rest}", before.concat(), after.concat());
    let content = |((name, named), had): ((String, &briefing_core::sources::requests::Named), bool)| Content {
        name,
        path: named.piece.file.clone(),
        tokens: named.piece.tokens,
        was_delivered: had,
        required: named.required.clone(),
    };
    let read = found.into_iter().zip(delivered.had).map(content).collect();
    Ok(Answer::text(text, &About { read, failed, next_cursor }))
}
