//! The MCP server: `brief mcp`. Agents that can ask get the same engine as the commands and the hook.
//!
//! [`serve`] speaks JSON-RPC on standard input and output until the input ends. It answers both eras of the protocol:
//! `initialize` (up to 2025-11-25), and `server/discover` with metadata in every request (2026-07-28). A request is
//! answered from its own content, the environment and the ledger; of a connection only the client's name and
//! capabilities are kept, where they came with `initialize`.
//!
//! | module | what it knows |
//! |---|---|
//! | `server` | the protocol: which request leads to which function, cancellation, progress |
//! | `caller` | who asks: client, session, how much it takes at once |
//! | `tools` | the tools: parameters, descriptions, and one file per tool |
//! | `resources`, `prompts` | core files, domains and documents; goals that are trusted |
//! | `instructions` | what a model is told about the project before it asks |
//! | `answer`, `page` | results in the form of the protocol, and long ones in pages |
//!
//! This is the only crate with a runtime. The engine is synchronous and runs on threads of its own, a few at a time.

mod answer;
mod caller;
mod confirm;
mod instructions;
mod page;
mod project;
mod prompts;
mod resources;
mod server;
mod tools;

use std::sync::Arc;

use briefing_agents::Host;
use briefing_core::Failure;
use rmcp::service::serve_directly;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use server::Server;

/// Serves until standard input ends.
pub fn serve(host: impl Host + Send + Sync + 'static) -> Result<(), Failure> {
    let started = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = started.map_err(|error| Failure::new("cannot start the server").because(&error))?;
    let host = Arc::new(host);
    runtime.block_on(async {
        let (input, output) = stdio_pipes();
        // Without a handshake of its own: every request may be the first, in either era.
        let running = serve_directly(
            Server::new(Arc::clone(&host) as Arc<dyn Host + Send + Sync>),
            AsyncRwTransport::new_server(input, output),
            None,
        );
        if let Err(error) = running.waiting().await {
            host.log(&format_args!("the server stopped: {error}"));
        }
    });
    // A read of standard input or a pack may still block a thread; the client is gone and waits for neither.
    runtime.shutdown_background();
    Ok(())
}
