//! Who asks: the client as it introduces itself, the session if it is known, and how much it takes at once.

use briefing_agents::agent::Mcp;
use briefing_agents::window::requested::Asking;
use briefing_agents::{AGENTS, Agent, Host, find};
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

/// How many characters of a result other clients take, as far as anybody knows.
const CAUTIOUS: u64 = 38_000;
/// The row of a program that gives its own session.
const OTHER: &str = "generic";

/// The sender of a request.
#[derive(Debug)]
pub(crate) struct Caller {
    agent: Option<&'static Agent>,
    /// The session in the server's environment.
    session: Option<String>,
    /// The project in the server's environment.
    pub(crate) directory: Option<String>,
    /// Whether the client can ask its user.
    pub(crate) can_ask: bool,
    /// Whether the request is of the revision without a handshake.
    pub(crate) is_modern: bool,
}

impl Caller {
    pub(crate) fn of(context: &RequestContext<RoleServer>, host: &dyn Host) -> Self {
        let name = context.client_info().map(|client| client.name).unwrap_or_default();
        let is_its = |agent: &&Agent| agent.mcp.as_ref().is_some_and(|mcp| !mcp.client.is_empty() && name.starts_with(mcp.client));
        let agent = AGENTS.iter().find(is_its);
        // Another agent that this one has started inherits its variables; only its own client means them.
        let own = |name: fn(&Mcp) -> &'static str| {
            let name = agent.and_then(|agent| agent.mcp.as_ref()).map(name).filter(|name| !name.is_empty())?;
            host.variable(name).filter(|value| !value.is_empty())
        };
        let asking = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        Self {
            agent,
            session: own(|mcp| mcp.session_variable),
            directory: own(|mcp| mcp.directory_variable),
            // Without modes, a client of an earlier revision supports forms.
            can_ask: asking.is_some_and(|asking| asking.form.is_some() || asking.url.is_none()),
            is_modern: context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28),
        }
    }

    /// Returns how many characters of a result the client passes on whole.
    pub(crate) fn cap(&self) -> u64 {
        self.agent.and_then(|agent| agent.mcp.as_ref()).map_or(CAUTIOUS, |mcp| mcp.cap)
    }

    /// Returns whose window a result goes into: the session of the environment, or else the one that was given, or else
    /// that of the process that started the server.
    pub(crate) fn asking<'a>(&'a self, given: Option<&'a str>) -> Option<Asking<'a>> {
        let given = given.filter(|session| !session.is_empty());
        match (self.agent, self.session.as_deref(), given) {
            (Some(agent), Some(session), _) => Some(Asking { agent, session: Some(session), client: Some(parent()) }),
            (agent, _, Some(_)) => {
                Some(Asking { agent: agent.or_else(|| find(OTHER)).unwrap_or(&AGENTS[0]), session: given, client: None })
            }
            (Some(agent), None, None) => Some(Asking { agent, session: None, client: Some(parent()) }),
            (None, _, None) => None,
        }
    }
}

/// Returns the process that started the server: the client.
fn parent() -> u32 {
    #[cfg(unix)]
    {
        std::os::unix::process::parent_id()
    }
    #[cfg(not(unix))]
    0
}
