//! `reload`: what a discovery that read every file found.
//!
//! The discovery itself is the caller's: it opens the hall without the index.

use crate::Envelope;
use crate::counted::counted;
use crate::hall::Hall;
use crate::reply::{CollisionLine, Reload, ReloadError};
use guild_manifest::Problem;
use std::collections::BTreeSet;

/// Reports a hall that was opened without the index.
pub fn reload(hall: &Hall) -> Envelope<Reload<'_>> {
    let snapshot = &hall.snapshot;
    let skills = snapshot.broken.iter().flat_map(|broken| {
        let excluding = broken.problems.iter().filter(|problem| problem.excludes());
        excluding.map(|problem| error(broken.place.path().to_string_lossy().into_owned(), problem))
    });
    let rest = snapshot.problems.iter().filter(|problem| problem.excludes());
    let errors: Vec<ReloadError> =
        skills.chain(rest.map(|problem| error(problem.file.clone(), problem))).collect();
    // One of them may have several faults.
    let failed = errors.iter().map(|error| error.path.as_str()).collect::<BTreeSet<_>>().len();
    let message = format!(
        "{}, {}, {failed} that {} not load",
        counted(snapshot.skills.len(), "skill"),
        counted(snapshot.plugins.len(), "plugin"),
        if failed == 1 { "does" } else { "do" },
    );
    Envelope::ok(Reload {
        skill_count: snapshot.skills.len(),
        plugin_count: snapshot.plugins.len(),
        errors,
        collisions: snapshot.collisions.iter().map(CollisionLine::of).collect(),
        snapshot: snapshot.version.to_string(),
    })
    .with_message(message)
}

fn error(path: String, problem: &Problem) -> ReloadError {
    ReloadError { path, reason: format!("{}: {}", problem.code, problem.message) }
}
