//! `why`: why the window has a document or file, or does not.

use std::time::{Duration, Instant};

use briefing_agents::why::{Question, WhyError, why};
use briefing_agents::{USUAL, loading};
use briefing_core::Failure;
use briefing_core::sources::{Ask, Look};
use briefing_store::{Place, Reader, SessionKey};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

use super::Call;
use crate::answer::Answer;

/// How long to wait for the ledger.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// File, document or section
    path: String,
    /// Decide for this message; default: this session's
    message: Option<String>,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    let (places, settings) = (&call.project.places, &call.project.settings);
    let asking = call.caller.asking(None);
    // The session of the caller, if its client says which one that is; else the last one in the project.
    let named = asking.as_ref().and_then(|asking| asking.session.map(|session| (asking.agent.name, session)));
    let session = named.map(|(agent, session)| SessionKey::new(agent, session, None).native);
    let agent = asking.map_or(USUAL, |asking| asking.agent);
    let mut ledger = match Place::of(places) {
        Some(place) => briefing_store::reader(&place, PATIENCE).map_err(|error| Failure::new("cannot read the ledger").because(&error))?,
        None => None,
    };
    let whose = loading::reader_of(agent, places, call.host);
    let look = Look { places, reader: &whose, touched: &[] };
    let ask = Ask::new(&look, settings, call.host.now(), Instant::now() + Duration::from_secs(60), call.host);
    let question = |session| Question { what: &parameters.path, message: parameters.message.as_deref(), session, agent };
    let mut asked = |session| why(&question(session), &ask, ledger.as_mut().map(|ledger| &mut **ledger as &mut dyn Reader));
    let answer = match asked(session.as_deref()) {
        // Nothing was delivered to this session yet.
        Err(WhyError::UnknownSession(_)) => asked(None),
        answer => answer,
    };
    let answer = answer.map_err(|error| Failure::new("cannot answer").because(&error))?;
    match answer.missing() {
        Some(failure) => Err(failure),
        None => Ok(Answer::text(answer.text(&clock), &answer)),
    }
}

/// Formats a time in the user's zone.
fn clock(millis: i64) -> String {
    let at = Timestamp::from_millisecond(millis).map(|at| at.to_zoned(TimeZone::system()));
    at.map_or_else(|_| millis.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S %:z").to_string())
}
