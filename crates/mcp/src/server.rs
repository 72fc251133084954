//! The server: who is served, with what, and which part answers which request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use guild_engine::{Hall, Premises, Principal};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};

use crate::changes::Changes;
use crate::{instructions, prompts, resources, skills, tools};

/// How an agent's call comes, as receipts name it.
const VIA: &str = "mcp";

/// Who is served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The agent's id, which decides what it may have; a client's own name decides nothing.
    pub agent: String,
    /// The server's version, as clients are told.
    pub version: String,
}

/// Serves one agent.
#[derive(Clone)]
pub struct Server {
    agent: Arc<str>,
    inner: Arc<Inner>,
}

/// What the servers of all agents share.
struct Inner {
    premises: Arc<Premises>,
    version: String,
    /// Seals what a client carries from one round of a request to the next.
    states: RequestStateCodec,
    changes: Changes,
    /// A client that is cut off has its runs written down as interrupted by whoever comes next.
    unsettled: AtomicBool,
}

impl Server {
    /// A server of these premises. `key` seals what clients carry for us, and is good for this process alone.
    pub fn new(premises: Arc<Premises>, settings: Settings, key: [u8; 32]) -> Self {
        // A key of this length is long enough.
        let (states, changes) = (RequestStateCodec::new_unchecked(key.to_vec()), Changes::default());
        let (Settings { agent, version }, unsettled) = (settings, AtomicBool::new(false));
        let inner = Inner { premises, version, states, changes, unsettled };
        Self { agent: agent.into(), inner: Arc::new(inner) }
    }

    /// The server of another agent, on the same premises.
    pub(crate) fn serving(&self, agent: &str) -> Self {
        Self { agent: agent.into(), inner: Arc::clone(&self.inner) }
    }

    /// Everything that the engine needs.
    pub(crate) fn premises(&self) -> &Premises {
        &self.inner.premises
    }

    /// What there is now.
    pub(crate) fn hall(&self) -> Arc<Hall> {
        self.inner.premises.hall()
    }

    /// The agent's id.
    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    /// Who calls.
    pub(crate) fn principal(&self) -> Principal {
        Principal::agent(self.agent(), VIA)
    }

    /// Seals and opens what clients carry.
    pub(crate) fn states(&self) -> &RequestStateCodec {
        &self.inner.states
    }

    /// Who is told of changes.
    pub(crate) fn changes(&self) -> &Changes {
        &self.inner.changes
    }

    /// Notes that a run may have been cut off.
    pub(crate) fn note_cut_off(&self) {
        self.inner.unsettled.store(true, Ordering::Relaxed);
    }

    /// Writes down runs that were cut off since it was asked last.
    pub(crate) async fn settle(&self) {
        if self.inner.unsettled.swap(false, Ordering::Relaxed) && self.premises().settle().await.is_err() {
            self.note_cut_off();
        }
    }

    /// Looks for changes of skills, and tells those who listen.
    pub async fn look(&self) {
        if self.premises().refresh().await.is_ok_and(|changes| !changes.is_empty()) {
            self.changes().tell().await;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_completions()
            .enable_extensions_with(skills::extension())
            .build();
        let server = Implementation::new("guildhall", &self.inner.version).with_title("Guildhall");
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(instructions::of(&self.hall(), self.agent()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.settle().await;
        tools::call(self, request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self, request.and_then(|request| request.cursor))
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
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self, &request.uri).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        prompts::list(self, request.and_then(|request| request.cursor))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(self, request).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompts::complete(self, &request)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        skills::answer(self, request)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.changes().accept(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes().follow(&context).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.changes().add(context.peer);
    }
}
