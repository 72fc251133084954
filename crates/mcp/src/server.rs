//! The server: who is served, with what, and which part answers which request.

#![expect(deprecated, reason = "earlier eras are served by what the last one has dropped")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use guild_engine::ports::Guest;
use guild_engine::{
    Hall, Premises, Principal, RefreshError, SkillTools, Toolset, Verb, chooses_skill_tools, skill_tools,
    verbs,
};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio::sync::RwLock;

use crate::changes::Changes;
use crate::running::{Parked, Running};
use crate::{guest, instructions, prompts, resources, skills, tools};

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
    /// Tells sessions apart, where there are any.
    session: u64,
    /// As they were when the session began: whoever knows the tools need not ask again.
    verbs: Arc<[Verb]>,
    /// The skills that are tools of their own, by the hall that they are of.
    chosen: Arc<Mutex<(Weak<Hall>, Arc<SkillTools>)>>,
    inner: Arc<Inner>,
}

/// What the servers of all agents share.
struct Inner {
    premises: Arc<Premises>,
    version: String,
    /// Seals what a client carries from one round of a request to the next.
    states: RequestStateCodec,
    changes: Changes,
    sessions: AtomicU64,
    /// As it was configured at the start: whoever knows the tools need not ask again.
    toolset: Toolset,
    guest: Option<Arc<dyn Guest>>,
    /// Runs whose clients are away to ask a person.
    parked: Parked,
    /// A client that is cut off has its runs written down as interrupted by whoever comes next.
    unsettled: AtomicBool,
    /// Held by whoever cuts a run off, until nothing of it is left.
    ending: RwLock<()>,
}

impl Server {
    /// A server of these premises. `key` seals what clients carry for us, and is good for this process alone.
    pub fn new(premises: Arc<Premises>, settings: Settings, key: [u8; 32]) -> Self {
        let chooses = chooses_skill_tools(&premises.hall().config);
        // A key of this length is long enough.
        let (states, changes) = (RequestStateCodec::new_unchecked(key.to_vec()), Changes::new(chooses));
        let (Settings { agent, version }, unsettled) = (settings, AtomicBool::new(false));
        let (sessions, guest, toolset) = (AtomicU64::new(1), None, Toolset::of(&premises.hall().config));
        let inner = Inner {
            premises,
            version,
            states,
            changes,
            sessions,
            toolset,
            guest,
            parked: Parked::default(),
            unsettled,
            ending: RwLock::default(),
        };
        let verbs = verbs_of(&inner.premises, &agent);
        Self { agent: agent.into(), session: 0, verbs, chosen: Arc::default(), inner: Arc::new(inner) }
    }

