//! The ground that a snapshot stands on: the directories whose changes would change it, and what is awaited that is not there yet.

use crate::directory::{self, Kind, Name};
use crate::discover::skill_files::is_skipped;
use crate::discover::skill_reader::SIDECAR_DIRECTORY;
use crate::root::Status;
use crate::{Machine, Scope, Snapshot};
use guild_manifest::config::Config;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// How many directories of one root or plugin are followed that belong to no skill.
const MAX_DIRECTORIES: usize = 2_000;
/// So much deeper than groups of skills may lie, since plugins keep theirs in directories of their own.
const DEEPER: usize = 2;

/// What to watch.
#[derive(Debug, Default)]
pub struct Ground {
    /// Each directory to watch, and whether all that happens in it counts. Otherwise only what is awaited does.
    pub directories: BTreeMap<PathBuf, bool>,
    /// Files and directories that may come.
    pub awaited: BTreeSet<PathBuf>,
    /// The directories that all others lie in: roots, and plugins that lie in none.
    pub tops: BTreeSet<PathBuf>,
    /// Whether there is more of it than is followed.
    pub is_too_much: bool,
    /// The directories of skills, in which no others are looked for.
    skills: HashSet<PathBuf>,
}

impl Ground {
    /// The ground of a snapshot and of the configuration that it was made by.
    pub fn of(machine: &Machine, config: &Config, snapshot: &Snapshot) -> Self {
        let mut ground = Self::default();
        let depth = usize::try_from(config.limits.max_depth).unwrap_or(usize::MAX).saturating_add(DEEPER);
        for (_, files) in machine.config_places() {
            files.iter().for_each(|file| ground.awaits(file));
        }
        let plugins = snapshot.plugins.iter().chain(&snapshot.lacking);
        let plugins = plugins.filter(|plugin| plugin.scope != Scope::Builtin).map(|plugin| &plugin.directory);
        let roots = snapshot.roots.iter().filter(|root| root.status == Status::Ok).map(|root| &root.path);
        ground.tops = plugins.chain(roots).cloned().collect();
        let entries = snapshot.skills.iter().map(|entry| &entry.place);
        for place in entries.chain(snapshot.broken.iter().map(|broken| &broken.place)) {
            if place.scope != Scope::Builtin {
                ground.holds(&place.directory);
                if !place.flat {
                    ground.skills.insert(place.directory.clone());
                }
                // Another skill may come beside it.
                let group = place.directory.parent().filter(|group| ground.is_inside(group));
                group.into_iter().for_each(|group| ground.holds(group));
            }
        }
        let others = snapshot.skills.iter().flat_map(|entry| &entry.also_at);
        let skipped = snapshot.collisions.iter().map(|collision| &collision.skipped);
        let skipped = skipped.filter(|(scope, _)| *scope != Scope::Builtin).map(|(_, path)| path);
        for path in others.chain(skipped) {
            ground.holds(if path.is_dir() { path } else { path.parent().unwrap_or(path) });
        }
        for top in ground.tops.clone() {
            ground.spread(&top, &mut Reach::to(depth));
        }
        for root in snapshot.roots.iter().filter(|root| root.status != Status::Ok) {
            ground.awaits(&root.path);
        }
        ground
    }

    /// Whether a directory is a top or lies in one.
    fn is_inside(&self, directory: &Path) -> bool {
        directory.ancestors().any(|directory| self.tops.contains(directory))
    }

    /// All that happens in a directory counts.
    fn holds(&mut self, directory: &Path) {
        self.directories.insert(directory.to_owned(), true);
    }

    /// It may come: what is nearest to it is watched for it.
    fn awaits(&mut self, path: &Path) {
        self.awaited.insert(path.to_owned());
        if let Some(nearest) = path.ancestors().skip(1).find(|directory| directory.is_dir()) {
            self.directories.entry(nearest.to_owned()).or_insert(false);
        }
    }

    /// A directory and those below it, as far as they belong to no skill. Where a link leads is watched, and nothing below that.
    fn spread(&mut self, directory: &Path, reach: &mut Reach) {
        self.holds(directory);
        if reach.depth == 0 {
            return;
        }
        for Name { name, kind, .. } in directory::names(directory).unwrap_or_default() {
            let below = directory.join(&name);
            match kind {
                _ if is_skipped(&name) || self.skills.contains(&below) => {}
                Kind::Link if below.is_dir() => self.holds(&below),
                Kind::Directory if reach.left == 0 => self.is_too_much = true,
                Kind::Directory => {
                    reach.left -= 1;
                    reach.depth -= 1;
                    self.spread(&below, reach);
                    reach.depth += 1;
                }
                Kind::File | Kind::Link | Kind::Other => {}
            }
        }
    }
}

/// How far one root or plugin is still followed.
struct Reach {
    depth: usize,
    left: usize,
}

impl Reach {
    const fn to(depth: usize) -> Self {
        Self { depth, left: MAX_DIRECTORIES }
    }
}

/// The directory in a skill's own whose files are read with it.
pub fn sidecars(directory: &Path) -> PathBuf {
    directory.join(SIDECAR_DIRECTORY)
}
