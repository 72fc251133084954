//! The other way round: tools of MCP servers, which skills dispatch to as `mcp:<server>/<tool>`; a server is the person's, or one
//! that a plugin ships, `<plugin>.<server>`.
//!
//! A server is reached when one of its tools is first asked for, and kept as long as whoever holds this. What it says of its tools
//! is a stranger's word: its schemas are held to. What a plugin's server says of what a tool does is worth as much as its plugin's
//! manifest; of the person's servers the person says it.

mod answer;
mod contained;
mod http;
mod link;
mod patience;
mod question;
mod shelf;
mod upstream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use guild_engine::ports::{
    Listed, OfferedSkill, Pending, Tool, ToolAnswer, ToolCall, ToolError, ToolProvider, Unlisted,
};
use guild_engine::{ServerSettings, ShippedServer, Workshop, servers, shipped_server, shipped_servers};

use upstream::Upstream;

/// The name of the provider.
const PROVIDER: &str = "mcp";

/// The tools of servers.
#[derive(Default)]
pub struct McpTools {
    reached: Mutex<HashMap<Key, Arc<Upstream>>>,
}

/// A server, and whether it has what an approved call gets.
type Key = (String, bool);

/// A server that a name stands for.
enum Named {
    /// The person's.
    Own(Box<ServerSettings>),
    /// A plugin's.
    Shipped(Box<ShippedServer>),
}

impl McpTools {
    /// The server as it is configured now; one that was configured otherwise is let go.
    fn upstream(&self, settings: &ServerSettings, is_granted: bool) -> Arc<Upstream> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (settings.name.clone(), is_granted);
        match reached.get(&key) {
            Some(upstream) if upstream.settings() == settings => Arc::clone(upstream),
            _ => {
                let upstream = Arc::new(Upstream::new(settings.clone()));
                reached.insert(key, Arc::clone(&upstream));
                upstream
            }
        }
    }

    /// Lets the servers of plugins go that are off, gone or changed by now.
    fn forget(&self, known: &[ShippedServer]) {
        let is_known = |name: &str| known.iter().any(|server| server.bare.name == name);
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.retain(|(name, _), _| !name.contains('.') || is_known(name));
    }

    /// The tools of one server, under their names among all.
    async fn tools(&self, workshop: &Workshop<'_>, server: &Named) -> Result<Vec<Tool>, ToolError> {
        let upstream = self.upstream(server.unapproved(), false);
        let tools = upstream.list(workshop).await?;
        Ok(tools.into_iter().map(|tool| server.tool(tool)).collect())
    }
}

impl Named {
    /// The server that a tool's name begins with, and the rest of the name.
    fn of<'t>(
        workshop: &Workshop<'_>,
        tool: &'t str,
        approved: Option<&str>,
    ) -> Result<(Self, &'t str), ToolError> {
        let Some((server, tool)) = tool.split_once('/') else {
            let message = format!("`mcp:{tool}` names no server; tools of servers are `mcp:<server>/<tool>`");
            return Err(ToolError::Input(message));
        };
        if server.contains('.') {
            let found = shipped_server(workshop, server, approved)?;
            let found = found.ok_or_else(|| {
                ToolError::Unavailable(format!("no plugin that is on has an MCP server `{server}`"))
            })?;
            return Ok((Self::Shipped(Box::new(found)), tool));
        }
        Ok((Self::Own(Box::new(own(workshop, server)?)), tool))
    }

    /// The server as it is before a person has approved anything.
    fn unapproved(&self) -> &ServerSettings {
        match self {
            Self::Own(settings) => settings,
            Self::Shipped(shipped) => &shipped.bare,
        }
    }

    /// A tool under its name among all servers', with what is known of where it runs.
    fn tool(&self, tool: Tool) -> Tool {
        let name = format!("{}/{}", self.unapproved().name, tool.name);
        match self {
            Self::Own(_) => Tool { name, ..tool },
            Self::Shipped(shipped) => Tool {
                name,
                code: Some(shipped.code.clone()),
                image: Some(shipped.image.clone()),
                environment: shipped.environment.clone(),
                plugin: Some(shipped.plugin.clone()),
                ..tool
            },
        }
    }
}

/// The server of this name in the person's configuration.
fn own(workshop: &Workshop<'_>, server: &str) -> Result<ServerSettings, ToolError> {
    let mut known = servers(&workshop.hall.config).into_iter();
    known.find(|known| known.name == server).ok_or_else(|| {
        let message = format!(
            "no MCP server `{server}` is on (`mcp.servers.{server}` in your configuration); `guild check` says what is wrong with an entry"
        );
        ToolError::Unavailable(message)
    })
}

impl ToolProvider for McpTools {
    fn id(&self) -> &str {
        PROVIDER
    }

    fn list<'a>(&'a self, workshop: &'a Workshop<'_>) -> Pending<'a, Listed> {
        Box::pin(async move {
            let mut listed = Listed::default();
            let mut all: Vec<Named> =
                servers(&workshop.hall.config).into_iter().map(|own| Named::Own(Box::new(own))).collect();
            let mut known = Vec::new();
            for (whose, shipped) in shipped_servers(workshop) {
                match shipped {
                    Ok(shipped) => known.push(shipped),
                    Err(error) => listed.silent.push(Unlisted { whose, error }),
                }
            }
            self.forget(&known);
            all.extend(known.into_iter().map(|shipped| Named::Shipped(Box::new(shipped))));
            // One that is slow keeps nobody else waiting.
            let asked = join_all(all.iter().map(|server| self.tools(workshop, server))).await;
            for (server, told) in all.iter().zip(asked) {
                match told {
                    Ok(tools) => listed.tools.extend(tools),
                    Err(error) => {
                        listed.silent.push(Unlisted { whose: server.unapproved().name.clone(), error });
                    }
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
            let (server, name) = Named::of(workshop, tool, None)?;
            let found = self.upstream(server.unapproved(), false).find(workshop, name).await?;
            Ok(found.map(|found| server.tool(found)))
        })
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>> {
        Box::pin(async move {
            let (server, name) = Named::of(workshop, call.tool, call.code)?;
            let unapproved = self.upstream(server.unapproved(), false);
            let Named::Shipped(shipped) = &server else {
                return unapproved.call(workshop, name, (call.input, call.inquirer)).await;
            };
            if call.code != Some(shipped.code.as_str()) {
                let message = format!("the plugin of `{}` has changed since it was approved", call.tool);
                return Err(ToolError::Denied(message));
            }
            if shipped.environment.is_empty() {
                return unapproved.call(workshop, name, (call.input, call.inquirer)).await;
            }
            let granted = self.upstream(&shipped.granted, true);
            // A server that has more to hand may offer something else under the name.
            if granted.find(workshop, name).await? != unapproved.find(workshop, name).await? {
                let message = format!("`{}` is another tool once its server has its variables", call.tool);
                return Err(ToolError::Denied(message));
            }
            granted.call(workshop, name, (call.input, call.inquirer)).await
        })
    }

    fn skills<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        server: &'a str,
    ) -> Pending<'a, Result<Vec<OfferedSkill>, ToolError>> {
        Box::pin(async move { self.upstream(&own(workshop, server)?, false).skills(workshop).await })
    }

    fn skill_file<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        server: &'a str,
        uri: &'a str,
    ) -> Pending<'a, Result<Vec<u8>, ToolError>> {
        Box::pin(async move { self.upstream(&own(workshop, server)?, false).file(workshop, uri).await })
    }
}
