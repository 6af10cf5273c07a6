//! The real agent clients, offline, against the mock model API.
//!
//! A [`Client`] has a fresh home and project, and runs in a *cell*: a network namespace with loopback only, in which
//! [`crate::model_api`] listens. Its keys are dummies. Tests give it settings and a script, let it take turns, and
//! look at what reached the model:
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
//! The clients are installed by `scripts/install-clients`; a missing one is a failure that says so, never a skip.

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
pub use session::Client;
pub use terminal::Terminal;
