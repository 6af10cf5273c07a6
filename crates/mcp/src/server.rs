//! The protocol: which request leads to which function.
//!
//! A call runs on a thread of its own, at most a few at a time; the loop goes on reading meanwhile, so that a call can be
//! cancelled while others run or wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use briefing_agents::Host;
use briefing_core::Failure;
use briefing_core::sources::files::Progress;
use jiff::Timestamp;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::answer::{Answer, failed, failure_words};
use crate::caller::Caller;
use crate::confirm::{self, Answered};
use crate::project::Project;
use crate::tools::{Call, Learning, Row, TOOLS, find, parameters};
use crate::{instructions, prompts, resources};

/// How many calls run at once.
const AT_ONCE: usize = 4;
/// How often the progress of a call is reported.
const PULSE: Duration = Duration::from_millis(500);

type Surroundings = Arc<dyn Host + Send + Sync>;

pub(crate) struct Server {
    host: Surroundings,
    slots: Arc<Semaphore>,
}

/// What a thread that works for a request needs, and what it tells meanwhile.
#[derive(Default)]
struct Work {
    progress: Progress,
    is_cancelled: AtomicBool,
}

impl Work {
    fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.progress.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl Server {
    pub(crate) fn new(host: Surroundings) -> Self {
        Self { host, slots: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Runs `work` on a thread, reports its progress if the client asked for that, and stops it when the client cancels.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Surroundings, &Caller, &Work) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let cancelled = || Failure::new("the call was cancelled");
        let slot = tokio::select! {
            slot = Arc::clone(&self.slots).acquire_owned() => slot.map_err(|_| Failure::new("the server is shutting down"))?,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let (host, caller, shared) = (Arc::clone(&self.host), Caller::of(context, &*self.host), Arc::new(Work::default()));
        let inside = Arc::clone(&shared);
        let mut running = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work(&host, &caller, &inside)
        });
        let mut told = 0;
        loop {
            tokio::select! {
                done = &mut running => return done.unwrap_or_else(|error| Err(Failure::new("the call failed").because(&error))),
                () = context.ct.cancelled() => {
                    shared.cancel();
                    return Err(cancelled());
                }
                () = tokio::time::sleep(PULSE) => told = report(context, &shared.progress, told).await,
            }
        }
    }

    /// Runs a tool.
    async fn call(&self, row: &'static Row, arguments: Value, context: &RequestContext<RoleServer>) -> Result<Answer, Failure> {
        self.run(context, move |host, caller, work| {
            let project = Project::open(&**host, caller)?;
            (row.run)(&call(host, caller, &project, work), arguments)
        })
        .await
    }

    /// Writes what a model wants to keep, if the user agrees.
    async fn learn(
        &self,
        request: CallToolRequestParams,
        row: &'static Row,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let caller = Caller::of(context, &*self.host);
        let answered = Answered::read(&request, self.host.now());
        let now = answered.as_ref().map_or_else(|| self.host.now(), |answered| answered.shown_at);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let (planned, writes) = self.plan(arguments.clone(), now, context).await?;
        let is_agreed = match answered.and_then(|answered| answered.agrees_to(&planned)) {
            Some(is_agreed) => is_agreed,
            None if caller.can_ask && caller.is_modern => return Ok(confirm::question(&planned, now).into()),
            None if caller.can_ask => confirm::ask(&context.peer, &planned).await?,
            None if writes => true,
            None => return Err(confirm::not_allowed()),
        };
        if !is_agreed {
            return Err(confirm::declined());
        }
        self.write(arguments, now, planned, row, context).await.map(|answer| CallToolResult::from(answer).into())
    }

    /// Returns what would be written, as a diff, and whether the user allows it without a question.
    async fn plan(&self, arguments: Value, now: Timestamp, context: &RequestContext<RoleServer>) -> Result<(String, bool), Failure> {
        self.run(context, move |host, caller, work| {
            let project = Project::open(&**host, caller)?;
            let planned = Learning::plan(&call(host, caller, &project, work), parameters(arguments)?, now)?;
            Ok((planned.change.diff(), project.settings.mcp.write.value))
        })
        .await
    }

