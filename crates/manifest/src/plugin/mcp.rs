//! The MCP servers that a plugin brings: the vendors' open forms and the closed one of Agent Plugins.
//!
//! It only reads. Placeholders stay as they are written, and nothing here starts or reaches a server.

pub(super) mod address;
pub(super) mod closed;
pub(super) mod open;

use super::fields::Fields;
use serde::{Deserialize, Serialize};

/// A server and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// Its name within the plugin.
    pub name: String,
    /// Whether the plugin wants it on.
    pub enabled: bool,
    /// How it is reached.
    pub transport: Transport,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transport {
    /// A program that is spoken to through its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment, in the order of the file.
        env: Vec<(String, String)>,
        /// Its working directory; the plugin's own unless given.
        cwd: Option<String>,
    },
    /// A service on the network.
    Http {
        /// Which protocol.
        kind: HttpKind,
        /// Its address.
        url: String,
        /// Headers sent to it, in the order of the file.
        headers: Vec<(String, String)>,
    },
}

/// Which protocol a service on the network speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpKind {
    /// Streamable HTTP, the current one.
    Streamable,
    /// HTTP with server-sent events, the deprecated one.
    Sse,
    /// WebSocket.
    WebSocket,
}

/// A list of text under `key`, none if the key is absent; no answer if it was refused.
fn list_of_text(parts: &mut Fields<'_>, key: &str) -> Option<Vec<String>> {
    let Some(node) = parts.take(key) else { return Some(Vec::new()) };
    let Some(items) = node.as_list() else {
        parts.wrong(key, node, "a list of text");
        return None;
    };
    let labelled = items.iter().enumerate();
    labelled
        .map(|(index, item)| match item.as_str() {
            Some(text) => Some(text.to_owned()),
            None => parts.as_text(&format!("{key}[{index}]"), item),
        })
        .collect()
}

/// The pairs of text under `key`, none if the key is absent; no answer if it was refused.
fn pairs_of_text(parts: &mut Fields<'_>, key: &str) -> Option<Vec<(String, String)>> {
    let Some(node) = parts.take(key) else { return Some(Vec::new()) };
    let values = parts.within(key, node)?;
    let pairs = values.entries().iter().map(|entry| {
        let text = match entry.value.as_str() {
            Some(text) => text.to_owned(),
            None => values.as_text(&entry.key, &entry.value)?,
        };
        Some((entry.key.clone(), text))
    });
    pairs.collect()
}
