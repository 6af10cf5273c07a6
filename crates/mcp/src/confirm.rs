//! Confirmation of a write by the user. A model must not confirm to itself, so the question goes through the client: as a
//! request to it up to 2025-11-25, as a result that asks for input and a second call from 2026-07-28 on.

use briefing_core::Failure;
use jiff::{SignedDuration, Timestamp};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputRequiredResult, ServerRequest,
};
use rmcp::service::Peer;

/// The name of the question.
const QUESTION: &str = "confirm";
/// How long an answer to a question is good for.
const PATIENCE: SignedDuration = SignedDuration::from_hours(24);

/// What the client sent back of an earlier question.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The time that the entry had when it was shown.
    pub(crate) shown_at: Timestamp,
    /// The fingerprint of what was shown.
    shown: String,
    is_agreed: bool,
}

impl Answered {
    /// Reads the answer in a second call. Returns `None` if it is the first one, or what was asked is no longer known.
    pub(crate) fn read(request: &CallToolRequestParams, now: Timestamp) -> Option<Self> {
        let (at, shown) = request.request_state.as_deref()?.split_once(' ')?;
        let shown_at: Timestamp = at.parse().ok()?;
        let is_recent = now.duration_since(shown_at).abs() < PATIENCE;
        let answer: ElicitResult = serde_json::from_value(request.input_responses.as_ref()?.get(QUESTION)?.clone()).ok()?;
        is_recent.then(|| Self { shown_at, shown: shown.to_owned(), is_agreed: answer.action == ElicitationAction::Accept })
    }

    /// Returns whether the user agreed to exactly this change; `None` if something else was shown.
    pub(crate) fn agrees_to(&self, diff: &str) -> Option<bool> {
        (self.shown == fingerprint(diff)).then_some(self.is_agreed)
    }
}

fn fingerprint(diff: &str) -> String {
    briefing_core::hash(diff.as_bytes()).to_hex()[..32].to_owned()
}

/// Returns the result that asks the client to ask its user.
pub(crate) fn question(diff: &str, at: Timestamp) -> InputRequiredResult {
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(diff)));
    InputRequiredResult::new(Some(InputRequests::from([(QUESTION.to_owned(), asked)])), Some(format!("{at} {}", fingerprint(diff))))
}

/// Asks the user through a request to the client, and waits for the answer.
pub(crate) async fn ask(peer: &Peer<RoleServer>, diff: &str) -> Result<bool, Failure> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form(diff)));
    let failed = |cause: String| Failure::new("the user could not be asked").because_of(cause).hint(ALLOW);
    match peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(answer)) => Ok(answer.action == ElicitationAction::Accept),
        Ok(_) => Err(failed("the client's answer is of another kind".into())),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn form(diff: &str) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("Write this to the project's knowledge?\n\n{diff}"),
        requested_schema: ElicitationSchema::new(std::collections::BTreeMap::new()),
    }
}

/// The next step where nobody can be asked.
pub(crate) const ALLOW: &str = "ask the user to run `brief learn`, `brief decision add` or `brief learning add`, \
                                or to set `mcp.write = true` in their own brief.toml (`brief config show mcp.write`)";

/// Returns the failure for a client that cannot ask.
pub(crate) fn not_allowed() -> Failure {
    Failure::new("nothing was written: this client cannot ask the user to confirm").hint(ALLOW)
}

/// Returns the failure for a user who did not agree.
pub(crate) fn declined() -> Failure {
    Failure::new("nothing was written: the user did not agree").hint("do not try again unless the user asks for it")
}
