//! Runs the real agent clients offline, with the mock model API.
//!
//! A [`Client`] has a fresh home and project, and runs in a *cell*: a network namespace with loopback only, in which
//! [`crate::model_api`] listens. Its keys are dummies. A test sets it up with settings and a script, runs turns, and
//! checks what reached the model:
//!
//! ```no_run
//! use briefing_testkit::clients::Client;
//! use briefing_testkit::model_api::Script;
//!
//! let mut client = Client::claude();
//! client.file("README.md", "hello").hook("SessionStart", "brief hook claude SessionStart");
//! client.script(Script::new().shell("echo one").text("done"));
//! let outcome = client.run("please look around");
//! assert_eq!(outcome.last_turn().count("OUR-CONTEXT"), 1);
//! ```
//!
//! `scripts/install-clients` installs the clients. If a client is missing, the test fails; it is never skipped.

mod cell;
mod inside;
mod outcome;
mod place;
mod probe;
mod protocol;
mod recipes;
mod session;
mod terminal;

pub use inside::inside;
pub use outcome::Outcome;
pub use probe::HookCall;
pub use session::{Client, inspector};
pub use terminal::Terminal;
