//! One file per command: its arguments, whose comments are its help, and how its reply is printed.
//!
//! What a command does is the engine's to decide.

pub mod add;
pub mod approve;
pub mod changes;
pub mod check;
pub mod completions;
pub mod contract;
pub mod deny;
pub mod diff;
pub mod doctor;
pub mod explain;
mod following;
pub mod grants;
pub mod hash;
pub mod image;
pub mod list;
pub mod new;
pub mod outdated;
pub mod pin;
pub mod plugins;
pub mod prompt;
pub mod receipts;
pub mod reload;
pub mod remove;
pub mod render;
pub mod replay;
pub mod requests;
pub mod rollback;
pub mod roots;
pub mod run;
pub mod sandbox;
pub mod search;
pub mod show;
pub mod sync;
pub mod token;
pub mod update;
pub mod verify;
pub mod vet;
pub mod watch;
