//! The real clients, offline: what reaches the model, and when.
//!
//! They need `scripts/install-clients`; a client that is not there is a failure, never a skip.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod model_api;
mod opencode;
mod qwen;
