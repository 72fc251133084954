//! Plugins: directories with a manifest below a root or named in the configuration, and the skills they ship.

mod python;

use super::Found;
use super::scan::{Ground, Scanner};
use crate::Scope;
use crate::directory::{self, Kind, Name};
use crate::root::{self, Root};
use crate::snapshot::{Collision, PluginEntry};
use guild_manifest::config::PluginEntry as Configured;
use guild_manifest::plugin::{self, Files, Plugin, Scan, Standing};
use guild_manifest::{Code, Pos, Problem};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// How deep below a root plugins are looked for: an agent's cache has market, plugin and version on top of them.
const MAX_DEPTH: usize = 4;
/// Directories of agents' plugin roots that hold other things: catalogs not installed, and plugins' data.
const SKIPPED: &[&str] = &["marketplaces", "data", "node_modules", ".git"];

/// Finds every plugin below a root.
pub fn scan(scanner: &Scanner<'_>, root: &Root, found: &mut Found, problems: &mut Vec<Problem>) {
    let mut level = vec![root.path.clone()];
    for depth in 0..=MAX_DEPTH {
        let mut next = Vec::new();
        for directory in level {
            let standing = if depth == 1 { Standing::Candidate } else { Standing::Anywhere };
            if depth > 0 && add(scanner, &directory, root.scope, standing, None, found, problems) {
                continue;
            }
            next.extend(children(&directory));
        }
        level = next;
    }
}

/// Adds the plugins that the configuration names one by one.
pub fn configured(scanner: &Scanner<'_>, found: &mut Found, problems: &mut Vec<Problem>) {
    for entry in &scanner.config.plugins {
        let place = &entry.place;
        let resolved = match python::package(&place.path) {
            Some(package) => python::find(scanner.machine, package).ok_or_else(|| {
                let message = format!("the Python package of `{}` is not installed", place.path);
                Problem::new(Code::ConfigPathMissing, place.at, message, "install it, or remove the line")
            }),
            None => root::resolve(scanner.machine, place),
        };
        let outcome = resolved.and_then(|path| {
            let is_plugin =
                add(scanner, &path, Scope::Custom, Standing::Candidate, Some(entry), found, problems);
            if is_plugin { Ok(()) } else { Err(not_a_plugin(&path, entry)) }
        });
        problems.extend(outcome.err().map(|problem| problem.in_file(&place.file)));
    }
}

fn not_a_plugin(path: &Path, entry: &Configured) -> Problem {
    let message = format!("there is no plugin at `{}`", path.display());
    Problem::new(
        Code::ConfigPathMissing,
        entry.place.at,
        message,
        "name a directory that has a plugin manifest",
    )
}

/// Reads a directory and adds it if it is a plugin; says whether it is one, usable or not.
fn add(
    scanner: &Scanner<'_>,
    directory: &Path,
    scope: Scope,
    standing: Standing,
    configured: Option<&Configured>,
    found: &mut Found,
    problems: &mut Vec<Problem>,
) -> bool {
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(reading) = plugin::read(&name, &OnDisk { directory }, standing) else { return false };
    let in_plugin = |problem: Problem| {
        let file = directory.join(&problem.file);
        problem.in_file(file.to_string_lossy())
    };
    problems.extend(reading.problems.into_iter().map(in_plugin));
    let Some(plugin) = reading.plugin else { return true };
    if let Some(missing) = missing_environment(scanner, directory, &plugin) {
        problems.push(missing);
        return true;
    }
    if let Some(kept) = found.plugins.iter().find(|known| known.plugin.name == plugin.name) {
        if kept.directory != directory {
            found.collisions.push(Collision {
                name: format!("plugin:{}", plugin.name),
                kept: (kept.scope, kept.directory.clone()),
                skipped: (scope, directory.to_owned()),
            });
        }
        return true;
    }
    let enabled =
        configured.is_none_or(|entry| entry.enabled) && scanner.config.is_plugin_enabled(&plugin.name);
    skills(scanner, directory, &plugin, found, problems);
    found.plugins.push(PluginEntry {
        plugin,
        scope,
        directory: directory.to_owned(),
        enabled,
        skill_count: 0,
    });
    true
}

