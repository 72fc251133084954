//! Plugins that build on plugins which are not here. They load all the same; a person should know.

use crate::snapshot::PluginEntry;
use guild_manifest::{Code, Pos, Problem};

/// A problem for each plugin that some other one needs and that was not found; a plugin that is off needs nothing.
pub fn missing(plugins: &[PluginEntry]) -> Vec<Problem> {
    let is_here = |name: &str| plugins.iter().any(|entry| entry.plugin.name == name);
    let mut problems = Vec::new();
    for entry in plugins.iter().filter(|entry| entry.enabled) {
        for dependency in entry.plugin.dependencies.iter().filter(|dependency| !is_here(&dependency.name)) {
            let name = &dependency.name;
            let message =
                format!("the plugin `{}` depends on `{name}`, which is not here", entry.plugin.name);
            let hint = match &dependency.marketplace {
                Some(marketplace) => format!("install `{name}` from the marketplace `{marketplace}`"),
                None => format!("install the plugin `{name}`"),
            };
            let problem = Problem::new(Code::PluginDependencyMissing, Pos::START, message, hint);
            problems.push(problem.in_file(entry.directory.to_string_lossy()));
        }
    }
    problems
}
