//! Any other program that calls `brief hook generic EVENT` itself.

use briefing_core::Moment;

use super::{BASE, event, mute};
use crate::agent::{Agent, Fields, Recipe, Shape, TimeoutUnit};

pub(super) const ROW: Agent = Agent {
    name: "generic",
    title: "any other program",
    events: &[
        event("session-start", Moment::Session, 0),
        event("message", Moment::Message, 0),
        event("tool", Moment::Tool, 0),
        event("sub-agent-start", Moment::SubAgent, 0),
        mute("compact", Moment::Reset, 0),
        mute("session-end", Moment::Nothing, 0),
    ],
    fields: Fields {
        session: "session",
        cwd: "cwd",
        cwd_is_list: false,
        message: "message",
        source: "source",
        transcript: "",
        sub_agent: "agent",
        turn: "turn",
        tool_use: "tool_use",
        kept: "",
        tool_input: "tool_input",
    },
    shape: Shape::Plain,
    keeps_id_at_clear: true,
    timeout: TimeoutUnit::None,
    recipe: Recipe::None,
    user_file: "",
    sub_agents: "identified by `agent`, if the caller sends it",
    ..BASE
};
