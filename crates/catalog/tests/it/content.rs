//! The content of a skill that was found: its text and its files, as they are now.

use crate::world::World;
use guild_catalog::{Snapshot, bytes, files};
use std::fs;

fn entry<'a>(snapshot: &'a Snapshot, name: &str) -> &'a guild_catalog::Entry {
    snapshot.skills.iter().find(|entry| entry.skill.name == name).expect("the skill is there")
}

const SKILLS: &str = "
    //- /project/.guild/skills/alpha/SKILL.md
    @alpha
    //- /project/.guild/skills/alpha/scripts/run.sh
    true
    //- /project/.guild/skills/alpha/a.txt
    //- /project/.guild/skills/alpha/link link:a.txt
    //- /project/.guild/skills/alpha/.git/config
    //- /project/.guild/skills/alpha/node_modules/dep/index.js
    //- /project/.guild/skills/flat.md
    @flat
    //- /project/.guild/skills/other.md
    @other
";

#[test]
fn a_skills_files_are_sorted_and_leave_out_what_tools_put_there() {
    let world = World::new(SKILLS);
    let snapshot = world.discover();
    assert_eq!(files(&entry(&snapshot, "alpha").place), ["SKILL.md", "a.txt", "link", "scripts/run.sh"]);
    assert_eq!(files(&entry(&snapshot, "flat").place), ["flat.md"]);
}

#[test]
fn a_skills_text_is_read_when_it_is_asked_for() {
    let world = World::new(SKILLS);
    let snapshot = world.discover();
    let alpha = entry(&snapshot, "alpha");
    fs::write(alpha.place.path(), "Another text.\n").unwrap();
    assert_eq!(&*bytes(alpha).unwrap(), b"Another text.\n");
    fs::remove_file(alpha.place.path()).unwrap();
    assert!(bytes(alpha).is_err());
    world.add("//- /project/.guild/skills/alpha/SKILL.md kind:pipe\n");
    assert!(bytes(alpha).is_err(), "a pipe is not waited for");
}

#[test]
fn a_skill_is_found_by_the_path_of_its_file() {
    let snapshot = World::new(SKILLS).discover();
    for name in ["alpha", "flat", "init"] {
        let wanted = entry(&snapshot, name);
        assert_eq!(snapshot.at_path(&wanted.place.path()).map(|found| found.skill.name.as_str()), Some(name));
    }
    assert!(snapshot.at_path("/nowhere/SKILL.md".as_ref()).is_none());
}
