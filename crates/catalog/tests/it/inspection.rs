//! Looking at skills one by one: what is wrong with each, under a profile.

use crate::world::World;
use expect_test::{Expect, expect};
use guild_catalog::{Inspected, Inspection, inspect_path, inspect_snapshot};
use guild_manifest::config::Config;
use guild_manifest::skill::Profile;

fn show(world: &World, found: &[Inspected]) -> String {
    let mut shown = String::new();
    for inspected in found {
        let state = if inspected.loaded { "loads" } else { "does not load" };
        shown += &format!("{} {state} {}\n", inspected.name, world.shown(&inspected.path));
        for problem in &inspected.problems {
            shown +=
                &format!("    {}[{}] {}:{}\n", problem.severity, problem.code, problem.file, problem.at.line);
        }
    }
    shown
}

/// The plugins and marketplaces, if there are any, and what is wrong with them.
fn packages(world: &World, found: &Inspection) -> String {
    let root = world.path("").display().to_string();
    let line = |problem: &guild_manifest::Problem| {
        let file = problem.file.replace(root.trim_end_matches('/'), "");
        format!("    {}[{}] {file}:{}\n", problem.severity, problem.code, problem.at.line)
    };
    let problems: String = found.problems.iter().map(line).collect();
    if found.packages == 0 { problems } else { format!("{} packages\n{problems}", found.packages) }
}

/// Inspects `path` in a world of these files.
#[track_caller]
fn check(text: &str, path: &str, profile: Profile, expect: Expect) {
    let world = World::new(text);
    let path = world.path("project").join(path);
    let shown = match inspect_path(&path, &Config::default(), profile) {
        Some(found) => show(&world, &found.skills) + &packages(&world, &found),
        None => "nothing is there\n".to_owned(),
    };
    expect.assert_eq(&shown);
}

const SKILLS: &str = "
    //- /project/lib/alpha/SKILL.md
    @alpha
    //- /project/lib/alpha/examples/inner/SKILL.md
    @inner
    //- /project/lib/bad/SKILL.md
    Not a skill.
    //- /project/lib/.hidden/deep/skill.md
    @deep
    //- /project/lib/node_modules/dep/SKILL.md
    @dep
    //- /project/lib/page.md
    ---
    title: A page
    description: Of the manual.
    ---
    Text.
    //- /project/lib/linked link:/elsewhere
    //- /elsewhere/far/SKILL.md
    @far
";

