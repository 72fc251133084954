//! Opens the sources of mounts with root's privileges, before the container's user, who has none, could be asked for them.
//!
//! What a person's mounts show belongs, inside, to the container's user: otherwise it could neither read root's private files nor write
//! where it may. The owners on the disk stay as they are.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Identity, failed};
use crate::backend::LaunchError;
use crate::embedded::plan::{Action, Plan};
use crate::embedded::stage::{Opened, open_source};

/// The opened sources, by the index of their action.
pub(super) fn open_all(plan: &Plan, identity: Identity) -> Result<Vec<Option<Opened>>, LaunchError> {
    plan.actions.iter().map(|action| open(action, identity)).collect()
}

fn open(action: &Action, identity: Identity) -> Result<Option<Opened>, LaunchError> {
    let _ = identity;
    match action {
        // A relative source lies in the new root, which is not there yet.
        Action::Bind { source, .. } if source.to_bytes().starts_with(b"/") => {
            Ok(Some(Opened { source: tree(source)?, layer: None }))
        }
        Action::Overlay { lower, layer, .. } => {
            Ok(Some(Opened { source: tree(lower)?, layer: Some(tree(layer)?) }))
        }
        _ => Ok(None),
    }
}

fn tree(path: &CStr) -> Result<OwnedFd, LaunchError> {
    let shown = Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
    open_source(path).map_err(|errno| LaunchError::Source { path: shown.to_owned(), source: errno.into() })
}
