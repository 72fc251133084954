//! What tests share: files written as text, a hermetic environment for the command, and sessions that read
//! like a terminal.
//!
//! It deliberately knows nothing of skills, and no shipped crate may depend on it: it is a
//! dev-dependency only. Whatever cannot be set up panics, because a test on half a fixture proves nothing.
#![expect(
    clippy::panic,
    clippy::expect_used,
    reason = "a fixture that cannot be set up must fail its test at once, with the path in the message"
)]

mod browser;
mod dice;
mod engines;
mod env;
mod fixture;
mod git_server;
mod guest_root;
pub mod image;
#[cfg(feature = "mcp")]
mod mcp_guest;
mod model_server;
mod npm_registry;
mod orphans;
mod output;
mod postgres;
mod registry;
mod repository;
mod rounds;
mod running;
mod session;
mod terminal;
mod tls_front;
mod web_server;
mod witness;

use std::path::PathBuf;

pub use browser::Browser;
pub use dice::Dice;
pub use engines::{Docker, Podman};
pub use env::{Env, Invocation};
pub use fixture::{Content, Entry, Fixture};
pub use git_server::GitServer;
pub use guest_root::{GuestRoot, guest_root};
#[cfg(feature = "mcp")]
pub use mcp_guest::SuiteGuest;
pub use model_server::{Asked, ModelServer, ModelTurn};
pub use npm_registry::NpmRegistry;
pub use orphans::Orphans;
pub use output::Output;
pub use postgres::Postgres;
pub use registry::Registry;
pub use repository::{Repository, git_script};
pub use rounds::rounds;
pub use running::{Running, kill, wait_until};
pub use session::session;
pub use terminal::FullScreen;
pub use tls_front::TlsFront;
pub use web_server::WebServer;

/// A directory below `target`, for what tests of several runs share. It may not exist.
#[track_caller]
fn below_target(name: &str) -> PathBuf {
    // `target/debug/deps/test-0123`
    let program = std::env::current_exe().expect("find the test's own program");
    program.ancestors().nth(3).expect("a test lies in target/PROFILE/deps").join(name)
}
pub use witness::Witness;
