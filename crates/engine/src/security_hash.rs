//! The security hash: SHA-256 over everything that decides how a skill behaves. What was approved is what runs.
//!
//! A skill, or for a plugin's skill the whole plugin, is staged: read once, hashed, and from then on used from that copy alone. The
//! hash is the digest of a [`Payload`], which is kept in the store under it, so that whoever sees another hash later can be told what
//! has changed. It grants nothing. The work is a few files' reading and is done at once; nothing here waits for anybody.

mod call;
mod compare;
mod declared;
mod failure;
mod hook;
mod load;
mod locks;
mod origin;
mod payload;
mod plugin;
mod stage;

pub(crate) use call::stage_call;
pub use compare::compare;
pub(crate) use declared::declared;
pub(crate) use hook::stage_hook;
pub use load::load;
pub use payload::{
    Configuration, ContractTerms, EntrypointFiles, ImageIdentity, Limits, LockFile, Payload, PluginIdentity,
    RunnerIdentity, SkillIdentity, ToolIdentity,
};
pub(crate) use plugin::{StagedPlugin, stage_files, stage_plugin};
pub use stage::{Staged, stage};
