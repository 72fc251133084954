//! What a command wrote to a copy-on-write mount: listed, kept as a change set, and applied or dropped as a whole.
//!
//! A [`Layer`] takes the writes. When the command has ended, [`Layer::changes`] lists them, and a [`ChangeSet`] keeps the list
//! until somebody has decided; a [`ChangeStore`] holds the sets of one state directory, and is where they are applied. What the
//! command left is hostile: no link in it is followed, its size is bounded, and whatever is no plain file, directory or link
//! within the source refuses the set.
//!
//! Nothing here asks anybody, shows content, or knows what the files mean. All calls block; they are for threads that may.

mod apply;
mod base;
mod bounds;
mod change;
mod content;
mod file;
mod layer;
mod listing;
mod path_text;
mod removal;
mod sensitive;
mod set;
mod store;
mod tree;
mod watch;

pub use apply::{ApplyError, Conflict, ConflictKind, Progress, Recovered, Recovery};
pub use bounds::{Bounds, ReadError};
pub use change::{Change, ChangeKind, Node, Reason, Refused};
pub use content::{Content, Contents};
pub use file::ReadFileError;
pub use layer::{Copied, Form, Layer, LayerError, Owner};
pub use listing::Listing;
pub use sensitive::Sensitive;
pub use set::{ChangeSet, ChangeSetId, ChangeSetIdError, Status};
pub use store::{ChangeStore, Saved, StoreError};
pub use watch::{Overfull, Watch};

/// How the directory is called, at the top of a source, in which an application is prepared. No change may touch such a name.
const STAGING_PREFIX: &str = ".guild-apply-";