    /// Writes it, if it is still what was shown.
    async fn write(
        &self,
        arguments: Value,
        now: Timestamp,
        shown: String,
        row: &'static Row,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, Failure> {
        self.run(context, move |host, caller, work| {
            let project = Project::open(&**host, caller)?;
            let call = call(host, caller, &project, work);
            let planned = Learning::plan(&call, parameters(arguments)?, now)?;
            if planned.change.diff() != shown {
                let failure = Failure::new("nothing was written: the file has changed since the user was asked");
                return Err(failure.hint(format!("call `{}` again", row.name)));
            }
            planned.write(&call)
        })
        .await
    }
}

fn call<'a>(host: &'a Surroundings, caller: &'a Caller, project: &'a Project, work: &'a Work) -> Call<'a> {
    project.notes.iter().for_each(|note| host.log(note));
    Call { host: &**host, caller, project, progress: &work.progress, is_cancelled: &work.is_cancelled }
}

/// Reports progress if there is any and the client wants to know it. Returns how far it was reported.
async fn report(context: &RequestContext<RoleServer>, progress: &Progress, told: usize) -> usize {
    let (done, total) = (progress.done.load(Ordering::Relaxed), progress.total.load(Ordering::Relaxed));
    let Some(token) = context.meta.get_progress_token().filter(|_| done > told) else { return told };
    let parameters =
        ProgressNotificationParam::new(token, done as f64).with_total(total as f64).with_message(format!("{done} of {total} files"));
    // A client that is gone is noticed elsewhere.
    let _ = context.peer.notify_progress(parameters).await;
    done
}

/// Returns a failure as an error of the protocol, for requests whose results cannot say that they failed.
fn refused(failure: &Failure) -> ErrorData {
    ErrorData::invalid_params(failure_words(failure), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let name = Implementation::new("brief", env!("CARGO_PKG_VERSION")).with_title("Briefing");
        ServerConfig::new(capabilities).with_server_info(name)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        let mut client = request;
        client.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(client);
        result.instructions = self.run(&context, |host, caller, _| Ok(instructions::of(&**host, caller))).await.ok();
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        info.instructions = self.run(&context, |host, caller, _| Ok(instructions::of(&**host, caller))).await.ok();
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(Row::tool).collect()))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = find(&request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|row| row.name).collect();
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`; there are {}", request.name, names.join(", ")), None));
        };
        let answer = if row.writes() {
            self.learn(request, row, &context).await
        } else {
            let arguments = Value::Object(request.arguments.unwrap_or_default());
            self.call(row, arguments, &context).await.map(|answer| CallToolResult::from(answer).into())
        };
        Ok(answer.unwrap_or_else(|failure| failed(&failure).into()))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.run(&context, move |host, caller, _| resources::list(&**host, caller, cursor.as_deref()))
            .await
            .map_err(|failure| refused(&failure))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.run(&context, move |host, caller, work| {
            let project = Project::open(&**host, caller)?;
            resources::read(&call(host, caller, &project, work), &request.uri)
        });
        match read.await {
            Ok(result) => Ok(result.into()),
            Err(failure) => Err(ErrorData::resource_not_found(failure_words(&failure), None)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = self.run(&context, |host, caller, _| prompts::list(&**host, caller)).await;
        listed.map(ListPromptsResult::with_all_items).map_err(|failure| refused(&failure))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let get = move |host: &Surroundings, caller: &Caller, _: &Work| {
            prompts::get(&**host, caller, &request.name, request.arguments.unwrap_or_default())
        };
        let got = self.run(&context, get).await;
        got.map(Into::into).map_err(|failure| refused(&failure))
    }
}