#[test]
fn every_skill_below_a_directory_is_inspected() {
    check(
        SKILLS,
        "lib",
        Profile::Lenient,
        expect![[r#"
            deep loads /project/lib/.hidden/deep/skill.md
                warning[odd_file_name] skill.md:1
                warning[body_too_short] skill.md:1
            alpha loads /project/lib/alpha/SKILL.md
                warning[body_too_short] SKILL.md:1
            inner loads /project/lib/alpha/examples/inner/SKILL.md
                warning[body_too_short] SKILL.md:1
            bad does not load /project/lib/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
                warning[body_too_short] SKILL.md:1
        "#]],
    );
}

#[test]
fn one_skill_is_inspected_by_its_directory_or_its_file() {
    check(
        SKILLS,
        "lib/bad",
        Profile::Lenient,
        expect![[r#"
            bad does not load /project/lib/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
                warning[body_too_short] SKILL.md:1
        "#]],
    );
    check(
        SKILLS,
        "lib/bad/SKILL.md",
        Profile::Lenient,
        expect![[r#"
            bad does not load /project/lib/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
                warning[body_too_short] SKILL.md:1
        "#]],
    );
}

#[test]
fn any_file_can_be_inspected_as_a_skill() {
    check(
        SKILLS,
        "lib/page.md",
        Profile::Lenient,
        expect![[r#"
            page loads /project/lib/page.md
                warning[name_missing] page.md:2
                warning[body_too_short] page.md:1
        "#]],
    );
    check(
        "//- /project/notes.txt\nNo frontmatter.\n",
        "notes.txt",
        Profile::Lenient,
        expect![[r#"
            notes does not load /project/notes.txt
                error[missing_frontmatter] notes.txt:1
                warning[body_too_short] notes.txt:1
        "#]],
    );
}

#[test]
fn a_path_where_nothing_is_or_nothing_is_a_skill() {
    check(
        SKILLS,
        "missing",
        Profile::Lenient,
        expect![[r#"
        nothing is there
    "#]],
    );
    check("//- /project/empty/\n", "empty", Profile::Lenient, expect![[""]]);
}

#[test]
fn flat_skills_are_inspected_in_directories_of_skills() {
    check(
        "
        //- /project/.claude/skills/flat.md
        @flat
        //- /project/.claude/skills/open.md
        ---
        name: open
        //- /project/.claude/skills/README.md
        # Skills
        //- /project/.claude/skills/alpha/SKILL.md
        @alpha
        //- /project/.claude/skills/alpha/reference.md
        ---
        description: A page of the skill.
        ---
        Text.
        ",
        ".",
        Profile::Lenient,
        expect![[r#"
            alpha loads /project/.claude/skills/alpha/SKILL.md
                warning[body_too_short] SKILL.md:1
            flat loads /project/.claude/skills/flat.md
                warning[body_too_short] flat.md:1
            open does not load /project/.claude/skills/open.md
                error[unclosed_frontmatter] open.md:1
                warning[body_too_short] open.md:1
        "#]],
    );
}

#[test]
fn a_skill_goes_by_its_directory_whatever_way_leads_there() {
    let text = "//- /project/alpha/SKILL.md\n@alpha\n//- /project/alpha/docs/\n";
    check(
        text,
        "alpha/.",
        Profile::Lenient,
        expect![[r#"
            alpha loads /project/alpha/SKILL.md
                warning[body_too_short] SKILL.md:1
        "#]],
    );
    check(
        text,
        "alpha/docs/..",
        Profile::Lenient,
        expect![[r#"
            alpha loads /project/alpha/SKILL.md
                warning[body_too_short] SKILL.md:1
        "#]],
    );
}

#[test]
fn profiles_judge_differently() {
    let text = "
        //- /project/Alpha_1/SKILL.md
        ---
        name: Alpha_1
        description: Uses what only some agents know.
        model: opus
        ---
        Do it.
    ";
    check(
        text,
        "Alpha_1",
        Profile::Lenient,
        expect![[r#"
        Alpha_1 loads /project/Alpha_1/SKILL.md
    "#]],
    );
    check(
        text,
        "Alpha_1",
        Profile::Strict,
        expect![[r#"
        Alpha_1 loads /project/Alpha_1/SKILL.md
            error[name_invalid] SKILL.md:2
            error[unknown_key] SKILL.md:4
    "#]],
    );
    check(
        text,
        "Alpha_1",
        Profile::Upload,
        expect![[r#"
        Alpha_1 loads /project/Alpha_1/SKILL.md
            error[name_invalid] SKILL.md:2
            error[unknown_key] SKILL.md:4
    "#]],
    );
}

#[test]
fn files_beside_a_skill_are_inspected_too() {
    check(
        "
        //- /project/alpha/SKILL.md
        ---
        name: alpha
        description: Has a script and links.
        script: run.sh
        ---
        Do it.
        //- /project/alpha/gone link:nowhere
        //- /project/alpha/out link:/project
        ",
        "alpha",
        Profile::Lenient,
        expect![[r#"
            alpha does not load /project/alpha/SKILL.md
                warning[link_broken] gone:1
                error[file_escapes] out:1
                warning[script_missing] SKILL.md:1
        "#]],
    );
}

#[test]
fn a_file_beyond_the_configured_limit_is_told() {
    let world = World::new("//- /home/.config/guild/config.toml\nlimits.max_file_bytes = 1024\n");
    world.add(&format!("//- /project/big/SKILL.md\n@big\n{}\n", "x".repeat(2000)));
    let found = inspect_path(&world.path("project/big"), &world.config().0, Profile::Lenient).unwrap();
    expect![[r#"
        big does not load /project/big/SKILL.md
            error[file_too_large] SKILL.md:1
    "#]]
    .assert_eq(&show(&world, &found.skills));
}

#[test]
fn a_pipe_is_inspected_without_waiting() {
    check(
        "//- /project/queue kind:pipe\n",
        "queue",
        Profile::Lenient,
        expect![[r#"
            queue does not load /project/queue
                error[unreadable_file] queue:1
        "#]],
    );
}

/// Inspects what a discovery finds.
#[track_caller]
fn check_snapshot(text: &str, profile: Profile, expect: Expect) {
    let world = World::new(text);
    let found = inspect_snapshot(&world.discover(), &world.config().0, profile);
    expect.assert_eq(&show(&world, &found));
}

#[test]
fn everything_that_was_found_is_inspected_but_for_the_built_in_skills() {
    check_snapshot(
        r#"
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/bad/SKILL.md
        Not a skill.
        //- /home/.guild/skills/flat.md
        @flat
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha Shadowed.
        //- /home/.claude/skills/SKILL.md
        @stray
        //- /home/.claude/skills/elsewhere link:/elsewhere
        //- /elsewhere/far/SKILL.md
        @far
        //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.guild/plugins/tools/skills/a/SKILL.md
        @a
        "#,
        Profile::Lenient,
        expect![[r#"
            stray loads /home/.claude/skills/SKILL.md
                info[name_mismatch] SKILL.md:2
                warning[body_too_short] SKILL.md:1
            far loads /home/.claude/skills/elsewhere/far/SKILL.md
                warning[body_too_short] SKILL.md:1
            a loads /home/.guild/plugins/tools/skills/a/SKILL.md
                warning[body_too_short] SKILL.md:1
            flat loads /home/.guild/skills/flat.md
                warning[body_too_short] flat.md:1
            alpha loads /project/.guild/skills/alpha/SKILL.md
                warning[body_too_short] SKILL.md:1
            bad does not load /project/.guild/skills/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
                warning[body_too_short] SKILL.md:1
        "#]],
    );
}

#[test]
fn a_skill_that_its_plugin_may_not_have_does_not_load_when_inspected_either() {
    check_snapshot(
        r#"
        //- /elsewhere/a/SKILL.md
        @a
        //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.guild/plugins/tools/skills/a link:/elsewhere/a
        "#,
        Profile::Lenient,
        expect![[r#"
            a does not load /home/.guild/plugins/tools/skills/a/SKILL.md
                warning[body_too_short] SKILL.md:1
                error[file_escapes] SKILL.md:1
        "#]],
    );
}

#[test]
fn plugins_and_marketplaces_at_a_path_are_inspected_whoever_knows_of_them() {
    check(
        r#"
        //- /project/market/.claude-plugin/marketplace.json
        {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "a"}]}
        //- /project/market/good/.claude-plugin/plugin.json
        {"name": "good"}
        //- /project/market/good/skills/one/SKILL.md
        @one
        //- /project/market/bad/guild.plugin.json
        {"id": "Not Kebab"}
        "#,
        "market",
        Profile::Lenient,
        expect![[r#"
            one loads /project/market/good/skills/one/SKILL.md
                warning[body_too_short] SKILL.md:1
            3 packages
                error[marketplace_invalid] /project/market/.claude-plugin/marketplace.json:1
                error[plugin_invalid] /project/market/bad/guild.plugin.json:1
                error[plugin_invalid] /project/market/bad/guild.plugin.json:1
                error[plugin_invalid] /project/market/bad/guild.plugin.json:1
                error[plugin_invalid] /project/market/bad/guild.plugin.json:1
                error[plugin_invalid] /project/market/bad/guild.plugin.json:1
        "#]],
    );
}

#[test]
fn authors_are_told_of_tools_that_nobody_knows() {
    check(
        "
        //- /project/odd/SKILL.md
        ---
        name: odd
        description: Calls a tool that no agent has.
        ---
        Use the `frobnicate_all` tool on every file, and then the `Read` tool on the result.
        ",
        "odd",
        Profile::Lenient,
        expect![[r#"
            odd loads /project/odd/SKILL.md
                info[unknown_tool] SKILL.md:5
        "#]],
    );
}

#[test]
fn many_directories_are_gone_through_in_their_order() {
    let files = (0..150).map(|number| {
        format!(
            "//- /project/lib/s{number:03}/SKILL.md\n@s{number:03}\n//- /project/lib/s{number:03}/inner/SKILL.md\n@inner\n"
        )
    });
    let world = World::new(&files.collect::<String>());
    let found = inspect_path(&world.path("project/lib"), &Config::default(), Profile::Lenient).unwrap();
    let paths: Vec<String> = found.skills.iter().map(|skill| world.shown(&skill.path)).collect();
    assert_eq!((paths.len(), paths.is_sorted()), (300, true));
    assert_eq!(paths[299], "/project/lib/s149/inner/SKILL.md");
}
