//! Opens the sources of mounts with root's privileges, before the container's user, who has none, could be asked for them.
//!
//! What a person's mounts show belongs, inside, to the container's user: otherwise it could neither read root's private files nor write
//! where it may. The owners on the disk stay as they are.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Identity, failed};
use crate::backend::LaunchError;
use crate::embedded::NAME;
use crate::embedded::holder::Holder;
use crate::embedded::plan::{Action, Plan, READ_ONLY};
use crate::embedded::stage::{Opened, open_source};
use crate::embedded::sys;
use crate::probe::{Feature, Finding};

/// The opened sources, by the index of their action; none where the container's user can do what the launcher can.
pub(in crate::embedded) fn open_all(
    plan: &Plan,
    identity: Identity,
) -> Result<Vec<Option<Opened>>, LaunchError> {
    if !identity.switched {
        return Ok(Vec::new());
    }
    let mut owners = Owners { identity, maps: Vec::new() };
    plan.actions.iter().map(|action| open(action, &mut owners)).collect()
}

/// The maps from owners on the disk to the container's user that one launch needs; nearly always one.
struct Owners {
    identity: Identity,
    maps: Vec<((u32, u32), OwnedFd)>,
}

fn open(action: &Action, owners: &mut Owners) -> Result<Option<Opened>, LaunchError> {
    match action {
        // A relative source lies in the new root, which is not there yet.
        Action::Bind { source, .. } if !source.to_bytes().starts_with(b"/") => Ok(None),
        Action::Bind { source, personal, attributes, .. } => {
            let tree = open_tree(source)?;
            match personal.then(|| owners.show_as_own(&tree, source, Feature::Mounts)) {
                // Without it a container may be able to read less, but never more.
                Some(Err(_)) if *attributes == Some(READ_ONLY) => {}
                Some(shown) => shown?,
                None => {}
            }
            Ok(Some(Opened { source: tree, layer: None }))
        }
        Action::Overlay { lower, layer, .. } => {
            // What the container's user writes belongs, on the disk, to whom the layer belongs.
            let [source, layer] = [lower, layer].map(|path| {
                let tree = open_tree(path)?;
                owners.show_as_own(&tree, path, Feature::CopyOnWrite).map(|()| tree)
            });
            Ok(Some(Opened { source: source?, layer: Some(layer?) }))
        }
        _ => Ok(None),
    }
}

fn open_tree(path: &CStr) -> Result<OwnedFd, LaunchError> {
    open_source(path).map_err(|errno| LaunchError::Source { path: shown(path), source: errno.into() })
}

impl Owners {
    /// Shows what belongs to the owner of a directory as the container user's, which the feature cannot do without.
    fn show_as_own(&mut self, tree: &OwnedFd, source: &CStr, feature: Feature) -> Result<(), LaunchError> {
        let owner =
            rustix::fs::fstat(tree).map_err(|errno| failed("read the owner of a mount")(errno.into()))?;
        if (owner.st_uid, owner.st_gid) == (self.identity.uid, self.identity.gid) {
            return Ok(());
        }
        let map = self.map((owner.st_uid, owner.st_gid)).map_err(failed("make a map of owners"))?;
        sys::map_mount_owners(tree.as_fd(), map.as_fd()).map_err(|errno| LaunchError::Unsupported {
            backend: NAME,
            feature,
            finding: Finding::new(
                format!("the owners of {} cannot be mapped there: {errno}", shown(source).display()),
                "keep the workspace on ext4, xfs or btrfs, or run as the user that owns it",
            ),
        })
    }

    /// The map for one owner. Making one takes a process, so each is made once.
    fn map(&mut self, owner: (u32, u32)) -> std::io::Result<&OwnedFd> {
        let place = match self.maps.iter().position(|(known, _)| *known == owner) {
            Some(place) => place,
            None => {
                self.maps.push((owner, owner_map(owner, self.identity)?));
                self.maps.len() - 1
            }
        };
        self.maps.get(place).map(|(_, map)| map).ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
}

/// A user namespace whose map turns the one owner into the other.
fn owner_map((uid, gid): (u32, u32), identity: Identity) -> std::io::Result<OwnedFd> {
    let holder = Holder::new(libc::CLONE_NEWUSER)?;
    holder.map(&format!("{uid} {} 1", identity.uid), &format!("{gid} {} 1", identity.gid))?;
    holder.open("user")
}

fn shown(path: &CStr) -> PathBuf {
    Path::new(std::ffi::OsStr::from_bytes(path.to_bytes())).to_owned()
}
