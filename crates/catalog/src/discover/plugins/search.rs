//! Which directories below a root of plugins may be plugins, and where agents keep several versions of one.
//!
//! Whether such a directory is a plugin is not decided here.

use super::Intake;
use crate::bounds;
use crate::directory::{self, Kind};
use crate::root::Root;
use guild_manifest::plugin::Standing;
use guild_manifest::{Code, Pos, Problem};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many levels of groups a root may have.
const MAX_DEPTH: usize = 4;
/// Where agents unpack what was installed, as `<marketplace>/<plugin>/<version>`.
const CACHE: &str = "cache";
/// Where agents keep catalogs of what could be installed, and what plugins wrote. Nothing in them is installed.
const STORES: &[&str] = &["marketplaces", "data"];

/// A directory that may be a plugin.
pub struct Suspect {
    /// The directory.
    pub directory: PathBuf,
    /// What the plugin is called if it does not say.
    pub name: String,
    /// What makes it a plugin.
    pub standing: Standing,
}

impl Suspect {
    /// A directory that lends its plugin its own name.
    pub fn new(directory: PathBuf, standing: Standing) -> Self {
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self { directory, name, standing }
    }
}

/// Offers every directory below a root that may be a plugin, those at the top first.
pub fn below(root: &Root, intake: &mut Intake<'_>) {
    let limit = intake.scanner.config.limits.max_entries;
    let mut search = Search { root, intake, left: limit, is_cut: false };
    let top = search.children(&root.path);
    let mut level = Vec::new();
    for directory in top {
        level.extend(search.top_level(directory));
    }
    for _ in 1..MAX_DEPTH {
        let mut next = Vec::new();
        for directory in level.iter().flat_map(|directory| search.children(directory)).collect::<Vec<_>>() {
            if !search.offer(&Suspect::new(directory.clone(), Standing::Anywhere)) {
                next.push(directory);
            }
        }
        level = next;
    }
    if search.is_cut {
        search.tell_limit(limit);
    }
}

struct Search<'a, 'b> {
    root: &'a Root,
    intake: &'a mut Intake<'b>,
    /// How many more entries are looked at.
    left: u64,
    /// Whether there were more than that.
    is_cut: bool,
}

impl Search<'_, '_> {
    /// Offers a directory right below the root; gives it back if plugins may be grouped in it.
    fn top_level(&mut self, directory: PathBuf) -> Option<PathBuf> {
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_store = STORES.contains(&name.as_str());
        let is_cache = name == CACHE;
        // What else may lie in these is no plugin for having a directory named `skills` or `agents`.
        let standing = if is_store || is_cache { Standing::Anywhere } else { Standing::Candidate };
        if self.offer(&Suspect::new(directory.clone(), standing)) || is_store {
            return None;
        }
        if is_cache {
            self.cache(&directory);
            return None;
        }
        Some(directory)
    }

    /// Offers what agents unpacked: the newest version of each plugin, under the plugin's name.
    fn cache(&mut self, cache: &Path) {
        for marketplace in self.children(cache) {
            if self.offer(&Suspect::new(marketplace.clone(), Standing::Anywhere)) {
                continue;
            }
            for plugin in self.children(&marketplace) {
                let suspect = Suspect::new(plugin, Standing::Anywhere);
                if self.offer(&suspect) {
                    continue;
                }
                let mut versions = self.children(&suspect.directory);
                versions.sort_by_cached_key(|version| Reverse(recency(version)));
                for directory in versions {
                    let name = suspect.name.clone();
                    if self.offer(&Suspect { directory, name, standing: Standing::Candidate }) {
                        break;
                    }
                }
            }
        }
    }

    fn offer(&mut self, suspect: &Suspect) -> bool {
        self.intake.take(suspect, self.root.scope)
    }

    /// The directories in a directory, sorted; links are followed, except back up.
    fn children(&mut self, directory: &Path) -> Vec<PathBuf> {
        let mut children = Vec::new();
        for name in directory::names(directory).unwrap_or_default() {
            if self.left == 0 {
                self.is_cut = true;
                break;
            }
            self.left -= 1;
            let is_tools = name.name.to_string_lossy().starts_with('.') || name.name == "node_modules";
            let path = directory.join(&name.name);
            let mut is_directory = || match name.kind {
                Kind::Link => self.follow(&path),
                kind => kind == Kind::Directory,
            };
            if !is_tools && is_directory() {
                children.push(path);
            }
        }
        children
    }

    /// Whether a link leads to a directory that is not above it.
    fn follow(&mut self, link: &Path) -> bool {
        match bounds::follow(link) {
            Ok(target) => target.is_dir(),
            Err(problem) => {
                self.intake.problems.push(problem);
                false
            }
        }
    }

    fn tell_limit(&mut self, limit: u64) {
        let message = format!("the directory holds more than {limit} entries; the rest was left out");
        let hint = "raise `limits.max_entries`, or move what holds no plugins away";
        let problem = Problem::new(Code::ScanLimit, Pos::START, message, hint);
        self.intake.problems.push(problem.in_file(self.root.path.to_string_lossy()));
    }
}

/// What makes one version of a plugin newer than another: its number, or else when it was unpacked.
fn recency(version: &Path) -> (Option<Vec<u64>>, bool, Option<SystemTime>) {
    let name = version.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let number = name.strip_prefix('v').unwrap_or(&name).split('+').next().unwrap_or_default();
    let (number, is_release) = number.split_once('-').map_or((number, true), |(number, _)| (number, false));
    let parts: Option<Vec<u64>> = number.split('.').map(|part| part.parse().ok()).collect();
    (parts, is_release, version.metadata().and_then(|metadata| metadata.modified()).ok())
}
