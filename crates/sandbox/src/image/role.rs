//! What stands behind an image role, made ready for a launch: a root file system, and the digest that approvals know it by.
//!
//! Which roles there are, and who may choose one, is the caller's business.

use std::io;
use std::path::{Path, PathBuf};

use super::content;
use super::digest::Digest;
use super::error::ImageError;
use super::host::Host;
use super::store::{FindError, Hold, Store, StoreError};
use crate::policy::Root;

/// Where a role's root file system comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleRoot {
    /// The host's own programs.
    Host,
    /// An unpacked root file system.
    Directory(PathBuf),
    /// A stored image, by name or digest.
    Image(String),
}

/// A root file system that is ready for a launch.
#[derive(Debug)]
pub struct Resolved {
    /// What to launch with.
    pub root: Root,
    /// Names what is in it: an image's own digest, the digest of a directory's whole content, or that of the host's identity.
    pub digest: Digest,
    /// What it is, for people.
    pub identity: String,
    /// Keeps a stored image from being removed; it must live as long as the container.
    pub hold: Option<Hold>,
}

/// Why a role has no root file system.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Its image is not there.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Its image is being removed.
    #[error("the image {digest} is being removed")]
    Gone {
        /// Which one.
        digest: Digest,
    },
    /// Its directory cannot be read.
    #[error(transparent)]
    Directory(#[from] ImageError),
    /// The host cannot be identified.
    #[error("cannot read what the host's distribution is")]
    Host(#[source] io::Error),
}

impl Store {
    /// Makes a role's root file system ready. The host's own is the one whose root directory is `host`.
    ///
    /// A directory is read whole, each time: what is not read again may have changed, whatever its times say.
    pub fn resolve(&self, root: &RoleRoot, host: &Path) -> Result<Resolved, ResolveError> {
        match root {
            RoleRoot::Host => {
                let host = Host::read(host).map_err(ResolveError::Host)?;
                Ok(Resolved {
                    root: Root::Host,
                    digest: host.digest(),
                    identity: host.to_string(),
                    hold: None,
                })
            }
            RoleRoot::Directory(path) => {
                let path = std::fs::canonicalize(path).map_err(ImageError::io("read", path))?;
                let digest = content::digest(&path, self.limits())?.digest;
                let identity = path.display().to_string();
                let root = Root::Directory { path, digest: digest.to_string() };
                Ok(Resolved { root, digest, identity, hold: None })
            }
            RoleRoot::Image(name) => {
                let digest = self.find(name)?.digest;
                let hold = self.hold(&digest).map_err(|error: StoreError| FindError::from(error))?;
                let hold = Some(hold.ok_or(ResolveError::Gone { digest })?);
                let root = Root::Directory { path: self.root_of(&digest), digest: digest.to_string() };
                Ok(Resolved { root, digest, identity: name.clone(), hold })
            }
        }
    }
}
