//! What is wrong with the plugin or marketplace in a directory.
//!
//! Whether the plugin could load here is not asked: that is discovery's.

use crate::directory::Name;
use crate::discover::plugins::Contained;
use crate::inspect::InspectedPlugin;
use guild_manifest::Problem;
use guild_manifest::plugin::{self, Dialect, Standing, marketplace};
use std::path::Path;

/// Whether a directory that holds these names may be a plugin or a marketplace.
pub fn may_be_package(names: &[Name]) -> bool {
    let manifests = Dialect::PROBED.iter().filter_map(|dialect| dialect.manifest()).chain(marketplace::FILES);
    let mut firsts = manifests.filter_map(|manifest| manifest.split('/').next());
    firsts.any(|first| names.iter().any(|name| name.name == first))
}

/// The plugin in a directory, and the problems of it and of the marketplace there, with whole paths; `None` where it is neither.
pub fn inspect(directory: &Path) -> Option<(Option<InspectedPlugin>, Vec<Problem>)> {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let files = Contained::new(directory);
    let plugin = plugin::read(&name, &files, Standing::Anywhere);
    let market = marketplace::read(&name, &files).map(|reading| reading.problems);
    if plugin.is_none() && market.is_none() {
        return None;
    }
    let (plugin, problems) = match plugin {
        Some(reading) => (inspected(directory, &reading), reading.problems),
        None => (None, Vec::new()),
    };
    let whole = |problem: Problem| {
        let file = directory.join(&problem.file).to_string_lossy().into_owned();
        problem.in_file(file)
    };
    Some((plugin, problems.into_iter().chain(market.into_iter().flatten()).map(whole).collect()))
}

/// The marketplace in a directory; none if there is none.
pub fn read_marketplace(directory: &Path) -> Option<marketplace::Reading> {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    marketplace::read(&name, &Contained::new(directory))
}

fn inspected(directory: &Path, reading: &plugin::Reading) -> Option<InspectedPlugin> {
    let plugin = reading.plugin.as_ref();
    Some(InspectedPlugin {
        path: directory.to_owned(),
        manifest: reading.manifest?,
        name: plugin.map(|plugin| plugin.name.clone()),
        description: plugin.and_then(|plugin| plugin.description.clone()).unwrap_or_default(),
    })
}
