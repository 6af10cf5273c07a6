//! `brief mcp`: the MCP server on standard input and output.

use briefing_core::Failure;

use crate::host::Process;

/// Serves until standard input ends. Nothing but the protocol goes to standard output; `BRIEF_LOG` logs to stderr.
pub(crate) fn run() -> Result<(), Failure> {
    briefing_mcp::serve(Process)
}
