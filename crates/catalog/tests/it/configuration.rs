//! What the configuration does to what is found: switches, layers, allowlists.

use crate::world::{World, check};
use expect_test::expect;
use guild_catalog::Scope;

#[test]
fn a_name_that_switches_nothing_off_is_told() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        disabled = ["Lint", "elsewhere", "broken", "tools/lint", "tools:Lint"]
        [skills.entries.other-project]
        enabled = true
        [plugins]
        disabled = ["Tools", "needy"]
        //- /project/guild.toml
        [skills.entries.lnt]
        enabled = false
        //- /project/.guild/skills/lint/SKILL.md
        @lint
        //- /project/.guild/skills/broken/SKILL.md
        No frontmatter.
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools/skills/lint/SKILL.md
        @lint
        //- /project/.guild/plugins/needy/guild.plugin.json
        {"id": "needy", "name": "n", "description": "", "version": "1.0.0", "capabilities": [], "requiredEnvVars": ["NOWHERE"]}
        "#,
        expect![[r#"
            lint (project) /project/.guild/skills/lint/SKILL.md
            tools/lint (plugin) /project/.guild/plugins/tools/skills/lint/SKILL.md
                off
            broken: broken (project) /project/.guild/skills/broken/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            plugin needy (project) /project/.guild/plugins/needy, skills: 0, off
            plugin tools (project) /project/.guild/plugins/tools, skills: 1
            problem warning[config_name_unknown] /home/.config/guild/config.toml:2
            problem info[config_name_unknown] /home/.config/guild/config.toml:2
            problem warning[config_name_unknown] /home/.config/guild/config.toml:2
            problem warning[config_name_unknown] /home/.config/guild/config.toml:6
            problem warning[config_name_unknown] /project/guild.toml:2
        "#]],
    );
}

#[test]
fn commas_part_the_names_of_one_text() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        disabled = "one, two"
        //- /project/.guild/skills/one/SKILL.md
        @one
        //- /project/.guild/skills/two/SKILL.md
        @two
        "#,
        expect![[r#"
            one (project) /project/.guild/skills/one/SKILL.md
                off
            two (project) /project/.guild/skills/two/SKILL.md
                off
        "#]],
    );
}

#[test]
fn a_skill_is_switched_off_by_any_of_its_names() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        disabled = ["by-name", "its-folder", "A Title", "tools/qualified", "tools:colon"]
        [skills.entries.by-entry]
        enabled = false
        //- /project/.guild/skills/by-name/SKILL.md
        @by-name
        //- /project/.guild/skills/its-folder/SKILL.md
        @by-folder
        //- /project/.guild/skills/titled/SKILL.md
        ---
        name: A Title
        description: Its name is no identifier.
        ---
        Do it.
        //- /project/.guild/skills/by-entry/SKILL.md
        @by-entry
        //- /project/.guild/skills/qualified/SKILL.md
        @qualified Not the plugin's.
        //- /project/.guild/plugins/tools/.claude-plugin/plugin.json
        {"name": "tools"}
        //- /project/.guild/plugins/tools/skills/qualified/SKILL.md
        @qualified
        //- /project/.guild/plugins/tools/skills/colon/SKILL.md
        @colon
        //- /project/.guild/plugins/tools/skills/on/SKILL.md
        @on
        "#,
        expect![[r#"
            by-entry (project) /project/.guild/skills/by-entry/SKILL.md
                off
            by-folder (project) /project/.guild/skills/its-folder/SKILL.md
                off
                info[name_mismatch] SKILL.md:2
            by-name (project) /project/.guild/skills/by-name/SKILL.md
                off
            qualified (project) /project/.guild/skills/qualified/SKILL.md
            titled (project) /project/.guild/skills/titled/SKILL.md
                off
                warning[name_invalid] SKILL.md:2
            tools/colon (plugin) /project/.guild/plugins/tools/skills/colon/SKILL.md
                off
            tools/on (plugin) /project/.guild/plugins/tools/skills/on/SKILL.md
            tools/qualified (plugin) /project/.guild/plugins/tools/skills/qualified/SKILL.md
                off
            plugin tools (project) /project/.guild/plugins/tools, skills: 3
        "#]],
    );
}

