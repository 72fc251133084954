//! Which directories are searched, in which order, and what is said of those that cannot be.

use crate::world::{World, check};
use expect_test::{Expect, expect};
use guild_catalog::Status;
use std::fs;

#[test]
fn skills_of_many_agents_are_found_in_a_project() {
    check(
        "
        //- /project/.guild/skills/guild/SKILL.md
        @guild
        //- /project/.agents/skills/agents/SKILL.md
        @agents
        //- /project/.claude/skills/claude/SKILL.md
        @claude
        //- /project/.agent/skills/agent/SKILL.md
        @agent
        //- /project/.colony/skills/colony/SKILL.md
        @colony
        //- /project/.mindroom/skills/mindroom/SKILL.md
        @mindroom
        //- /project/.ok/skills/ok/SKILL.md
        @ok
        //- /project/.codex/skills/codex/SKILL.md
        @codex
        //- /project/.cursor/skills/cursor/SKILL.md
        @cursor
        //- /project/.gemini/skills/gemini/SKILL.md
        @gemini
        //- /project/.github/skills/copilot/SKILL.md
        @copilot
        //- /project/.goose/skills/goose/SKILL.md
        @goose
        //- /project/.opencode/skills/opencode/SKILL.md
        @opencode
        //- /project/.windsurf/skills/windsurf/SKILL.md
        @windsurf
        //- /project/skills/own/SKILL.md
        @own
        ",
        expect![[r#"
            agent (project) /project/.agent/skills/agent/SKILL.md
            agents (project) /project/.agents/skills/agents/SKILL.md
            claude (project) /project/.claude/skills/claude/SKILL.md
            codex (project) /project/.codex/skills/codex/SKILL.md
            colony (project) /project/.colony/skills/colony/SKILL.md
            copilot (project) /project/.github/skills/copilot/SKILL.md
            cursor (project) /project/.cursor/skills/cursor/SKILL.md
            gemini (project) /project/.gemini/skills/gemini/SKILL.md
            goose (project) /project/.goose/skills/goose/SKILL.md
            guild (project) /project/.guild/skills/guild/SKILL.md
            mindroom (project) /project/.mindroom/skills/mindroom/SKILL.md
            ok (project) /project/.ok/skills/ok/SKILL.md
            opencode (project) /project/.opencode/skills/opencode/SKILL.md
            own (project) /project/skills/own/SKILL.md
            windsurf (project) /project/.windsurf/skills/windsurf/SKILL.md
        "#]],
    );
}

#[test]
fn directories_that_agents_let_variables_move_are_found_there() {
    let world = World::new(
        "
        //- /home/moved/claude/skills/a/SKILL.md
        @a
        //- /home/moved/codex/skills/b/SKILL.md
        @b
        //- /home/more/c/SKILL.md
        @c
        //- /home/.claude/skills/left-behind/SKILL.md
        @left-behind
        //- /home/.codex/skills/stays/SKILL.md
        @stays
        ",
    )
    .with_path_variable("CLAUDE_CONFIG_DIR", "home/moved/claude")
    .with_path_variable("COPILOT_SKILLS_DIRS", "home/more")
    .with_variable("CODEX_HOME", "relative");
    world.check(expect![[r#"
        a (user) /home/moved/claude/skills/a/SKILL.md
        c (user) /home/more/c/SKILL.md
        stays (user) /home/.codex/skills/stays/SKILL.md
    "#]]);
    world.with_path_variable("CODEX_HOME", "home/moved/codex").check(expect![[r#"
        a (user) /home/moved/claude/skills/a/SKILL.md
        b (user) /home/moved/codex/skills/b/SKILL.md
        c (user) /home/more/c/SKILL.md
    "#]]);
}

#[test]
fn skills_of_many_agents_are_found_in_the_home_directory() {
    check(
        "
        //- /home/.guild/skills/guild/SKILL.md
        @guild
        //- /home/.agents/skills/agents/SKILL.md
        @agents
        //- /home/.claude/skills/claude/SKILL.md
        @claude
        //- /home/.colony/skills/colony/SKILL.md
        @colony
        //- /home/.ok/skills/ok/SKILL.md
        @ok
        //- /home/.codex/skills/codex/SKILL.md
        @codex
        //- /home/.cursor/skills/cursor/SKILL.md
        @cursor
        //- /home/.gemini/skills/gemini/SKILL.md
        @gemini
        //- /home/.copilot/skills/copilot/SKILL.md
        @copilot
        //- /home/.openclaw/skills/openclaw/SKILL.md
        @openclaw
        //- /home/.codeium/windsurf/skills/windsurf/SKILL.md
        @windsurf
        //- /home/.config/goose/skills/goose/SKILL.md
        @goose
        //- /home/.config/opencode/skills/opencode/SKILL.md
        @opencode
        ",
        expect![[r#"
            agents (user) /home/.agents/skills/agents/SKILL.md
            claude (user) /home/.claude/skills/claude/SKILL.md
            codex (user) /home/.codex/skills/codex/SKILL.md
            colony (user) /home/.colony/skills/colony/SKILL.md
            copilot (user) /home/.copilot/skills/copilot/SKILL.md
            cursor (user) /home/.cursor/skills/cursor/SKILL.md
            gemini (user) /home/.gemini/skills/gemini/SKILL.md
            goose (user) /home/.config/goose/skills/goose/SKILL.md
            guild (user) /home/.guild/skills/guild/SKILL.md
            ok (user) /home/.ok/skills/ok/SKILL.md
            openclaw (user) /home/.openclaw/skills/openclaw/SKILL.md
            opencode (user) /home/.config/opencode/skills/opencode/SKILL.md
            windsurf (user) /home/.codeium/windsurf/skills/windsurf/SKILL.md
        "#]],
    );
}

#[test]
fn the_machines_own_directories_lie_below_etc() {
    check(
        "
        //- /etc/guild/skills/guild/SKILL.md
        @guild
        //- /etc/colony/skills/colony/SKILL.md
        @colony
        //- /etc/codex/skills/codex/SKILL.md
        @codex
        //- /etc/claude-code/.claude/skills/claude/SKILL.md
        @claude
        ",
        expect![[r#"
            claude (system) /etc/claude-code/.claude/skills/claude/SKILL.md
            codex (system) /etc/codex/skills/codex/SKILL.md
            colony (system) /etc/colony/skills/colony/SKILL.md
            guild (system) /etc/guild/skills/guild/SKILL.md
        "#]],
    );
}

#[test]
fn the_configuration_directory_can_be_elsewhere_and_then_the_usual_one_is_not_searched() {
    let mut world = World::new(
        "
        //- /elsewhere/goose/skills/moved/SKILL.md
        @moved
        //- /home/.config/goose/skills/usual/SKILL.md
        @usual
        ",
    );
    world.machine.config_home = Some(world.path("elsewhere"));
    world.check(expect![[r#"
        moved (user) /elsewhere/goose/skills/moved/SKILL.md
    "#]]);
}

#[test]
fn a_machine_without_a_home_has_no_skills_of_a_person() {
    let mut world = World::new(
        "
        //- /home/.guild/skills/mine/SKILL.md
        @mine
        //- /project/.guild/skills/ours/SKILL.md
        @ours
        ",
    );
    world.machine.home = None;
    world.check(expect![[r#"
        ours (project) /project/.guild/skills/ours/SKILL.md
    "#]]);
}

const NESTED: &str = "
    //- /.guild/skills/above/SKILL.md
    @above
    //- /project/.guild/skills/top/SKILL.md
    @top
    //- /project/a/.claude/skills/middle/SKILL.md
    @middle
    //- /project/a/b/.agents/skills/here/SKILL.md
    @here
    //- /project/a/b/c/.guild/skills/below/SKILL.md
    @below
";

#[test]
fn ancestors_are_searched_up_to_the_repository_and_not_above_it() {
    let world = World::new(NESTED).standing_in("/project/a/b");
    world.add("//- /project/.git/\n");
    world.check(expect![[r#"
        here (project) /project/a/b/.agents/skills/here/SKILL.md
        middle (project) /project/a/.claude/skills/middle/SKILL.md
        top (project) /project/.guild/skills/top/SKILL.md
    "#]]);
}

#[test]
fn a_file_named_git_marks_a_repository_too() {
    let world = World::new(NESTED).standing_in("/project/a/b");
    world.add("//- /project/a/.git\ngitdir: elsewhere\n");
    world.check(expect![[r#"
        here (project) /project/a/b/.agents/skills/here/SKILL.md
        middle (project) /project/a/.claude/skills/middle/SKILL.md
    "#]]);
}

#[test]
fn without_a_repository_only_the_callers_directory_is_searched() {
    World::new(NESTED).standing_in("/project/a/b").check(expect![[r#"
        here (project) /project/a/b/.agents/skills/here/SKILL.md
    "#]]);
}

#[test]
fn the_home_directory_is_never_searched_as_a_project() {
    let text = "
        //- /home/.git/
        //- /home/.guild/skills/mine/SKILL.md
        @mine
        //- /home/skills/stray/SKILL.md
        @stray
        //- /home/work/.guild/skills/ours/SKILL.md
        @ours
    ";
    World::new(text).standing_in("/home/work").check(expect![[r#"
        mine (user) /home/.guild/skills/mine/SKILL.md
        ours (project) /home/work/.guild/skills/ours/SKILL.md
    "#]]);
    World::new(text).standing_in("/home").check(expect![[r#"
        mine (user) /home/.guild/skills/mine/SKILL.md
    "#]]);
}

#[test]
fn a_home_directory_behind_a_link_is_still_the_home_directory() {
    let mut world = World::new(
        "
        //- /disk/me/.git/
        //- /disk/me/skills/stray/SKILL.md
        @stray
        //- /disk/me/.guild/skills/mine/SKILL.md
        @mine
        //- /people link:/disk
        ",
    )
    .standing_in("/disk/me");
    world.machine.home = Some(world.path("people/me"));
    world.check(expect![[r#"
        mine (user) /people/me/.guild/skills/mine/SKILL.md
    "#]]);
}

#[test]
fn configured_paths_take_a_tilde_variables_and_the_directory_of_their_file() {
    World::new(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/mine", "${DATA}/shared", "beside"]
        extra_paths = ["~/spare"]
        //- /home/mine/a/SKILL.md
        @a
        //- /data/shared/b/SKILL.md
        @b
        //- /home/.config/guild/beside/c/SKILL.md
        @c
        //- /home/spare/d/SKILL.md
        @d
        "#,
    )
    .with_path_variable("DATA", "/data")
    .check(expect![[r#"
        a (custom) /home/mine/a/SKILL.md
        b (custom) /data/shared/b/SKILL.md
        c (custom) /home/.config/guild/beside/c/SKILL.md
        d (extra) /home/spare/d/SKILL.md
    "#]]);
}

#[test]
fn a_projects_paths_begin_at_its_repository() {
    World::new(
        r#"
        //- /project/.git/
        //- /project/guild.toml
        [skills]
        paths = ["tools/shared"]
        //- /project/tools/shared/a/SKILL.md
        @a
        "#,
    )
    .standing_in("/project/tools")
    .check(expect![[r#"
        a (custom) /project/tools/shared/a/SKILL.md
    "#]]);
}

#[test]
fn a_path_that_is_not_there_or_cannot_be_expanded_is_told() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = [
            "~/missing",
            "${UNSET}/skills",
        ]
        extra_paths = ["~someone/skills"]
        [plugins]
        paths = ["~/no-plugins"]
        "#,
        expect![[r#"
            problem warning[config_path_missing] /home/.config/guild/config.toml:3
            problem warning[config_value_invalid] /home/.config/guild/config.toml:4
            problem warning[config_path_missing] /home/.config/guild/config.toml:8
            problem warning[config_value_invalid] /home/.config/guild/config.toml:6
        "#]],
    );
}

#[test]
fn a_project_cannot_reach_out_of_itself() {
    check(
        r#"
        //- /project/guild.toml
        [skills]
        paths = ["../outside", "~/mine", "inside", "link"]
        extra_paths = ["deep/link"]
        [plugins]
        load = ["plugin-link"]
        //- /outside/a/SKILL.md
        @a
        //- /home/mine/b/SKILL.md
        @b
        //- /project/inside/c/SKILL.md
        @c
        //- /project/link link:/outside
        //- /project/deep/link link:/outside
        //- /outside-plugin/.claude-plugin/plugin.json
        {"name": "outside-plugin", "version": "1.0.0", "description": "Escapes."}
        //- /project/plugin-link link:/outside-plugin
        "#,
        expect![[r#"
            problem warning[config_key_untrusted] /project/guild.toml:2
            problem warning[config_key_untrusted] /project/guild.toml:2
            c (custom) /project/inside/c/SKILL.md
            problem warning[config_key_untrusted] /project/guild.toml:2
            problem warning[config_key_untrusted] /project/guild.toml:3
            problem warning[config_key_untrusted] /project/guild.toml:5
        "#]],
    );
}

/// Every root that is not missing, as text.
#[track_caller]
fn check_roots(world: &World, expect: Expect) {
    let mut shown = String::new();
    for root in world.discover().roots.iter().filter(|root| root.status != Status::Missing) {
        let (scope, status) = (root.scope.as_str(), root.status.as_str());
        shown +=
            &format!("{status} {scope} {} {:?} {}\n", root.convention, root.holds, world.shown(&root.path));
    }
    expect.assert_eq(&shown);
}

#[test]
fn roots_stand_in_order_of_scope_then_nearness_then_convention() {
    let world = World::new(
        r#"
        //- /project/.git/
        //- /project/.claude/skills/
        //- /project/.agents/skills/
        //- /project/.guild/skills/
        //- /project/.guild/plugins/
        //- /project/.codex/skills/
        //- /project/sub/.claude/skills/
        //- /project/sub/skills/
        //- /home/.guild/skills/
        //- /home/.config/goose/skills/
        //- /home/.claude/plugins/
        //- /etc/colony/skills/
        //- /etc/guild/plugins/
        //- /home/custom/
        //- /home/custom-plugins/
        //- /home/extra/
        //- /home/extra-plugins/
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/custom"]
        extra_paths = ["~/extra"]
        [plugins]
        paths = ["~/custom-plugins"]
        extra_paths = ["~/extra-plugins"]
        "#,
    )
    .standing_in("/project/sub");
    check_roots(
        &world,
        expect![[r#"
        ok project claude-code Skills /project/sub/.claude/skills
        ok project openclaw Skills /project/sub/skills
        ok project guild Skills /project/.guild/skills
        ok project guild Plugins /project/.guild/plugins
        ok project agents Skills /project/.agents/skills
        ok project claude-code Skills /project/.claude/skills
        ok project codex Skills /project/.codex/skills
        ok custom config Skills /home/custom
        ok custom config Plugins /home/custom-plugins
        ok user guild Skills /home/.guild/skills
        ok user claude-code Plugins /home/.claude/plugins
        ok user goose Skills /home/.config/goose/skills
        ok system guild Plugins /etc/guild/plugins
        ok system colony Skills /etc/colony/skills
        ok extra config Skills /home/extra
        ok extra config Plugins /home/extra-plugins
    "#]],
    );
    let priorities: Vec<usize> = world.discover().roots.iter().map(|root| root.priority).collect();
    assert!(priorities.iter().copied().eq(0..priorities.len()));
}

#[test]
fn a_root_tells_whether_it_can_be_read() {
    let world = World::new(
        "
        //- /project/.guild/skills/fine/SKILL.md
        @fine
        //- /project/.agents/skills
        a file
        //- /project/.claude
        a file too
        //- /project/.codex/skills link:skills
        //- /project/.cursor/skills link:/nowhere
        ",
    );
    check_roots(
        &world,
        expect![[r#"
            ok project guild Skills /project/.guild/skills
            not-directory project agents Skills /project/.agents/skills
            unreadable project codex Skills /project/.codex/skills
        "#]],
    );
    world.check(expect![[r#"
        fine (project) /project/.guild/skills/fine/SKILL.md
        problem warning[root_unreadable] /project/.agents/skills:1
        problem warning[root_unreadable] /project/.codex/skills:1
    "#]]);
}

#[test]
fn one_directory_in_two_spellings_is_one_root() {
    let world = World::new(
        r#"
        //- /project/.agents/skills/a/SKILL.md
        @a
        //- /project/.claude/skills link:../.agents/skills
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["${PROJECT}/.claude/../.agents/skills"]
        "#,
    )
    .with_path_variable("PROJECT", "/project");
    check_roots(
        &world,
        expect![[r#"
        ok project agents Skills /project/.agents/skills
    "#]],
    );
    world.check(expect![[r#"
        a (project) /project/.agents/skills/a/SKILL.md
    "#]]);
}

#[test]
fn a_directory_may_hold_skills_and_plugins() {
    let world = World::new(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/both"]
        [plugins]
        paths = ["~/both"]
        //- /home/both/a/SKILL.md
        @a
        //- /home/both/tools/.claude-plugin/plugin.json
        {"name": "tools", "version": "1.0.0", "description": "Tools."}
        "#,
    );
    check_roots(
        &world,
        expect![[r#"
            ok custom config Skills /home/both
            ok custom config Plugins /home/both
        "#]],
    );
    world.check(expect![[r#"
        a (custom) /home/both/a/SKILL.md
        a/a (plugin) /home/both/a/SKILL.md
        plugin a (custom) /home/both/a, skills: 1
        plugin tools (custom) /home/both/tools, skills: 0
    "#]]);
}

#[test]
fn a_root_inside_another_finds_nothing_twice() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/mine", "~/mine/group"]
        //- /home/mine/group/a/SKILL.md
        @a
        "#,
        expect![[r#"
            a (custom) /home/mine/group/a/SKILL.md
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read_does_not_vanish() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new(
        "
        //- /project/.guild/skills/shut/SKILL.md
        @shut
        //- /project/.guild/skills/good/SKILL.md
        @good
        //- /project/.guild/plugins/p/plugin.json
        {\"name\": \"p\"}
        //- /project/.guild/plugins/p/skills/inner/SKILL.md
        @inner
        ",
    );
    let shut =
        ["/project/.guild/skills/shut", "/project/.guild/plugins/p/skills"].map(|path| world.path(path));
    let set = |mode| {
        shut.iter().for_each(|path| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap());
    };
    set(0o000);
    // The superuser reads it all the same, and then the skills are there.
    let is_superuser = fs::read_dir(&shut[0]).is_ok();
    let found = world.found();
    set(0o755);
    for path in ["/project/.guild/skills/shut", "/project/.guild/plugins/p/skills"] {
        let told = format!("problem warning[root_unreadable] {path}:1\n");
        assert!(found.contains(if is_superuser { path } else { &told }), "{found}");
    }
}

/// A directory with few names is listed instead of being asked for every place.
#[test]
fn the_same_places_are_found_in_a_directory_with_few_names_and_with_many() {
    let world = World::new(
        "
        //- /project/.claude/skills/a/SKILL.md
        @a
        //- /project/skills/b/SKILL.md
        @b
        //- /home/.config/opencode/skills/c/SKILL.md
        @c
        //- /home/.codex/skills/d/SKILL.md
        @d
        //- /home/.gemini
        no directory
        ",
    );
    let told = || {
        let roots = world.discover().roots;
        roots.into_iter().map(|root| (root.path, root.status.as_str())).collect::<Vec<_>>()
    };
    let few = told();
    assert_eq!(few.iter().filter(|(_, status)| *status == "ok").count(), 4, "{few:?}");
    for directory in ["/project", "/home", "/home/.config"] {
        for number in 0..600 {
            fs::write(world.path(directory).join(format!("a-name-that-is-not-short-{number:04}")), "")
                .unwrap();
        }
    }
    assert_eq!(told(), few);
}
