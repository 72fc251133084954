//! The index: what is not read again, what is noticed, and what is never trusted.

use crate::world::{NOW, World};
use expect_test::expect;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const SKILLS: &str = r#"
    //- /project/.guild/skills/alpha/SKILL.md
    @alpha One thing.
    //- /project/.guild/skills/alpha/agents/openai.yaml
    policy: {}
    //- /project/.guild/skills/alpha/scripts/run.sh
    true
    //- /project/.guild/skills/group/beta/SKILL.md
    @beta
    //- /project/.guild/skills/flat.md
    @flat Flat thing.
    //- /project/.guild/skills/bad/SKILL.md
    Not a skill.
    //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
    {"name": "tools"}
    //- /home/.guild/plugins/tools/skills/a/SKILL.md
    @a
"#;

/// A world whose files are old and whose index is written.
fn indexed(text: &str) -> World {
    let world = World::new(text).with_cache();
    world.age();
    world.discover();
    world
}

/// Replaces one word in a file by another of the same length and leaves no trace in its date.
fn forge(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let text = fs::read_to_string(path).unwrap().replace(from, to);
    fs::write(path, text).unwrap();
    set_modified(path, modified);
}

fn set_modified(path: &Path, time: SystemTime) {
    File::open(path).unwrap().set_modified(time).unwrap();
}

fn description(world: &World, name: &str) -> String {
    let snapshot = world.discover();
    let entry = snapshot.skills.iter().find(|entry| entry.skill.name == name).unwrap();
    entry.skill.description.clone()
}

