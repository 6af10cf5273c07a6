//! Sends notifications from a child process, after the agent has its answer, so that the agent never waits for them.

use std::io::{Read, Write, stdin};
use std::path::Path;
use std::process::{Command, Stdio};

use briefing_agents::window::Receipt;
use briefing_core::settings::Places;
use briefing_notify::{Event, file, send};

use crate::environment;

/// The hidden command that the child runs.
pub(crate) const SEND: &str = "notify-send";

/// The longest event, in bytes.
const MAX_EVENT: u64 = 64 * 1024;

/// Sends the size of an injection to the user's webhook, if there is one.
pub(crate) fn tell(receipt: &Receipt) {
    let places = environment::places_at("/".into());
    if receipt.has_brought() && is_set_up(&places) {
        for notice in receipt.notices() {
            detached(&relay(notice.message, &receipt.native, &notice.project));
        }
    }
}

/// Returns the event for an injection.
pub(crate) fn relay(message: String, session: &str, project: &Path) -> Event {
    let now = environment::now().unwrap_or_else(|_| jiff::Timestamp::now());
    Event {
        event: "relay".into(),
        message,
        session_id: session.to_owned(),
        timestamp: format!("{now:.0}"),
        project: project.file_name().map_or_else(|| "unknown".into(), |name| name.to_string_lossy().into_owned()),
    }
}

/// Returns whether the user has set up a webhook.
pub(crate) fn is_set_up(places: &Places) -> bool {
    places.config.as_ref().is_some_and(|config| file::path(config).exists())
}

/// Passes an event to a child process and returns at once.
///
/// The agent waits until our process and every process that holds its pipes has ended, so the child gets none of them. It
/// has its own process group, so that it survives when the agent kills the hook's group. Errors are ignored: a notification
/// must never affect the injection.
pub(crate) fn detached(event: &Event) {
    let (Ok(program), Ok(payload)) = (std::env::current_exe(), serde_json::to_vec(event)) else { return };
    let mut command = Command::new(program);
    command.args(["system", SEND]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    if let Ok(mut child) = command.spawn()
        && let Some(mut pipe) = child.stdin.take()
    {
        // A few hundred bytes fit into any pipe, so this does not wait for the child.
        let _ = pipe.write_all(&payload);
    }
}

/// Sends the event that it reads from stdin. Errors are ignored: this process has no visible output.
pub(crate) fn send_from_stdin() {
    let mut payload = Vec::new();
    if stdin().lock().take(MAX_EVENT).read_to_end(&mut payload).is_err() {
        return;
    }
    let Ok(event) = serde_json::from_slice::<Event>(&payload) else { return };
    let config = environment::places_at("/".into()).config;
    if let Some(Ok(Some(receiver))) = config.map(|config| file::read(&file::path(&config))) {
        let _ = send(&receiver, &event);
    }
}
