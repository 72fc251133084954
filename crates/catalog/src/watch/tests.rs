//! What is told, and what is not: each case is a change in a project that is watched.

use super::{Followed, Watch};
use crate::{Freshness, Machine, Snapshot, discover};
use guild_manifest::Pos;
use guild_manifest::config::{Config, Layer, Place};
use guild_testkit::Fixture;
use std::fs;
use std::os::unix::fs::symlink;

const WORLD: &str = "
//- /home/notes.txt
//- /project/.git/
//- /project/README.md
//- /project/.claude/skills/one/SKILL.md
---
name: one
description: One
---
//- /project/.claude/skills/one/agents/openai.yaml
interface: {}
//- /project/.claude/skills/group/two/SKILL.md
---
name: two
description: Two
---
//- /project/.claude/skills/review/SKILL.md
---
name: review
description: Stands before a skill that is compiled in
---
//- /project/.guild/skills/one/SKILL.md
---
name: one
description: Another one of the same name
---
//- /project/.guild/plugins/p/.claude-plugin/plugin.json
{\"name\": \"p\", \"description\": \"p\"}
//- /project/.guild/plugins/p/commands/c.md
Do it.
";

struct Site {
    fixture: Fixture,
    machine: Machine,
    config: Config,
    watch: Watch,
}

impl Site {
    fn new() -> Self {
        let fixture = Fixture::write(WORLD);
        let machine = Machine {
            directory: fixture.join("project"),
            home: Some(fixture.join("home")),
            etc: Some(fixture.join("etc")),
            ..Machine::default()
        };
        let mut site = Self {
            fixture,
            machine,
            config: Config::default(),
            watch: Watch::open().expect("the kernel lets us watch"),
        };
        assert_eq!(site.follow(), Followed::Anew);
        assert_eq!(site.follow(), Followed::All);
        site
    }

    fn snapshot(&self) -> Snapshot {
        discover(&self.machine, &self.config, Freshness::Reread)
    }

    fn follow(&mut self) -> Followed {
        let snapshot = self.snapshot();
        self.watch.follow(&self.machine, &self.config, &snapshot)
    }

    /// Looks and follows, as one who is told of something does, until nothing is told and there is nothing new to watch.
    fn settle(&mut self) {
        while self.watch.take() | (self.follow() == Followed::Anew) {}
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.fixture.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    #[track_caller]
    fn is_told(&mut self, what: &str) {
        assert!(self.watch.take(), "{what}");
        assert!(!self.watch.take(), "{what}, twice");
    }
}

const SKILL: &str = "---\nname: x\ndescription: d\n---\n";

#[test]
fn every_change_of_what_a_snapshot_was_made_of_is_told() {
    for path in [
        "project/.claude/skills/one/SKILL.md",
        "project/.claude/skills/one/agents/openai.yaml",
        "project/.claude/skills/group/two/SKILL.md",
        "project/.claude/skills/three/SKILL.md",
        "project/.claude/skills/group/four/SKILL.md",
        "project/.claude/skills/flat.md",
        "project/.guild/plugins/p/.claude-plugin/plugin.json",
        "project/.guild/plugins/p/commands/c.md",
        "project/.guild/plugins/p/skills/s/SKILL.md",
        "project/.guild/plugins/q/.claude-plugin/plugin.json",
        // Roots and files of configuration that were not there.
        "project/.codex/skills/five/SKILL.md",
        "project/guild.toml",
        "project/.guild/config.yaml",
        "home/.guild/skills/six/SKILL.md",
        "home/.config/guild/config.toml",
        "etc/guild/config.toml",
    ] {
        let mut site = Site::new();
        site.write(path, SKILL);
        site.is_told(path);
        // The same again, now that it is there: it is watched by itself.
        site.settle();
        site.write(path, &format!("{SKILL}More.\n"));
        site.is_told(path);
        site.settle();
        fs::remove_file(site.fixture.join(path)).expect("it is removed");
        site.is_told(path);
    }
}

#[test]
fn what_changes_no_snapshot_is_not_told() {
    let mut site = Site::new();
    site.write("project/README.md", "Read me.");
    site.write("project/src/main.rs", "fn main() {}");
    site.write("home/notes.txt", "Milk.");
    site.write("home/.cache/x", "x");
    fs::read(site.fixture.join("project/.claude/skills/one/SKILL.md")).expect("a skill");
    site.snapshot();
    assert!(!site.watch.take());
}

#[test]
fn editors_that_write_beside_and_rename_are_heard() {
    let mut site = Site::new();
    site.write("project/.claude/skills/one/.SKILL.md.swp", SKILL);
    let directory = site.fixture.join("project/.claude/skills/one");
    fs::rename(directory.join(".SKILL.md.swp"), directory.join("SKILL.md")).expect("it is renamed");
    site.is_told("a file that took the place of another");
}

#[test]
fn a_directory_that_took_the_place_of_another_is_watched_in_its_stead() {
    let mut site = Site::new();
    let skills = site.fixture.join("project/.claude/skills");
    site.write("elsewhere/one/SKILL.md", SKILL);
    fs::remove_dir_all(skills.join("one")).expect("it is removed");
    symlink(site.fixture.join("elsewhere/one"), skills.join("one")).expect("a link");
    site.is_told("a link in the place of a directory");
    site.settle();
    site.write("elsewhere/one/SKILL.md", &format!("{SKILL}More.\n"));
    site.is_told("what the link leads to");
    fs::rename(skills.join("group"), skills.join("other")).expect("it is renamed");
    site.is_told("a group under another name");
    site.settle();
    site.write("project/.claude/skills/other/two/SKILL.md", SKILL);
    site.is_told("a skill of that group");
}

#[test]
fn directories_further_up_may_be_moved_and_made_again() {
    for (moved, there) in
        [("project/.claude/skills", "project/.claude/old"), ("project/.claude", "project/.old")]
    {
        let mut site = Site::new();
        fs::rename(site.fixture.join(moved), site.fixture.join(there)).expect("it is moved");
        site.write("project/.claude/skills/one/SKILL.md", SKILL);
        // Of the second nothing is told: the next look that is due anyway follows what is there then.
        site.settle();
        site.write("project/.claude/skills/one/SKILL.md", &format!("{SKILL}More.\n"));
        site.is_told(moved);
    }
}

#[test]
fn what_lies_beside_a_root_that_is_a_skill_is_not_told() {
    let mut site = Site::new();
    site.write("home/mine/SKILL.md", "---\nname: mine\ndescription: Mine\n---\n");
    let place = site.fixture.join("home/mine").to_string_lossy().into_owned();
    let (file, at) = (String::new(), Pos::START);
    site.config.skill_paths.push(Place { path: place, layer: Layer::User, file, at });
    site.settle();
    site.write("home/notes.txt", "Bread.");
    assert!(!site.watch.take());
    site.write("home/mine/SKILL.md", SKILL);
    site.is_told("the skill");
}

#[test]
fn where_there_is_no_room_for_all_that_is_said() {
    let mut site = Site::new();
    site.watch.limit(site.watch.count());
    assert_eq!(site.follow(), Followed::All);
    site.write("project/.claude/skills/three/SKILL.md", SKILL);
    site.is_told("a skill that came");
    assert_eq!(site.follow(), Followed::InPart);
}

#[test]
fn what_is_gone_is_watched_for_no_longer() {
    let mut site = Site::new();
    let before = site.watch.count();
    site.write("project/.claude/skills/three/SKILL.md", SKILL);
    site.settle();
    assert_eq!(site.watch.count(), before + 1);
    fs::remove_dir_all(site.fixture.join("project/.claude/skills/three")).expect("it is removed");
    site.is_told("a skill that is gone");
    site.settle();
    assert_eq!(site.watch.count(), before);
}
