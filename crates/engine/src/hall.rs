//! The hall: one machine, one configuration, one snapshot, on which operations are asked.
//!
//! It opens no configuration file: the caller hands in what it read. It never changes; `live` makes a new one.

use crate::books::problems as books_problems;
use crate::experience::Experience;
use crate::image::Images;
use crate::memory::Memory;
use crate::places::Places;
use crate::runners::problems as runner_problems;
use crate::servers::problems as server_problems;
use crate::skill_tools::problems as skill_tool_problems;
use crate::toolset::problems as toolset_problems;
use crate::vet::policy_problems;
use guild_catalog::{Freshness, Machine, Snapshot, discover};
use guild_manifest::config::{self, Config, Layer};
use guild_manifest::{Code, Pos, Problem};
use guild_vet::Suppression;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A configuration file as the caller read it.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Whose it is.
    pub layer: Layer,
    /// Where it was read.
    pub path: String,
    /// What it holds, or why that cannot be told.
    pub content: Result<Vec<u8>, String>,
}

/// Where the file of a layer was read; nothing where there is none.
pub(crate) fn path_of(files: &[ConfigFile], layer: Layer) -> &str {
    files.iter().find(|file| file.layer == layer).map_or("", |file| file.path.as_str())
}

/// One machine as it was at one moment.
#[derive(Debug)]
pub struct Hall {
    /// The surroundings.
    pub machine: Machine,
    /// The configuration in effect.
    pub config: Config,
    /// The files it came from.
    pub config_files: Vec<String>,
    /// Why files of the person or the machine are not in effect, their allowlists included.
    pub ignored_config: Vec<Problem>,
    /// Why nobody knows what was switched off by command, where that cannot be read; set by whoever tried.
    pub unread_registry: Option<String>,
    /// Everything that was found.
    pub snapshot: Snapshot,
    /// Warnings of the vet that a person has allowed; none before [`Hall::allow`] has read them in the books.
    pub allowed: BTreeSet<Suppression>,
    /// What is known of skills by their runs; nothing before [`Hall::remember`] has read it in the books.
    pub experience: BTreeMap<String, Experience>,
    /// What is remembered between calls, in a process that serves many.
    pub(crate) memory: Option<Arc<Memory>>,
}

impl Hall {
    /// Reads the configuration and discovers everything.
    pub fn open(mut machine: Machine, files: &[ConfigFile], freshness: Freshness) -> Self {
        let Configured { config, mut problems, ignored } = configure(files);
        machine.image_roots = Images::open(&Places::of(&machine), &machine, &config.sandbox).roots();
        problems.extend(policy_problems(&config, files));
        problems.extend(books_problems(&config, files));
        problems.extend(server_problems(&config, files));
        problems.extend(runner_problems(&config, files));
        problems.extend(toolset_problems(&config, files));
        let mut snapshot = discover(&machine, &config, freshness);
        problems.append(&mut snapshot.problems);
        snapshot.problems = problems;
        let config_files = files.iter().map(|file| file.path.clone()).collect();
        let mut hall = Self {
            machine,
            config,
            config_files,
            ignored_config: ignored,
            unread_registry: None,
            snapshot,
            allowed: BTreeSet::new(),
            experience: BTreeMap::new(),
            memory: None,
        };
        let astray = skill_tool_problems(&hall, files);
        hall.snapshot.problems.extend(astray);
        hall
    }

    /// Who works here, as the machine calls them; hooks are told.
    pub fn user(&self) -> String {
        let named = ["USER", "LOGNAME"].iter().find_map(|name| self.machine.env.get(*name));
        named.map_or("me", String::as_str).to_owned()
    }

    /// What is wrong with the configuration.
    pub fn config_problems(&self) -> impl Iterator<Item = &Problem> {
        let is_config = |problem: &&Problem| {
            problem.code.as_str().starts_with("config_") || problem.code == Code::AllowlistUnknown
        };
        self.snapshot.problems.iter().filter(is_config)
    }
}

/// What the configuration files come to.
#[derive(Debug)]
pub struct Configured {
    /// The configuration in effect.
    pub config: Config,
    /// What is wrong with the files.
    pub problems: Vec<Problem>,
    /// Why files of the person or the machine are not in effect.
    pub ignored: Vec<Problem>,
}

/// Reads the configuration alone, for operations that need no skill.
pub fn configure(files: &[ConfigFile]) -> Configured {
    let (mut problems, mut ignored) = (Vec::new(), Vec::new());
    let mut layers = Vec::new();
    for file in files {
        let reading = match &file.content {
            Ok(bytes) => config::read(&file.path, bytes, file.layer),
            Err(reason) => unread(&file.path, reason),
        };
        if file.layer != Layer::Project {
            let fatal = reading.problems.iter().filter(|problem| problem.code == Code::ConfigInvalid);
            ignored.extend(fatal.cloned());
        }
        problems.extend(reading.problems);
        layers.push((file.layer, reading.settings));
    }
    Configured { config: config::merge(layers), problems, ignored }
}

/// A file that is there but cannot be read sets nothing, and that must be told.
fn unread(path: &str, reason: &str) -> config::Reading {
    let message = format!("the file cannot be read: {reason}");
    let problem =
        Problem::new(Code::ConfigInvalid, Pos::START, message, "check what it is and who may read it");
    let settings = config::Settings { file: path.to_owned(), ..config::Settings::default() };
    config::Reading { settings, problems: vec![problem.in_file(path)] }
}
