//! `watch`: one look at a live hall, and what it changed.
//!
//! When to look is the caller's to decide.

use crate::hall::ConfigFile;
use crate::live::{Change, Live};
use crate::reply::{Watch, WatchLine};
use crate::{Code, Envelope};
use guild_catalog::Machine;

/// Looks again; a look that fails keeps what was known and says why.
pub fn watch(live: &Live, machine: Machine, files: &[ConfigFile]) -> Envelope<Watch> {
    let refreshed = live.refresh(machine, files);
    let hall = live.current();
    let nothing = Watch {
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
        skill_count: hall.snapshot.skills.len(),
        snapshot: hall.snapshot.version.to_string(),
    };
    match refreshed {
        Ok(changes) => Envelope::ok(Watch {
            added: changes.added.into_iter().map(line).collect(),
            removed: changes.removed.into_iter().map(line).collect(),
            changed: changes.changed.into_iter().map(line).collect(),
            ..nothing
        }),
        Err(error) => {
            let message = format!("{error}; what was known before stays in effect");
            Envelope::error(Code::ReloadFailed, message, nothing)
        }
    }
}

fn line(change: Change) -> WatchLine {
    WatchLine {
        name: change.name,
        scope: change.scope.as_str(),
        path: change.path.to_string_lossy().into_owned(),
        loaded: change.loaded,
    }
}
