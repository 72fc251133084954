//! The registry as people meet it: what they switch on and off, what plugins need for it, and what agents ask for.

mod config;
mod merged;
mod secrets;
mod switching;
mod world;

use crate::desk::masked;
use guild_testkit::{Env, session};

use world::WORLD;

/// A world with skills and plugins to be switched.
pub fn world() -> Env {
    crate::env(WORLD)
}

/// A session with everything that differs between machines replaced.
#[track_caller]
pub fn shown(env: &Env, script: &str) -> String {
    masked(&session(env, script))
}
