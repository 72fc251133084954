//! A live hall: what a refresh changes, and what it refuses to lose.

use crate::{config_files, machine};
use expect_test::{Expect, expect};
use guild_engine::catalog::{Machine, Switched};
use guild_engine::{Live, watch};
use guild_testkit::Fixture;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

const BEFORE: &str = "
//- /home/config.toml
builtins = false
//- /project/.guild/skills/review/SKILL.md
---
name: review
description: Looks at a change
---
Look at it.
//- /project/.claude/skills/deploy/SKILL.md
---
name: deploy
description: Ships it
---
Ship it.
";

/// Opens a hall on `BEFORE`, changes the files, and renders what one look then says.
#[track_caller]
fn check(change: impl FnOnce(&Fixture), expect: &Expect) {
    let fixture = Fixture::write(BEFORE);
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    change(&fixture);
    let envelope = watch(&live, machine(&fixture), &config_files(&fixture));
    let root = fixture.path().display().to_string();
    let mut text = format!("{}: {:?}\n", envelope.code.as_str(), envelope.message);
    let lists = [("+", &envelope.data.added), ("-", &envelope.data.removed), ("~", &envelope.data.changed)];
    for (mark, lines) in lists {
        for line in lines {
            let state = if line.loaded { "loads" } else { "broken" };
            text.push_str(&format!("{mark} {} {} {state} {}\n", line.name, line.scope, line.path));
        }
    }
    let hall = live.current();
    assert_eq!(envelope.data.snapshot, hall.snapshot.version.to_string());
    text.push_str(&format!("now {}\n", hall.snapshot.skills.len()));
    expect.assert_eq(&text.replace(&root, ""));
}

