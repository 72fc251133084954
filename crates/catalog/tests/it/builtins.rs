//! The skills that are always there, unless somebody hides or replaces them.

use crate::world::{World, check};
use expect_test::{Expect, expect};
use guild_catalog::{Entry, Scope, bytes, files};

/// Whether a skill is built in by itself; those of bundled plugins are told elsewhere.
fn is_built_in(entry: &Entry) -> bool {
    entry.place.scope == Scope::Builtin && entry.place.plugin.is_none()
}

/// Names and state of the built-in skills, as text.
#[track_caller]
fn check_builtins(text: &str, expect: Expect) {
    let snapshot = World::new(text).discover();
    let builtin = snapshot.skills.iter().filter(|entry| is_built_in(entry));
    let line = |name: &str, enabled: bool| format!("{name}{}\n", if enabled { "" } else { ", off" });
    expect.assert_eq(&builtin.map(|entry| line(&entry.skill.name, entry.enabled)).collect::<String>());
}

#[test]
fn they_are_there_without_any_root() {
    check_builtins(
        "",
        expect![[r#"
        arch-review
        auto-fix
        health-check
        init
        review
        security-review
        test
    "#]],
    );
}

#[test]
fn a_person_or_a_project_can_hide_them_all() {
    check_builtins("//- /home/.config/guild/config.toml\nbuiltins = false\n", expect![[""]]);
    check_builtins("//- /project/guild.toml\nbuiltins = false\n", expect![[""]]);
}

#[test]
fn a_project_cannot_bring_back_what_a_person_has_hidden() {
    check(
        "
        //- /home/.config/guild/config.toml
        builtins = false
        //- /project/guild.toml
        builtins = true
        ",
        expect![[r#"
            problem warning[config_key_untrusted] /project/guild.toml:1
        "#]],
    );
}

#[test]
fn one_of_them_can_be_switched_off() {
    check_builtins(
        "//- /home/.config/guild/config.toml\nskills.disabled = ['review']\n",
        expect![[r#"
        arch-review
        auto-fix
        health-check
        init
        review, off
        security-review
        test
    "#]],
    );
}

#[test]
fn a_skill_of_any_scope_stands_before_one_of_them() {
    check(
        "
        //- /project/.guild/skills/review.md
        @review Ours.
        //- /home/.config/guild/config.toml
        skills.extra_paths = ['~/extra']
        //- /home/extra/init/SKILL.md
        @init From the last of all scopes.
        ",
        expect![[r#"
            init (extra) /home/extra/init/SKILL.md
            review (project) /project/.guild/skills/review.md
            collision init: extra /home/extra/init/SKILL.md over builtin (builtin)/init/SKILL.md
            collision review: project /project/.guild/skills/review.md over builtin (builtin)/review/SKILL.md
        "#]],
    );
}

#[test]
fn a_copy_of_one_of_them_is_a_second_place_and_no_collision() {
    let world = World::new("");
    let text =
        bytes(world.discover().skills.iter().find(|entry| entry.skill.name == "init").unwrap()).unwrap();
    let directory = world.path("/home/.guild/skills/init");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("SKILL.md"), text).unwrap();
    world.check(expect![[r#"
        init (user) /home/.guild/skills/init/SKILL.md
            also at (builtin)/init/SKILL.md
    "#]]);
}

#[test]
fn their_text_and_files_can_be_had_like_any_others() {
    for entry in World::new("").discover().skills.iter().filter(|entry| is_built_in(entry)) {
        let text = String::from_utf8(bytes(entry).unwrap().into_owned()).unwrap();
        assert!(text.starts_with(&format!("---\nname: {}\n", entry.skill.name)));
        assert_eq!(files(&entry.place), ["SKILL.md"]);
        assert!(entry.is_offered() && entry.problems.is_empty());
    }
}
