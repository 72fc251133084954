//! The machine as discovery sees it: where the caller stands, whose home it is, what the environment says.
//!
//! The binary fills this in. Nothing below reads the environment by itself.

use crate::Switches;
use guild_manifest::config::Layer;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What discovery needs to know of its surroundings.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Where the caller stands.
    pub directory: PathBuf,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, where it is set.
    pub config_home: Option<PathBuf>,
    /// Where the index is kept; `None` keeps none.
    pub cache: Option<PathBuf>,
    /// The moment of the look; where it is not known, every file counts as one that is just changing.
    pub now: Option<SystemTime>,
    /// What stands for `/etc`; `None` for `/etc` itself.
    pub etc: Option<PathBuf>,
    /// The operating system, as Rust names it (`linux`, `macos`, `windows`).
    pub os: String,
    /// The environment.
    pub env: BTreeMap<String, String>,
    /// Names of stored credentials, which satisfy `requires.env` too.
    pub credentials: BTreeSet<String>,
    /// What a person has switched on and off by command.
    pub switches: Switches,
    /// The tools that are registered; `None` where nobody can say, and then no skill is measured by them.
    pub tools: Option<BTreeSet<String>>,
    /// Where the roots of image roles lie whose image is here, by the role's name.
    pub image_roots: BTreeMap<String, PathBuf>,
}

impl Machine {
    /// The repository that the caller stands in: the nearest directory above with a `.git`.
    pub fn repository(&self) -> Option<&Path> {
        self.directory.ancestors().find(|directory| directory.join(".git").exists())
    }

    /// The workspace: the repository's root, else the caller's directory.
    pub fn workspace(&self) -> &Path {
        self.repository().unwrap_or(&self.directory)
    }

    /// The caller's directory and those above it up to the workspace, nearest first; never the home directory,
    /// whose skills are the person's and not a project's.
    pub fn project_directories(&self) -> Vec<&Path> {
        let top = self.workspace();
        let real_home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        let is_home = |directory: &Path| {
            let is = |home: &PathBuf| home == directory;
            self.home.as_ref().is_some_and(is) || real_home.as_ref().is_some_and(is)
        };
        let mut found = Vec::new();
        for directory in self.directory.ancestors() {
            if !is_home(directory) {
                found.push(directory);
            }
            if directory == top {
                break;
            }
        }
        found
    }

    /// `$XDG_CONFIG_HOME`, or `.config` in the home directory.
    pub fn config_directory(&self) -> Option<PathBuf> {
        self.config_home.clone().or_else(|| self.home.as_ref().map(|home| home.join(".config")))
    }

    /// Where a directory of a person's lies that the conventions write with `~/` or `$CONFIG/`: two agents let it be moved by a
    /// variable, which says where instead of their own directory in the home directory.
    pub fn user_path(&self, written: &str) -> Option<PathBuf> {
        const MOVED: [(&str, &str); 2] = [("~/.claude/", "CLAUDE_CONFIG_DIR"), ("~/.codex/", "CODEX_HOME")];
        let moved = MOVED.iter().find_map(|(own, variable)| {
            let rest = written.strip_prefix(own)?;
            let place = Path::new(self.variable(variable)?);
            place.is_absolute().then(|| place.join(rest))
        });
        moved.or_else(|| match written.strip_prefix("$CONFIG/") {
            Some(rest) => Some(self.config_directory()?.join(rest)),
            None => Some(self.home.as_ref()?.join(written.trim_start_matches("~/"))),
        })
    }

    /// A path below `/etc`, or below what stands for it.
    pub fn system_path(&self, path: &str) -> PathBuf {
        match (&self.etc, path.strip_prefix("/etc/")) {
            (Some(etc), Some(rest)) => etc.join(rest),
            _ => PathBuf::from(path),
        }
    }

    /// Where configuration files may be and whose they are, in the order in which later ones count more. Of the names at one place the
    /// first that is there counts.
    pub fn config_places(&self) -> Vec<(Layer, [PathBuf; 3])> {
        let system = Some(self.system_path("/etc/guild/config.toml"));
        let user = self.config_directory().map(|config| config.join("guild/config.toml"));
        let owned = [(Layer::System, system), (Layer::User, user)];
        let owned = owned.into_iter().filter_map(|(layer, path)| Some((layer, path?)));
        let workspace = self.workspace();
        let project = [workspace.join("guild.toml"), workspace.join(".guild/config.toml")];
        let places = owned.chain(project.map(|path| (Layer::Project, path)));
        let names = |path: &Path| ["toml", "yaml", "yml"].map(|extension| path.with_extension(extension));
        places.map(|(layer, path)| (layer, names(&path))).collect()
    }

    /// A variable of the environment that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The directories in which programs are looked for.
    pub fn search_path(&self) -> Vec<PathBuf> {
        self.directories("PATH")
    }

    /// The directories that a variable lists. A relative one means another directory wherever one stands, and none here.
    pub(crate) fn directories(&self, variable: &str) -> Vec<PathBuf> {
        let separator = if cfg!(windows) { ';' } else { ':' };
        let listed = self.variable(variable).unwrap_or_default().split(separator).map(PathBuf::from);
        listed.filter(|directory| directory.is_absolute()).collect()
    }
}
