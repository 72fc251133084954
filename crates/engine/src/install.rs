//! Installing: what comes from elsewhere, is vetted, is locked by digest, and changes all at once or not at all.
//!
//! fetch → find what is in it → stage by digest → vet → journal → place and lock → registry. Everything that changes passes [`settled`].
//! Nothing that is installed is ever rewritten, and nothing of it is executed here.

mod add;
mod artifact;
mod bundle;
mod candidate;
mod compare;
mod drift;
mod exchange;
mod failure;
mod fetch;
mod follow;
mod foreign;
mod host_git;
mod installed;
mod manifest;
mod market;
mod merge;
mod outdated;
mod package;
mod pin;
mod place;
mod preview;
mod propose;
mod ready;
mod refetch;
mod remembered;
mod remove;
mod rollback;
mod select;
mod settled;
mod site_index;
mod staging;
mod stand;
mod sync;
mod update;
mod verify;
mod vetting;

use crate::hall::Hall;
use crate::ports::Shelf;
use crate::{Books, Places, Principal, Refusal};
use guild_ledger::{Role, Timestamp};
use guild_source::git::GitProgram;
use guild_source::store::Store;

pub use add::{AddRequest, Choice, add};
pub use exchange::{ExportForm, ExportRequest, There, export, import};
pub use follow::{is_unsettled, recover};
pub use foreign::{ForeignForm, ImportRequest};
pub use host_git::HostGit;
pub(crate) use installed::{all_installed, is_installed};
pub use installed::{installed, locked_skills};
pub use outdated::outdated;
pub use pin::pin;
pub use place::Scope;
pub(crate) use preview::of_plugin;
pub(crate) use propose::{Proposal, install_bound, propose};
pub use remove::{RemoveRequest, remove};
pub use rollback::rollback;
pub use sync::{SyncRequest, sync};
pub use update::{Edits, UpdateRequest, update};
pub use verify::verify;

/// Everything that installing may use.
pub struct Installer<'a> {
    /// What there is.
    pub hall: &'a Hall,
    /// Where Guildhall keeps its own things.
    pub places: &'a Places,
    /// Where content is kept by digest.
    pub store: &'a Store,
    /// Who fetches repositories.
    pub git: &'a dyn GitProgram,
    /// Who reaches the servers that offer skills, where anybody does.
    pub shelf: Option<&'a dyn Shelf>,
    /// Told what is being done, in a few words.
    pub progress: &'a (dyn Fn(&str) + Sync),
    /// Who writes the registry's rows, where anything may be changed.
    pub registrar: Option<Registrar<'a>>,
}

/// Whoever lets the registry follow the lock.
pub struct Registrar<'a> {
    /// Where it is kept.
    pub books: &'a Books,
    /// Who has decided what is installed.
    pub by: Principal,
    /// The moment.
    pub now: Timestamp,
}

/// Lets pass who may change what is installed: a person who is an admin. An agent's wish is refused, with a receipt of it.
///
/// # Errors
/// Where it is somebody else, or where the books cannot be written.
pub async fn may_install(books: &Books, now: Timestamp, by: &Principal) -> Result<(), Refusal> {
    books.authorise(now, by, Role::Admin).await
}
