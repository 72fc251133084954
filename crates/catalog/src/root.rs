//! The directories that are searched, in order of precedence.

use crate::conventions::{Holds, PlaceKind, places};
use crate::{Machine, Scope};
use guild_manifest::config::{Config, Layer, Place, expand};
use guild_manifest::{Code, Problem};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A directory searched for skills or plugins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Where it is.
    pub path: PathBuf,
    /// What is found in it came from there.
    pub scope: Scope,
    /// Whose convention it is.
    pub convention: &'static str,
    /// Skills or plugins.
    pub holds: Holds,
    /// Its place in the order; lower wins.
    pub priority: usize,
    /// Whether it can be read.
    pub status: Status,
}

/// Whether a root can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It can.
    Ok,
    /// There is nothing there.
    Missing,
    /// There is something, but no directory.
    NotDirectory,
    /// It may not be read.
    Unreadable,
}

impl Status {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::NotDirectory => "not-directory",
            Self::Unreadable => "unreadable",
        }
    }

    fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_dir() => Self::NotDirectory,
            Ok(_) => fs::read_dir(path).map_or(Self::Unreadable, |_| Self::Ok),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Self::NotDirectory,
            Err(_) => Self::Unreadable,
        }
    }
}

/// Every root for this machine and configuration, highest precedence first, each directory once.
pub fn roots(machine: &Machine, config: &Config, problems: &mut Vec<Problem>) -> Vec<Root> {
    let mut list = List::default();
    for directory in machine.project_directories() {
        for place in places(PlaceKind::Project) {
            list.add(directory.join(place.directory), Scope::Project, place.convention, place.holds);
        }
    }
    for place in &config.skill_paths {
        list.add_configured(machine, place, Scope::Custom, Holds::Skills, problems);
    }
    for place in &config.plugin_paths {
        list.add_configured(machine, place, Scope::Custom, Holds::Plugins, problems);
    }
    for place in places(PlaceKind::User) {
        if let Some(path) = user_path(machine, place.directory) {
            list.add(path, Scope::User, place.convention, place.holds);
        }
    }
    for place in places(PlaceKind::System) {
        list.add(machine.system_path(place.directory), Scope::System, place.convention, place.holds);
    }
    for place in &config.extra_skill_paths {
        list.add_configured(machine, place, Scope::Extra, Holds::Skills, problems);
    }
    for place in &config.extra_plugin_paths {
        list.add_configured(machine, place, Scope::Extra, Holds::Plugins, problems);
    }
    list.roots
}

/// A configured path made whole, or the problem that it cannot be.
pub(crate) fn resolve(machine: &Machine, place: &Place) -> Result<PathBuf, Problem> {
    // A project's paths stay in the workspace; a person's are relative to where their file lies.
    let base = match place.layer {
        Layer::Project => machine.workspace(),
        Layer::User | Layer::System => Path::new(&place.file).parent().unwrap_or(&machine.directory),
    };
    let home = machine.home.as_ref().map(|home| home.to_string_lossy());
    let env = |name: &str| machine.variable(name).map(str::to_owned);
    expand(&place.path, home.as_deref(), &env, &base.to_string_lossy()).map(PathBuf::from).map_err(|error| {
        let message = format!("`{}` cannot be expanded: {error}", place.path);
        Problem::new(Code::ConfigValueInvalid, place.at, message, "write an absolute path")
            .in_file(&place.file)
    })
}

fn user_path(machine: &Machine, directory: &str) -> Option<PathBuf> {
    match directory.strip_prefix("$CONFIG/") {
        Some(rest) => machine.config_directory().map(|config| config.join(rest)),
        None => machine.home.as_ref().map(|home| home.join(directory.trim_start_matches("~/"))),
    }
}

#[derive(Default)]
struct List {
    roots: Vec<Root>,
    seen: HashSet<PathBuf>,
}

impl List {
    fn add(&mut self, path: PathBuf, scope: Scope, convention: &'static str, holds: Holds) {
        let status = Status::of(&path);
        // Two spellings of one directory are one root, whatever links lie between them.
        let identity = if status == Status::Ok { path.canonicalize().ok() } else { None };
        if self.seen.insert(identity.unwrap_or_else(|| path.clone())) {
            let priority = self.roots.len();
            self.roots.push(Root { path, scope, convention, holds, priority, status });
        }
    }

    fn add_configured(
        &mut self,
        machine: &Machine,
        place: &Place,
        scope: Scope,
        holds: Holds,
        problems: &mut Vec<Problem>,
    ) {
        match resolve(machine, place) {
            Ok(path) => {
                self.add(path.clone(), scope, "config", holds);
                if Status::of(&path) == Status::Missing {
                    let message = format!("`{}` does not exist", path.display());
                    let problem = Problem::new(
                        Code::ConfigPathMissing,
                        place.at,
                        message,
                        "create it, or remove the line",
                    );
                    problems.push(problem.in_file(&place.file));
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
}
