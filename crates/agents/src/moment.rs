//! Which sources open at which moment.

use briefing_core::Moment;
use briefing_core::sources::{Opens, Source, Sources};
use briefing_store::Known;

use crate::agent::{Agent, Event};
use crate::request::Start;

/// Due at once after the window was emptied: core, chain, state, and the documents of the running message.
pub const AFTER_RESET: Sources = Source::every();

/// Returns the sources that open at this event for a session of which `done` and `owed` are known.
///
/// The domains are due at whatever comes first in an epoch, so a session that we meet in its middle, or whose start
/// carried nothing, is served at the next event. At a resume everything brought before is brought again: what has not
/// changed is not due, and the ledger knows.
pub fn sources(agent: &Agent, event: &Event, start: Start, done: Sources, owed: Sources) -> Sources {
    let [first, work, message] = [Opens::First, Opens::Work, Opens::Message].map(|way| Source::opening(&[way]));
    let opening = match event.moment {
        Moment::Session if start == Start::Resume => return first | (done & work) | owed,
        Moment::Message if agent.gate_at_message => first | work,
        Moment::Session | Moment::Message => first,
        Moment::Tool | Moment::SubAgent => first | work,
        Moment::Reset | Moment::ManualReset | Moment::Nothing => return 0,
    };
    let message = if event.moment == Moment::Message { message } else { 0 };
    (opening & !done) | message | owed
}

/// The same for a session that the ledger may not know yet.
pub fn sources_for(agent: &Agent, event: &Event, start: Start, known: Option<&Known>) -> Sources {
    let (done, owed) = known.map_or((0, 0), |known| (known.done, known.owed));
    sources(agent, event, start, done, owed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    fn names(agent: &str, event: &str, start: Start, done: Sources, owed: Sources) -> Vec<&'static str> {
        let agent = find(agent).unwrap();
        Source::of(sources(agent, agent.event(event).unwrap(), start, done, owed)).map(Source::name).collect()
    }

    #[test]
    fn each_moment_opens_its_sources_once() {
        let new = Start::Startup;
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
        assert_eq!(names("claude", "PostToolBatch", Start::Startup, 0, 0), ["domains", "gate"]);
    }

    #[test]
    fn after_a_reset_everything_is_due_at_the_next_event() {
        assert_eq!(names("claude", "SessionStart", Start::Compact, 0, AFTER_RESET), ["domains", "gate", "docs"]);
        assert_eq!(names("copilot", "preToolUse", Start::Startup, 0, AFTER_RESET), ["domains", "gate", "docs"]);
    }

    #[test]
    fn a_resume_looks_again_at_what_was_brought() {
        assert_eq!(names("claude", "SessionStart", Start::Resume, 1, 0), ["domains"]);
        assert_eq!(names("claude", "SessionStart", Start::Resume, 3, 0), ["domains", "gate"]);
    }
}
