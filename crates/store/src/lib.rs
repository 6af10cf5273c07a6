//! The ledger of what is in which agent's window: sessions, their epochs, and every piece delivered in them.
//!
//! [`Ledger`] is for hooks, while their agent waits; [`Reader`] is for views. [`open`],
//! [`open_existing`] and [`reader`] choose the engine from a [`Place`], so no caller names one. A delivery is claimed,
//! printed and then confirmed, so that a process that dies in between loses nothing:
//!
//! ```text
//! arrive → (sources bring pieces) → admit + claim → print and flush → confirm
//! ```
//!
//! This crate knows nothing about agents or formats: it stores sizes and texts as given.

mod error;
mod heartbeat;
mod holder;
mod key;
mod ledger;
mod open;
mod outcome;
mod place;
mod reader;
mod receipt;
mod sqlite;
mod texts;
mod timeline;

pub use error::StoreError;
pub use heartbeat::{Beat, beat, beats, can_beat};
pub use holder::{Holder, Life};
pub use key::SessionKey;
pub use ledger::{
    Admission, Arrival, Arrived, Basis, Claim, Claimed, Earlier, Forgetting, Given, Known, Ledger, LogEntry, Offer, Parent, PlanId,
    PlanState, Printer, Seen,
};
pub use open::{Opened, damaged, open, open_existing, reader, repair};
pub use outcome::Outcome;
pub use place::Place;
pub use reader::{DeliveryRow, EventRow, Filter, Reader, SessionName, SessionRow, State, UsageRow, WindowRow};
pub use receipt::{Judged, Judgement, Look, OpenReceipts, ReceiptRow, Unproven, Verdict, rendered_hash};
pub use texts::{TextLimits, keep_texts, kept_text};
pub use timeline::timeline;
