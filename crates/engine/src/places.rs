//! Where Guildhall keeps its own things, as the XDG rules say.

use std::path::PathBuf;

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
