//! Which doors open at which moment.

use briefing_store::Look;

use crate::agent::{Agent, Event, When};
use crate::door::{Door, Doors};
use crate::request::Source;

/// Due at once after the window was emptied: core, chain, state, and the documents of the running message.
pub const AFTER_RESET: Doors = Door::Domains.bit() | Door::Gate.bit() | Door::Docs.bit();

/// The name under which the ledger keeps what came with a message.
pub const MESSAGE: &str = "message";

/// Returns the word for a moment, as kept in the ledger.
pub fn word(when: When) -> &'static str {
    match when {
        When::Session => "session",
        When::Message => MESSAGE,
        When::Tool => "tool",
        When::SubAgent => "sub-agent",
        When::Reset | When::ManualReset => "reset",
        When::Nothing => "nothing",
    }
}

/// Returns the doors that open at this event for a session of which `done` and `owed` are known.
///
/// The domains are due at whatever comes first in an epoch, so a session that we meet in its middle, or whose start
/// carried nothing, is served at the next event. At a resume everything brought before is brought again: what has not
/// changed is not due, and the ledger knows.
pub fn doors(agent: &Agent, event: &Event, source: Source, done: Doors, owed: Doors) -> Doors {
    let (domains, gate, docs) = (Door::Domains.bit(), Door::Gate.bit(), Door::Docs.bit());
    let opening = match event.when {
        When::Session if source == Source::Resume => return domains | (done & gate) | owed,
        When::Message if agent.gate_at_message => domains | gate,
        When::Session | When::Message => domains,
        When::Tool | When::SubAgent => domains | gate,
        When::Reset | When::ManualReset | When::Nothing => return 0,
    };
    let message = if event.when == When::Message { docs } else { 0 };
    (opening & !done) | message | owed
}

/// The same for a session that the ledger may not know yet.
pub fn doors_for(agent: &Agent, event: &Event, source: Source, look: Option<&Look>) -> Doors {
    let (done, owed) = look.map_or((0, 0), |look| (look.done, look.owed));
    doors(agent, event, source, done, owed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    fn names(agent: &str, event: &str, source: Source, done: Doors, owed: Doors) -> Vec<&'static str> {
        let agent = find(agent).unwrap();
        Door::of(doors(agent, agent.event(event).unwrap(), source, done, owed)).map(Door::name).collect()
    }

    #[test]
    fn each_moment_opens_its_doors_once() {
        let new = Source::Startup;
        assert_eq!(names("claude", "SessionStart", new, 0, 0), ["domains"]);
        assert_eq!(names("claude", "UserPromptSubmit", new, 1, 0), ["docs"]);
        assert_eq!(names("claude", "PostToolBatch", new, 1, 0), ["gate"]);
        assert_eq!(names("claude", "PostToolBatch", new, 3, 0), [""; 0]);
        assert_eq!(names("claude", "SubagentStart", new, 0, 0), ["domains", "gate"]);
        assert_eq!(names("claude", "Stop", new, 0, 7), [""; 0]);
        assert_eq!(names("gemini", "BeforeAgent", new, 1, 0), ["gate", "docs"]);
    }

    #[test]
    fn a_session_met_in_its_middle_gets_the_chain_too() {
        assert_eq!(names("claude", "PostToolBatch", Source::Startup, 0, 0), ["domains", "gate"]);
    }

    #[test]
    fn after_a_reset_everything_is_due_at_the_next_event() {
        assert_eq!(names("claude", "SessionStart", Source::Compact, 0, AFTER_RESET), ["domains", "gate", "docs"]);
        assert_eq!(names("copilot", "preToolUse", Source::Startup, 0, AFTER_RESET), ["domains", "gate", "docs"]);
    }

    #[test]
    fn a_resume_looks_again_at_what_was_brought() {
        assert_eq!(names("claude", "SessionStart", Source::Resume, 1, 0), ["domains"]);
        assert_eq!(names("claude", "SessionStart", Source::Resume, 3, 0), ["domains", "gate"]);
    }
}
