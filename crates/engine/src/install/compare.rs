//! What an update changes: what each skill may do, and every file, line by line.

use super::Installer;
use crate::Refusal;
use crate::reply::{CapabilityChange, Comparison};
use crate::security_hash::{compare, declared};
use guild_manifest::TreeManifest;
use std::collections::BTreeSet;

/// Compares two trees of one name; the contents come from the store.
pub fn compare_trees(
    desk: &Installer<'_>,
    name: &str,
    old: &TreeManifest,
    new: &TreeManifest,
) -> Result<Comparison, Refusal> {
    let skills: BTreeSet<&str> = [old, new]
        .iter()
        .flat_map(|tree| tree.files())
        .map(|file| file.path.as_str())
        .filter(|path| is_skill(path))
        .collect();
    let mut comparison = Comparison::default();
    for (at, path) in skills.into_iter().enumerate() {
        let payload = |tree| declared(desk.store, name, tree, path);
        let found = compare(&payload(old)?, &payload(new)?, desk.store)?;
        // The files are those of all skills together.
        if at == 0 {
            comparison.files = found.files;
        }
        let is_new = |change: &CapabilityChange| !comparison.capabilities.contains(change);
        let capabilities: Vec<CapabilityChange> = found.capabilities.into_iter().filter(is_new).collect();
        comparison.capabilities.extend(capabilities);
    }
    Ok(comparison)
}

fn is_skill(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md"))
}
