//! Discover, rank, render: every skill and plugin on a machine as one immutable snapshot.
//!
//! The crate reads files and nothing else: no environment, no clock, no network, no process. What it needs to know
//! of its surroundings arrives as a [`Machine`] and a configuration.

mod allowlist;
mod bounds;
pub mod bundled;
pub mod conventions;
pub mod create;
mod directory;
mod discover;
mod eligibility;
mod fingerprint;
mod index;
mod inspect;
mod machine;
mod precedence;
pub mod prompt;
pub mod render;
mod root;
mod scope;
pub mod search;
mod snapshot;
mod switched_off;
mod switches;
pub mod validate;
#[cfg(target_os = "linux")]
pub mod watch;

pub use discover::parallel::in_parallel_from;
pub use discover::{Freshness, agent_files, bodies, bytes, discover, files, read_plugin};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use inspect::{
    Inspected, InspectedPlugin, Inspection, find_path, inspect_path, inspect_snapshot, read_marketplace,
};
pub use machine::Machine;
pub use root::{Root, Status};
pub use scope::Scope;
pub use snapshot::{Broken, BrokenPlugin, Collision, Entry, Lookup, Place, PluginEntry, Snapshot, near};
pub use switches::{Switched, Switches};
