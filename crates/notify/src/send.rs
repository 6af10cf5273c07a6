//! Sends a notification: a small POST with a limit of one second. Redirects are not followed, and only the status is
//! read.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use crate::address::PublicOnly;
use crate::receiver::Receiver;

/// The time limit for resolving, connecting, sending and waiting for the status.
pub const LIMIT: Duration = Duration::from_secs(1);

/// The body of a notification. It has no field for content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// `relay` for an injection, `test` for a test by the user.
    pub event: String,
    pub message: String,
    pub session_id: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    /// The name of the project's directory.
    pub project: String,
}

/// Why sending failed. No message contains the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendProblem {
    #[error("no answer within a second")]
    TooSlow,
    #[error("the host has a private address")]
    Private,
    #[error("the host is unknown")]
    UnknownHost,
    #[error("the receiver answered with a redirect ({0}), which is not followed")]
    Redirect(u16),
    #[error("the receiver answered with status {0}")]
    Status(u16),
    #[error("the receiver cannot be reached")]
    Unreachable,
}

/// Posts one event and returns the receiver's status.
pub fn send(receiver: &Receiver, event: &Event) -> Result<u16, SendProblem> {
    let config = Agent::config_builder()
        .timeout_global(Some(LIMIT))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A proxy would resolve the name itself, without our check of the address.
        .proxy(None)
        .user_agent(concat!("brief/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = if receiver.allows_private() || receiver.is_loopback() {
        Agent::with_parts(config, DefaultConnector::default(), DefaultResolver::default())
    } else {
        Agent::with_parts(config, DefaultConnector::default(), PublicOnly)
    };
    let body = serde_json::to_string(event).expect("strings always serialize");
    let response = agent.post(receiver.url()).header("Content-Type", "application/json").send(body).map_err(|error| problem(&error))?;
    match response.status().as_u16() {
        status @ 200..300 => Ok(status),
        status @ 300..400 => Err(SendProblem::Redirect(status)),
        status => Err(SendProblem::Status(status)),
    }
}

fn problem(error: &ureq::Error) -> SendProblem {
    match error {
        ureq::Error::Timeout(_) => SendProblem::TooSlow,
        ureq::Error::HostNotFound => SendProblem::UnknownHost,
        ureq::Error::Other(inner) if inner.is::<crate::address::Private>() => SendProblem::Private,
        _ => SendProblem::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    use briefing_testkit::http::{Response, Server};

    use super::*;

    fn event() -> Event {
        let text = |text: &str| text.to_owned();
        Event { event: text("relay"), message: text("m"), session_id: text("s"), timestamp: text("t"), project: text("p") }
    }

    fn to(server: &Server) -> Receiver {
        Receiver::new(&format!("{}/hook/s3cr3t", server.url()), false).unwrap()
    }

    #[test]
    fn the_payload_has_five_fields_and_no_more() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let server = {
            let seen = Arc::clone(&seen);
            Server::start(move |request| {
                seen.lock().unwrap().push((request.method.clone(), request.path.clone(), request.body.clone()));
                Response::json("{}")
            })
            .unwrap()
        };
        assert_eq!(send(&to(&server), &event()), Ok(200));
        let seen = seen.lock().unwrap();
        let (method, path, body) = &seen[0];
        assert_eq!((method.as_str(), path.as_str()), ("POST", "/hook/s3cr3t"));
        assert_eq!(String::from_utf8_lossy(body), r#"{"event":"relay","message":"m","session_id":"s","timestamp":"t","project":"p"}"#);
    }

    #[test]
    fn a_slow_a_silent_and_a_dead_receiver_end_within_a_second_or_so() {
        for response in [Response::json("{}").after(Duration::from_secs(5)), Response::never()] {
            let server = Server::always(response).unwrap();
            let started = Instant::now();
            assert_eq!(send(&to(&server), &event()), Err(SendProblem::TooSlow));
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        }
        let dead = Server::always(Response::json("{}")).unwrap();
        let receiver = to(&dead);
        drop(dead);
        assert_eq!(send(&receiver, &event()), Err(SendProblem::Unreachable));
    }

    #[test]
    fn errors_and_redirects_are_reported_and_not_followed() {
        let server = Server::always(Response::status(500)).unwrap();
        assert_eq!(send(&to(&server), &event()), Err(SendProblem::Status(500)));
        let server = Server::always(Response::new(302, "text/plain", "")).unwrap();
        assert_eq!(send(&to(&server), &event()), Err(SendProblem::Redirect(302)));
        assert_eq!(server.served(), 1);
    }

    #[test]
    fn a_name_that_leads_to_a_private_address_is_refused_before_connecting() {
        let config = Agent::config_builder().timeout_global(Some(LIMIT)).proxy(None).build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), PublicOnly);
        let error = agent.get("http://localhost:1/").call().expect_err("nothing private is connected to");
        assert_eq!(problem(&error), SendProblem::Private);
    }
}
