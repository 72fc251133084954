//! A policy in, a contained process out.
//!
//! [`Policy`] says what a process may see and use, [`Command`] what to run; a [`Backend`] turns the two into a [`Child`], and the
//! child into an [`Outcome`]. What a backend cannot enforce it refuses: nothing is weakened in silence, and there is no way to run
//! anything of a skill's without a container; [`host`] starts the few programs of ours that need none.
//!
//! This crate knows nothing of skills, approvals or receipts, reads no environment and prints nothing.

#![expect(unsafe_code, reason = "some system calls have no safe wrapper; each block says why it is sound")]

mod backend;
#[cfg(target_os = "linux")]
pub mod changes;
mod child;
mod command;
mod digest;
#[cfg(target_os = "linux")]
mod embedded;
mod engines;
mod gate;
pub mod heap;
#[cfg(unix)]
pub mod host;
mod host_root;
pub mod image;
#[cfg(target_os = "linux")]
pub mod live;
mod outcome;
pub mod package_manager;
mod policy;
mod probe;
#[cfg(target_os = "linux")]
mod random;
mod search;
mod seccomp;
mod surroundings;

pub use backend::{Backend, Container, LaunchError, Pending, RefusalKind};
pub use child::{Child, ChildEnd, ChildStdin, Chunk, Feed, Killer, Stream};
pub use command::{Command, Stdin};
pub use digest::{Digest, NoDigest};
#[cfg(target_os = "linux")]
pub use embedded::Embedded;
pub use engines::Engine;
pub use gate::{Gate, Key};
pub use outcome::{Captured, ExitStatus, KeptFile, Outcome, Usage};
pub use policy::{Access, Enforcement, Limits, Mount, Network, Policy, Root, Scratch};
pub use probe::{Feature, Finding, Probe};
#[cfg(target_os = "linux")]
pub use random::random_bytes;
pub use surroundings::Surroundings;
