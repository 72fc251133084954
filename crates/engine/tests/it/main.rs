//! The engine on fixtures: what no command can show, or only in more words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod authority;
mod books;
mod embed;
mod images;
mod live;
mod modules;
mod new;
mod paths;
mod registry;
mod run;
mod sections;
mod security_hash;
mod skill_diff;
mod storm;
mod vet;
mod vet_plugin;

use guild_engine::catalog::{Freshness, Machine};
use guild_engine::manifest::config::Layer;
use guild_engine::{ConfigFile, Hall};
use guild_testkit::Fixture;
use std::fs;

/// A machine whose project, home and system lie in a fixture; nothing of the real one is seen.
fn machine(fixture: &Fixture) -> Machine {
    Machine {
        directory: fixture.join("project"),
        home: Some(fixture.join("home")),
        etc: Some(fixture.join("etc")),
        os: "linux".to_owned(),
        ..Machine::default()
    }
}

/// The person's and the project's file, where they are.
fn config_files(fixture: &Fixture) -> Vec<ConfigFile> {
    let places = [(Layer::User, "home/config.toml"), (Layer::Project, "project/guild.toml")];
    let files = places.map(|(layer, path)| {
        let path = fixture.join(path);
        let bytes = fs::read(&path).ok()?;
        Some(ConfigFile { layer, path: path.display().to_string(), content: Ok(bytes) })
    });
    files.into_iter().flatten().collect()
}

fn hall(fixture: &Fixture) -> Hall {
    Hall::open(machine(fixture), &config_files(fixture), Freshness::Indexed)
}
