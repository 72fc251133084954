//! One change of what is installed, and how it is staged beside its place.
//!
//! When it happens, and what else happens with it, is said where the site is held.

use super::step::{Identity, Step, identity};
use super::tops::Tops;
use super::{Site, SiteError, failed};
use crate::lock::Kind;
use crate::store::Store;
use guild_manifest::TreeManifest;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A directory of ours, which nobody else writes to, with the files of something and nothing else: it is taken where it can be moved.
#[derive(Debug, Clone, Copy)]
pub struct Ours<'a> {
    /// The directory.
    pub path: &'a Path,
    /// What it lies in, or it itself: all of that is taken with it.
    pub top: &'a Path,
}

/// One change of what is installed.
#[derive(Debug, Clone)]
pub enum Change<'a> {
    /// These files, which are in the store, in the place of whatever is there.
    Place {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: &'a str,
        /// Its files.
        tree: &'a TreeManifest,
        /// Where these files lie already.
        from: Option<Ours<'a>>,
    },
    /// A link to a directory.
    Link {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: &'a str,
        /// Where it leads.
        target: &'a Path,
    },
    /// Nothing any more.
    Remove {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: &'a str,
    },
}

impl Change<'_> {
    /// The place that it is about.
    pub(super) fn place(&self, site: &Site) -> PathBuf {
        match self {
            Self::Place { kind, name, .. } | Self::Link { kind, name, .. } | Self::Remove { kind, name } => {
                site.place(*kind, name)
            }
        }
    }

    /// What it puts in a place, if it puts anything there.
    pub(super) const fn placed(&self) -> Option<Kind> {
        match self {
            Self::Place { kind, .. } | Self::Link { kind, .. } => Some(*kind),
            Self::Remove { .. } => None,
        }
    }

    /// Stages what it puts in its place, where something else may be.
    pub(super) fn stage(
        &self,
        store: &Store,
        (place, old): (PathBuf, Option<Identity>),
        mut staged: PathBuf,
        tops: &mut Tops,
    ) -> Result<Option<Step>, SiteError> {
        let mut new = None;
        match self {
            Self::Place { tree, from, .. } => {
                if let Some(taken) = from.and_then(|from| tops.take(from, &staged)) {
                    staged = taken;
                    new = identity(&staged)?;
                }
                if new.is_none() {
                    store.export(tree, &staged)?;
                }
            }
            Self::Link { target, .. } => symlink(target, &staged).map_err(failed("make", &staged))?,
            Self::Remove { .. } => return Ok(old.map(|old| Step::new(place, &staged, Some(old), None))),
        }
        let new = if new.is_some() { new } else { identity(&staged)? };
        Ok(Some(Step::new(place, &staged, old, new)))
    }
}
