//! Whether paths and links stay where they belong, by their spelling and on disk.
//!
//! What is done about one that does not is the caller's to decide.

use guild_manifest::{Code, Pos, Problem};
use std::path::{Component, Path, PathBuf};

/// Whether a relative path could lead out of its directory by its spelling: it is absolute, or has `..` in it.
pub fn leaves(path: &str) -> bool {
    Path::new(path).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Whether `path` really lies in `directory`, whatever links lead there.
pub fn is_inside(directory: &Path, path: &Path) -> bool {
    directory.canonicalize().is_ok_and(|real| path.canonicalize().is_ok_and(|path| path.starts_with(real)))
}

/// Where a link leads, or the problem that it leads nowhere or back to a directory above it.
pub fn follow(link: &Path) -> Result<PathBuf, Problem> {
    let tell = |code, message: &str, hint: &str| {
        Problem::new(code, Pos::START, message, hint).in_file(link.to_string_lossy())
    };
    let target = link
        .canonicalize()
        .map_err(|_| tell(Code::LinkBroken, "this link leads nowhere", "mend or remove the link"))?;
    let above = link.parent().and_then(|parent| parent.canonicalize().ok());
    if above.is_some_and(|above| above.starts_with(&target)) {
        return Err(tell(Code::LinkCycle, "this link leads back to a directory above it", "remove the link"));
    }
    Ok(target)
}
