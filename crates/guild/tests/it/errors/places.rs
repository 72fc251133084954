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
        //- /project/.guild/skills/weigh/SKILL.md
        ---
        name: weigh
        description: Weighs several things
        script: run.sh
        params:
          - {name: things, type: array, items: {$ref: '#/properties/thing'}}
          - {name: thing, type: string}
          - name: unit
            pattern: "["
        ---
        Weigh what the parameters name, and say how heavy it is in all.
        //- /project/.guild/skills/weigh/run.sh
        echo
        "#);
    check_in(
        &world,
        "guild check .guild/skills\nguild check .guild/skills/weigh --profile strict --json",
        &expect![[r#"
            $ guild check .guild/skills
            [ROOT]/project/.guild/skills/measure/SKILL.md:5:16: warning[value_invalid]: the parameter `name` cannot be checked, so no run can begin: "([a-z" is not a "regex"
             5 | params: {name: {type: string, pattern: "([a-z"}, size: {type: integer}}
               |                ^
              hint: mend its `pattern`, `items` or whatever else the message quotes
            [ROOT]/project/.guild/skills/measure/SKILL.md:6:10: warning[value_invalid]: `outputs` cannot be checked, so no run can begin: "whole" is not valid under any of the schemas listed in the 'anyOf' keyword
             6 | outputs: {type: object, properties: {x: {type: whole}}}
               |          ^
              hint: mend its `pattern`, `items` or whatever else the message quotes
            [ROOT]/project/.guild/skills/weigh/SKILL.md:8:5: warning[value_invalid]: the parameter `unit` cannot be checked, so no run can begin: "[" is not a "regex"
             8 |   - name: unit
               |     ^
              hint: mend its `pattern`, `items` or whatever else the message quotes
            [stderr]
            2 skills, 2 loaded, 0 errors, 3 warnings
            $ guild check .guild/skills/weigh --profile strict --json
            {"status":"error","code":"check_failed","message":"1 skill, 1 loaded, 3 errors, 0 warnings","data":{"skills":[{"path":"[ROOT]/project/.guild/skills/weigh/SKILL.md","name":"weigh","loaded":true,"problems":[{"code":"unknown_key","severity":"error","file":"SKILL.md","line":4,"column":1,"message":"`script` is not one of the six keys of the specification","hint":"move it below `metadata:` as `script:`","source":"script: run.sh"},{"code":"unknown_key","severity":"error","file":"SKILL.md","line":5,"column":1,"message":"`params` is not one of the six keys of the specification","hint":"move it below `metadata:` as `params:`","source":"params:"},{"code":"value_invalid","severity":"error","file":"SKILL.md","line":8,"column":5,"message":"the parameter `unit` cannot be checked, so no run can begin: \"[\" is not a \"regex\"","hint":"mend its `pattern`, `items` or whatever else the message quotes","source":"  - name: unit"}]}],"others":[],"summary":{"files":1,"loaded":1,"errors":3,"warnings":0,"infos":0}}}
            [exit 1]
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
