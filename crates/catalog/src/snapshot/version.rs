//! The version of a snapshot: a fingerprint of everything in it that somebody could notice.
//!
//! A skill's text counts by its own fingerprint. Its other files do not count; what runs is hashed when it is staged.

use super::{Broken, Collision, Entry, Place, PluginEntry, Snapshot};
use crate::fingerprint::Fingerprinter;
use crate::{Fingerprint, Root, Scope, Switched};
use guild_manifest::Problem;
use std::path::Path;

/// The version of a snapshot whose lists are sorted.
pub fn of(snapshot: &Snapshot) -> Fingerprint {
    let mut version = Version::default();
    version.list(&snapshot.skills, Version::skill);
    version.list(&snapshot.broken, Version::broken);
    version.list(&snapshot.plugins, Version::plugin);
    version.list(&snapshot.collisions, Version::collision);
    version.list(&snapshot.roots, Version::root);
    version.list(&snapshot.problems, Version::problem);
    version.0.finish()
}

/// The fingerprint so far. Every list goes in with its length, so that nothing shifts into its neighbour.
#[derive(Default)]
struct Version(Fingerprinter);

impl Version {
    fn list<T>(&mut self, items: &[T], add: impl Fn(&mut Self, &T)) {
        self.0.add(&(items.len() as u64).to_le_bytes());
        items.iter().for_each(|item| add(self, item));
    }

    fn path(&mut self, path: &Path) {
        self.0.add(path.as_os_str().as_encoded_bytes());
    }

    fn place(&mut self, place: &Place) {
        self.0.add(place.scope.as_str().as_bytes());
        self.0.add(place.plugin.as_deref().unwrap_or_default().as_bytes());
        self.path(&place.directory);
        self.0.add(place.file.as_bytes());
    }

    fn skill(&mut self, entry: &Entry) {
        self.place(&entry.place);
        self.0.add(&entry.fingerprint.to_bytes());
        // A sidecar decides who may invoke a skill, and the configuration whether it is on.
        let flags = [entry.enabled, entry.skill.model_invocable, entry.skill.user_invocable];
        self.0.add(&flags.map(u8::from));
        self.switched(entry.switched.as_deref());
        self.list(&entry.also_at, |version, path| version.path(path));
        self.list(&entry.unmet, |version, reason| version.0.add(reason.as_bytes()));
        self.list(&entry.problems, Self::problem);
    }

    fn switched(&mut self, switched: Option<&Switched>) {
        let Some(switched) = switched else { return };
        self.0.add(&[u8::from(switched.by_person)]);
        self.0.add(switched.off.as_deref().unwrap_or_default().as_bytes());
        switched.off_for.iter().for_each(|agent| self.0.add(agent.as_bytes()));
    }

    fn broken(&mut self, broken: &Broken) {
        self.place(&broken.place);
        self.list(&broken.problems, Self::problem);
    }

    fn plugin(&mut self, entry: &PluginEntry) {
        self.side(entry.scope, &entry.directory);
        self.0.add(&[u8::from(entry.enabled)]);
        self.switched(Some(&entry.switched));
        // A plugin is plain data, so that writing it out cannot fail.
        self.0.add(&postcard::to_stdvec(&entry.plugin).unwrap_or_default());
    }

    fn collision(&mut self, collision: &Collision) {
        self.0.add(collision.name.as_bytes());
        self.side(collision.kept.0, &collision.kept.1);
        self.side(collision.skipped.0, &collision.skipped.1);
    }

    fn root(&mut self, root: &Root) {
        self.side(root.scope, &root.path);
        self.0.add(root.status.as_str().as_bytes());
    }

    fn side(&mut self, scope: Scope, path: &Path) {
        self.0.add(scope.as_str().as_bytes());
        self.path(path);
    }

    fn problem(&mut self, problem: &Problem) {
        let Problem { code, file, at, message, .. } = problem;
        self.0.add(code.as_str().as_bytes());
        self.0.add(file.as_bytes());
        self.0.add(&at.line.to_le_bytes());
        self.0.add(&at.column.to_le_bytes());
        self.0.add(message.as_bytes());
    }
}
