//! The places that can be written to: memory, and layers over the host's directories.

use std::path::{Path, PathBuf};

use super::{Action, c_string, inside, invalid, make_place, path};
use crate::backend::LaunchError;
use crate::policy::Scratch;

/// A directory in memory, as large as the policy says.
pub(super) fn scratch(actions: &mut Vec<Action>, scratch: &Scratch) -> Result<(), LaunchError> {
    let target = inside(&scratch.target)?;
    if scratch.size == 0 {
        // To the kernel a size of 0 means no limit at all.
        return Err(invalid(format!("`{}` has no size", scratch.target.display())));
    }
    make_place(actions, &target, true)?;
    actions.push(Action::Memory {
        target: path(&target)?,
        size: c_string(scratch.size.to_string().as_bytes())?,
        keep: scratch.keep.is_some(),
    });
    Ok(())
}

/// The copy that a layer has of the directory, where it has one to be written to.
pub(super) fn copy(layer: &Path) -> Option<PathBuf> {
    Some(layer.join("copy")).filter(|copy| copy.is_dir())
}

/// A directory of the host under a layer that takes the changes.
pub(super) fn overlay(
    actions: &mut Vec<Action>,
    source: &Path,
    layer: &Path,
    target: &Path,
) -> Result<(), LaunchError> {
    for part in ["upper", "work"] {
        let part = layer.join(part);
        std::fs::create_dir_all(&part)
            .map_err(|source| LaunchError::Source { path: part.clone(), source })?;
    }
    make_place(actions, target, true)?;
    actions.push(Action::Overlay { lower: path(source)?, layer: path(layer)?, target: path(target)? });
    Ok(())
}
