//! The directories that are searched, in order of precedence.
//!
//! What is in them is not looked at here.

use crate::bounds::is_inside;
use crate::conventions::{self, Holds, PlaceKind, places};
use crate::directory::{Directory, Kind};
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
        Self::told(fs::metadata(path).map(|metadata| metadata.is_dir()), path)
    }

    /// The status of what is there, given whether it is a directory.
    fn told(is_directory: io::Result<bool>, path: &Path) -> Self {
        match is_directory {
            Ok(false) => Self::NotDirectory,
            Ok(true) => fs::read_dir(path).map_or(Self::Unreadable, |_| Self::Ok),
            // A file on the way there, such as a program named `agent` beside which nobody keeps `agent/skills`.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Self::Missing,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(_) => Self::Unreadable,
        }
    }
}

/// Every root for this machine and configuration, highest precedence first, each directory once.
pub fn roots(machine: &Machine, config: &Config, problems: &mut Vec<Problem>) -> Vec<Root> {
    let in_projects = places(PlaceKind::Project);
    let (in_home, in_system) = (places(PlaceKind::User), places(PlaceKind::System));
    // Room for all of them from the start: growing would hash every path again, at a price that a small listing notices.
    let usual = in_projects.len() + in_home.len() + in_system.len();
    let (roots, seen) = (Vec::with_capacity(usual), HashSet::with_capacity(usual));
    let mut list = List { machine, problems, roots, seen };
    for directory in machine.project_directories() {
        let base = [Base::open(directory)];
        for place in &in_projects {
            let path = directory.join(place.directory);
            list.add_usual(status_from(&base, &path), path, Scope::Project, place);
        }
    }
    list.add_configured(&config.skill_paths, Scope::Custom, Holds::Skills);
    list.add_configured(&config.plugin_paths, Scope::Custom, Holds::Plugins);
    let configuration = machine.config_directory();
    let bases: Vec<Base<'_>> =
        [configuration.as_deref(), machine.home.as_deref()].into_iter().flatten().map(Base::open).collect();
    for place in &in_home {
        if let Some(path) = machine.user_path(place.directory) {
            list.add_usual(status_from(&bases, &path), path, Scope::User, place);
        }
    }
    for path in machine.variable("COPILOT_SKILLS_DIRS").unwrap_or_default().split(',') {
        let path = PathBuf::from(path.trim());
        if path.is_absolute() {
            let (convention, holds, status) = ("github-copilot", Holds::Skills, Status::of(&path));
            list.add(Root { path, scope: Scope::User, convention, holds, priority: 0, status });
        }
    }
    for place in &in_system {
        let path = machine.system_path(place.directory);
        list.add_usual(Status::of(&path), path, Scope::System, place);
    }
    list.add_configured(&config.extra_skill_paths, Scope::Extra, Holds::Skills);
    list.add_configured(&config.extra_plugin_paths, Scope::Extra, Holds::Plugins);
    list.roots
}

/// A configured path made whole, or the problem that it cannot be used.
pub(crate) fn resolve(machine: &Machine, place: &Place) -> Result<PathBuf, Problem> {
    let workspace = machine.workspace().to_string_lossy();
    let home = machine.home.as_ref().map(|home| home.to_string_lossy());
    let env = |name: &str| machine.variable(name).map(str::to_owned);
    let path = expand(&place.path, home.as_deref(), &env, place.base(&workspace)).map_err(|error| {
        let message = format!("`{}` cannot be expanded: {error}", place.path);
        Problem::new(Code::ConfigValueInvalid, place.at, message, "write an absolute path")
            .in_file(&place.file)
    })?;
    let path = PathBuf::from(path);
    if place.layer == Layer::Project && path.exists() && !is_inside(machine.workspace(), &path) {
        let message = format!("`{}` is a link that leads out of the project; it was ignored", place.path);
        let hint = "name it in your own configuration if you trust what is there";
        return Err(Problem::new(Code::ConfigKeyUntrusted, place.at, message, hint).in_file(&place.file));
    }
    Ok(path)
}

/// Up to this size a directory is listed instead of being asked for every place that might be in it.
const SMALL: u64 = 8 * 1024;

/// A directory below which many places are looked for: held open, so that the way to it is gone once.
struct Base<'a> {
    path: &'a Path,
    open: io::Result<Directory>,
    /// The names in it, where they are few, in small letters: some file systems take both for one.
    names: Option<HashSet<Vec<u8>>>,
}

impl<'a> Base<'a> {
    fn open(path: &'a Path) -> Self {
        let open = Directory::open(path);
        let names = open.as_ref().ok().and_then(few_names);
        Self { path, open, names }
    }

    /// The status of a place below; nothing where another way has to be gone.
    fn status(&self, path: &Path) -> Option<Status> {
        let below = path.strip_prefix(self.path).ok()?;
        if !self.may_have(below) {
            return Some(Status::Missing);
        }
        match &self.open {
            Ok(open) => {
                let facts = open.facts_of(below);
                Some(Status::told(facts.map(|facts| facts.kind == Kind::Directory), path))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Status::Missing),
            // What may not be listed may still be gone through.
            Err(_) => None,
        }
    }

    /// Whether the way to a place below can begin here.
    fn may_have(&self, below: &Path) -> bool {
        let first = below.iter().next().map(|first| first.as_encoded_bytes().to_ascii_lowercase());
        self.names.as_ref().zip(first).is_none_or(|(names, first)| names.contains(&first))
    }
}

/// The names in a directory, if they are few.
fn few_names(directory: &Directory) -> Option<HashSet<Vec<u8>>> {
    directory.facts().ok().filter(|facts| facts.size <= SMALL)?;
    let names = directory.names().ok()?;
    Some(names.iter().map(|name| name.name.as_encoded_bytes().to_ascii_lowercase()).collect())
}

/// The status of a place, from the first of these directories that it lies below.
fn status_from(bases: &[Base<'_>], path: &Path) -> Status {
    bases.iter().find_map(|base| base.status(path)).unwrap_or_else(|| Status::of(path))
}

struct List<'a> {
    machine: &'a Machine,
    problems: &'a mut Vec<Problem>,
    roots: Vec<Root>,
    seen: HashSet<(PathBuf, Holds)>,
}

impl List<'_> {
    fn add_usual(&mut self, status: Status, path: PathBuf, scope: Scope, place: &conventions::Place) {
        let (convention, holds) = (place.convention, place.holds);
        self.add(Root { path, scope, convention, holds, priority: 0, status });
    }

    fn add_configured(&mut self, places: &[Place], scope: Scope, holds: Holds) {
        for place in places {
            match resolve(self.machine, place) {
                Ok(path) => {
                    let status = Status::of(&path);
                    if status == Status::Missing {
                        let message = format!("`{}` does not exist", path.display());
                        let hint = "create it, or remove the line";
                        let problem = Problem::new(Code::ConfigPathMissing, place.at, message, hint);
                        self.problems.push(problem.in_file(&place.file));
                    }
                    self.add(Root { path, scope, convention: "config", holds, priority: 0, status });
                }
                Err(problem) => self.problems.push(problem),
            }
        }
    }

    /// Adds a root at the end, unless its directory is there already.
    fn add(&mut self, root: Root) {
        // Two spellings of one directory are one root, whatever links lie between them.
        let real = if root.status == Status::Ok { root.path.canonicalize().ok() } else { None };
        if self.seen.insert((real.unwrap_or_else(|| root.path.clone()), root.holds)) {
            let priority = self.roots.len();
            self.roots.push(Root { priority, ..root });
        }
    }
}
