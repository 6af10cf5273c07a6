//! OpenCode. Our plugin calls `brief`.

use briefing_core::Moment;

use super::{BASE, event, mute};
use crate::agent::{Agent, Fields, Recipe, Shape, TimeoutUnit};

pub(super) const ROW: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    measured: "1.18.33",
    events: &[event("chat.message", Moment::Message, 1), mute("session.compacted", Moment::Reset, 1)],
    // Our plugin defines these names.
    fields: Fields {
        session: "session",
        cwd: "cwd",
        cwd_is_list: false,
        message: "message",
        source: "",
        transcript: "",
        sub_agent: "",
        turn: "",
        tool_use: "",
    },
    shape: Shape::Plain,
    gate_at_message: true,
    timeout: TimeoutUnit::None,
    recipe: Recipe::Plugin(include_str!("opencode.js")),
    program: "opencode",
    home: ".config/opencode",
    home_variable: "OPENCODE_CONFIG_DIR",
    user_file: "plugins/brief.js",
    project_file: ".opencode/plugins/brief.js",
    ..BASE
};
