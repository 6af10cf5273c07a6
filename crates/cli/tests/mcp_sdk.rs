//! The official SDK's client against the real binary, in both eras.

use std::process::Stdio;

use briefing_testkit::{Sandbox, binary};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ErrorData, GetPromptRequestParams, Implementation, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::ClientServiceExt as _;
use rmcp::service::{ClientLifecycleMode, RequestContext, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

use crate::mcp::{ROLL_BACK, project};

/// A client whose user agrees to everything.
#[derive(Clone)]
struct Agreeing;

impl ClientHandler for Agreeing {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("sdk", "1"))
    }

    async fn create_elicitation(&self, request: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!("a form was expected") };
        assert!(message.contains("Use Postgres"), "{message}");
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({})))
    }
}

type Client = RunningService<RoleClient, Agreeing>;

/// Runs `work` with a client of this era.
fn with_client<F: Future<Output = ()>>(sandbox: &Sandbox, mode: ClientLifecycleMode, work: impl FnOnce(Client) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut command = tokio::process::Command::from(sandbox.command(binary()));
        let mut child = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let transport = AsyncRwTransport::new_client(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = Agreeing.serve_with_lifecycle(transport, mode).await.unwrap();
        work(client).await;
        assert!(child.wait().await.unwrap().success());
    });
}

fn called(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

fn everything_works(mode: ClientLifecycleMode) {
    let sandbox = project();
    with_client(&sandbox, mode, async |client| {
        assert!(client.list_all_tools().await.unwrap().len() >= 6);
        assert_eq!(client.list_all_resources().await.unwrap().len(), 6);
        assert_eq!(client.list_all_resource_templates().await.unwrap().len(), 3);
        assert!(client.list_all_prompts().await.unwrap().iter().any(|prompt| prompt.name == "code-review"));
        let selected = client.call_tool(called("select", json!({ "message": ROLL_BACK }))).await.unwrap();
        assert_eq!(selected.structured_content.unwrap()["selected"][0]["name"], "docs/deploy.md");
        let read = client.call_tool(called("read", json!({ "paths": ["docs/deploy.md"] }))).await.unwrap();
        assert!(text(&read).contains("Drain the canary"));
        let resource = client.read_resource(ReadResourceRequestParams::new("brief://doc/docs/deploy.md")).await.unwrap();
        assert!(format!("{resource:?}").contains("Drain the canary"));
        let prompt = client.get_prompt(GetPromptRequestParams::new("code-review")).await.unwrap();
        assert_eq!(prompt.messages.len(), 1);
        let decision = json!({ "kind": "decision", "title": "Use Postgres", "context": "two servers", "rationale": "it is shared" });
        let learned = client.call_tool(called("learn", decision)).await.unwrap();
        assert!(text(&learned).starts_with("Added to "), "{}", text(&learned));
        assert!(sandbox.read(".context/DECISIONS.md").contains("Use Postgres"));
        client.cancel().await.unwrap();
    });
}

#[test]
fn the_sdk_uses_everything_after_a_handshake() {
    everything_works(ClientLifecycleMode::Initialize);
}

#[test]
fn the_sdk_uses_everything_without_a_handshake() {
    everything_works(ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] });
}
