//! Switching skills and plugins: for everybody, for one agent, and what keeps a plugin from it.

use super::{shown, world};
use expect_test::{expect, expect_file};

#[test]
fn a_skill_that_is_off_is_listed_and_neither_offered_nor_run() {
    expect_file!["sessions/a_skill_that_is_off_is_listed_and_neither_offered_nor_run.txt"].assert_eq(&shown(
        &world(),
        "
        guild disable deploy
        guild disable deploy
        guild list --source project
        guild show deploy --no-body
        guild list --agent ci --source project
        guild search deploy --agent ci
        guild run deploy --approve once
        guild render deploy
        guild enable deploy
        guild run deploy --approve once
        guild receipts list
        guild receipts verify
        ",
    ));
}

#[test]
fn off_for_one_agent_is_on_for_the_others() {
    expect![[r#"
        $ guild disable deploy --agent ci
        [stderr]
        skill `deploy` is off for agent `ci`
        $ guild list --agent ci --source project
        NAME  KIND    SOURCE   STATE  DESCRIPTION
        tone  inline  project  ready  How we write
        [stderr]
        1 skill, 2 other problems (see `guild check`)
        $ guild list --agent reviewer --source project
        NAME    KIND    SOURCE   STATE  DESCRIPTION
        deploy  script  project  ready  Deploys to staging
        tone    inline  project  ready  How we write
        [stderr]
        2 skills, 2 other problems (see `guild check`)
        $ guild run deploy --agent ci
        [stderr]
        error[skill_not_invocable]: skill `deploy` is switched off for agent `ci`
        [exit 3]
        $ guild disable deploy
        [stderr]
        skill `deploy` is off
        $ guild enable deploy --agent ci
        [stderr]
        skill `deploy` is on for agent `ci`; but it is off for everybody, and that counts
        $ guild enable deploy
        [stderr]
        skill `deploy` is on
        $ guild list --agent ci --source project
        NAME    KIND    SOURCE   STATE  DESCRIPTION
        deploy  script  project  ready  Deploys to staging
        tone    inline  project  ready  How we write
        [stderr]
        2 skills, 2 other problems (see `guild check`)
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild disable deploy --agent ci
        guild list --agent ci --source project
        guild list --agent reviewer --source project
        guild run deploy --agent ci
        guild disable deploy
        guild enable deploy --agent ci
        guild enable deploy
        guild list --agent ci --source project
        ",
    ));
}

#[test]
fn the_configuration_counts_before_the_registry() {
    expect![[r#"
        $ guild enable retired
        [stderr]
        skill `retired` is on; but the configuration switches it off, and that counts
        $ guild run retired
        [stderr]
        error[skill_not_invocable]: skill `retired` is switched off in the configuration
        [exit 3]
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild enable retired
        guild run retired
        ",
    ));
}

#[test]
fn a_plugin_that_is_off_takes_its_skills_with_it() {
    expect_file!["sessions/a_plugin_that_is_off_takes_its_skills_with_it.txt"].assert_eq(&shown(
        &world(),
        "
        guild disable top
        guild disable base
        guild plugins
        guild show base/note --no-body
        guild run base/note
        guild enable top
        guild enable base
        guild enable top
        ",
    ));
}