/// Every file of the index.
fn index_files(world: &World) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(world.path("/cache/index")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn a_second_discovery_finds_the_same() {
    let world = indexed(SKILLS);
    let (fresh, second) = (World::new(SKILLS), world.discover());
    assert_eq!(world.show(&second), fresh.show(&fresh.discover()));
    assert_eq!(second.version, world.reread().version);
    assert_eq!(second.version, world.discover().version);
}

#[test]
fn a_second_discovery_reads_no_unchanged_file() {
    let world = indexed(SKILLS);
    forge(&world.path("/project/.guild/skills/alpha/SKILL.md"), "One thing.", "New thing.");
    forge(&world.path("/project/.guild/skills/flat.md"), "Flat thing.", "Forg thing.");
    assert_eq!(description(&world, "alpha"), "One thing.");
    assert_eq!(description(&world, "flat"), "Flat thing.");
    let snapshot = world.reread();
    let shown: Vec<&str> = snapshot.skills.iter().map(|entry| entry.skill.description.as_str()).collect();
    assert!(shown.contains(&"New thing.") && shown.contains(&"Forg thing."));
    assert_eq!(description(&world, "alpha"), "New thing.", "reading everything writes the index anew");
}

#[test]
fn without_a_cache_directory_every_file_is_read() {
    let world = World::new(SKILLS);
    world.age();
    world.discover();
    forge(&world.path("/project/.guild/skills/alpha/SKILL.md"), "One thing.", "New thing.");
    assert_eq!(description(&world, "alpha"), "New thing.");
}

#[test]
fn a_file_that_changed_just_before_the_look_or_during_it_is_read_again() {
    for moment in [NOW - Duration::from_millis(1), NOW, NOW + Duration::from_millis(1)] {
        changed_at(SystemTime::UNIX_EPOCH + moment);
    }
}

#[track_caller]
fn changed_at(moment: SystemTime) {
    let world = World::new(SKILLS).with_cache();
    world.age();
    let file = world.path("/project/.guild/skills/alpha/SKILL.md");
    set_modified(&file, moment);
    world.discover();
    forge(&file, "One thing.", "New thing.");
    assert_eq!(description(&world, "alpha"), "New thing.");
}

#[test]
fn another_date_is_noticed() {
    let world = indexed(SKILLS);
    let file = world.path("/project/.guild/skills/alpha/SKILL.md");
    forge(&file, "One thing.", "New thing.");
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    set_modified(&file, modified - Duration::from_secs(1));
    assert_eq!(description(&world, "alpha"), "New thing.");
}

#[test]
fn another_size_is_noticed() {
    let world = indexed(SKILLS);
    for (name, file) in [("alpha", "alpha/SKILL.md"), ("flat", "flat.md")] {
        let file = world.path("/project/.guild/skills").join(file);
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        let text = fs::read_to_string(&file).unwrap().replace(" thing.", " thing of another length.");
        fs::write(&file, text).unwrap();
        set_modified(&file, modified);
        assert!(description(&world, name).ends_with("another length."));
    }
}

#[test]
fn another_file_in_its_place_is_noticed() {
    let world = indexed(SKILLS);
    let file = world.path("/project/.guild/skills/flat.md");
    let metadata = fs::metadata(&file).unwrap();
    let text = fs::read_to_string(&file).unwrap().replace("Flat thing.", "Swap thing.");
    let other = world.path("/project/other.md");
    fs::write(&other, text).unwrap();
    fs::rename(&other, &file).unwrap();
    set_modified(&file, metadata.modified().unwrap());
    assert_eq!(fs::metadata(&file).unwrap().len(), metadata.len());
    assert_eq!(description(&world, "flat"), "Swap thing.");
}

/// Changes an indexed world and compares what is found then with what a fresh look finds.
#[track_caller]
fn check_noticed(text: &str, change: impl FnOnce(&World)) -> String {
    let world = indexed(text);
    let before = world.found();
    change(&world);
    let after = world.found();
    assert_ne!(before, after, "the change is noticed");
    assert_eq!(after, world.show(&world.reread()), "and what is found is right");
    after
}

#[test]
fn skills_that_come_go_and_move_are_noticed() {
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/new/SKILL.md\n@new\n"));
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/new.md\n@new\n"));
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/group/new/SKILL.md\n@new\n"));
    let skills = |world: &World, name: &str| world.path("/project/.guild/skills").join(name);
    check_noticed(SKILLS, |world| fs::remove_dir_all(skills(world, "alpha")).unwrap());
    check_noticed(SKILLS, |world| fs::remove_file(skills(world, "flat.md")).unwrap());
    check_noticed(SKILLS, |world| fs::rename(skills(world, "alpha"), skills(world, "gamma")).unwrap());
    check_noticed(SKILLS, |world| fs::remove_file(skills(world, "group/beta/SKILL.md")).unwrap());
}

#[test]
fn a_directory_that_becomes_a_skill_or_stops_being_one_is_noticed() {
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/group/SKILL.md\n@group\n"));
    check_noticed(SKILLS, |world| {
        let directory = world.path("/project/.guild/skills/alpha");
        fs::rename(directory.join("SKILL.md"), directory.join("old.md")).unwrap();
        world.add("//- /project/.guild/skills/alpha/inner/SKILL.md\n@inner\n");
    });
}

#[test]
fn a_skill_in_a_directory_that_was_given_its_old_date_is_noticed() {
    let world = indexed(SKILLS);
    let root = world.path("/project/.guild/skills");
    let modified = fs::metadata(&root).unwrap().modified().unwrap();
    world.add("//- /project/.guild/skills/new/SKILL.md\n@new\n");
    set_modified(&root, modified);
    assert!(world.found().contains("new"));
}

#[test]
fn a_link_among_the_skills_that_comes_to_lead_elsewhere_is_noticed() {
    let world = indexed(
        "//- /project/.guild/skills/a/SKILL.md\n@a\n//- /project/one/SKILL.md\n@one\n//- /project/two/SKILL.md\n@two\n",
    );
    let (root, link) = (world.path("/project/.guild/skills"), world.path("/project/.guild/skills/link"));
    std::os::unix::fs::symlink("../../hop", &link).unwrap();
    std::os::unix::fs::symlink("one", world.path("/project/hop")).unwrap();
    set_modified(&root, SystemTime::UNIX_EPOCH + Duration::from_secs(900_000_000));
    assert!(world.found().contains("one"));
    fs::remove_file(world.path("/project/hop")).unwrap();
    std::os::unix::fs::symlink("two", world.path("/project/hop")).unwrap();
    let found = world.found();
    assert!(found.contains("two") && !found.contains("one"), "{found}");
}

/// The record of a directory that a person had named as one skill's made a skill of it when they no longer did.
#[test]
fn a_root_that_is_named_as_one_skill_for_a_while_is_noticed() {
    let text = "//- /home/.guild/skills/SKILL.md\n@whole\n//- /home/.guild/skills/part/SKILL.md\n@part\n";
    let config = "//- /home/.config/guild/config.toml\nskills.paths = ['~/.guild/skills']\n";
    let world = indexed(text);
    let (group, check) = (world.found(), |world: &World| {
        let found = world.found();
        assert_eq!(found, world.show(&world.reread()));
        assert_eq!(found, world.found(), "and a second time");
        found
    });
    world.add(config);
    let whole = check(&world);
    assert!(whole.contains("whole (custom)") && !whole.contains("part"), "{whole}");
    fs::remove_file(world.path("/home/.config/guild/config.toml")).unwrap();
    assert_eq!(check(&world), group);
}

#[test]
fn a_malformed_skill_that_is_mended_is_noticed() {
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/bad/SKILL.md\n@bad\n"));
}

#[test]
fn a_changed_sidecar_is_noticed() {
    let world = indexed(SKILLS);
    let is_offered = |world: &World| {
        let snapshot = world.discover();
        snapshot.skills.iter().find(|entry| entry.skill.name == "alpha").unwrap().is_offered()
    };
    assert!(is_offered(&world));
    let sidecar = "agents/openai.yaml\npolicy:\n  allow_implicit_invocation: false\n";
    world.add(&format!("//- /project/.guild/skills/alpha/{sidecar}"));
    assert!(!is_offered(&world));
    fs::remove_file(world.path("/project/.guild/skills/alpha/agents/openai.yaml")).unwrap();
    assert!(is_offered(&world));
    fs::remove_dir(world.path("/project/.guild/skills/alpha/agents")).unwrap();
    world.age();
    assert!(is_offered(&world));
    world.add(&format!("//- /project/.guild/skills/alpha/{sidecar}"));
    assert!(!is_offered(&world));
}

#[test]
fn a_link_that_is_added_anywhere_in_a_skill_is_noticed() {
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/alpha/out link:/home\n"));
    check_noticed(SKILLS, |world| world.add("//- /project/.guild/skills/alpha/scripts/out link:/home\n"));
}

#[test]
fn a_link_that_comes_to_lead_out_is_noticed() {
    let text = "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/later link:/secret
    ";
    check_noticed(text, |world| world.add("//- /secret\nNow it is there.\n"));
}

#[test]
fn a_skill_file_behind_a_link_that_led_nowhere_is_looked_at_again() {
    let text = "
        //- /project/.guild/skills/alpha/SKILL.md link:text.md
        //- /project/.guild/skills/beta link:/elsewhere/beta
    ";
    check_noticed(text, |world| world.add("//- /project/.guild/skills/alpha/text.md\n@alpha\n"));
    check_noticed(text, |world| world.add("//- /elsewhere/beta/SKILL.md\n@beta\n"));
}

#[test]
fn a_change_behind_a_link_is_noticed() {
    let text = "
        //- /elsewhere/alpha/SKILL.md
        @alpha
        //- /elsewhere/other/SKILL.md
        @other
        //- /elsewhere/flat.md
        @flat
        //- /project/.guild/skills/alpha link:/elsewhere/alpha
        //- /project/.guild/skills/flat.md link:/elsewhere/flat.md
    ";
    check_noticed(text, |world| world.add("//- /elsewhere/alpha/SKILL.md\nBroken now.\n"));
    check_noticed(text, |world| world.add("//- /elsewhere/flat.md\n@renamed\n"));
    check_noticed(text, |world| {
        fs::remove_file(world.path("/project/.guild/skills/alpha")).unwrap();
        world.add("//- /project/.guild/skills/alpha link:/elsewhere/other\n");
    });
}

#[test]
fn a_script_that_goes_is_noticed() {
    let text = "
        //- /project/.guild/skills/alpha/SKILL.md
        ---
        name: alpha
        description: Has a script.
        script: scripts/run.sh
        ---
        Do it.
        //- /project/.guild/skills/alpha/scripts/run.sh
        true
    ";
    let after = check_noticed(text, |world| {
        fs::remove_file(world.path("/project/.guild/skills/alpha/scripts/run.sh")).unwrap();
    });
    expect![[r#"
        alpha (project) /project/.guild/skills/alpha/SKILL.md
            warning[script_missing] SKILL.md:1
    "#]]
    .assert_eq(&after);
}

#[test]
fn another_limit_on_the_size_of_files_is_noticed() {
    let world = World::new("").with_cache();
    world.add(&format!("//- /project/.guild/skills/big/SKILL.md\n@big\n{}\n", "x".repeat(2000)));
    world.age();
    let configure = |limit: u32| {
        world.add(&format!("//- /home/.config/guild/config.toml\nlimits.max_file_bytes = {limit}\n"));
    };
    let loads = || world.discover().skills.iter().any(|entry| entry.skill.name == "big");
    for (limit, expected) in [(1024, false), (4096, true), (1024, false)] {
        configure(limit);
        assert_eq!(loads(), expected, "within {limit} bytes");
    }
}

#[test]
fn a_change_of_depth_or_root_is_noticed() {
    check_noticed(SKILLS, |world| world.add("//- /home/.config/guild/config.toml\nlimits.max_depth = 1\n"));
    check_noticed(SKILLS, |world| {
        world.add(
            "//- /home/.config/guild/config.toml\nskills.paths = ['~/more']\n//- /home/more/m/SKILL.md\n@m\n",
        );
    });
}

#[test]
fn what_depends_on_the_machine_is_not_remembered() {
    let text = "
        //- /project/.guild/skills/alpha/SKILL.md
        ---
        name: alpha
        description: Needs a program.
        metadata: {openclaw: {requires: {bins: [tool]}}}
        ---
        Do it.
    ";
    check_noticed(text, |world| world.add("//- /bin/tool mode:755\n"));
    check_noticed(text, |world| {
        world.add("//- /home/.config/guild/config.toml\nskills.disabled = ['alpha']\n");
    });
}

/// What is found with an index of these bytes is what is found without.
#[track_caller]
fn check_damaged(world: &World, expected: &str, damage: &str) {
    assert_eq!(world.show(&world.discover()), expected, "{damage}");
}

#[test]
fn an_index_that_is_cut_short_is_never_trusted() {
    let world = indexed(SKILLS);
    let expected = world.found();
    for file in index_files(&world) {
        let whole = fs::read(&file).unwrap();
        for length in (0..whole.len()).step_by(7).chain([whole.len() - 1]) {
            fs::write(&file, &whole[..length]).unwrap();
            check_damaged(&world, &expected, &format!("cut to {length} bytes"));
        }
    }
}

#[test]
fn an_index_with_a_flipped_bit_is_never_trusted() {
    let world = indexed(SKILLS);
    let expected = world.found();
    for file in index_files(&world) {
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&file, &bytes).unwrap();
            check_damaged(&world, &expected, &format!("byte {at} flipped"));
        }
    }
}

#[test]
fn an_index_of_another_format_is_never_trusted() {
    let world = indexed(SKILLS);
    let expected = world.found();
    for file in index_files(&world) {
        let whole = fs::read(&file).unwrap();
        // The format's number follows the eight letters that say what the file is.
        for format in [0u32, 2, 255, u32::MAX] {
            let mut bytes = whole.clone();
            bytes[8..12].copy_from_slice(&format.to_le_bytes());
            fs::write(&file, &bytes).unwrap();
            check_damaged(&world, &expected, &format!("format {format}"));
        }
        for foreign in [&b""[..], b"guildidx", b"not an index at all", &[0; 4096]] {
            fs::write(&file, foreign).unwrap();
            check_damaged(&world, &expected, "foreign bytes");
        }
    }
}

#[test]
fn a_damaged_index_is_written_anew() {
    let world = indexed(SKILLS);
    for file in index_files(&world) {
        fs::write(&file, b"damaged").unwrap();
    }
    world.discover();
    forge(&world.path("/project/.guild/skills/alpha/SKILL.md"), "One thing.", "New thing.");
    assert_eq!(description(&world, "alpha"), "One thing.", "the index is used again");
}

#[test]
fn the_index_of_one_root_is_not_taken_for_anothers() {
    let world = indexed(SKILLS);
    let expected = world.found();
    let files = index_files(&world);
    let (first, last) = (&files[0], &files[files.len() - 1]);
    assert_ne!(first, last);
    let swapped = (fs::read(last).unwrap(), fs::read(first).unwrap());
    fs::write(first, swapped.0).unwrap();
    fs::write(last, swapped.1).unwrap();
    check_damaged(&world, &expected, "two roots' files swapped");
}

#[test]
fn a_cache_that_cannot_be_written_is_no_failure() {
    for blocked in ["//- /cache\nA file where a directory should be.\n", "//- /cache/index\nA file.\n"] {
        let world = World::new(SKILLS).with_cache();
        world.add(blocked);
        let fresh = World::new(SKILLS);
        assert_eq!(world.found(), fresh.found());
        assert_eq!(world.found(), fresh.found());
    }
}

#[test]
fn a_directory_where_the_index_should_be_is_no_failure() {
    let world = indexed(SKILLS);
    let expected = world.found();
    for file in index_files(&world) {
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
    }
    check_damaged(&world, &expected, "directories");
}

#[test]
fn nothing_is_written_beside_the_index_and_nothing_but_it_changes() {
    let world = indexed(SKILLS);
    let before = index_files(&world);
    world.discover();
    world.reread();
    assert_eq!(index_files(&world), before);
    let skill = world.path("/project/.guild/skills/alpha");
    let names: Vec<_> = fs::read_dir(&skill).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3);
}

#[test]
fn a_pipe_in_the_place_of_the_index_is_not_waited_for() {
    let world = indexed(SKILLS);
    let before = world.found();
    for file in index_files(&world) {
        fs::remove_file(&file).unwrap();
        world.add(&format!("//- {} kind:pipe\n", world.shown(&file)));
    }
    assert_eq!(world.found(), before);
}
