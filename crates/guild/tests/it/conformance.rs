//! The conformance suite of `guild run`: every way through it, each code, and the envelopes that come out, exactly.
//!
//! Each test is one session in a world of its own, against the real kernel. `cargo xtask conformance` runs these alone.

mod children;
mod hooks;
mod paths;
mod refusals;
mod replays;
mod world;

use crate::desk::masked;
use guild_testkit::{Env, session};
use serde_json::Value as Json;

use world::WORLD;

/// A world with one skill for each way through.
fn world() -> Env {
    crate::env(WORLD)
}

/// A session with everything that differs between machines replaced.
#[track_caller]
fn shown(env: &Env, script: &str) -> String {
    masked(&session(env, script))
}

/// The data of one run, as programs get it.
#[track_caller]
fn data(env: &Env, arguments: &[&str]) -> Json {
    let output = env.guild(&[&["--json", "run"], arguments].concat());
    crate::envelope(&output.stdout())
}
