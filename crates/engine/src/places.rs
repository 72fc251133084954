//! Where Guildhall keeps its own things, as the XDG rules say.

use std::path::{Path, PathBuf};

use crate::{Code, Refusal};
use guild_catalog::Machine;
use guild_source::store::Store;

/// Guildhall's own directories. `None` is what there is no place for, where there is no home.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// What must not be lost: the ledger, keys, stored content, images.
    pub data: Option<PathBuf>,
    /// What describes the present: containers, changes that wait, journals.
    pub state: Option<PathBuf>,
    /// What can be made again.
    pub cache: Option<PathBuf>,
}

impl Places {
    /// The usual places in a home directory.
    pub fn of_home(home: &Path) -> Self {
        let place = |below: &str| Some(home.join(below).join("guild"));
        Self { data: place(".local/share"), state: place(".local/state"), cache: place(".cache") }
    }

    /// The places that the machine's environment names, else the usual ones.
    pub fn of(machine: &Machine) -> Self {
        let place = |variable: &str, below_home: &str| {
            let named = machine.env.get(variable).filter(|value| value.starts_with('/')).map(PathBuf::from);
            let below_home = || machine.home.as_ref().map(|home| home.join(below_home));
            named.or_else(below_home).map(|place| place.join("guild"))
        };
        Self {
            data: place("XDG_DATA_HOME", ".local/share"),
            state: place("XDG_STATE_HOME", ".local/state"),
            cache: machine.cache.clone(),
        }
    }

    /// What must not be lost.
    pub(crate) fn data(&self) -> Result<&Path, Refusal> {
        self.data.as_deref().ok_or_else(|| {
            let message = "there is no home directory; set HOME or XDG_DATA_HOME to an absolute path";
            Refusal::new(Code::NoHome, message)
        })
    }

    /// The content of skills that were staged, and what their hashes stand for.
    ///
    /// # Errors
    /// Where there is no place for it, or a newer Guildhall has made it.
    pub fn store(&self) -> Result<Store, Refusal> {
        Ok(Store::open(self.data()?.join("store"))?)
    }

    /// Where the present is described.
    pub(crate) fn state(&self) -> Result<&Path, Refusal> {
        self.state.as_deref().ok_or_else(|| {
            let message = "there is no home directory; set HOME or XDG_STATE_HOME to an absolute path";
            Refusal::new(Code::NoHome, message)
        })
    }
}
