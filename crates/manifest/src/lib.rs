//! Text in, types and problems out: every dialect of skill, plugin and configuration file.
//!
//! The crate is pure. It opens no file, reads no environment and no clock, depends on no crate of ours, and
//! never panics whatever it is given: what it cannot read comes back as a [`Problem`] with a place and a hint.

pub mod canonical;
pub mod coerce;
pub mod config;
mod digest;
pub mod escape;
mod file_tree;
pub mod fold;
pub mod frontmatter;
pub mod glob;
pub mod injection;
pub mod plugin;
mod problem;
pub mod skill;
pub mod text;
pub mod tree;

pub use digest::{Digest, DigestBuilder, NotADigest};
pub use file_tree::{FileEntry, NotATree, TreeManifest};
pub use problem::{Code, Pos, Problem, Severity};
