//! What somebody has edited and what the source has changed, put together file by file; contradictions stop it.

use super::staging::stage;
use super::{Installer, failure};
use crate::{Code, Refusal};
use guild_manifest::{FileEntry, TreeManifest};
use guild_source::git;
use guild_source::store::{Kept, scan};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The three sides of a merge.
pub struct Sides<'a> {
    /// Its name.
    pub name: &'a str,
    /// What was installed.
    pub base: &'a TreeManifest,
    /// What somebody has made of it, where it lies.
    pub ours: &'a Path,
    /// What the source has now.
    pub theirs: &'a Kept,
}

/// One file of one side: its content, and whether it can be executed.
type Side = Option<(Vec<u8>, bool)>;

/// The files of all three together.
pub async fn merge(desk: &Installer<'_>, sides: &Sides<'_>) -> Result<Kept, Refusal> {
    let ours = scan(sides.ours).map_err(|error| failure::of_staging(sides.name, error))?;
    let scratch = desk.store.scratch()?;
    let merged = scratch.path().join("merged");
    let all = [sides.base, &ours, &sides.theirs.tree];
    let paths: BTreeSet<&str> =
        all.iter().flat_map(|tree| tree.files()).map(|file| file.path.as_str()).collect();
    let mut conflicts = Vec::new();
    for path in paths {
        let stored = |file: Option<&FileEntry>| -> Result<Side, Refusal> {
            file.map(|file| Ok((desk.store.get(&file.digest)?, file.executable))).transpose()
        };
        let (base, theirs) = (stored(sides.base.file(path))?, stored(sides.theirs.tree.file(path))?);
        let own: Side = match ours.file(path) {
            Some(file) => Some((read(&sides.ours.join(path))?, file.executable)),
            None => None,
        };
        match together(desk, scratch.path(), [&own, &base, &theirs]).await? {
            Ok(Some((bytes, executable))) => write(&merged.join(path), &bytes, executable)?,
            Ok(None) => {}
            Err(()) => conflicts.push(path),
        }
    }
    if !conflicts.is_empty() {
        let message = format!(
            "your edits of `{}` and the update contradict each other in `{}`; nothing was changed: take `--keep` or `--replace`",
            sides.name,
            conflicts.join("`, `")
        );
        return Err(Refusal::new(Code::UpdateConflict, message));
    }
    stage(desk, sides.name, &merged)
}

/// One file of three sides; an error where they contradict each other.
async fn together(
    desk: &Installer<'_>,
    scratch: &Path,
    [ours, base, theirs]: [&Side; 3],
) -> Result<Result<Side, ()>, Refusal> {
    if ours == base || ours == theirs {
        return Ok(Ok(theirs.clone()));
    }
    if theirs == base {
        return Ok(Ok(ours.clone()));
    }
    let (Some(ours), Some(base), Some(theirs)) = (ours, base, theirs) else { return Ok(Err(())) };
    let names = ["ours", "base", "theirs"].map(|name| scratch.join(name));
    for (name, (bytes, _)) in names.iter().zip([ours, base, theirs]) {
        write(name, bytes, false)?;
    }
    let [one, two, three] = &names;
    let merged = git::merge(desk.git, [one, two, three], scratch).await.map_err(failure::of_git)?;
    // Whoever made it executable meant that.
    let executable = if ours.1 == base.1 { theirs.1 } else { ours.1 };
    Ok(merged.map(|bytes| Some((bytes, executable))).ok_or(()))
}

fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    fs::read(path)
        .map_err(|error| Refusal::new(Code::ReadFailed, format!("cannot read {}: {error}", path.display())))
}

fn write(path: &Path, bytes: &[u8], executable: bool) -> Result<(), Refusal> {
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        fs::write(path, bytes)?;
        fs::set_permissions(path, fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))
    };
    write().map_err(|error: std::io::Error| {
        Refusal::new(Code::WriteFailed, format!("cannot write {}: {error}", path.display()))
    })
}
