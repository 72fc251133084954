//! What the catalog guarantees, told by real directories: one module a topic, files in, short text out.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must fail at once")]

mod builtins;
mod configuration;
mod content;
mod eligibility;
mod index;
mod inspection;
mod layouts;
mod links;
mod lookup;
mod plugins;
mod precedence;
mod roots;
mod samples;
mod versions;
mod world;
