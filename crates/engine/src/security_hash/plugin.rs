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
    /// The digest of that.
    pub digest: Digest,
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
    StagedPlugin::read(entry, stage_files(entry, store)?)
}

/// Stages a plugin's files, whatever they say.
///
/// # Errors
/// Where they are refused or cannot be read.
pub(crate) fn stage_files(entry: &PluginEntry, store: &Store) -> Result<Stored, Refusal> {
    let staged = Origin::of_plugin(entry).stage(store);
    staged.map_err(|error| Refusal::staging_of(&format!("plugin `{}`", entry.plugin.name), error))
}

impl StagedPlugin {
    /// A plugin whose files are in the store.
    ///
    /// # Errors
    /// Where they are not the plugin that was found.
    pub(crate) fn read(entry: &PluginEntry, stored: Stored) -> Result<Self, Refusal> {
        let (Stored { tree, digest, root }, name) = (stored, &entry.plugin.name);
        let plugin = guild_catalog::read_plugin(&root, name).filter(|plugin| plugin.name == *name);
        let plugin = plugin.ok_or_else(|| changed(name, "it does not load"))?;
        Ok(Self { tree, digest, root, plugin, identity: Origin::of_plugin(entry).plugin })
    }
}

/// What is no longer as it was found.
pub(super) fn changed(name: &str, how: &str) -> Refusal {
    Refusal::new(Code::SkillChanged, format!("plugin `{name}` is not what was found: {how}"))
}
