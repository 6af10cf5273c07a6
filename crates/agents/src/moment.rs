//! Decides which sources open at which moment.

use briefing_core::Moment;
use briefing_core::sources::{Opens, Source, Sources};
use briefing_store::Known;

use crate::agent::{Agent, Event};
use crate::request::Start;

/// The sources that are due once the window has been emptied: core, chain, state, and the current message's documents.
pub const AFTER_RESET: Sources = Source::every();

/// Returns the sources that open at this event, for a session with these `done` and `owed` sources. Those in `early` open
/// with the first event because the settings say so.
///
/// The domains are due at the first event of an epoch, so a session that was already running at installation, or whose
/// start cannot carry context, gets them at the next event. At a resume, sources that were done open again, and the
/// ledger filters out what has not changed.
pub fn sources(agent: &Agent, event: &Event, start: Start, done: Sources, owed: Sources, early: Sources) -> Sources {
    let [first, work, message] = [Opens::First, Opens::Work, Opens::Message].map(|way| Source::opening(&[way]));
    let first = first | early;
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

/// Does the same as [`sources`], for a session that may not be in the ledger yet.
pub fn sources_for(agent: &Agent, event: &Event, start: Start, known: Option<&Known>, early: Sources) -> Sources {
    let (done, owed) = known.map_or((0, 0), |known| (known.done, known.owed));
    sources(agent, event, start, done, owed, early)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    fn names(agent: &str, event: &str, start: Start, done: Sources, owed: Sources) -> Vec<&'static str> {
        let agent = find(agent).unwrap();
        Source::of(sources(agent, agent.event(event).unwrap(), start, done, owed, 0)).map(Source::name).collect()
    }

    #[test]
    fn each_moment_opens_its_sources_once() {
        let new = Start::Startup;
        assert_eq!(names("claude", "SessionStart", new, 0, 0), ["domains", "instructions"]);
        assert_eq!(names("claude", "UserPromptSubmit", new, 9, 0), ["docs"]);
        assert_eq!(names("claude", "PostToolBatch", new, 9, 0), ["gate"]);
        assert_eq!(names("claude", "PostToolBatch", new, 11, 0), [""; 0]);
        assert_eq!(names("claude", "SubagentStart", new, 0, 0), ["domains", "gate", "instructions"]);
        assert_eq!(names("claude", "Stop", new, 0, 15), [""; 0]);
        assert_eq!(names("gemini", "BeforeAgent", new, 9, 0), ["gate", "docs"]);
    }

    #[test]
    fn a_session_that_was_already_running_gets_the_chain_too() {
        assert_eq!(names("claude", "PostToolBatch", Start::Startup, 0, 0), ["domains", "gate", "instructions"]);
    }

    #[test]
    fn after_a_reset_everything_is_due_at_the_next_event() {
        assert_eq!(names("claude", "SessionStart", Start::Compact, 0, AFTER_RESET), ["domains", "gate", "instructions", "docs"]);
        assert_eq!(names("copilot", "preToolUse", Start::Startup, 0, AFTER_RESET), ["domains", "gate", "instructions", "docs"]);
    }

    #[test]
    fn a_resume_opens_the_sources_that_were_done() {
        assert_eq!(names("claude", "SessionStart", Start::Resume, 9, 0), ["domains", "instructions"]);
        assert_eq!(names("claude", "SessionStart", Start::Resume, 11, 0), ["domains", "gate", "instructions"]);
    }
}
