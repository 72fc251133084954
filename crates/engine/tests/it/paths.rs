//! What `check` looks at when it is given paths.

use crate::hall;
use expect_test::{Expect, expect};
use guild_engine::{CheckRequest, ListRequest, check as run_check, list};
use guild_testkit::Fixture;
use std::path::PathBuf;

const WORLD: &str = "
//- /project/guild.toml
unknwon = 1
//- /project/.claude/skills/a/SKILL.md
---
name: a
---
No description.
//- /project/.claude/plugins/tools/.claude-plugin/plugin.json
{\"name\": \"tools\", \"version\": 7}
//- /project/.claude/plugins/tools/skills/b/SKILL.md
no frontmatter
//- /project/.claude/plugins/bare/.claude-plugin/plugin.json
{\"name\": \"bare\", \"description\": \"Ships nothing\"}
//- /project/.claude/plugins/bare/docs/guide.txt
text
//- /project/vendor/loose/.claude-plugin/plugin.json
{\"name\": \"loose\", \"version\": 8}
//- /project/README.md
# Readme
//- /project/empty/
";

#[track_caller]
fn check(paths: &[&str], expect: &Expect) {
    let fixture = Fixture::write(WORLD);
    let hall = hall(&fixture);
    let paths = paths.iter().map(PathBuf::from).collect();
    let envelope = run_check(&hall, &CheckRequest { paths, ..CheckRequest::default() });
    let mut text = format!("{}: {}\n", envelope.code.as_str(), envelope.message);
    let skills = envelope.data.skills.iter().map(|file| (&file.path, &file.problems));
    let others = envelope.data.others.iter().map(|file| (&file.path, &file.problems));
    for (path, problems) in skills.chain(others) {
        let codes: Vec<&str> = problems.iter().map(|problem| problem.code).collect();
        text.push_str(&format!("{path}: {}\n", codes.join(", ")));
    }
    expect.assert_eq(&text.replace(&fixture.path().display().to_string(), ""));
}

#[test]
fn without_a_path_everything_is_checked() {
    check(
        &[],
        &expect![[r#"
            check_failed: 2 skills, 1 loaded, 1 error, 5 warnings
            /project/.claude/plugins/tools/skills/b/SKILL.md: missing_frontmatter, body_too_short
            /project/.claude/skills/a/SKILL.md: description_missing, body_too_short
            /project/.claude/plugins/tools/.claude-plugin/plugin.json: value_invalid
            /project/guild.toml: config_key_unknown
        "#]],
    );
}

#[test]
fn a_plugin_is_checked_with_its_manifest() {
    check(
        &[".claude/plugins/tools"],
        &expect![[r#"
            check_failed: 1 skill, 0 loaded, 1 error, 2 warnings
            /project/.claude/plugins/tools/skills/b/SKILL.md: missing_frontmatter, body_too_short
            /project/.claude/plugins/tools/.claude-plugin/plugin.json: value_invalid
        "#]],
    );
    check(
        &[".claude/plugins/tools/.claude-plugin/plugin.json"],
        &expect![[r#"
        ok: 0 skills, 0 loaded, 0 errors, 1 warning
        /project/.claude/plugins/tools/.claude-plugin/plugin.json: value_invalid
    "#]],
    );
}

#[test]
fn a_plugin_that_discovery_does_not_see_is_checked_too() {
    check(
        &["vendor"],
        &expect![[r#"
        ok: 0 skills, 0 loaded, 0 errors, 1 warning
        /project/vendor/loose/.claude-plugin/plugin.json: value_invalid
    "#]],
    );
}

#[test]
fn a_plugin_without_skills_is_something() {
    check(
        &[".claude/plugins/bare"],
        &expect![[r#"
        ok: 0 skills, 0 loaded, 0 errors, 0 warnings
    "#]],
    );
}

#[test]
fn a_path_that_is_named_twice_is_checked_once() {
    check(
        &[".claude/skills", ".claude/skills/a", ".claude/../.claude/skills/a/SKILL.md"],
        &expect![[r#"
            ok: 1 skill, 1 loaded, 0 errors, 2 warnings
            /project/.claude/skills/a/SKILL.md: description_missing, body_too_short
        "#]],
    );
}

#[test]
fn a_configuration_file_is_checked_as_one() {
    check(
        &["guild.toml"],
        &expect![[r#"
            ok: 0 skills, 0 loaded, 0 errors, 1 warning
            /project/guild.toml: config_key_unknown
        "#]],
    );
}

#[test]
fn a_markdown_file_is_taken_for_a_skill_when_it_is_named() {
    check(
        &["README.md"],
        &expect![[r#"
            check_failed: 1 skill, 0 loaded, 1 error, 1 warning
            /project/README.md: missing_frontmatter, body_too_short
        "#]],
    );
}

#[test]
fn a_place_without_anything_is_an_error() {
    check(
        &["empty", "nowhere"],
        &expect![[r#"
        path_not_found: there is no skill or plugin at `empty`, `nowhere`
    "#]],
    );
    check(
        &[".claude/plugins/bare/nowhere"],
        &expect![[r#"
        path_not_found: there is no skill or plugin at `.claude/plugins/bare/nowhere`
    "#]],
    );
}

#[test]
#[cfg(unix)]
fn a_file_that_is_named_by_a_way_over_a_link_lies_in_the_workspace() {
    let fixture = Fixture::write(
        "
        //- /project/src/
        //- /project/.guild/skills/a/SKILL.md
        ---
        name: a
        description: d
        paths: src/*.py
        ---
        Do it.
        ",
    );
    std::os::unix::fs::symlink(fixture.join("project"), fixture.join("link")).unwrap();
    let hall = hall(&fixture);
    let matches = |file: &str| {
        let file = fixture.join(file).display().to_string();
        let listed = list(&hall, &ListRequest { file: Some(&file), ..ListRequest::default() });
        let found = listed.data.skills.iter().find(|skill| skill.name == "a").and_then(|a| a.matches_file);
        found.unwrap()
    };
    assert!(matches("project/src/not-there-yet.py"));
    assert!(matches("link/src/not-there-yet.py"));
    assert!(!matches("link/src/deeper/not-there-yet.py"));
    assert!(!matches("elsewhere/src/not-there-yet.py"));
}
