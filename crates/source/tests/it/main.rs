//! The store from outside: what it reads, what it refuses, what it survives.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and a stager that is killed talks to its parent"
)]

mod archives;
mod blobs;
mod crash;
mod damage;
mod links;
mod local_git;
mod modules;
mod packs;
mod race;
mod refusals;
mod sites;
mod staging;
mod sweep;
mod world;
