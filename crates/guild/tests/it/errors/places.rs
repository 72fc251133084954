//! Where in a file something is wrong, and that it is told before a run stumbles over it.

use super::check_in;
use crate::env;
use expect_test::expect;

#[test]
fn a_pattern_that_is_none_is_told_before_a_run_is_refused_for_it() {
    let world = env(r#"
        //- /project/.guild/skills/measure/SKILL.md
        ---
        name: measure
        description: Measures one thing
        script: run.sh
        params: {name: {type: string, pattern: "([a-z"}, size: {type: integer}}
        outputs: {type: object, properties: {x: {type: whole}}}
        ---
        Measure what the parameter names, and say how large it is.
        //- /project/.guild/skills/measure/run.sh
        echo
        "#);
    check_in(
        &world,
        "guild check .guild/skills",
        &expect![[r#"
        $ guild check .guild/skills
        [ROOT]/project/.guild/skills/measure/SKILL.md:1:1: warning[value_invalid]: the parameter `name` cannot be checked, so no run can begin: "([a-z" is not a "regex"
         1 | ---
           | ^
          hint: mend its `pattern`, `items` or whatever else the message quotes
        [ROOT]/project/.guild/skills/measure/SKILL.md:1:1: warning[value_invalid]: `outputs` cannot be checked, so no run can begin: "whole" is not valid under any of the schemas listed in the 'anyOf' keyword
         1 | ---
           | ^
          hint: mend its `pattern`, `items` or whatever else the message quotes
        [stderr]
        1 skill, 1 loaded, 0 errors, 2 warnings
    "#]],
    );
}

#[test]
fn the_place_in_a_manifest_of_one_long_line_is_shown() {
    let keywords = "\"keyword\",".repeat(100);
    let world = env("");
    world.write(&format!(
        "//- /project/.guild/plugins/p/.claude-plugin/plugin.json\n{{\"keywords\": [{keywords}\"last\"], \"name\": \"p\", \"version\": 1}}\n"
    ));
    check_in(
        &world,
        "guild check .guild/plugins",
        &expect![[r#"
        $ guild check .guild/plugins
        [ROOT]/project/.guild/plugins/p/.claude-plugin/plugin.json:1:1048: warning[value_invalid]: `version` is a number; it was read as text
         1 | …yword","keyword","last"], "name": "p", "version": 1}
           |                                                    ^
          hint: put quotes around the value
        [stderr]
        0 skills, 0 loaded, 0 errors, 1 warning
    "#]],
    );
}

#[test]
fn a_plugin_with_several_faults_is_one_that_does_not_load_and_an_unreadable_one_counts() {
    let env = env("
//- /home/.config/guild/config.toml
builtins = false
//- /project/.guild/plugins/many/guild.plugin.json
{\"id\": \"many\", \"version\": \"1.0.0\"}
//- /project/.guild/plugins/pipe/plugin.json kind:pipe
//- /project/.guild/plugins/good/plugin.json
{\"name\": \"good\", \"version\": \"1.0.0\", \"description\": \"Fine\"}
");
    let output = env.guild(&["doctor"]).stdout();
    let line = output.lines().find(|line| line.contains(" plugins ")).unwrap();
    expect!["look  plugins        1 load, 2 do not"].assert_eq(line);
    let talk = env.guild(&["reload"]).stderr();
    expect![["0 skills, 1 plugin, 2 that do not load\n"]].assert_eq(&talk);
}