#[test]
fn nothing_changed_is_told_as_nothing() {
    check(
        |_| {},
        &expect![[r#"
            ok: ""
            now 2
        "#]],
    );
}

#[test]
fn what_came_went_and_became_another_is_told() {
    check(
        |fixture| {
            fs::remove_dir_all(fixture.join("project/.claude/skills/deploy")).unwrap();
            fixture
                .add("//- /project/.guild/skills/test.md\n---\nname: test\ndescription: Tests\n---\nTest.\n");
            fixture.add("//- /project/.guild/skills/review/SKILL.md\n---\nname: review\ndescription: New\n---\nLook.\n");
        },
        &expect![[r#"
            ok: ""
            + test project loads /project/.guild/skills/test.md
            - deploy project loads /project/.claude/skills/deploy/SKILL.md
            ~ review project loads /project/.guild/skills/review/SKILL.md
            now 2
        "#]],
    );
}

#[test]
fn a_skill_that_no_longer_loads_is_changed_and_not_gone() {
    check(
        |fixture| fixture.add("//- /project/.guild/skills/review/SKILL.md\nno frontmatter any more\n"),
        &expect![[r#"
            ok: ""
            ~ review project broken /project/.guild/skills/review/SKILL.md
            now 1
        "#]],
    );
}

#[test]
fn a_skill_that_is_switched_off_is_changed() {
    check(
        |fixture| fixture.add("//- /project/guild.toml\n[skills]\ndisabled = [\"deploy\"]\n"),
        &expect![[r#"
            ok: ""
            ~ deploy project loads /project/.claude/skills/deploy/SKILL.md
            now 2
        "#]],
    );
}

#[test]
fn a_person_s_file_that_no_longer_parses_keeps_the_last_good_hall() {
    check(
        |fixture| fixture.add("//- /home/config.toml\nbuiltins = \n"),
        &expect![[r#"
            reload_failed: "/home/config.toml: invalid TOML: string values must be quoted, expected literal string; what was known before stays in effect"
            now 2
        "#]],
    );
}

#[test]
fn a_project_s_file_that_no_longer_parses_is_its_own_trouble() {
    check(
        |fixture| fixture.add("//- /project/guild.toml\n[skills\n"),
        &expect![[r#"
            ok: ""
            now 2
        "#]],
    );
}

#[test]
fn a_root_that_can_no_longer_be_read_keeps_the_last_good_hall() {
    check(
        |fixture| {
            let root = fixture.join("project/.claude/skills");
            fs::remove_dir_all(&root).unwrap();
            std::os::unix::fs::symlink(&root, &root).unwrap();
        },
        &expect![[r#"
            reload_failed: "/project/.claude/skills: this directory can no longer be read; what was known before stays in effect"
            now 2
        "#]],
    );
}

#[test]
fn a_root_that_is_gone_takes_its_skills_along() {
    check(
        |fixture| fs::remove_dir_all(fixture.join("project/.claude")).unwrap(),
        &expect![[r#"
            ok: ""
            - deploy project loads /project/.claude/skills/deploy/SKILL.md
            now 1
        "#]],
    );
}

#[test]
fn a_file_that_was_broken_from_the_start_does_not_stop_later_looks() {
    let fixture = Fixture::write(BEFORE);
    fixture.add("//- /home/config.toml\nbuiltins = \n");
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    fixture.add("//- /project/.guild/skills/test.md\n---\nname: test\ndescription: Tests\n---\nTest.\n");
    let changes = live.refresh(machine(&fixture), &config_files(&fixture)).unwrap();
    assert_eq!(changes.changed.len(), 1, "a built-in skill of that name was there");
}

#[test]
fn readers_keep_the_hall_that_they_have() {
    let fixture = Fixture::write(BEFORE);
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    let held = live.current();
    fs::remove_dir_all(fixture.join("project/.claude")).unwrap();
    live.refresh(machine(&fixture), &config_files(&fixture)).unwrap();
    assert_eq!((held.snapshot.skills.len(), live.current().snapshot.skills.len()), (2, 1));
    assert!(!Arc::ptr_eq(&held, &live.current()));
}

#[test]
fn looks_from_many_threads_end_in_one_of_them() {
    let fixture = Fixture::write(BEFORE);
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    let version = live.current().snapshot.version;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let changes = live.refresh(machine(&fixture), &config_files(&fixture)).unwrap();
                assert!(changes.is_empty(), "{changes:?}");
            });
            scope.spawn(|| assert_eq!(live.current().snapshot.version, version));
        }
    });
}

/// A plugin of this name that brings one tool, and a person's word that it is on.
fn with_tool(fixture: &Fixture, plugins: &[&str]) -> Machine {
    let mut machine = machine(fixture);
    for plugin in plugins {
        let manifest = format!(
            "//- /project/.guild/plugins/{plugin}/guild.plugin.json\n{{\"id\": \"{plugin}\", \"name\": \"P\", \"version\": \"1.0.0\", \
             \"description\": \"\", \"capabilities\": [\"tools\"], \"tools\": [{{\"name\": \"look\", \"description\": \"Looks\", \
             \"command\": [\"true\"]}}]}}\n"
        );
        fixture.add(&manifest);
        let place = fixture.join(format!("project/.guild/plugins/{plugin}")).to_string_lossy().into_owned();
        machine.switches.insert(place, Switched { by_person: true, ..Switched::default() });
    }
    machine
}

#[test]
fn the_merged_view_follows_every_change_and_survives_a_failure() {
    let fixture = Fixture::write(BEFORE);
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    let tools = |seconds: u64| {
        let viewed = live.registry(at(seconds)).unwrap();
        let names: Vec<String> = viewed.view.tools.iter().map(|tool| tool.qualified_name.clone()).collect();
        (names.join(" "), viewed.failure.map(|refusal| refusal.code.as_str()))
    };
    let refresh = |machine: Machine| live.refresh(machine, &config_files(&fixture)).unwrap();
    assert_eq!(tools(0), (String::new(), None));
    refresh(with_tool(&fixture, &["one"]));
    assert_eq!(tools(0), ("plugin:one/look".to_owned(), None), "a change is seen at once");
    refresh(with_tool(&fixture, &["one", "two"]));
    assert_eq!(tools(1), ("plugin:one/look".to_owned(), Some("tool_conflict")), "the last good one stays");
    refresh(with_tool(&fixture, &["two"]));
    assert_eq!(tools(2), ("plugin:two/look".to_owned(), None));
    refresh(machine(&fixture));
    assert_eq!(tools(3), (String::new(), None), "what nobody has switched on brings nothing");
}
