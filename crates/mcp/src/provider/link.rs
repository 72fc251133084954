//! One connection to a server, in whichever era it speaks, with what it said of its tools.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use guild_engine::ports::{Inquirer, OfferedSkill, ToolAnswer, ToolError};
use guild_engine::{Reach, ServerSettings, Workshop};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationCapability, Implementation, JsonObject, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, NotificationContext, RequestContext, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::{ErrorData, RoleClient};

use super::answer;
use super::contained::{Complaint, Pump, pump};
use super::http;
use super::question::OpenCalls;
use super::shelf;

/// A server that has more than so many pages of tools is not asked for more.
const MOST_PAGES: usize = 50;
/// A server that asks a person more often than this in one call is not asked again.
const MOST_ROUNDS: usize = 8;

/// A connection.
pub(super) struct Link {
    service: RunningService<RoleClient, Listener>,
    server: String,
    tools: Mutex<Option<Arc<[Tool]>>>,
    complaint: Complaint,
    /// What keeps a server in its container going.
    _pump: Option<Pump>,
}

/// What a server says unasked.
#[derive(Clone, Default)]
struct Listener {
    /// Its tools are others than it said.
    is_stale: Arc<AtomicBool>,
    /// The calls that it may ask something about.
    calls: OpenCalls,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::default());
        capabilities.extensions = Some(shelf::extension());
        ClientConfig::new(capabilities, Implementation::new("guildhall", env!("CARGO_PKG_VERSION")))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.is_stale.store(true, Ordering::Relaxed);
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.calls.ask(request).await)
    }
}

impl Link {
    /// Reaches a server.
    pub(super) async fn open(
        settings: &ServerSettings,
        workshop: &Workshop<'_>,
        complaint: Complaint,
    ) -> Result<Self, ToolError> {
        let (listener, server) = (Listener::default(), settings.name.clone());
        let failed = |error: &dyn std::fmt::Display| {
            let because = complaint.because();
            ToolError::Unavailable(format!("server `{server}` cannot be reached: {error}{because}"))
        };
        let (service, pump) = match &settings.reach {
            Reach::Contained(contained) => {
                let started = contained.start(workshop).await;
                let started = started.map_err(|refusal| failed(&refusal.message))?;
                let (ends, pump) = pump(started, complaint.clone());
                (serve_client_with_lifecycle(listener, ends, either_era()).await, Some(pump))
            }
            Reach::Http(http) => {
                let transport = http::transport(http, workshop).await?;
                (serve_client_with_lifecycle(listener, transport, either_era()).await, None)
            }
        };
        let service = service.map_err(|error| failed(&error))?;
        Ok(Self { service, server, tools: Mutex::default(), complaint, _pump: pump })
    }

    /// Whether it still stands.
    pub(super) fn stands(&self) -> bool {
        !self.service.is_closed() && !self.service.peer().is_transport_closed()
    }

    /// What the server says of its tools.
    pub(super) async fn tools(&self) -> Result<Arc<[Tool]>, ToolError> {
        let held = |link: &Self| link.tools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(tools) = held(self).filter(|_| self.tells_of_changes() && !self.is_stale()) {
            return Ok(tools);
        }
        self.service.service().is_stale.store(false, Ordering::Relaxed);
        let (mut tools, mut cursor) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.service.list_tools(Some(page)).await.map_err(|error| self.failure(&error))?;
            tools.extend(page.tools);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let tools: Arc<[Tool]> = tools.into();
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&tools));
        Ok(tools)
    }

    /// The skills that the server offers.
    pub(super) async fn skills(&self) -> Result<Vec<OfferedSkill>, ToolError> {
        let offers = self.service.peer_info().is_some_and(|peer| shelf::is_among(&peer.capabilities));
        if !offers {
            return Err(ToolError::Unavailable(format!("server `{}` offers no skills", self.server)));
        }
        let (mut skills, mut cursor) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let asked = self.service.send_request(shelf::list(cursor)).await;
            let page = shelf::page(asked.map_err(|error| self.failure(&error))?);
            let page = page.ok_or_else(|| self.failure(&ServiceError::UnexpectedResponse))?;
            skills.extend(page.skills);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(skills.into_iter().filter_map(shelf::Entry::offered).collect())
    }

    /// The bytes of a file that the server offers.
    pub(super) async fn file(&self, uri: &str) -> Result<Vec<u8>, ToolError> {
        let read = self.service.read_resource_once(ReadResourceRequestParams::new(uri)).await;
        let bytes = shelf::bytes(read.map_err(|error| self.failure(&error))?, uri);
        bytes.ok_or_else(|| {
            ToolError::Failed(format!("server `{}` gives something else than `{uri}`", self.server))
        })
    }

    /// Calls a tool; `patience` is for the server, and a person's time does not count.
    pub(super) async fn call(
        &self,
        tool: &str,
        input: &JsonObject,
        (patience, inquirer): (Duration, &dyn Inquirer),
    ) -> Result<ToolAnswer, ToolError> {
        let mut call = self.service.service().calls.open(inquirer);
        let mut request = CallToolRequestParams::new(tool.to_owned()).with_arguments(input.clone());
        for _ in 0..MOST_ROUNDS {
            let asking = self.service.call_tool_once(request.clone());
            let answered =
                call.attend(asking, patience).await.ok_or_else(|| answer::timed_out(&self.server))?;
            match answered.map_err(|error| self.failure(&error)) {
                Ok(CallToolResponse::InputRequired(required)) => {
                    let asked = required.input_requests.unwrap_or_default();
                    request.input_responses =
                        Some(call.fill_in(asked).await.ok_or_else(|| self.unanswerable())?);
                    request.request_state = required.request_state;
                }
                // What nobody has answered is told to whoever called, whatever the server made of it.
                answered if call.unanswered().is_none() => return self.given(answered?),
                _ => {}
            }
            if let Some(unanswered) = call.unanswered() {
                return Ok(unanswered);
            }
        }
        Err(ToolError::Failed(format!("server `{}` asks and asks", self.server)))
    }

    fn given(&self, answered: CallToolResponse) -> Result<ToolAnswer, ToolError> {
        match answered {
            CallToolResponse::Complete(given) => answer::result(given).map(ToolAnswer::Done),
            _ => Err(ToolError::Failed(format!(
                "server `{}` wants to answer later, which is not waited for",
                self.server
            ))),
        }
    }

    fn unanswerable(&self) -> ToolError {
        ToolError::Failed(format!("server `{}` asks for more than a person can say", self.server))
    }

    /// A server of the era with a handshake says when its tools change; the others' lists last as long as they say.
    fn tells_of_changes(&self) -> bool {
        self.service.peer_info().is_some_and(|peer| {
            let tells = peer.capabilities.tools.as_ref().and_then(|tools| tools.list_changed) == Some(true);
            tells && peer.protocol_version < ProtocolVersion::V_2026_07_28
        })
    }

    fn is_stale(&self) -> bool {
        self.service.service().is_stale.load(Ordering::Relaxed)
    }

    fn failure(&self, error: &ServiceError) -> ToolError {
        answer::failure(error, &self.server, &self.complaint)
    }
}

fn either_era() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}
