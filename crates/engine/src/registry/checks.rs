//! What has to hold before a plugin is switched: its variables are there, its dependencies are on and in order, its tools' names are
//! nobody else's, and nobody who is on depends on one that goes off.

use guild_catalog::PluginEntry;

use super::claims::can_be_claimed;
use super::subject::plugins;
use crate::hall::Hall;
use crate::{Code, Refusal};

/// Whether a plugin can be switched on.
pub fn can_be_on(hall: &Hall, entry: &PluginEntry) -> Result<(), Refusal> {
    environment(hall, entry)?;
    let mut order = Vec::new();
    dependencies(hall, entry, &mut vec![entry.plugin.name.as_str()], &mut order)?;
    if order.is_empty() {
        return can_be_claimed(hall, entry);
    }
    let commands: Vec<String> = order.iter().map(|name| format!("`guild enable {name}`")).collect();
    let message = format!(
        "plugin `{}` depends on what is off; switch it on first, in this order: {}",
        entry.plugin.name,
        commands.join(", ")
    );
    Err(Refusal::new(Code::DependencyMissing, message))
}

fn environment(hall: &Hall, entry: &PluginEntry) -> Result<(), Refusal> {
    let machine = &hall.machine;
    let is_missing =
        |name: &&String| machine.variable(name).is_none() && !machine.credentials.contains(*name);
    let missing: Vec<&str> =
        entry.plugin.required_env.iter().filter(is_missing).map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!(
        "plugin `{}` needs `{}` in the environment; set it and try again",
        entry.plugin.name,
        missing.join("`, `")
    );
    Err(Refusal::new(Code::EnvironmentMissing, message))
}

/// Follows dependencies; those that are off come into `order`, what they need before them. `path` is how one came here.
fn dependencies<'h>(
    hall: &'h Hall,
    entry: &'h PluginEntry,
    path: &mut Vec<&'h str>,
    order: &mut Vec<&'h str>,
) -> Result<(), Refusal> {
    for dependency in &entry.plugin.dependencies {
        let (name, needed) = (&entry.plugin.name, &dependency.name);
        if path.contains(&needed.as_str()) {
            let message =
                format!("plugins depend on each other in a circle: {} → {needed}", path.join(" → "));
            return Err(Refusal::new(Code::DependencyCycle, message));
        }
        let Some(found) = plugins(hall).find(|found| found.plugin.name == *needed) else {
            let message =
                format!("plugin `{name}` depends on `{needed}`, which is not here; install it first");
            return Err(Refusal::new(Code::DependencyMissing, message));
        };
        if !dependency.accepts(found.plugin.version.as_deref()) {
            let message = format!(
                "plugin `{name}` depends on `{needed}` in the version `{}`, and here is `{}`",
                dependency.version.as_deref().unwrap_or_default(),
                found.plugin.version.as_deref().unwrap_or("none")
            );
            return Err(Refusal::new(Code::DependencyMissing, message));
        }
        path.push(&found.plugin.name);
        dependencies(hall, found, path, order)?;
        path.pop();
        let is_on = found.enabled && hall.snapshot.plugins.iter().any(|on| std::ptr::eq(on, found));
        if !is_on && !order.contains(&found.plugin.name.as_str()) {
            order.push(&found.plugin.name);
        }
    }
    Ok(())
}

/// Whether a plugin can be switched off.
pub fn can_be_off(hall: &Hall, entry: &PluginEntry) -> Result<(), Refusal> {
    can_be_missed(hall, &entry.plugin.name, |_| false)
}

/// Whether no plugin that is on needs the one of this name, `leaving` aside.
pub fn can_be_missed(hall: &Hall, name: &str, leaving: impl Fn(&str) -> bool) -> Result<(), Refusal> {
    let depends = |other: &&PluginEntry| {
        let mut dependencies = other.plugin.dependencies.iter();
        other.enabled
            && !leaving(&other.plugin.name)
            && dependencies.any(|dependency| dependency.name == name)
    };
    let dependents: Vec<&str> =
        hall.snapshot.plugins.iter().filter(depends).map(|other| other.plugin.name.as_str()).collect();
    if dependents.is_empty() {
        return Ok(());
    }
    let message =
        format!("plugin `{name}` is needed by `{}`; switch that off first", dependents.join("`, `"));
    Err(Refusal::new(Code::PluginInUse, message))
}
