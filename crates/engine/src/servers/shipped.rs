//! Servers that plugins ship: `mcp:<plugin>.<server>/<tool>`. A name of the person's own has no period, so that none is taken.
//!
//! One runs from the staged copy of its plugin, over its standard streams, in a container without network. Before a call was
//! approved nothing of the person's environment reaches it; what it declares does then.

mod command;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::time::Duration;

use guild_catalog::PluginEntry;
use guild_manifest::Digest;
use guild_manifest::plugin::{McpServer, Transport};

use super::settings::{Reach, ServerSettings};
use crate::ports::ToolError;
use crate::registry::{plugin_that_counts, plugins_that_are_on};
use crate::security_hash::{StagedPlugin, stage_plugin};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server of a plugin that is on.
#[derive(Debug, Clone)]
pub struct ShippedServer {
    /// The plugin.
    pub plugin: String,
    /// The server as it is before anybody has approved anything: none of the person's variables reach it.
    pub bare: ServerSettings,
    /// The server as an approved call gets it.
    pub granted: ServerSettings,
    /// Names of the variables that then reach it.
    pub environment: Vec<String>,
    /// The digest of the plugin's files.
    pub code: String,
    /// The digest of the root file system that it runs in.
    pub image: String,
}

/// Every server of the plugins that are on, by name, or why it cannot be used.
pub fn shipped_servers(workshop: &Workshop<'_>) -> Vec<(String, Result<ShippedServer, ToolError>)> {
    let mut found = Vec::new();
    for entry in plugins_that_are_on(workshop.hall).filter(|entry| has_servers(entry)) {
        let name = &entry.plugin.name;
        match plugin_that_counts(workshop.hall, name).map(|_| stage_plugin(entry, workshop.store)) {
            Ok(Ok(staged)) => found.extend(all(workshop, entry, &staged)),
            Ok(Err(refusal)) | Err(refusal) => found.push((name.clone(), Err(told(refusal)))),
        }
    }
    found
}

/// The server of this name, if a plugin that is on has it; `approved` is the code that a person has approved.
///
/// # Errors
/// Where it is there and cannot be used, for instance since the vet denies its plugin.
pub fn shipped_server(
    workshop: &Workshop<'_>,
    name: &str,
    approved: Option<&str>,
) -> Result<Option<ShippedServer>, ToolError> {
    let is_of = |entry: &&PluginEntry| {
        entry.plugin.mcp_servers.iter().any(|server| name_of(&entry.plugin.name, &server.name) == name)
    };
    let mut owners = plugins_that_are_on(workshop.hall).filter(is_of);
    let Some(entry) = owners.next() else { return Ok(None) };
    if let Some(other) = owners.next() {
        let (first, second) = (&entry.plugin.name, &other.plugin.name);
        let message = format!("the plugins `{first}` and `{second}` both have an MCP server `{name}`");
        return Err(ToolError::Conflict(message));
    }
    let staged = match approved {
        Some(code) => {
            let digest: Digest = code.parse().map_err(|_| ToolError::Denied("no such code".to_owned()))?;
            let stored = workshop.store.tree(&digest).map_err(Refusal::from);
            stored.and_then(|stored| StagedPlugin::read(entry, stored))
        }
        None => plugin_that_counts(workshop.hall, &entry.plugin.name)
            .and_then(|_| stage_plugin(entry, workshop.store)),
    };
    let staged = staged.map_err(told)?;
    let found = all(workshop, entry, &staged).into_iter().find(|(known, _)| known == name);
    found.map(|(_, server)| server).transpose()
}

fn has_servers(entry: &PluginEntry) -> bool {
    entry.plugin.mcp_servers.iter().any(|server| server.enabled)
}

fn name_of(plugin: &str, server: &str) -> String {
    format!("{plugin}.{server}")
}

type Named = (String, Result<ShippedServer, ToolError>);

fn all(workshop: &Workshop<'_>, entry: &PluginEntry, staged: &StagedPlugin) -> Vec<Named> {
    let on = staged.plugin.mcp_servers.iter().filter(|server| server.enabled);
    on.map(|server| (name_of(&staged.plugin.name, &server.name), shipped(workshop, entry, staged, server)))
        .collect()
}

fn shipped(
    workshop: &Workshop<'_>,
    entry: &PluginEntry,
    staged: &StagedPlugin,
    server: &McpServer,
) -> Result<ShippedServer, ToolError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !server.name.chars().all(is_plain) {
        let message = "its name has other characters than letters, digits, `-`, `_` and `.`";
        return Err(ToolError::Unavailable(message.to_owned()));
    }
    let Transport::Stdio { .. } = &server.transport else {
        let message = "it is reached over the network, which plugins do not have; \
                       `[mcp.servers.NAME]` with its `url` in your configuration does";
        return Err(ToolError::Unavailable(message.to_owned()));
    };
    let data = data(workshop, entry).map_err(told)?;
    let started = command::read(staged, &server.transport, &data).map_err(ToolError::Unavailable)?;
    let settings = |env: &[String]| {
        let mut contained = started.server.clone();
        contained.env = env.to_vec();
        ServerSettings {
            name: name_of(&staged.plugin.name, &server.name),
            reach: Reach::Contained(contained),
            read_only: Vec::new(),
            timeout: TIMEOUT,
        }
    };
    Ok(ShippedServer {
        plugin: staged.plugin.name.clone(),
        bare: settings(&[]),
        granted: settings(&started.environment),
        environment: started.environment.clone(),
        code: staged.digest.to_string(),
        image: workshop.images.resolve(None).map_err(told)?.digest.to_string(),
    })
}

/// The directory that is the plugin's own from one start to the next, one for each place that it is installed in.
fn data(workshop: &Workshop<'_>, entry: &PluginEntry) -> Result<PathBuf, Refusal> {
    let place = Digest::of(entry.key().as_bytes()).to_hex();
    let name = format!("{}-{}", entry.plugin.name, place.get(..12).unwrap_or(&place));
    let directory = workshop.places.data()?.join("plugin-data").join(name);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
    made.map_err(|error| Refusal::new(Code::WriteFailed, format!("{}: {error}", directory.display())))?;
    Ok(directory)
}

fn told(refusal: Refusal) -> ToolError {
    match refusal.code {
        Code::SecurityPreflightDenied => ToolError::Denied(refusal.message),
        _ => ToolError::Unavailable(refusal.message),
    }
}
