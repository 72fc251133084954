//! The other way round: tools of the person's MCP servers, which skills dispatch to as `mcp:<server>/<tool>`.
//!
//! A server is reached when one of its tools is first asked for, and kept as long as whoever holds this. What it says of its tools
//! is a stranger's word: its schemas are held to, its hints about what a tool does are not believed.

mod answer;
mod contained;
mod http;
mod link;
mod patience;
mod upstream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use guild_engine::ports::{Listed, Pending, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, Unlisted};
use guild_engine::{ServerSettings, Workshop, servers};

use upstream::Upstream;

/// The name of the provider.
const PROVIDER: &str = "mcp";

/// The tools of the person's servers.
#[derive(Default)]
pub struct McpTools {
    reached: Mutex<HashMap<String, Arc<Upstream>>>,
}

impl McpTools {
    /// The server that a tool's name begins with, and the rest of the name.
    fn named<'t>(
        &self,
        workshop: &Workshop<'_>,
        tool: &'t str,
    ) -> Result<(Arc<Upstream>, &'t str), ToolError> {
        let Some((server, tool)) = tool.split_once('/') else {
            let message = format!("`mcp:{tool}` names no server; tools of servers are `mcp:<server>/<tool>`");
            return Err(ToolError::Input(message));
        };
        let mut known = servers(&workshop.hall.config).into_iter();
        let Some(settings) = known.find(|known| known.name == server) else {
            let message = format!(
                "no MCP server `{server}` is on (`mcp.servers.{server}` in your configuration); `guild check` says what is wrong with an entry"
            );
            return Err(ToolError::Unavailable(message));
        };
        Ok((self.upstream(settings), tool))
    }

    /// The server as it is configured now; one that was configured otherwise is let go.
    fn upstream(&self, settings: ServerSettings) -> Arc<Upstream> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        match reached.get(&settings.name) {
            Some(upstream) if *upstream.settings() == settings => Arc::clone(upstream),
            _ => {
                let upstream = Arc::new(Upstream::new(settings.clone()));
                reached.insert(settings.name, Arc::clone(&upstream));
                upstream
            }
        }
    }
}

/// A tool under its name among all servers'.
fn of_server(server: &str, tool: Tool) -> Tool {
    Tool { name: format!("{server}/{}", tool.name), ..tool }
}

impl ToolProvider for McpTools {
    fn id(&self) -> &str {
        PROVIDER
    }

    fn list<'a>(&'a self, workshop: &'a Workshop<'_>) -> Pending<'a, Listed> {
        Box::pin(async move {
            let mut listed = Listed::default();
            for settings in servers(&workshop.hall.config) {
                let whose = settings.name.clone();
                match self.upstream(settings).list(workshop).await {
                    Ok(tools) => listed.tools.extend(tools.into_iter().map(|tool| of_server(&whose, tool))),
                    Err(error) => listed.silent.push(Unlisted { whose, error }),
                }
            }
            listed
        })
    }

    fn find<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        tool: &'a str,
    ) -> Pending<'a, Result<Option<Tool>, ToolError>> {
        Box::pin(async move {
            let (upstream, name) = self.named(workshop, tool)?;
            upstream.find(workshop, name).await
        })
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>> {
        Box::pin(async move {
            let (upstream, name) = self.named(workshop, call.tool)?;
            upstream.call(workshop, name, call.input).await
        })
    }
}
