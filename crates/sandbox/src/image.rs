//! Root file systems: images brought in from archives and registries, kept unpacked under their digests, and the roles that name
//! them.
//!
//! An image is a stranger's data. It is unpacked beneath one directory and nowhere else ([`Store::import`]), held to its digests and
//! to [`Limits`], and nothing of it is run here. No clock is read and no environment: times and paths arrive as arguments.

mod compression;
mod content;
mod documents;
mod error;
mod event;
mod flush;
mod guard;
mod host;
mod import;
mod limits;
mod lock;
mod plan;
mod platform;
mod record;
mod registry;
mod role;
mod section;
mod store;
mod unpack;

use crate::digest;

pub use digest::{Digest, NoDigest};
pub use documents::Settings;
pub use error::ImageError;
pub use event::{Event, Listener};
pub use host::Host;
pub use import::Choice;
pub use limits::Limits;
pub use platform::{NoPlatform, Platform};
pub use record::{Image, Kind, Layer, Named, RecordError};
pub use registry::{Artifact, ArtifactPart, Credentials, CredentialsError, Patience, PullError, PullRequest};
pub use role::{ResolveError, Resolved, RoleRoot};
pub use store::{
    FindError, Hold, ImportRequest, Reaped, RemoveError, Removed, Source, Store, StoreError, canonical,
};
