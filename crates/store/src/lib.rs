//! What is in which agent's window: sessions, their epochs, and every piece delivered in them.
//!
//! [`Ledger`] is the contract; [`SqliteLedger`] keeps it in one file per user. A delivery is claimed, printed and
//! then confirmed, so that a process that dies on the way costs nobody anything but its own time:
//!
//! ```text
//! arrive → (sources bring pieces) → admit + claim → print and flush → confirm
//! ```
//!
//! This crate knows nothing of agents or formats: sizes and texts come in as they will go out.

mod error;
mod heartbeat;
mod holder;
mod key;
mod ledger;
mod open;
mod schema;
mod sqlite;

pub use error::StoreError;
pub use heartbeat::{Beat, HEARTBEAT_FILE, beat, beats};
pub use holder::{Holder, Life};
pub use key::SessionKey;
pub use ledger::{
    Admission, Arrival, Arrived, Claim, Claimed, DeliveryRow, EventRow, Given, Ledger, Look, Offer, Parent, PlanId, PlanState, Printer,
    Receipt, SessionRow, State,
};
pub use open::{LEDGER_FILE, Opened, directory, open, open_existing, set_aside, tighten};
pub use schema::SCHEMA;
pub use sqlite::SqliteLedger;