#[test]
fn what_a_plugin_lacks_is_told_and_nothing_changes() {
    expect![[r#"
        $ guild disable base
        [stderr]
        error[plugin_in_use]: plugin `base` is needed by `top`; switch that off first
        [exit 1]
        $ guild enable newer
        [stderr]
        error[dependency_missing]: plugin `newer` depends on `base` in the version `^2`, and here is `1.2.0`
        [exit 1]
        $ guild enable lost
        [stderr]
        error[dependency_missing]: plugin `lost` depends on `nowhere`, which is not here; install it first
        [exit 1]
        $ guild enable ring
        [stderr]
        error[dependency_cycle]: plugins depend on each other in a circle: ring → gnir → ring
        [exit 1]
        $ guild enable needy
        [stderr]
        error[environment_missing]: plugin `needy` needs `NEEDY_KEY` in the environment; set it and try again
        [exit 1]
        $ guild enable nedy --kind plugin
        [stderr]
        error[plugin_not_found]: plugin `nedy` not found; did you mean `needy`?
        [exit 1]
        $ guild enable acm
        [stderr]
        error[skill_not_found]: no skill and no plugin is named `acm`; did you mean `acme`, `acme/greet`?
        [exit 1]
        $ guild receipts list
        [stderr]
        0 receipts
    "#]]
    .assert_eq(&shown(
        &world(),
        "
        guild disable base
        guild enable newer
        guild enable lost
        guild enable ring
        guild enable needy
        guild enable nedy --kind plugin
        guild enable acm
        guild receipts list
        ",
    ));
}

#[test]
fn what_an_agent_asks_for_waits_for_an_admin() {
    let env = world();
    let asked = |arguments: &[&str]| {
        let json = crate::envelope(&env.guild(&[&["--json"], arguments].concat()).stdout());
        assert_eq!(json["code"], "approval_required", "{json}");
        json["data"]["request"].as_str().unwrap().to_owned()
    };
    let one = asked(&["disable", "deploy", "--as", "ci"]);
    let two = asked(&["disable", "base", "--as", "ci", "--agent", "ci"]);
    let three = asked(&["enable", "acme", "--as", "ci"]);
    let script = "
        guild list --source project
        guild requests
        guild approve $ONE --once --agent ci
        guild approve $ONE --once
        guild approve $TWO --once
        guild approve $THREE --once
        guild list --source project
        guild list --agent ci
        guild disable deploy --as ci
        guild deny $FOUR
        guild receipts list
        ";
    let four = asked(&["disable", "needy", "--as", "ci"]);
    let script =
        script.replace("$ONE", &one).replace("$TWO", &two).replace("$THREE", &three).replace("$FOUR", &four);
    expect_file!["sessions/what_an_agent_asks_for_waits_for_an_admin.txt"].assert_eq(&shown(&env, &script));
}

#[test]
fn a_plugin_is_switched_by_its_name_although_it_ships_a_skill_of_that_name() {
    let env = crate::env(
        r#"
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/plugins/slug/guild.plugin.json
{"id": "slug", "name": "Slug", "version": "1.0.0", "description": "Makes slugs", "capabilities": []}
//- /project/.guild/plugins/slug/skills/slug/SKILL.md
---
name: slug
description: Makes one
---
Make it.
"#,
    );
    expect![[r#"
        $ guild disable slug
        [stderr]
        plugin `slug` is off
        $ guild enable slug
        [stderr]
        plugin `slug` is on
        $ guild disable slug/slug
        [stderr]
        skill `slug/slug` is off
        $ guild disable slug --kind skill
        [stderr]
        skill `slug/slug` is off already
    "#]]
    .assert_eq(&shown(
        &env,
        "
        guild disable slug
        guild enable slug
        guild disable slug/slug
        guild disable slug --kind skill
        ",
    ));
    env.write("//- /project/.guild/skills/slug/SKILL.md\n---\nname: slug\ndescription: Another one\n---\nMake it.\n");
    expect![[r#"
        $ guild disable slug
        [stderr]
        error[skill_ambiguous]: a skill and a plugin are named `slug`; say `--kind skill` or `--kind plugin`
        [exit 1]
    "#]]
    .assert_eq(&shown(&env, "guild disable slug"));
}

#[test]
fn a_plugin_that_does_not_load_is_told_with_its_manifests_error() {
    let env = crate::env(
        r#"
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/plugins/one/guild.plugin.json
{"id": "one", "name": "One", "version": "1.0.0", "description": "Has a tool twice", "capabilities": ["tools"],
 "tools": [{"name": "a", "description": "d", "command": ["true"]}, {"name": "a", "description": "d", "command": ["true"]}]}
"#,
    );
    expect![[r#"
        $ guild enable one
        [stderr]
        error[plugin_not_found]: plugin `one` does not load: the tool `a` is declared twice (plugin_invalid at [ROOT]/project/.guild/plugins/one/guild.plugin.json:2:68); `guild check [ROOT]/project/.guild/plugins/one` shows how to mend it
        [exit 1]
        $ guild plugins enable one
        [stderr]
        error[plugin_not_found]: plugin `one` does not load: the tool `a` is declared twice (plugin_invalid at [ROOT]/project/.guild/plugins/one/guild.plugin.json:2:68); `guild check [ROOT]/project/.guild/plugins/one` shows how to mend it
        [exit 1]
        $ guild plugins show one
        [stderr]
        error[plugin_not_found]: plugin `one` does not load: the tool `a` is declared twice (plugin_invalid at [ROOT]/project/.guild/plugins/one/guild.plugin.json:2:68); `guild check [ROOT]/project/.guild/plugins/one` shows how to mend it
        [exit 1]
        $ guild enable two
        [stderr]
        error[skill_not_found]: skill `two` not found; `guild list` shows every skill
        [exit 1]
    "#]].assert_eq(&shown(
        &env,
        "
        guild enable one
        guild plugins enable one
        guild plugins show one
        guild enable two
        ",
    ));
}

#[test]
fn a_plugin_that_nobody_has_switched_on_has_its_skills_alone() {
    let env = crate::env(
        r#"
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/plugins/clock/guild.plugin.json
{"id": "clock", "name": "Clock", "version": "1.0.0", "description": "Tells the time", "capabilities": ["tools"],
 "tools": [{"name": "tell", "description": "Tells it", "command": ["date"], "readOnly": true}]}
//- /project/.guild/plugins/plain/guild.plugin.json
{"id": "plain", "name": "Plain", "version": "1.0.0", "description": "Brings nothing that runs", "capabilities": []}
"#,
    );
    expect![[r#"
        $ guild plugins
        NAME   VERSION  SOURCE   SKILLS  STATE        DESCRIPTION
        clock  1.0.0    project  0       skills only  Tells the time
        plain  1.0.0    project  0       on           Brings nothing that runs
        [stderr]
        2 plugins; `guild enable NAME` adds what one with `skills only` brings besides
        $ guild tools list
        TOOL                      ACCESS  DESCRIPTION
        builtin:add               looks   Add two numbers
        builtin:subtract          looks   Subtract one number from another
        builtin:multiply          looks   Multiply two numbers
        builtin:read_skill_file   looks   Read one file of a skill
        builtin:list_skill_files  looks   List the files of a skill
        builtin:search_skills     looks   Find skills by what they are called and what they do
        [stderr]
        6 tools; `guild enable NAME` adds those of clock
        $ guild enable clock
        [stderr]
        plugin `clock` is on; it is not bundled with Guildhall: what it runs is contained, and asks first
        $ guild plugins
        NAME   VERSION  SOURCE   SKILLS  STATE  DESCRIPTION
        clock  1.0.0    project  0       on     Tells the time
        plain  1.0.0    project  0       on     Brings nothing that runs
        [stderr]
        2 plugins
        $ guild tools list --provider plugin
        TOOL               ACCESS  DESCRIPTION
        plugin:clock/tell  looks   Tells it
        [stderr]
        1 tool
    "#]]
    .assert_eq(&shown(
        &env,
        "
        guild plugins
        guild tools list
        guild enable clock
        guild plugins
        guild tools list --provider plugin
        ",
    ));
}

#[test]
fn a_plugin_whose_hook_has_failed_says_why_wherever_it_is_listed() {
    let env = world();
    let failed = env.guild(&["enable", "faulty", "--approve", "once"]);
    assert_eq!(failed.code(), Some(1), "{failed}");
    let listed = env.guild(&["plugins"]).stdout();
    let lines = listed.lines().filter(|line| line.contains("faulty"));
    expect![[r#"
        faulty  1.0.0    project  0       error        Fails to prepare itself
        plugin faulty is off because of an error: `onEnable` failed: the script ended with exit code 5 (no database)"#]].assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    let one = env.guild(&["plugins", "show", "faulty"]).stdout();
    let lines = one.lines().filter(|line| line.starts_with("state"));
    expect!["state        error; off because of an error: `onEnable` failed: the script ended with exit code 5 (no database)"].assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}