fn skills(
    scanner: &Scanner<'_>,
    directory: &Path,
    plugin: &Plugin,
    found: &mut Found,
    problems: &mut Vec<Problem>,
) {
    let name: Arc<str> = Arc::from(plugin.name.as_str());
    for dir in &plugin.skill_dirs {
        let path = directory.join(dir.path.trim_start_matches("./"));
        if !path.is_dir() {
            continue;
        }
        if !is_inside(directory, &path) {
            let message = format!("`{}` leads out of the plugin", dir.path);
            let problem =
                Problem::new(Code::FileEscapes, Pos::START, message, "keep a plugin's skills inside it");
            problems.push(problem.in_file(path.to_string_lossy()));
            continue;
        }
        let (itself, depth) = match dir.scan {
            Scan::Itself => (true, 0),
            Scan::Children => (false, 1),
            Scan::Grouped => (true, scanner.depth()),
        };
        let ground = Ground { path, scope: Scope::Plugin, plugin: Some(name.clone()), itself, depth };
        found.candidates.extend(scanner.skills(&ground, problems));
    }
}

fn is_inside(directory: &Path, path: &Path) -> bool {
    directory.canonicalize().is_ok_and(|real| path.canonicalize().is_ok_and(|path| path.starts_with(real)))
}

fn missing_environment(scanner: &Scanner<'_>, directory: &Path, plugin: &Plugin) -> Option<Problem> {
    let is_missing = |name: &&String| {
        scanner.machine.variable(name).is_none() && !scanner.machine.credentials.contains(*name)
    };
    let missing: Vec<&str> = plugin.required_env.iter().filter(is_missing).map(String::as_str).collect();
    if missing.is_empty() {
        return None;
    }
    let list = missing.join("`, `");
    let message = format!("the plugin `{}` needs `{list}` in the environment; it was skipped", plugin.name);
    let problem = Problem::new(Code::PluginEnvMissing, Pos::START, message, format!("set `{list}`"));
    Some(problem.in_file(directory.to_string_lossy()))
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let names = directory::names(directory).unwrap_or_default();
    let is_child = |name: &Name| {
        let text = name.name.to_string_lossy();
        !text.starts_with('.') && !SKIPPED.contains(&text.as_ref())
    };
    names
        .into_iter()
        .filter(is_child)
        .map(|name| (directory.join(&name.name), name.kind))
        .filter(|(path, kind)| *kind == Kind::Directory || (*kind == Kind::Link && path.is_dir()))
        .map(|(path, _)| path)
        .collect()
}

/// A plugin's directory; its files are read only where they really lie inside it.
struct OnDisk<'a> {
    directory: &'a Path,
}

impl Files for OnDisk<'_> {
    fn file(&self, path: &str) -> plugin::Found {
        let whole = self.directory.join(path);
        match fs::symlink_metadata(&whole) {
            Err(_) => plugin::Found::Missing,
            Ok(metadata) if !metadata.is_file() || leaves(path) => plugin::Found::NotAFile,
            Ok(metadata) if metadata.len() > MAX_MANIFEST_BYTES => plugin::Found::Unreadable(format!(
                "it has {} bytes; the limit is {MAX_MANIFEST_BYTES}",
                metadata.len()
            )),
            Ok(_) => match fs::read(&whole) {
                Ok(bytes) => plugin::Found::Bytes(bytes),
                Err(error) => plugin::Found::Unreadable(error.to_string()),
            },
        }
    }

    fn is_dir(&self, path: &str) -> bool {
        !leaves(path) && self.directory.join(path).is_dir()
    }

    fn is_file(&self, path: &str) -> bool {
        !leaves(path)
            && fs::symlink_metadata(self.directory.join(path)).is_ok_and(|metadata| metadata.is_file())
    }
}

const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;

fn leaves(path: &str) -> bool {
    Path::new(path).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}
