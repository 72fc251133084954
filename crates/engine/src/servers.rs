//! MCP servers whose tools skills may dispatch to: those of the person's configuration, those that plugins ship, and one of them in
//! its container.
//!
//! An entry of the configuration is the person's choice: it counts from the user's and the machine's files alone. A plugin's server
//! counts once a person has switched the plugin on, and sees nothing but the plugin. Talking to either is left to whoever speaks the
//! protocol.

mod contained;
mod list;
mod placeholder;
mod settings;
mod shipped;

pub use contained::{ContainedServer, Conversation};
pub use list::servers_list;
pub(crate) use settings::problems;
pub use settings::{HttpServer, Reach, ServerSettings, servers};
pub use shipped::{ShippedServer, shipped_server, shipped_servers};
