//! Guildhall for any agent that speaks the Model Context Protocol: its skills found, read and run, with a person's approval.
//!
//! Wire types and transport only; what a call may do is decided by the engine. Both eras of the protocol are served on one
//! connection: the stateless one from 2026-07-28 on, and those that begin with a handshake.

mod approval;
mod arguments;
mod changes;
mod child;
mod guest;
mod http;
mod inquiry;
mod instructions;
mod outcome;
mod prompts;
mod provider;
mod resources;
mod running;
mod sampling;
mod server;
mod skills;
mod stdio;
mod tools;
mod uri;
mod watch;

pub use child::serve_child;
pub use http::Http;
pub use provider::McpTools;
pub use server::{Server, Settings};
pub use stdio::serve_stdio;