    /// Shows a guest's tools, resources and prompts beside our own. It is brought before anybody is served.
    #[must_use]
    pub fn with_guest(mut self, guest: Arc<dyn Guest>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.guest = Some(guest);
        }
        self
    }

    /// The server of an agent's next session, on the same premises.
    pub(crate) fn serving(&self, agent: &Arc<str>) -> Self {
        let session = self.inner.sessions.fetch_add(1, Ordering::Relaxed);
        let verbs = verbs_of(self.premises(), agent);
        Self {
            agent: Arc::clone(agent),
            session,
            verbs,
            chosen: Arc::default(),
            inner: Arc::clone(&self.inner),
        }
    }

    /// Who is shown beside our own, if anybody is.
    pub(crate) fn guest(&self) -> Option<&Arc<dyn Guest>> {
        self.inner.guest.as_ref()
    }

    /// Everything that the engine needs.
    pub(crate) fn premises(&self) -> &Arc<Premises> {
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

    /// Runs whose clients are away.
    pub(crate) fn parked(&self) -> &Parked {
        &self.inner.parked
    }

    /// Notes that a run may have been cut off.
    pub(crate) fn note_cut_off(&self) {
        self.inner.unsettled.store(true, Ordering::Relaxed);
    }

    /// Cuts a run off.
    pub(crate) async fn cut_off(&self, running: Running) {
        let _ending = self.inner.ending.read().await;
        running.cut_off().await;
        self.note_cut_off();
    }

    /// Writes down runs that were cut off since it was asked last, once nothing of them is left.
    pub(crate) async fn settle(&self) {
        drop(self.inner.ending.write().await);
        if self.inner.unsettled.swap(false, Ordering::Relaxed) && self.premises().settle().await.is_err() {
            self.note_cut_off();
        }
    }

    /// Which tools there are.
    pub(crate) fn toolset(&self) -> Toolset {
        self.inner.toolset
    }

    /// Which skills have names of their own among the tools.
    pub(crate) fn verbs(&self) -> &[Verb] {
        &self.verbs
    }

    /// Which skills are tools of their own now; none where none were chosen at the start, since clients are then told of no change.
    pub(crate) fn chosen(&self) -> Arc<SkillTools> {
        if !self.changes().tells_of_tools() {
            return Arc::default();
        }
        let hall = self.hall();
        let mut known = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::ptr::eq(known.0.as_ptr(), Arc::as_ptr(&hall)) {
            *known = (Arc::downgrade(&hall), Arc::new(skill_tools(&hall, self.agent())));
        }
        Arc::clone(&known.1)
    }

    /// Looks for changes of skills, and tells those who listen.
    pub async fn look(&self) -> Result<(), RefreshError> {
        let changes = self.premises().refresh().await?;
        if !changes.is_empty() {
            let changed = [changes.added, changes.removed, changes.changed].concat();
            self.changes().tell(changed.into_iter().map(|change| change.name).collect()).await;
        }
        Ok(())
    }
}

/// The verbs that an agent has now.
fn verbs_of(premises: &Premises, agent: &str) -> Arc<[Verb]> {
    let hall = premises.hall();
    verbs(&premises.workshop(&hall), &Principal::agent(agent, VIA)).into()
}

/// Methods whose parameters both eras of the protocol fix. A request for one counts as custom only where its parameters do not fit.
const FIXED: &[&str] = &["completion/complete", "prompts/get", "resources/read", "tools/call"];

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_extensions_with(skills::extension())
            .build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.changes().tells_of_tools()) {
            tools.list_changed = Some(true);
        }
        let capabilities = guest::widened(self, capabilities);
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
        Ok(ListToolsResult::with_all_items([tools::list(self), guest::offered(self, "tools")].concat()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list(self).into_iter().chain(guest::offered(self, "tools")).find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.settle().await;
        match guest::tool(self, &request, &context).await {
            Some(answer) => answer,
            None => tools::call(self, request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let guests = if cursor.is_none() { guest::offered(self, "resources") } else { Vec::new() };
        let mut listed = resources::list(self, cursor)?;
        listed.resources.extend(guests);
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let guests = guest::offered(self, "resourceTemplates");
        Ok(ListResourceTemplatesResult::with_all_items([resources::templates(), guests].concat()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match guest::resource(self, &request, &context).await {
            Some(answer) => answer,
            None => resources::read(self, &request.uri).await.map(Into::into),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let guests = if cursor.is_none() { guest::offered(self, "prompts") } else { Vec::new() };
        let mut listed = prompts::list(self, cursor)?;
        listed.prompts.extend(guests);
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match guest::prompt(self, &request, &context).await {
            Some(answer) => answer,
            None => prompts::get(self, request).await.map(Into::into),
        }
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
        if FIXED.contains(&request.method.as_str()) {
            let message = format!("`{}` does not take these parameters", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
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

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.changes().watch(self.session, context.peer, request.uri)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.changes().unwatch(self.session, &request.uri);
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // We log nothing to clients; a guest may, and says everything that it has to say.
        self.guest().map(drop).ok_or_else(ErrorData::method_not_found::<SetLevelRequestMethod>)
    }
}
