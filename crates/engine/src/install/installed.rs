//! `list --installed`: what is installed, from where, and whether it is as it was.

use super::drift::drift;
use super::place::{Scope, site};
use super::select::select;
use super::{Installer, failure};
use crate::reply::{Installed, InstalledLine};
use crate::{Envelope, Places, Refusal};
use guild_catalog::Machine;
use guild_manifest::skill::{self, Profile, Source};
use guild_source::bounded;
use guild_source::lock::{Entry, Kind};
use guild_source::site::Site;
use guild_source::store::MAX_FILE_BYTES;
use std::path::{Path, PathBuf};

/// How much of a skill's instructions is shown.
const PREVIEW: usize = 200;

/// Lists what is installed in the project and by the person.
pub async fn installed(desk: &Installer<'_>) -> Envelope<Installed> {
    let mut reply = Installed::default();
    for scope in [Scope::Project, Scope::User] {
        // Where nothing can be installed nothing is.
        let Ok(site) = site(&desk.hall.machine, desk.places, scope) else { continue };
        match lines(desk, &site, scope) {
            Ok(lines) => reply.installed.extend(lines),
            Err(refusal) => return refusal.into_envelope(),
        }
    }
    reply.count = reply.installed.len();
    Envelope::ok(reply)
}

/// The directories of the skills that are installed.
///
/// # Errors
/// Where nothing can be installed there, or the lock cannot be read.
pub fn locked_skills(desk: &Installer<'_>, scope: Scope) -> Result<Vec<PathBuf>, Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    let skills = lock.entries().iter().filter(|entry| entry.kind == Kind::Skill);
    Ok(skills.map(|entry| site.place(entry.kind, &entry.name)).collect())
}

/// Refuses names of what is not installed there.
///
/// # Errors
/// Where one of them is not, or the lock cannot be read.
pub(crate) fn all_installed(
    machine: &Machine,
    places: &Places,
    scope: Scope,
    names: &[String],
) -> Result<(), Refusal> {
    let lock = site(machine, places, scope)?.read_lock().map_err(failure::of_site)?;
    select(&lock, names).map(drop)
}

/// Whether a file belongs to something that was installed; where the lock cannot be read, it may.
pub(crate) fn is_installed(machine: &Machine, places: &Places, file: &Path) -> bool {
    [Scope::Project, Scope::User].into_iter().any(|scope| {
        let Ok(site) = site(machine, places, scope) else { return false };
        let Ok(lock) = site.read_lock() else { return true };
        lock.entries().iter().any(|entry| file.starts_with(site.place(entry.kind, &entry.name)))
    })
}

fn lines(desk: &Installer<'_>, site: &Site, scope: Scope) -> Result<Vec<InstalledLine>, Refusal> {
    let lock = site.read_lock().map_err(failure::of_site)?;
    Ok(lock.entries().iter().map(|entry| line(desk, site, scope, entry)).collect())
}

fn line(desk: &Installer<'_>, site: &Site, scope: Scope, entry: &Entry) -> InstalledLine {
    let path = site.place(entry.kind, &entry.name).to_string_lossy().into_owned();
    let switched = desk.hall.machine.switches.at(&path);
    InstalledLine {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        scope: scope.word(),
        state: drift(site, entry).word(),
        source: entry.origin.source.clone(),
        source_type: entry.origin.source_type.word(),
        source_path: entry.origin.path.clone(),
        r#ref: entry.origin.reference.clone(),
        resolved: entry.origin.resolved.clone(),
        pinned: entry.pinned,
        enabled: switched.is_none_or(|switched| switched.off.is_none()),
        off: switched.and_then(|switched| switched.off.clone()),
        failed: switched.is_some_and(|switched| switched.failed),
        path,
        digest: entry.digest.to_string(),
        files: entry.tree.files().len(),
        preview: preview(site, entry),
    }
}

/// The first words of a skill's instructions.
fn preview(site: &Site, entry: &Entry) -> String {
    let is_own = |path: &str| entry.kind == Kind::Skill && path.eq_ignore_ascii_case("SKILL.md");
    let Some(file) = entry.tree.files().iter().find(|file| is_own(&file.path)) else { return String::new() };
    let place = site.place(entry.kind, &entry.name).join(&file.path);
    // A link in its place is not followed, and a pipe not waited for.
    let is_file = place.symlink_metadata().is_ok_and(|there| there.is_file());
    let bytes = if is_file { bounded::read(&place, MAX_FILE_BYTES).unwrap_or_default() } else { Vec::new() };
    let reading = skill::read(&Source::new(&file.path, &entry.name, &bytes), Profile::Lenient);
    reading.body.trim().chars().take(PREVIEW).collect()
}
