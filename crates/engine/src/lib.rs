//! The operations of Guildhall, one per file, and the facade that everything public is reached through.
//!
//! An operation takes a [`Hall`] and a request and gives an [`Envelope`] with its own reply. It prints nothing, reads
//! no environment and decides no exit: the surfaces above do.

mod agent;
mod check;
mod codes;
mod doctor;
mod envelope;
mod explain;
mod file_match;
mod hall;
mod list;
mod plugins;
mod prompt;
mod reload;
pub mod reply;
mod roots;
mod search;
mod show;

pub use check::{CheckRequest, check};
pub use codes::Code;
pub use doctor::doctor;
pub use envelope::{Envelope, Status};
pub use explain::explain;
pub use guild_catalog as catalog;
pub use guild_manifest as manifest;
pub use hall::{ConfigFile, Hall};
pub use list::{ListRequest, list};
pub use plugins::plugins;
pub use prompt::{PromptRequest, prompt};
pub use reload::reload;
pub use roots::roots;
pub use search::{SearchRequest, search};
pub use show::show;
