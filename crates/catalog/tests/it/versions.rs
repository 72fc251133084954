//! The version of a snapshot: the same for the same, another for anything that somebody could notice.

use crate::world::World;
use guild_catalog::Fingerprint;
use std::fs;

const ALPHA: &str = r#"
    //- /project/.guild/skills/alpha/SKILL.md
    @alpha
    //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
    {"name": "tools", "version": "1.0.0"}
    //- /home/.guild/plugins/tools/skills/a/SKILL.md
    @a
"#;

/// The versions before and after a change to the files.
fn versions(change: &str) -> (Fingerprint, Fingerprint) {
    let world = World::new(ALPHA);
    let before = world.discover().version;
    world.add(change);
    (before, world.discover().version)
}

#[track_caller]
fn check_changes(change: &str) {
    let (before, after) = versions(change);
    assert_ne!(before, after, "the version should change with {change}");
}

#[test]
fn equal_files_give_equal_versions() {
    let world = World::new(ALPHA).with_cache();
    let versions =
        [world.discover(), world.discover(), world.reread(), world.discover()].map(|found| found.version);
    assert!(versions.iter().all(|version| *version == versions[0]));
}

#[test]
fn what_nobody_could_notice_changes_nothing() {
    let (before, after) = versions("//- /project/.guild/skills/notes.txt\nNot a skill.\n");
    assert_eq!(before, after);
}

#[test]
fn a_byte_of_a_body_changes_it() {
    let world = World::new(ALPHA);
    let before = world.discover().version;
    let file = world.path("/project/.guild/skills/alpha/SKILL.md");
    let text = fs::read_to_string(&file).unwrap().replace("Do it.", "Do it!");
    fs::write(&file, text).unwrap();
    assert_ne!(before, world.discover().version);
}

#[test]
fn a_skill_that_comes_goes_breaks_or_moves_changes_it() {
    check_changes("//- /home/.guild/skills/beta/SKILL.md\n@beta\n");
    check_changes("//- /project/.guild/skills/alpha/SKILL.md\nBroken.\n");
    check_changes("//- /home/.guild/skills/beta/SKILL.md\nBroken.\n");
    let world = World::new(ALPHA);
    let before = world.discover().version;
    fs::rename(world.path("/project/.guild"), world.path("/project/.claude")).unwrap();
    let moved = world.discover().version;
    assert_ne!(before, moved);
    fs::remove_dir_all(world.path("/project/.claude")).unwrap();
    assert_ne!(moved, world.discover().version);
}

#[test]
fn a_switch_changes_it() {
    check_changes("//- /project/guild.toml\nskills.disabled = ['alpha']\n");
    check_changes("//- /project/guild.toml\nplugins.disabled = ['tools']\n");
    check_changes("//- /project/guild.toml\nbuiltins = false\n");
}

#[test]
fn a_sidecar_changes_it() {
    check_changes(
        "//- /project/.guild/skills/alpha/agents/openai.yaml\npolicy:\n  allow_implicit_invocation: false\n",
    );
}

#[test]
fn a_requirement_that_is_met_changes_it() {
    let world = World::new(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        ---
        name: alpha
        description: Needs a program.
        metadata: {openclaw: {requires: {bins: [tool]}}}
        ---
        Do it.
        ",
    );
    let before = world.discover().version;
    world.add("//- /bin/tool mode:755\n");
    assert_ne!(before, world.discover().version);
}

#[test]
fn plugins_collisions_places_and_problems_change_it() {
    check_changes(
        "//- /home/.guild/plugins/tools/.claude-plugin/plugin.json\n{\"name\": \"tools\", \"version\": \"1.0.1\"}\n",
    );
    check_changes("//- /home/.guild/plugins/other/.claude-plugin/plugin.json\n{\"name\": \"other\"}\n");
    check_changes("//- /home/.guild/skills/alpha/SKILL.md\n@alpha Shadowed.\n");
    check_changes("//- /home/.guild/skills/alpha/SKILL.md\n@alpha\n");
    check_changes("//- /home/.guild/skills/gone link:/nowhere\n");
}