#[test]
fn a_project_can_switch_off_but_not_on() {
    check(
        "
        //- /home/.config/guild/config.toml
        skills.disabled = ['alpha']
        //- /project/guild.toml
        [skills.entries.alpha]
        enabled = true
        [skills.entries.beta]
        enabled = false
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha
        //- /home/.guild/skills/beta/SKILL.md
        @beta
        ",
        expect![[r#"
            alpha (user) /home/.guild/skills/alpha/SKILL.md
                off
            beta (user) /home/.guild/skills/beta/SKILL.md
                off
            problem warning[config_key_untrusted] /project/guild.toml:2
        "#]],
    );
}

#[test]
fn paths_of_all_files_add_up_the_projects_first() {
    check(
        "
        //- /etc/guild/config.toml
        skills.paths = ['shared']
        //- /etc/guild/shared/alpha/SKILL.md
        @alpha Of the machine.
        //- /home/.config/guild/config.toml
        skills.paths = ['~/mine']
        //- /home/mine/alpha/SKILL.md
        @alpha Of the person.
        //- /project/guild.toml
        skills.paths = ['tools']
        //- /project/tools/alpha/SKILL.md
        @alpha Of the project.
        ",
        expect![[r#"
            alpha (custom) /project/tools/alpha/SKILL.md
            collision alpha: custom /project/tools/alpha/SKILL.md over custom /etc/guild/shared/alpha/SKILL.md
            collision alpha: custom /project/tools/alpha/SKILL.md over custom /home/mine/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn a_project_can_lower_limits_and_not_raise_them() {
    check(
        "
        //- /home/.config/guild/config.toml
        limits.max_depth = 2
        //- /project/guild.toml
        limits.max_depth = 1
        limits.max_entries = 100000000
        //- /project/.guild/skills/group/alpha/SKILL.md
        @alpha
        ",
        expect![[r#"
            problem warning[config_key_untrusted] /project/guild.toml:2
        "#]],
    );
}

#[test]
fn mistakes_in_a_file_do_not_stop_discovery() {
    check(
        "
        //- /home/.config/guild/config.toml
        skils = 1
        //- /project/guild.toml
        this is no toml
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        ",
        expect![[r#"
            problem warning[config_key_unknown] /home/.config/guild/config.toml:1
            problem error[config_invalid] /project/guild.toml:1
            alpha (project) /project/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

const ALLOWED: &str = r#"
    //- /project/.guild/skills/alpha/SKILL.md
    @alpha
    //- /project/.guild/skills/broken/SKILL.md
    Not a skill.
    //- /project/.guild/skills/off/SKILL.md
    @off
    //- /project/.guild/plugins/one/.claude-plugin/plugin.json
    {"name": "one"}
    //- /project/.guild/plugins/one/skills/lint/SKILL.md
    @lint
    //- /project/.guild/plugins/two/.claude-plugin/plugin.json
    {"name": "two"}
    //- /project/.guild/plugins/two/skills/lint/SKILL.md
    @lint
"#;

#[test]
fn a_name_of_an_allowlist_that_leads_to_no_skill_or_to_several_is_told() {
    let world = World::new(ALLOWED);
    world.add(
        "
        //- /home/.config/guild/config.toml
        skills.disabled = ['off']
        [agents.helper]
        skills = ['alpha', 'one/lint', 'two:lint', 'off', 'broken', 'review']
        [agents.wrong]
        skills = ['alhpa', 'lint', 'nothing-like-it']
        ",
    );
    world.check(expect![[r#"
        alpha (project) /project/.guild/skills/alpha/SKILL.md
        off (project) /project/.guild/skills/off/SKILL.md
            off
        one/lint (plugin) /project/.guild/plugins/one/skills/lint/SKILL.md
        two/lint (plugin) /project/.guild/plugins/two/skills/lint/SKILL.md
        broken: broken (project) /project/.guild/skills/broken/SKILL.md
            error[missing_frontmatter] SKILL.md:1
        plugin one (project) /project/.guild/plugins/one, skills: 1
        plugin two (project) /project/.guild/plugins/two, skills: 1
        problem warning[allowlist_unknown] /home/.config/guild/config.toml:5
        problem warning[allowlist_unknown] /home/.config/guild/config.toml:5
        problem info[allowlist_unknown] /home/.config/guild/config.toml:5
    "#]]);
    let snapshot = world.discover();
    let told = snapshot.problems.iter().map(|problem| format!("{}; {}\n", problem.message, problem.hint));
    expect![[r#"
        `agents.wrong.skills` names `alhpa`, and there is no such skill; did you mean `alpha`?
        `agents.wrong.skills` names `lint`, and several skills are named so; write one of `one/lint`, `two/lint`
        `agents.wrong.skills` names `nothing-like-it`, and there is no such skill; correct the name, or leave it for a project that has the skill
    "#]].assert_eq(&told.collect::<String>());
}

#[test]
fn an_allowlist_is_told_where_it_is_written() {
    let world = World::new(ALLOWED);
    world.add("//- /etc/guild/config.toml\n\n[agents.a]\nskills = ['lost']\n[agents.b]\nskills = ['*']\n");
    world.add("//- /home/.config/guild/config.toml\n[agents.c]\nskills = ['lost']\n");
    world.add("//- /project/guild.toml\n[agents.b]\nskills = ['lost']\n[agents.c]\nskills = []\n");
    world.check(expect![[r#"
        alpha (project) /project/.guild/skills/alpha/SKILL.md
        off (project) /project/.guild/skills/off/SKILL.md
        one/lint (plugin) /project/.guild/plugins/one/skills/lint/SKILL.md
        two/lint (plugin) /project/.guild/plugins/two/skills/lint/SKILL.md
        broken: broken (project) /project/.guild/skills/broken/SKILL.md
            error[missing_frontmatter] SKILL.md:1
        plugin one (project) /project/.guild/plugins/one, skills: 1
        plugin two (project) /project/.guild/plugins/two, skills: 1
        problem info[allowlist_unknown] /etc/guild/config.toml:3
        problem info[allowlist_unknown] /project/guild.toml:2
    "#]]);
}

#[test]
fn an_agent_that_sees_everything_or_nothing_names_nobody() {
    let world =
        World::new("//- /home/.config/guild/config.toml\n[agents.all]\nskills = ['*']\n[agents.none]\n");
    let snapshot = world.discover();
    assert_eq!(snapshot.problems, []);
}

#[test]
fn words_for_scopes_are_read_with_their_aliases() {
    let scopes = ["project", "custom", "user", "system", "extra", "plugin", "builtin"];
    assert_eq!(Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(), scopes);
    for scope in Scope::ALL {
        assert_eq!(Scope::named(scope.as_str()), Some(*scope));
    }
    assert_eq!(Scope::named("session"), Some(Scope::Project));
    assert_eq!(Scope::named("global"), Some(Scope::User));
    assert_eq!(Scope::named("nowhere"), None);
}
