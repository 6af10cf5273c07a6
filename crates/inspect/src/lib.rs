//! The local page: what agents received, when, why, and what it was good for.
//!
//! [`Views`] answers the page's questions with JSON from the ledger and the engine; [`serve`] shows the page on this machine
//! only; [`export`] writes the same into one file without secrets. The page is one HTML file of our own, without outside
//! assets; it shows everything as text.

mod page;
mod request;
mod server;
mod views;

pub use page::{export, report_page};
pub use server::{Server, serve};
pub use views::Views;
