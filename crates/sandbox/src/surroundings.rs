//! What the runtimes need to know of this process's environment, which no library reads by itself.

use std::path::PathBuf;

/// The part of the environment that runtimes look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// `XDG_RUNTIME_DIR`: where the sockets of this user's session are. Without it the usual place is looked at.
    pub runtime_dir: Option<PathBuf>,
}
