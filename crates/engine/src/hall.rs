//! The hall: one machine, one configuration, one snapshot, on which operations are asked.

use guild_catalog::{Freshness, Machine, Snapshot, discover};
use guild_manifest::Problem;
use guild_manifest::config::{self, Config, Layer};

/// A configuration file as the caller read it.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Whose it is.
    pub layer: Layer,
    /// Where it was read.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
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
    /// Everything that was found.
    pub snapshot: Snapshot,
}

impl Hall {
    /// Reads the configuration and discovers everything.
    pub fn open(machine: Machine, files: &[ConfigFile], freshness: Freshness) -> Self {
        let (config, mut problems) = configure(files);
        let mut snapshot = discover(&machine, &config, freshness);
        problems.append(&mut snapshot.problems);
        snapshot.problems = problems;
        let config_files = files.iter().map(|file| file.path.clone()).collect();
        Self { machine, config, config_files, snapshot }
    }
}

fn configure(files: &[ConfigFile]) -> (Config, Vec<Problem>) {
    let mut problems = Vec::new();
    let layers = files.iter().map(|file| {
        let reading = config::read(&file.path, &file.bytes, file.layer);
        problems.extend(reading.problems);
        (file.layer, reading.settings)
    });
    let config = config::merge(layers.collect());
    (config, problems)
}
