//! The replies about tools and the servers that offer them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::diff::Difference;

/// `tools list`: the tools that there are now.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Tools {
    /// The tools, each provider's together.
    pub tools: Vec<ToolLine>,
    /// Who could not say which tools they have.
    pub silent: Vec<SilentProvider>,
    /// Plugins that are here and whose tools are there once `guild enable` has named them.
    pub waiting: Vec<String>,
    /// How many tools there are.
    pub count: usize,
}

/// A tool.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToolLine {
    /// Its whole name, `provider:tool`.
    pub name: String,
    /// Who offers it.
    pub provider: String,
    /// The plugin that brings it; null where none does.
    pub plugin: Option<String>,
    /// What it is said to do.
    pub description: String,
    /// Whether it only looks, by our own word or the person's; one that does more asks every time.
    pub read_only: bool,
    /// JSON Schema of what it takes.
    pub input_schema: Value,
    /// JSON Schema of what it gives, where that is declared.
    pub output_schema: Option<Value>,
}

/// Somebody who could not say which tools they have.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SilentProvider {
    /// Who: `mcp:<server>`.
    pub provider: String,
    /// Why, as a code.
    pub code: &'static str,
    /// Why, in words.
    pub message: String,
}

/// `servers list`: the MCP servers of the configuration.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Servers {
    /// The servers that are on, by name.
    pub servers: Vec<ServerLine>,
    /// How many there are.
    pub count: usize,
}

/// A server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ServerLine {
    /// Its name, as in `mcp:<name>/<tool>`.
    pub name: String,
    /// `container` or `http`.
    pub transport: &'static str,
    /// The command in the container; empty over HTTP.
    pub command: Vec<String>,
    /// The address; null in a container.
    pub url: Option<String>,
    /// `none` or `host`.
    pub network: &'static str,
    /// Names of the variables that reach it, or of the headers that it is sent.
    pub variables: Vec<String>,
    /// Its tools that only look, by the person's word.
    pub read_only: Vec<String>,
    /// Seconds that one call may take.
    pub timeout_seconds: u64,
}

/// `servers import`: servers of another program's configuration.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ServersImported {
    /// The program.
    pub host: String,
    /// Its file.
    pub source: String,
    /// Our file, into which they go.
    pub path: String,
    /// The servers that were new, by name.
    pub added: Vec<String>,
    /// Those that were not taken, and why.
    pub skipped: Vec<SkippedServer>,
    /// Variables that they need and whose values were not taken along.
    pub variables: Vec<String>,
    /// Whether our file was written.
    pub written: bool,
    /// What changes in it.
    pub difference: Difference,
}

/// A server that was not taken.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedServer {
    /// Its name there.
    pub name: String,
    /// Why.
    pub reason: String,
}
