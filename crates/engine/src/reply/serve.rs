//! The reply of a server that has begun to listen.

use schemars::JsonSchema;
use serde::Serialize;

/// `serve`: where it is.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Serve {
    /// The address, with the port that it got: `http://127.0.0.1:7878`.
    pub address: String,
    /// Where MCP is.
    pub mcp: String,
    /// How many tokens let somebody in.
    pub tokens: usize,
    /// A link that opens the page once, and within ten minutes; null where no browser of this machine would reach it.
    pub login: Option<String>,
}
