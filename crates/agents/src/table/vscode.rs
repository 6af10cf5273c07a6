//! Visual Studio Code: an MCP client without hooks of its own.

use super::{BASE, MCP};
use crate::agent::{Agent, Mcp, Recipe, Registration, TimeoutUnit};

pub(super) const ROW: Agent = Agent {
    name: "vscode",
    title: "Visual Studio Code",
    timeout: TimeoutUnit::None,
    recipe: Recipe::None,
    program: "code",
    home: if cfg!(target_os = "macos") {
        "Library/Application Support/Code/User"
    } else if cfg!(windows) {
        "AppData/Roaming/Code/User"
    } else {
        ".config/Code/User"
    },
    user_file: "",
    mcp: Some(Mcp {
        client: "Visual Studio Code",
        registration: Registration::Json { key: "servers", also: r#"{"type":"stdio"}"# },
        user_file: "mcp.json",
        project_file: ".vscode/mcp.json",
        without_program: "sees a failed server in the list of servers once it is used",
        ..MCP
    }),
    ..BASE
};
