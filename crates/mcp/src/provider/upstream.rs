//! One server over time: reached when it is first needed, reached again when it has gone, left alone for a while when it fails.

use std::future::Future;
use std::sync::Arc;

use guild_engine::ports::{Inquirer, OfferedSkill, Tool, ToolAnswer, ToolError};
use guild_engine::{ServerSettings, Workshop};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::answer;
use super::contained::Complaint;
use super::link::Link;
use super::patience::Patience;

/// A server.
pub(super) struct Upstream {
    settings: ServerSettings,
    /// Held while it is being reached: one at a time.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Arc<Link>>,
    patience: Patience,
}

impl Upstream {
    /// A server that nobody has asked for anything yet.
    pub(super) fn new(settings: ServerSettings) -> Self {
        Self { settings, state: Mutex::default() }
    }

    /// What the person says of it.
    pub(super) fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    /// Its tools.
    pub(super) async fn list(&self, workshop: &Workshop<'_>) -> Result<Vec<Tool>, ToolError> {
        let link = self.link(workshop).await?;
        let listed = self.in_time(link.tools()).await?;
        Ok(listed.iter().map(|tool| answer::tool(tool, self.is_read_only(tool))).collect())
    }

    /// Whether a tool only looks: by the person's word where the server is theirs, by its plugin's where a plugin ships it.
    fn is_read_only(&self, tool: &rmcp::model::Tool) -> bool {
        let ServerSettings { name, read_only, .. } = &self.settings;
        let hinted = || tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true);
        read_only.iter().any(|known| *known == tool.name) || (name.contains('.') && hinted())
    }

    /// A tool of it by name.
    pub(super) async fn find(&self, workshop: &Workshop<'_>, name: &str) -> Result<Option<Tool>, ToolError> {
        let mut named = self.list(workshop).await?.into_iter().filter(|tool| tool.name == name);
        let found = named.next();
        if named.next().is_some() {
            let message = format!("server `{}` has two tools of the name `{name}`", self.settings.name);
            return Err(ToolError::Failed(message));
        }
        Ok(found)
    }

    /// The skills that it offers.
    pub(super) async fn skills(&self, workshop: &Workshop<'_>) -> Result<Vec<OfferedSkill>, ToolError> {
        let link = self.link(workshop).await?;
        self.in_time(link.skills()).await
    }

    /// The bytes of a file that it offers.
    pub(super) async fn file(&self, workshop: &Workshop<'_>, uri: &str) -> Result<Vec<u8>, ToolError> {
        let link = self.link(workshop).await?;
        self.in_time(link.file(uri)).await
    }

    /// What it answers, if that does not take too long.
    async fn in_time<T>(&self, asking: impl Future<Output = Result<T, ToolError>>) -> Result<T, ToolError> {
        let answered = timeout(self.settings.timeout, asking).await;
        self.judged(answered.unwrap_or_else(|_| Err(answer::timed_out(&self.settings.name)))).await
    }

    /// Calls a tool. A call whose fate is not known is not made again.
    pub(super) async fn call(
        &self,
        workshop: &Workshop<'_>,
        name: &str,
        (input, inquirer): (&Map<String, Value>, &dyn Inquirer),
    ) -> Result<ToolAnswer, ToolError> {
        let link = self.link(workshop).await?;
        self.judged(link.call(name, input, (self.settings.timeout, inquirer)).await).await
    }

    /// The connection, which is made if there is none.
    async fn link(&self, workshop: &Workshop<'_>) -> Result<Arc<Link>, ToolError> {
        let mut state = self.state.lock().await;
        if let Some(link) = state.link.as_ref().filter(|link| link.stands()) {
            return Ok(Arc::clone(link));
        }
        state.link = None;
        let name = &self.settings.name;
        if let Some(left) = state.patience.left(Instant::now()) {
            let seconds = left.as_secs_f64();
            let message = format!("server `{name}` has just failed; it is tried again in {seconds:.1} s");
            return Err(ToolError::Unavailable(message));
        }
        let complaint = Complaint::default();
        let opening = Link::open(&self.settings, workshop, complaint.clone());
        let opened = timeout(self.settings.timeout, opening).await;
        match opened.unwrap_or_else(|_| Err(silent(name, &complaint))) {
            Ok(link) => {
                state.patience.succeeded();
                Ok(Arc::clone(state.link.insert(Arc::new(link))))
            }
            Err(error) => {
                state.patience.failed(Instant::now());
                Err(error)
            }
        }
    }

    /// Lets a connection go that has failed, so that the next one to ask gets another.
    async fn judged<T>(&self, outcome: Result<T, ToolError>) -> Result<T, ToolError> {
        if matches!(outcome, Err(ToolError::Unavailable(_) | ToolError::TimedOut(_))) {
            let mut state = self.state.lock().await;
            state.link = None;
            state.patience.failed(Instant::now());
        }
        outcome
    }
}

/// A server that was started and says nothing.
fn silent(name: &str, complaint: &Complaint) -> ToolError {
    ToolError::TimedOut(format!("server `{name}` does not answer{}", complaint.because()))
}
