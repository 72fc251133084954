//! A whole plugin staged, and its manifest read again from the copy: what hooks and tools of it are run from.

use std::path::PathBuf;

use guild_catalog::PluginEntry;
use guild_manifest::plugin::Plugin;
use guild_manifest::{Digest, TreeManifest};
use guild_source::store::{Store, Stored};

use super::origin::Origin;
use super::payload::PluginIdentity;
use crate::{Code, Refusal};

/// A plugin that no longer depends on where it was found.
pub(crate) struct StagedPlugin {
    /// Its files.
    pub tree: TreeManifest,
    /// The directory with the files, whole at this moment, to be mounted read-only.
    pub root: PathBuf,
    /// What its manifest says.
    pub plugin: Plugin,
    /// Which plugin it is.
    pub identity: Option<PluginIdentity>,
}

/// Stages a plugin.
///
/// # Errors
/// Where the files are refused or cannot be read, or no longer are the plugin that was found.
pub(crate) fn stage_plugin(entry: &PluginEntry, store: &Store) -> Result<StagedPlugin, Refusal> {
    let origin = Origin::of_plugin(entry);
    let name = &entry.plugin.name;
    let stored = origin.stage(store);
    let Stored { tree, root, .. } =
        stored.map_err(|error| Refusal::staging_of(&format!("plugin `{name}`"), error))?;
    let plugin = guild_catalog::read_plugin(&root, name).filter(|plugin| plugin.name == *name);
    let plugin = plugin.ok_or_else(|| changed(name, "it does not load"))?;
    Ok(StagedPlugin { tree, root, plugin, identity: origin.plugin })
}

/// A plugin that was staged before, by the digest of its files.
///
/// # Errors
/// Where its files are gone or damaged.
pub(crate) fn load_plugin(
    entry: &PluginEntry,
    digest: &Digest,
    store: &Store,
) -> Result<StagedPlugin, Refusal> {
    let Stored { tree, root, .. } = store.tree(digest)?;
    let name = &entry.plugin.name;
    let plugin = guild_catalog::read_plugin(&root, name).filter(|plugin| plugin.name == *name);
    let plugin = plugin.ok_or_else(|| changed(name, "it does not load"))?;
    Ok(StagedPlugin { tree, root, plugin, identity: Origin::of_plugin(entry).plugin })
}

/// What is no longer as it was found.
pub(super) fn changed(name: &str, how: &str) -> Refusal {
    Refusal::new(Code::SkillChanged, format!("plugin `{name}` is not what was found: {how}"))
}
