//! Programs: whether one is found where a skill would run. A script runs in the root of its image role, everything else here.
//!
//! Nothing found is run, and what a link in a role's root leads to outside it is none of its programs.

use crate::root::resolve;
use crate::{Entry, Machine};
use guild_manifest::config::{Config, RoleRoot};
use guild_manifest::skill::Kind;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Where programs are looked for in a container.
const IN_A_CONTAINER: [&str; 6] = ["usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin"];
/// How many links lead from a name to its program, as many as the kernel follows.
const MOST_LINKS: usize = 40;

/// Where a skill would run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Ground {
    /// Here, by whoever follows its text.
    Here,
    /// In the root of this image role.
    Role(String),
}

/// What was looked for already.
pub struct Programs<'a> {
    machine: &'a Machine,
    config: &'a Config,
    search_path: Vec<PathBuf>,
    known: HashMap<Ground, HashMap<String, bool>>,
}

impl Ground {
    /// Where this skill would run.
    pub fn of(entry: &Entry, config: &Config) -> Self {
        let role = || entry.skill.contract.as_ref()?.image_role.clone();
        match entry.skill.kind {
            Kind::Script => Self::Role(role().unwrap_or_else(|| config.sandbox.role.clone())),
            Kind::Inline | Kind::Subagent | Kind::Tool => Self::Here,
        }
    }

    /// What is said behind a program that is not found there.
    pub fn in_words(&self) -> String {
        match self {
            Self::Here => String::new(),
            Self::Role(role) => format!(" in the image role `{role}`"),
        }
    }
}

impl<'a> Programs<'a> {
    /// Nothing looked for yet.
    pub fn new(machine: &'a Machine, config: &'a Config) -> Self {
        Self { machine, config, search_path: machine.search_path(), known: HashMap::new() }
    }

    /// Whether a program is there. What cannot be looked into here is not measured: a run says what is wrong with it.
    pub fn has(&mut self, ground: &Ground, name: &str) -> bool {
        if let Some(known) = self.known.get(ground).and_then(|known| known.get(name)) {
            return *known;
        }
        // A name with a slash is a path, and a skill does not get to probe paths.
        let found = !name.contains('/') && !matches!(name, "." | "..") && self.look(ground, name);
        self.known.entry(ground.clone()).or_default().insert(name.to_owned(), found);
        found
    }

    fn look(&self, ground: &Ground, name: &str) -> bool {
        let is_here = || self.search_path.iter().any(|directory| is_executable(&directory.join(name)));
        let Ground::Role(role) = ground else { return is_here() };
        let root = match self.config.sandbox.roles.get(role).map(|role| &role.root) {
            // Elsewhere the programs of a container are never this machine's.
            Some(RoleRoot::Host) if self.machine.os == "linux" => PathBuf::from("/"),
            Some(RoleRoot::Directory(place)) => match resolve(self.machine, place) {
                Ok(root) => root,
                Err(_) => return true,
            },
            Some(RoleRoot::Image(_)) => match self.machine.image_roots.get(role) {
                Some(root) => root.clone(),
                None => return true,
            },
            Some(RoleRoot::Host | RoleRoot::Unreadable) | None => return true,
        };
        let within = |directory: &str| inside(&root, &Path::new(directory).join(name));
        IN_A_CONTAINER.into_iter().filter_map(within).any(|path| is_executable(&path))
    }
}

/// Where a path leads to whoever has `root` for the root of everything; nothing where it leads nowhere.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut left: VecDeque<OsString> = path.iter().map(OsString::from).collect();
    let mut real = PathBuf::new();
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        match Path::new(&part).components().next()? {
            Component::Normal(part) => real.push(part),
            Component::ParentDir => drop(real.pop()),
            Component::RootDir => real = PathBuf::new(),
            Component::CurDir | Component::Prefix(_) => {}
        }
        if let Ok(target) = root.join(&real).read_link() {
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            real.pop();
            target.iter().rev().for_each(|part| left.push_front(part.to_owned()));
        }
    }
    Some(root.join(real))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}
