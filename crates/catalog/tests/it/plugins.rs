//! Plugins: where they are found, who wins a name, and which of their skills count.

use crate::world::{World, check};
use expect_test::expect;

#[test]
fn a_plugins_skills_are_qualified_by_its_name() {
    check(
        r#"
        //- /project/.guild/plugins/folder/.claude-plugin/plugin.json
        {"name": "my-plug", "version": "0.1.0", "description": "Tools."}
        //- /project/.guild/plugins/folder/skills/foo/SKILL.md
        @foo
        //- /project/.guild/plugins/folder/skills/bar/SKILL.md
        @bar
        "#,
        expect![[r#"
            my-plug/bar (plugin) /project/.guild/plugins/folder/skills/bar/SKILL.md
            my-plug/foo (plugin) /project/.guild/plugins/folder/skills/foo/SKILL.md
            plugin my-plug (project) /project/.guild/plugins/folder, skills: 2
        "#]],
    );
}

#[test]
fn plugins_are_found_in_every_convention_that_has_them() {
    check(
        r#"
        //- /project/.agents/plugins/a/plugin.json
        {"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a", "version": "1.0.0", "description": "A."}
        //- /project/.claude/plugins/b/.claude-plugin/plugin.json
        {"name": "b"}
        //- /home/.colony/plugins/c/.codex-plugin/plugin.json
        {"name": "c"}
        //- /home/.mindroom/plugins/d/mindroom.plugin.json
        {"name": "d"}
        //- /etc/guild/plugins/e/guild.plugin.json
        {"id": "e", "name": "E", "version": "1.0.0", "description": "E.", "capabilities": []}
        //- /etc/colony/plugins/f/gemini-extension.json
        {"name": "f", "version": "1.0.0"}
        "#,
        expect![[r#"
            plugin a (project) /project/.agents/plugins/a, skills: 0
            plugin b (project) /project/.claude/plugins/b, skills: 0
            plugin c (user) /home/.colony/plugins/c, skills: 0
            plugin d (user) /home/.mindroom/plugins/d, skills: 0
            plugin e (system) /etc/guild/plugins/e, skills: 0
            plugin f (system) /etc/colony/plugins/f, skills: 0
        "#]],
    );
}

#[test]
fn two_plugins_may_ship_a_skill_of_one_name_beside_a_plain_one() {
    check(
        r#"
        //- /project/.guild/plugins/one/.claude-plugin/plugin.json
        {"name": "one"}
        //- /project/.guild/plugins/one/skills/review/SKILL.md
        @review By one.
        //- /project/.guild/plugins/two/.claude-plugin/plugin.json
        {"name": "two"}
        //- /project/.guild/plugins/two/skills/review/SKILL.md
        @review By two.
        //- /project/.guild/skills/review/SKILL.md
        @review A plain one.
        "#,
        expect![[r#"
            one/review (plugin) /project/.guild/plugins/one/skills/review/SKILL.md
            review (project) /project/.guild/skills/review/SKILL.md
            two/review (plugin) /project/.guild/plugins/two/skills/review/SKILL.md
            plugin one (project) /project/.guild/plugins/one, skills: 1
            plugin two (project) /project/.guild/plugins/two, skills: 1
            collision review: project /project/.guild/skills/review/SKILL.md over builtin (builtin)/review/SKILL.md
        "#]],
    );
}

#[test]
fn of_one_plugin_in_two_roots_the_higher_wins_whole() {
    check(
        r#"
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools", "version": "1.0.0"}
        //- /project/.guild/plugins/tools/skills/a/SKILL.md
        @a
        //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools", "version": "2.0.0"}
        //- /home/.guild/plugins/tools/skills/a/SKILL.md
        @a
        //- /home/.guild/plugins/tools/skills/only-here/SKILL.md
        @only-here
        "#,
        expect![[r#"
            tools/a (plugin) /project/.guild/plugins/tools/skills/a/SKILL.md
            plugin tools (project) /project/.guild/plugins/tools, skills: 1
            collision plugin:tools: project /project/.guild/plugins/tools over user /home/.guild/plugins/tools
        "#]],
    );
}

#[test]
fn scopes_of_plugins_win_in_their_order() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [plugins]
        load = ["~/named"]
        paths = ["~/custom"]
        extra_paths = ["~/extra"]
        //- /home/extra/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /etc/guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/custom/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/named/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        "#,
        expect![[r#"
            plugin tools (project) /project/.guild/plugins/tools, skills: 0
            collision plugin:tools: project /project/.guild/plugins/tools over custom /home/custom/tools
            collision plugin:tools: project /project/.guild/plugins/tools over custom /home/named
            collision plugin:tools: project /project/.guild/plugins/tools over user /home/.guild/plugins/tools
            collision plugin:tools: project /project/.guild/plugins/tools over system /etc/guild/plugins/tools
            collision plugin:tools: project /project/.guild/plugins/tools over extra /home/extra/tools
        "#]],
    );
}

#[test]
fn a_plugin_that_cannot_load_does_not_let_a_lower_one_in() {
    check(
        r#"
        //- /project/.guild/plugins/torn/.claude-plugin/plugin.json
        {"name": "torn",
        //- /home/.guild/plugins/torn/.claude-plugin/plugin.json
        {"name": "torn"}
        //- /project/.guild/plugins/needy/guild.plugin.json
        {"id": "needy", "name": "N", "version": "1.0.0", "description": "N.", "capabilities": [], "requiredEnvVars": ["NEEDED"]}
        //- /home/.guild/plugins/needy/.claude-plugin/plugin.json
        {"name": "needy"}
        "#,
        expect![[r#"
            collision plugin:needy: project /project/.guild/plugins/needy over user /home/.guild/plugins/needy
            collision plugin:torn: project /project/.guild/plugins/torn over user /home/.guild/plugins/torn
            problem warning[plugin_env_missing] /project/.guild/plugins/needy:1
            problem error[plugin_invalid] /project/.guild/plugins/torn/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn a_plugin_linked_into_two_roots_is_one_plugin() {
    check(
        r#"
        //- /home/.agents/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.agents/plugins/tools/skills/a/SKILL.md
        @a
        //- /home/.claude/plugins/tools link:/home/.agents/plugins/tools
        "#,
        expect![[r#"
            tools/a (plugin) /home/.agents/plugins/tools/skills/a/SKILL.md
            plugin tools (user) /home/.agents/plugins/tools, skills: 1
        "#]],
    );
}

const NEEDY: &str = r#"
    //- /project/.guild/plugins/needy/guild.plugin.json
    {
      "id": "needy", "name": "Needy", "version": "1.0.0", "description": "Needs things.",
      "capabilities": [], "requiredEnvVars": ["API_KEY", "API_URL"], "optionalEnvVars": ["API_REGION"]
    }
    //- /project/.guild/plugins/needy/skills/a/SKILL.md
    @a
"#;

#[test]
fn a_plugin_without_its_environment_is_skipped_with_every_variable_it_lacks() {
    let world = World::new(NEEDY).with_variable("API_URL", "");
    world.check(expect![[r#"
        problem warning[plugin_env_missing] /project/.guild/plugins/needy:1
    "#]]);
    let message = &world.discover().problems[0].message;
    assert_eq!(message, "the plugin `needy` needs `API_KEY`, `API_URL` in the environment; it was skipped");
}

#[test]
fn a_variable_or_a_stored_credential_satisfies_a_plugin() {
    let mut world = World::new(NEEDY).with_variable("API_URL", "https://example.org");
    world.machine.credentials.insert("API_KEY".to_owned());
    world.check(expect![[r#"
        needy/a (plugin) /project/.guild/plugins/needy/skills/a/SKILL.md
        plugin needy (project) /project/.guild/plugins/needy, skills: 1
    "#]]);
}

#[test]
fn a_plugin_that_is_off_is_listed_with_its_skills_and_asks_for_nothing() {
    let world = World::new(NEEDY);
    world.add("//- /project/guild.toml\nplugins.disabled = ['needy']\n");
    world.check(expect![[r#"
        needy/a (plugin) /project/.guild/plugins/needy/skills/a/SKILL.md
            off
        plugin needy (project) /project/.guild/plugins/needy, skills: 1, off
    "#]]);
}

#[test]
fn a_plugin_may_be_off_by_default_until_somebody_names_it() {
    let text = r#"
        //- /project/.guild/plugins/shy/.claude-plugin/plugin.json
        {"name": "shy", "defaultEnabled": false}
        //- /project/.guild/plugins/shy/skills/a/SKILL.md
        @a
    "#;
    check(
        text,
        expect![[r#"
        shy/a (plugin) /project/.guild/plugins/shy/skills/a/SKILL.md
            off
        plugin shy (project) /project/.guild/plugins/shy, skills: 1, off
    "#]],
    );
    let world = World::new(text);
    world.add("//- /project/guild.toml\nplugins = ['.guild/plugins/shy']\n");
    world.check(expect![[r#"
        shy/a (plugin) /project/.guild/plugins/shy/skills/a/SKILL.md
        plugin shy (project) /project/.guild/plugins/shy, skills: 1
    "#]]);
}

#[test]
fn a_plugin_needs_no_manifest_in_a_directory_of_plugins() {
    check(
        "
        //- /project/.guild/plugins/bare/skills/a/SKILL.md
        @a
        //- /project/.guild/plugins/single/SKILL.md
        @single
        //- /project/.guild/plugins/nothing/README.md
        # Nothing here
        //- /project/.guild/plugins/group/bare-below/skills/b/SKILL.md
        @b
        ",
        expect![[r#"
            bare/a (plugin) /project/.guild/plugins/bare/skills/a/SKILL.md
            single/single (plugin) /project/.guild/plugins/single/SKILL.md
            plugin bare (project) /project/.guild/plugins/bare, skills: 1
            plugin single (project) /project/.guild/plugins/single, skills: 1
        "#]],
    );
}

#[test]
fn plugins_may_be_grouped_to_a_bounded_depth() {
    check(
        r#"
        //- /project/.guild/plugins/1/two/.claude-plugin/plugin.json
        {"name": "two"}
        //- /project/.guild/plugins/1/2/3/four/.claude-plugin/plugin.json
        {"name": "four"}
        //- /project/.guild/plugins/1/2/3/4/five/.claude-plugin/plugin.json
        {"name": "five"}
        //- /project/.guild/plugins/1/two/nested/.claude-plugin/plugin.json
        {"name": "nested"}
        "#,
        expect![[r#"
            plugin four (project) /project/.guild/plugins/1/2/3/four, skills: 0
            plugin two (project) /project/.guild/plugins/1/two, skills: 0
        "#]],
    );
}

#[test]
fn of_what_an_agent_unpacked_the_newest_version_counts() {
    check(
        r#"
        //- /home/.claude/plugins/cache/market/tools/1.9.0/.claude-plugin/plugin.json
        {"name": "tools", "version": "1.9.0"}
        //- /home/.claude/plugins/cache/market/tools/1.10.0/.claude-plugin/plugin.json
        {"name": "tools", "version": "1.10.0"}
        //- /home/.claude/plugins/cache/market/tools/1.10.0/skills/a/SKILL.md
        @a
        //- /home/.claude/plugins/cache/market/tools/2.0.0-rc.1/.claude-plugin/plugin.json
        {"name": "tools", "version": "2.0.0-rc.1"}
        //- /home/.claude/plugins/cache/market/tools/2.0.0/.claude-plugin/plugin.json
        {"name": "tools", "version": "2.0.0"}
        //- /home/.claude/plugins/cache/market/tools/2.0.0/skills/b/SKILL.md
        @b
        //- /home/.claude/plugins/cache/market/tools/5f3c2e1/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.claude/plugins/cache/market/tools/3.0.0/half-removed
        "#,
        expect![[r#"
            tools/b (plugin) /home/.claude/plugins/cache/market/tools/2.0.0/skills/b/SKILL.md
            plugin tools (user) /home/.claude/plugins/cache/market/tools/2.0.0, skills: 1
        "#]],
    );
}

#[test]
fn what_an_agent_unpacked_goes_by_the_plugins_name_and_not_the_versions() {
    check(
        r#"
        //- /home/.claude/plugins/cache/agents/bare/1.0.0/skills/a/SKILL.md
        @a
        //- /home/.claude/plugins/cache/skills/nameless/abc123/.claude-plugin/plugin.json
        {"version": "1.0.0"}
        "#,
        expect![[r#"
            bare/a (plugin) /home/.claude/plugins/cache/agents/bare/1.0.0/skills/a/SKILL.md
            plugin bare (user) /home/.claude/plugins/cache/agents/bare/1.0.0, skills: 1
            plugin nameless (user) /home/.claude/plugins/cache/skills/nameless/abc123, skills: 0
            problem warning[name_missing] /home/.claude/plugins/cache/skills/nameless/abc123/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn what_could_be_installed_is_not_installed() {
    check(
        r#"
        //- /home/.claude/plugins/marketplaces/market/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.claude/plugins/data/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/.claude/plugins/installed_plugins.json
        {}
        //- /home/.claude/plugins/node_modules/dep/.claude-plugin/plugin.json
        {"name": "dep"}
        //- /home/.claude/plugins/.trash/old/.claude-plugin/plugin.json
        {"name": "old"}
        "#,
        expect![[""]],
    );
}

#[test]
fn a_plugin_may_be_named_like_an_agents_store() {
    check(
        r#"
        //- /project/.guild/plugins/data/.claude-plugin/plugin.json
        {"name": "data"}
        "#,
        expect![[r#"
            plugin data (project) /project/.guild/plugins/data, skills: 0
        "#]],
    );
}

#[test]
fn plugins_are_named_one_by_one_in_the_configuration() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [plugins]
        load = [
            "~/work/tools",
            { path = "~/work/quiet", enabled = false },
            "~/work/nothing",
            "~/work/missing",
        ]
        //- /home/work/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /home/work/tools/skills/a/SKILL.md
        @a
        //- /home/work/quiet/skills/b/SKILL.md
        @b
        //- /home/work/nothing/README.md
        # Nothing
        "#,
        expect![[r#"
            quiet/b (plugin) /home/work/quiet/skills/b/SKILL.md
                off
            tools/a (plugin) /home/work/tools/skills/a/SKILL.md
            plugin quiet (custom) /home/work/quiet, skills: 1, off
            plugin tools (custom) /home/work/tools, skills: 1
            problem warning[config_path_missing] /home/.config/guild/config.toml:5
            problem warning[config_path_missing] /home/.config/guild/config.toml:6
        "#]],
    );
}

#[test]
fn off_means_off_though_the_plugin_is_found_in_a_root_or_another_file_names_it() {
    World::new(
        r#"
        //- /home/.config/guild/config.toml
        plugins = [{ path = "${PROJECT}/.guild/plugins/tools", enabled = false }]
        //- /project/guild.toml
        plugins = [".guild/plugins/tools"]
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools/skills/a/SKILL.md
        @a
        "#,
    )
    .with_path_variable("PROJECT", "/project")
    .check(expect![[r#"
        tools/a (plugin) /project/.guild/plugins/tools/skills/a/SKILL.md
            off
        plugin tools (project) /project/.guild/plugins/tools, skills: 1, off
    "#]]);
}

const PACKAGED: &str = r#"
    //- /home/.config/guild/config.toml
    [plugins]
    load = ["python:acme_tools", "python:acme.suite:share/plugin", "python:not_there"]
    //- /venv/lib/python3.12/site-packages/acme_tools/.claude-plugin/plugin.json
    {"name": "acme-tools"}
    //- /venv/lib/python3.12/site-packages/acme_tools/skills/a/SKILL.md
    @a
    //- /home/.local/lib/python3.11/site-packages/acme/suite/share/plugin/.claude-plugin/plugin.json
    {"name": "acme-suite"}
"#;

#[test]
fn plugins_are_found_in_python_packages() {
    World::new(PACKAGED).with_path_variable("VIRTUAL_ENV", "/venv").check(expect![[r#"
        acme-tools/a (plugin) /venv/lib/python3.12/site-packages/acme_tools/skills/a/SKILL.md
        plugin acme-suite (custom) /home/.local/lib/python3.11/site-packages/acme/suite/share/plugin, skills: 0
        plugin acme-tools (custom) /venv/lib/python3.12/site-packages/acme_tools, skills: 1
        problem warning[config_path_missing] /home/.config/guild/config.toml:2
    "#]]);
}

#[test]
fn the_python_path_comes_before_what_is_installed() {
    let world = World::new(PACKAGED)
        .with_path_variable("VIRTUAL_ENV", "/venv")
        .with_path_variable("PYTHONPATH", "/src");
    world.add("//- /src/acme_tools/.claude-plugin/plugin.json\n{\"name\": \"from-source\"}\n");
    world.check(expect![[r#"
        plugin acme-suite (custom) /home/.local/lib/python3.11/site-packages/acme/suite/share/plugin, skills: 0
        plugin from-source (custom) /src/acme_tools, skills: 0
        problem warning[config_path_missing] /home/.config/guild/config.toml:2
    "#]]);
}

#[test]
fn a_package_name_cannot_leave_the_packages() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        plugins = ["python:acme:../../secret", "python:../secret", "python:/secret"]
        //- /secret/.claude-plugin/plugin.json
        {"name": "secret"}
        "#,
        expect![[r#"
            problem warning[config_path_missing] /home/.config/guild/config.toml:1
            problem warning[config_path_missing] /home/.config/guild/config.toml:1
            problem warning[config_path_missing] /home/.config/guild/config.toml:1
        "#]],
    );
}

#[test]
fn skills_that_are_linked_into_a_plugin_from_outside_do_not_load() {
    check(
        r#"
        //- /elsewhere/skills/a/SKILL.md
        @a
        //- /elsewhere/flat.md
        @flat
        //- /project/.guild/plugins/whole/.claude-plugin/plugin.json
        {"name": "whole"}
        //- /project/.guild/plugins/whole/skills link:/elsewhere/skills
        //- /project/.guild/plugins/part/.claude-plugin/plugin.json
        {"name": "part"}
        //- /project/.guild/plugins/part/skills/a link:/elsewhere/skills/a
        //- /project/.guild/plugins/part/skills/flat.md link:/elsewhere/flat.md
        //- /project/.guild/plugins/part/skills/b/SKILL.md
        @b
        //- /project/.guild/plugins/part/skills/c link:../shared/c
        //- /project/.guild/plugins/part/shared/c/SKILL.md
        @c
        "#,
        expect![[r#"
            part/b (plugin) /project/.guild/plugins/part/skills/b/SKILL.md
            part/c (plugin) /project/.guild/plugins/part/skills/c/SKILL.md
            broken: part/a (plugin) /project/.guild/plugins/part/skills/a/SKILL.md
                error[file_escapes] SKILL.md:1
            broken: part/flat (plugin) /project/.guild/plugins/part/skills/flat.md
                error[file_escapes] flat.md:1
            plugin part (project) /project/.guild/plugins/part, skills: 2
            plugin whole (project) /project/.guild/plugins/whole, skills: 0
            problem error[file_escapes] /project/.guild/plugins/whole/skills:1
        "#]],
    );
}

#[test]
fn a_manifest_that_is_linked_in_from_outside_is_not_read() {
    check(
        r#"
        //- /elsewhere/plugin.json
        {"name": "outside"}
        //- /project/.guild/plugins/file/.claude-plugin/plugin.json link:/elsewhere/plugin.json
        //- /project/.guild/plugins/folder/.claude-plugin link:/elsewhere
        //- /project/.guild/plugins/inside/.claude-plugin/plugin.json link:../manifest.json
        //- /project/.guild/plugins/inside/manifest.json
        {"name": "inside"}
        "#,
        expect![[r#"
            plugin inside (project) /project/.guild/plugins/inside, skills: 0
            problem error[plugin_invalid] /project/.guild/plugins/file/.claude-plugin/plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/folder/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn a_declared_path_out_of_the_plugin_is_refused() {
    check(
        r#"
        //- /project/.guild/skills/stolen/SKILL.md
        @stolen
        //- /project/.guild/plugins/greedy/.claude-plugin/plugin.json
        {"name": "greedy", "skills": ["../../skills", "./extra", "./missing"]}
        //- /project/.guild/plugins/greedy/extra/a/SKILL.md
        @a
        "#,
        expect![[r#"
            greedy/a (plugin) /project/.guild/plugins/greedy/extra/a/SKILL.md
            stolen (project) /project/.guild/skills/stolen/SKILL.md
            plugin greedy (project) /project/.guild/plugins/greedy, skills: 1
            problem error[plugin_path] /project/.guild/plugins/greedy/.claude-plugin/plugin.json:1
            problem error[plugin_path] /project/.guild/plugins/greedy/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn a_plugins_own_skills_win_in_the_order_it_declares_them() {
    check(
        r#"
        //- /project/.guild/plugins/twice/.claude-plugin/plugin.json
        {"name": "twice", "skills": "./more"}
        //- /project/.guild/plugins/twice/skills/a/SKILL.md
        @a The usual place.
        //- /project/.guild/plugins/twice/more/a/SKILL.md
        @a The declared place.
        "#,
        expect![[r#"
            twice/a (plugin) /project/.guild/plugins/twice/skills/a/SKILL.md
            plugin twice (project) /project/.guild/plugins/twice, skills: 1
            collision twice/a: plugin /project/.guild/plugins/twice/skills/a/SKILL.md over plugin /project/.guild/plugins/twice/more/a/SKILL.md
        "#]],
    );
}

#[test]
fn a_broken_skill_of_a_plugin_is_told_under_its_qualified_name() {
    check(
        r#"
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools/skills/bad/SKILL.md
        No frontmatter.
        //- /project/.guild/plugins/tools/skills/good/SKILL.md
        @good
        "#,
        expect![[r#"
            tools/good (plugin) /project/.guild/plugins/tools/skills/good/SKILL.md
            broken: tools/bad (plugin) /project/.guild/plugins/tools/skills/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            plugin tools (project) /project/.guild/plugins/tools, skills: 1
        "#]],
    );
}

#[test]
fn links_in_a_directory_of_plugins_are_judged_like_those_of_skills() {
    check(
        r#"
        //- /elsewhere/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools link:/elsewhere/tools
        //- /project/.guild/plugins/gone link:/nowhere
        //- /project/.guild/plugins/loop link:..
        //- /project/.guild/plugins/file link:/elsewhere/tools/.claude-plugin/plugin.json
        "#,
        expect![[r#"
            plugin tools (project) /project/.guild/plugins/tools, skills: 0
            problem warning[link_broken] /project/.guild/plugins/gone:1
            problem warning[link_cycle] /project/.guild/plugins/loop:1
        "#]],
    );
}

#[test]
fn a_directory_of_plugins_is_searched_as_far_as_the_limit_goes() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        limits.max_entries = 2
        //- /project/.guild/plugins/a/.claude-plugin/plugin.json
        {"name": "a"}
        //- /project/.guild/plugins/b/.claude-plugin/plugin.json
        {"name": "b"}
        //- /project/.guild/plugins/c/.claude-plugin/plugin.json
        {"name": "c"}
        "#,
        expect![[r#"
            plugin a (project) /project/.guild/plugins/a, skills: 0
            plugin b (project) /project/.guild/plugins/b, skills: 0
            problem warning[scan_limit] /project/.guild/plugins:1
        "#]],
    );
}

#[test]
fn a_plugin_loads_without_the_plugins_it_builds_on_and_that_is_told() {
    check(
        r#"
        //- /project/.guild/plugins/top/.claude-plugin/plugin.json
        {"name": "top", "dependencies": ["base", {"name": "gone", "marketplace": "acme"}]}
        //- /project/.guild/plugins/base/.claude-plugin/plugin.json
        {"name": "base", "dependencies": ["lost"]}
        //- /project/.guild/plugins/off/.claude-plugin/plugin.json
        {"name": "off", "dependencies": ["lost"]}
        //- /project/guild.toml
        plugins.disabled = ["off"]
        "#,
        expect![[r#"
            plugin base (project) /project/.guild/plugins/base, skills: 0
            plugin off (project) /project/.guild/plugins/off, skills: 0, off
            plugin top (project) /project/.guild/plugins/top, skills: 0
            problem warning[plugin_dependency_missing] /project/.guild/plugins/base:1
            problem warning[plugin_dependency_missing] /project/.guild/plugins/top:1
        "#]],
    );
}

#[test]
fn what_is_wrong_with_a_manifest_is_told_in_its_file() {
    check(
        r#"
        //- /project/.guild/plugins/torn/.claude-plugin/plugin.json
        {"name": "torn",
        //- /project/.guild/plugins/list/.claude-plugin/plugin.json
        ["not", "an", "object"]
        //- /project/.guild/plugins/strict/guild.plugin.json
        {"id": "Not Kebab", "version": "1"}
        //- /project/.guild/plugins/good/.claude-plugin/plugin.json
        {"name": "good"}
        "#,
        expect![[r#"
            plugin good (project) /project/.guild/plugins/good, skills: 0
            problem error[plugin_invalid] /project/.guild/plugins/list/.claude-plugin/plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/strict/guild.plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/strict/guild.plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/strict/guild.plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/strict/guild.plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/strict/guild.plugin.json:1
            problem error[plugin_invalid] /project/.guild/plugins/torn/.claude-plugin/plugin.json:1
        "#]],
    );
}

#[test]
fn agents_of_a_plugin_stand_among_its_skills_and_behind_them() {
    check(
        r#"
        //- /project/.guild/plugins/team/.claude-plugin/plugin.json
        {"name": "team"}
        //- /project/.guild/plugins/team/skills/review/SKILL.md
        @review
        //- /project/.guild/plugins/team/agents/review.md
        @review By another.
        //- /project/.guild/plugins/team/agents/read.md
        @read
        //- /project/.guild/plugins/team/agents/README.md
        Who is who.
        //- /project/.guild/plugins/team/agents/deep/other.md
        @other
        "#,
        expect![[r#"
            team/read (plugin) /project/.guild/plugins/team/agents/read.md
            team/review (plugin) /project/.guild/plugins/team/skills/review/SKILL.md
            plugin team (project) /project/.guild/plugins/team, skills: 1
            collision team/review: plugin /project/.guild/plugins/team/skills/review/SKILL.md over plugin /project/.guild/plugins/team/agents/review.md
        "#]],
    );
}
