//! From a name to a skill.

use crate::world::World;
use expect_test::{Expect, expect};
use guild_catalog::{Lookup, near};

const SKILLS: &str = r#"
    //- /project/.guild/skills/alpha/SKILL.md
    @alpha
    //- /project/.guild/skills/folder/SKILL.md
    @named
    //- /project/.guild/skills/titled/SKILL.md
    ---
    name: "A Title: with / marks"
    description: Its name is no identifier.
    ---
    Do it.
    //- /project/.guild/skills/Größe/SKILL.md
    @Größe
    //- /project/.guild/plugins/one/.claude-plugin/plugin.json
    {"name": "one"}
    //- /project/.guild/plugins/one/skills/lint/SKILL.md
    @lint
    //- /project/.guild/plugins/one/skills/alpha/SKILL.md
    @alpha
    //- /project/.guild/plugins/one/skills/solo/SKILL.md
    @solo
    //- /project/.guild/plugins/one/skills/place/SKILL.md
    @other
    //- /project/.guild/plugins/two/.claude-plugin/plugin.json
    {"name": "two"}
    //- /project/.guild/plugins/two/skills/lint/SKILL.md
    @lint
"#;

/// Looks names up in one world and shows what each leads to.
#[track_caller]
fn check(names: &[&str], expect: Expect) {
    let world = World::new(SKILLS);
    let snapshot = world.discover();
    let mut shown = String::new();
    for name in names {
        shown += &match snapshot.find(name) {
            Lookup::Found(entry) => format!("{name}: {}\n", entry.qualified_name()),
            Lookup::Ambiguous(candidates) => format!("{name}: one of {}\n", candidates.join(", ")),
            Lookup::Missing(near) if near.is_empty() => format!("{name}: nothing\n"),
            Lookup::Missing(near) => format!("{name}: nothing, but near {}\n", near.join(", ")),
        };
    }
    expect.assert_eq(&shown);
}

#[test]
fn every_name_that_lists_show_finds_its_skill() {
    let snapshot = World::new(SKILLS).discover();
    for entry in &snapshot.skills {
        let name = entry.qualified_name();
        assert!(matches!(snapshot.find(&name), Lookup::Found(found) if std::ptr::eq(found, entry)), "{name}");
    }
}

#[test]
fn a_skill_of_a_plugin_whose_directory_has_a_colon_in_its_name_is_found() {
    let world = World::new(
        r#"
        //- /project/.guild/plugins/a:b/.claude-plugin/plugin.json
        {"description": "Its manifest has no name."}
        //- /project/.guild/plugins/a:b/skills/lint/SKILL.md
        @lint
        //- /project/.guild/plugins/a/.claude-plugin/plugin.json
        {"name": "a"}
        //- /project/.guild/plugins/a/skills/lint/SKILL.md
        @lint
        "#,
    );
    let snapshot = world.discover();
    let found = |name: &str| match snapshot.find(name) {
        Lookup::Found(entry) => entry.qualified_name().into_owned(),
        other => format!("{other:?}"),
    };
    let names = ["a:b/lint", "a:b:lint", "a/lint", "a:lint"].map(found);
    assert_eq!(names, ["a:b/lint", "a:b/lint", "a/lint", "a/lint"]);
}

#[test]
fn a_plugins_skill_is_found_with_a_slash_or_a_colon() {
    check(
        &["one/lint", "one:lint", "two/lint", "two:lint"],
        expect![[r#"
        one/lint: one/lint
        one:lint: one/lint
        two/lint: two/lint
        two:lint: two/lint
    "#]],
    );
}

#[test]
fn a_bare_name_is_enough_where_one_skill_bears_it() {
    check(
        &["solo", "named"],
        expect![[r#"
        solo: one/solo
        named: named
    "#]],
    );
}

#[test]
fn a_bare_name_that_several_bear_lists_them() {
    check(
        &["lint"],
        expect![[r#"
        lint: one of one/lint, two/lint
    "#]],
    );
}

#[test]
fn a_skill_of_no_plugin_is_found_before_plugins_skills_of_its_name() {
    check(
        &["alpha", "one/alpha"],
        expect![[r#"
        alpha: alpha
        one/alpha: one/alpha
    "#]],
    );
}

#[test]
fn a_skill_is_found_by_its_directory_and_by_its_title() {
    check(
        &["folder", "titled", "A Title: with / marks", "place", "one/place"],
        expect![[r#"
        folder: named
        titled: titled
        A Title: with / marks: titled
        place: one/other
        one/place: one/other
    "#]],
    );
}

#[test]
fn case_does_not_matter_where_nothing_matches_exactly() {
    check(
        &["ALPHA", "Folder", "a title: with / MARKS", "one/SOLO", "gRÖße", "LINT"],
        expect![[r#"
            ALPHA: alpha
            Folder: named
            a title: with / MARKS: titled
            one/SOLO: one/solo
            gRÖße: Größe
            LINT: one of one/lint, two/lint
        "#]],
    );
}

#[test]
fn a_name_that_nobody_bears_brings_near_ones() {
    check(
        &["alhpa", "one/lnt", "lints", "zzz", "", "/", "a", "sol"],
        expect![[r#"
        alhpa: nothing, but near alpha
        one/lnt: nothing, but near one/lint
        lints: nothing, but near lint
        zzz: nothing
        : nothing
        /: nothing
        a: nothing
        sol: nothing, but near one/solo, solo
    "#]],
    );
}

#[test]
fn a_skill_of_another_plugin_is_not_found() {
    check(
        &["two/solo", "three/lint", "one/one/lint"],
        expect![[r#"
        two/solo: nothing, but near solo
        three/lint: nothing, but near lint
        one/one/lint: nothing, but near lint, one/lint
    "#]],
    );
}

#[test]
fn near_names_are_few_ordered_and_each_once() {
    let known = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().into_iter();
    assert_eq!(near("reviw", known(&["preview", "x", "review"])), ["review"]);
    assert_eq!(
        near("test", known(&["tests", "a-test", "best", "rest", "tests"])),
        ["a-test", "best", "rest"]
    );
    assert_eq!(near("tests", known(&["a", "te", "tes"])), ["tes"]);
    assert_eq!(near("no", known(&["on", "nope"])), ["on"]);
}
