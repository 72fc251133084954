//! A machine made of text: its home, project and `/etc` from a fixture, and a snapshot of it as short stable text.
//!
//! Fixtures begin with `//- /home/…`, `/project/…`, `/etc/…` or `/bin/…`. A line `@name` or `@name description` stands
//! for a whole skill of that name. Configuration is read from the places where the command reads it. The built-in
//! skills are left out of the text; their own tests look at them.

use expect_test::Expect;
use guild_catalog::{Freshness, Machine, Scope, Snapshot, discover};
use guild_manifest::Problem;
use guild_manifest::config::{self, Config, Layer};
use guild_testkit::Fixture;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Every look is at this moment, which is after that of files that are dated back and before that of those which are not.
pub const NOW: Duration = Duration::from_secs(1_700_000_000);
const LAYOUT: &str = "//- /home/\n//- /project/\n//- /etc/\n//- /bin/\n";
const CONFIG_FILES: &[(Layer, &str)] = &[
    (Layer::System, "/etc/guild/config.toml"),
    (Layer::User, "/home/.config/guild/config.toml"),
    (Layer::Project, "/project/guild.toml"),
];

/// A machine in a temporary directory.
pub struct World {
    pub machine: Machine,
    fixture: Fixture,
}

/// Discovers everything in a world of these files and compares it with what is expected.
#[track_caller]
pub fn check(text: &str, expect: Expect) {
    World::new(text).check(expect);
}

impl World {
    /// The machine of these files; the caller stands in `/project` and keeps no index.
    #[track_caller]
    pub fn new(text: &str) -> Self {
        let fixture = Fixture::write(LAYOUT);
        fixture.add(&written_out(text));
        let machine = Machine {
            directory: fixture.join("project"),
            home: Some(fixture.join("home")),
            etc: Some(fixture.join("etc")),
            os: "linux".to_owned(),
            env: BTreeMap::from([("PATH".to_owned(), fixture.join("bin").to_string_lossy().into_owned())]),
            ..Machine::default()
        };
        Self { machine, fixture }
    }

    /// The same machine with an index in `/cache`.
    pub fn with_cache(mut self) -> Self {
        self.machine.cache = Some(self.fixture.join("cache"));
        self.machine.now = Some(SystemTime::UNIX_EPOCH + NOW);
        self
    }

    /// The same machine, from another directory.
    pub fn standing_in(mut self, directory: &str) -> Self {
        self.machine.directory = self.fixture.join(directory);
        self
    }

    /// The same machine with a variable in its environment.
    pub fn with_variable(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.machine.env.insert(name.to_owned(), value.as_ref().to_owned());
        self
    }

    /// The same machine with a variable that names a path of the fixture.
    pub fn with_path_variable(self, name: &str, path: &str) -> Self {
        let path = self.path(path).to_string_lossy().into_owned();
        self.with_variable(name, path)
    }

    /// Writes more files, over those that are there.
    #[track_caller]
    pub fn add(&self, text: &str) {
        self.fixture.add(&written_out(text));
    }

    /// Dates every file back, so that an index may rely on their dates.
    #[track_caller]
    pub fn age(&self) {
        self.fixture.age();
    }

    /// Where a path of the fixture lies.
    pub fn path(&self, path: &str) -> PathBuf {
        self.fixture.join(path)
    }

    /// The configuration in effect, and what is wrong with its files.
    pub fn config(&self) -> (Config, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut layers = Vec::new();
        for (layer, place) in CONFIG_FILES {
            let path = self.path(place);
            if let Ok(bytes) = fs::read(&path) {
                let reading = config::read(&path.to_string_lossy(), &bytes, *layer);
                problems.extend(reading.problems);
                layers.push((*layer, reading.settings));
            }
        }
        (config::merge(layers), problems)
    }

    /// Discovers everything, from the index where there is one.
    pub fn discover(&self) -> Snapshot {
        discover(&self.machine, &self.config().0, Freshness::Indexed)
    }

    /// Discovers everything and reads every file.
    pub fn reread(&self) -> Snapshot {
        discover(&self.machine, &self.config().0, Freshness::Reread)
    }

    /// What a discovery finds, as text.
    pub fn found(&self) -> String {
        let mut shown: Vec<String> =
            self.config().1.iter().map(|problem| self.problem("problem", problem)).collect();
        shown.push(self.show(&self.discover()));
        shown.concat()
    }

    /// Compares what a discovery finds with what is expected.
    #[track_caller]
    pub fn check(&self, expect: Expect) {
        expect.assert_eq(&self.found());
    }

    /// A snapshot as text: skills, what does not load, plugins, collisions, problems.
    pub fn show(&self, snapshot: &Snapshot) -> String {
        let mut text = String::new();
        for entry in snapshot.skills.iter().filter(|entry| entry.place.scope != Scope::Builtin) {
            let (name, scope) = (entry.qualified_name(), entry.place.scope.as_str());
            text += &format!("{name} ({scope}) {}\n", self.shown(&entry.place.path()));
            text.extend(entry.also_at.iter().map(|path| format!("    also at {}\n", self.shown(path))));
            text += if entry.enabled { "" } else { "    off\n" };
            text.extend(entry.unmet.iter().map(|reason| format!("    lacks: {reason}\n")));
            text.extend(entry.problems.iter().map(|problem| self.problem("   ", problem)));
        }
        for broken in &snapshot.broken {
            let (name, scope) = (broken.place.qualified(&broken.name), broken.place.scope.as_str());
            text += &format!("broken: {name} ({scope}) {}\n", self.shown(&broken.place.path()));
            text.extend(broken.problems.iter().map(|problem| self.problem("   ", problem)));
        }
        for entry in snapshot.plugins.iter().filter(|entry| entry.scope != Scope::Builtin) {
            let (name, scope, count) = (&entry.plugin.name, entry.scope.as_str(), entry.skill_count);
            let off = if entry.enabled { "" } else { ", off" };
            text +=
                &format!("plugin {name} ({scope}) {}, skills: {count}{off}\n", self.shown(&entry.directory));
        }
        for collision in &snapshot.collisions {
            let side = |(scope, path): &(Scope, PathBuf)| format!("{} {}", scope.as_str(), self.shown(path));
            let (kept, skipped) = (side(&collision.kept), side(&collision.skipped));
            text += &format!("collision {}: {kept} over {skipped}\n", collision.name);
        }
        text.extend(snapshot.problems.iter().map(|problem| self.problem("problem", problem)));
        text
    }

    /// A path without the temporary directory.
    pub fn shown(&self, path: &Path) -> String {
        path.to_string_lossy().replace(&*self.fixture.path().to_string_lossy(), "")
    }

    fn problem(&self, prefix: &str, problem: &Problem) -> String {
        let Problem { code, severity, file, at, .. } = problem;
        let file = self.shown(Path::new(file));
        format!("{prefix} {severity}[{code}] {file}:{}\n", at.line)
    }
}

/// The fixture with every `@name` line written out as a skill.
fn written_out(text: &str) -> String {
    let mut written = String::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let Some(skill) = trimmed.strip_prefix('@') else {
            written.push_str(line);
            continue;
        };
        let indent = line.strip_suffix(line.trim_start()).unwrap_or_default();
        let (name, description) = skill.split_once(' ').unwrap_or((skill, "Does one thing well."));
        for line in ["---", &format!("name: {name}"), &format!("description: {description}"), "---", "Do it."]
        {
            written.push_str(&format!("{indent}{line}\n"));
        }
    }
    written
}
