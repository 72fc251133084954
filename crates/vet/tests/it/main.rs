//! The vet from outside: a skill in, findings out.
#![expect(clippy::expect_used, reason = "a test that cannot go on must fail at once")]

mod evasion;
mod page;
mod properties;
mod rules;
mod world;
