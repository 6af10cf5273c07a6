//! Answers an agent's hook: reads its JSON and prints what is due in its window, as one JSON object. Prints nothing if
//! nothing is due or anything fails.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use briefing_core::shown::path_text;
use briefing_core::{Note, Rendered, Source};
use briefing_store::{Beat, Place, SessionKey};

use crate::agent::{Agent, Event};
use crate::host::Host;
use crate::request::{Lane, Request};
use crate::window::{self, DEADLINE, Outcome, Receipt, Target, wall_clock};
use crate::wire::{self, Input};

/// One call of `brief hook`.
pub struct Call<'a> {
    pub agent: &'static Agent,
    pub event: &'a str,
    pub lane: Lane,
    /// Restricts the output to this source and ignores the agent's cap, as the command of spec 2 does.
    pub only: Option<Source>,
    pub started: Instant,
}

/// Runs the hook: reads one object from `input`, prints at most one to `output`, and writes a line to the log.
///
/// Returns `None` if the input was invalid or another agent runs this entry.
pub fn run(call: &Call<'_>, host: &dyn Host, input: &mut dyn Input, output: &mut dyn Write) -> Option<Receipt> {
    let request = match read(call, host, input) {
        Ok(request) => request,
        Err(outcome) => {
            leave_heartbeat(call, host, "", Path::new(""), &outcome, &[]);
            return None;
        }
    };
    if is_foreign(host, &request) {
        let key = SessionKey::new(request.agent.name, &request.session, request.sub_agent.as_deref());
        leave_heartbeat(call, host, &key.short(), &request.directory(), &Outcome::Foreign, &[]);
        return None;
    }
    let mut target = Stdout { agent: request.agent, event: request.event, is_whole: request.only.is_some(), output };
    let receipt = window::brief(&request, host, &mut target);
    if receipt.is_logged {
        say(call, host, &receipt.outcome, &receipt.notes);
    } else {
        leave_heartbeat(call, host, &receipt.session, receipt.directory(), &receipt.outcome, &receipt.notes);
    }
    Some(receipt)
}

/// Reads the agent's payload.
fn read(call: &Call<'_>, host: &dyn Host, input: &mut dyn Input) -> Result<Request, Outcome> {
    let event = call.agent.event(call.event).ok_or(Outcome::UnknownEvent)?;
    let bytes = wire::read_object(input, call.started + DEADLINE).map_err(|problem| bad_input(&problem))?;
    let request = Request::read(call.agent, event, &bytes).map_err(|problem| bad_input(&problem))?;
    let client = host.variable(call.agent.process_variable).and_then(|pid| pid.parse().ok());
    Ok(Request { lane: call.lane, only: call.only, client, started: call.started, ..request })
}

fn bad_input(problem: &dyn std::error::Error) -> Outcome {
    Outcome::BadInput { problem: problem.to_string() }
}

/// Returns whether another agent runs this entry. Copilot and Cursor read Claude's settings too.
fn is_foreign(host: &dyn Host, request: &Request) -> bool {
    let agent = request.agent;
    let is_proven = !agent.proof.is_empty() && host.variable(agent.proof).as_deref() == Some(&request.session);
    agent.foreign.iter().any(|name| host.is_set(name)) && !is_proven
}

/// Prints an output as the agent's JSON object.
struct Stdout<'a> {
    agent: &'static Agent,
    event: &'static Event,
    /// Whether everything is printed at once, whatever the agent's cap is.
    is_whole: bool,
    output: &'a mut dyn Write,
}

impl Stdout<'_> {
    /// Returns what the user should know about an output that the agent will cut.
    fn warning(&self, rendered: &Rendered) -> Option<String> {
        let agent = self.agent;
        (self.is_whole && rendered.size > agent.cautious_cap).then(|| {
            format!(
                "brief: the core files are {} characters long, and {} shows the model only the beginning of anything over {}. \
                 `brief install {}` delivers them in parts.",
                rendered.size, agent.title, agent.cautious_cap, agent.name
            )
        })
    }
}

impl Target for Stdout<'_> {
    fn deliver(&mut self, rendered: &Rendered, announcement: Option<&str>) -> io::Result<()> {
        let message = self.warning(rendered).or(announcement.map(str::to_owned));
        self.output.write_all(wire::object(self.agent, self.event, &rendered.text, message.as_deref()).as_bytes())?;
        self.output.flush()
    }
}

/// Writes to the debug log how the call ended. Returns how long it took, in microseconds.
fn say(call: &Call<'_>, host: &dyn Host, outcome: &Outcome, notes: &[Note]) -> u64 {
    let micros = u64::try_from(call.started.elapsed().as_micros()).unwrap_or(u64::MAX);
    host.log(&format_args!("{} {}: {outcome} ({micros} µs)", call.agent.name, call.event));
    for note in notes {
        host.log(note);
    }
    micros
}

/// Writes a heartbeat for an outcome that the ledger has not logged.
fn leave_heartbeat(call: &Call<'_>, host: &dyn Host, session: &str, directory: &Path, outcome: &Outcome, notes: &[Note]) {
    let micros = say(call, host, outcome, notes);
    // All lanes of an event are silent for the same reason, and the first one says it.
    if outcome.silence().is_some() && call.lane.number > 1 && notes.is_empty() {
        return;
    }
    let beat = Beat {
        at: wall_clock(),
        agent: call.agent.name.to_owned(),
        event: call.event.chars().take(80).collect(),
        session: session.to_owned(),
        directory: path_text(directory),
        lane: call.lane.number,
        micros,
        outcome: outcome.clone(),
        notes: notes.to_vec(),
    };
    if let Some(place) = Place::of(&host.places_at("/".into())) {
        // There is nowhere left to report an error.
        let _ = briefing_store::beat(&place, &beat);
    }
}
