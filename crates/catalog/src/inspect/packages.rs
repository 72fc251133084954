//! What is wrong with the plugin or marketplace in a directory.
//!
//! Whether the plugin could load here is not asked: that is discovery's.

use crate::directory::Name;
use crate::discover::plugins::Contained;
use guild_manifest::Problem;
use guild_manifest::plugin::{self, Dialect, Standing, marketplace};
use std::path::Path;

/// Whether a directory that holds these names may be a plugin or a marketplace.
pub fn may_be_package(names: &[Name]) -> bool {
    let manifests = Dialect::PROBED.iter().filter_map(|dialect| dialect.manifest()).chain(marketplace::FILES);
    let mut firsts = manifests.filter_map(|manifest| manifest.split('/').next());
    firsts.any(|first| names.iter().any(|name| name.name == first))
}

/// The problems of the plugin and the marketplace in a directory, with whole paths; `None` where it is neither.
pub fn problems(directory: &Path) -> Option<Vec<Problem>> {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let files = Contained::new(directory);
    let plugin = plugin::read(&name, &files, Standing::Anywhere).map(|reading| reading.problems);
    let market = marketplace::read(&name, &files).map(|reading| reading.problems);
    if plugin.is_none() && market.is_none() {
        return None;
    }
    let found = plugin.into_iter().chain(market).flatten();
    let whole = |problem: Problem| {
        let file = directory.join(&problem.file).to_string_lossy().into_owned();
        problem.in_file(file)
    };
    Some(found.map(whole).collect())
}
