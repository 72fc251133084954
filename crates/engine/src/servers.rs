//! MCP servers whose tools skills may dispatch to: what the person's configuration says of them, and one of them in its container.
//!
//! A server is the person's choice, never a skill's or a project's: its entry counts from the user's and the machine's files alone.
//! Talking to it is left to whoever speaks the protocol.

mod contained;
mod list;
mod settings;

pub use contained::{ContainedServer, Conversation};
pub use list::servers_list;
pub(crate) use settings::problems;
pub use settings::{HttpServer, Reach, ServerSettings, servers};
