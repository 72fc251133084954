//! Where nobody watches for us: everything is looked for.

use super::Followed;
use crate::{Machine, Snapshot};
use guild_manifest::config::Config;

/// Directories that are watched, which here are none.
#[derive(Debug)]
pub struct Watch(());

impl Watch {
    /// Nobody watches.
    pub fn open() -> Option<Self> {
        None
    }

    /// Watches nothing.
    pub fn follow(&mut self, _: &Machine, _: &Config, _: &Snapshot) -> Followed {
        Followed::InPart
    }

    /// Nothing is told.
    pub fn take(&mut self) -> bool {
        false
    }
}
