//! What is installed is known to the registry: skills are on, plugins only once somebody has looked at them, and what goes leaves one receipt.

use super::{check, done, world_of_skills};
use crate::desk::masked;
use expect_test::expect;
use guild_testkit::session;

#[test]
fn a_skill_is_on_and_a_plugin_waits_until_it_was_looked_at() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild add acme/skills --skill pdf,acme
        guild list
        guild list --installed
        guild run acme/deploy
        guild enable acme
        guild list --installed
        guild add acme/skills --skill acme --replace
        guild plugins
        guild disable pdf
        guild add https://git.example/skills.git --skill pdf --replace
        guild add https://git.example/skills.git#v1 --skill pdf --replace
        guild remove pdf acme
        guild list --installed
        ",
        &expect![[r#"
            $ guild add acme/skills --skill pdf,acme
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            2 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild list
            NAME         KIND    SOURCE   STATE  DESCRIPTION
            acme/deploy  inline  plugin   off    Deploys with the pipeline of Acme
            pdf          inline  project  ready  Reads PDF files and fills in their forms
            [stderr]
            2 skills
            $ guild list --installed
            NAME  KIND    WHERE    STATE       VERSION       SOURCE                          PREVIEW
            pdf   skill   project  intact      cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
            acme  plugin  project  intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            2 installed
            $ guild run acme/deploy
            [stderr]
            error[skill_not_invocable]: skill `acme/deploy` is off with its plugin `acme`, which is switched off; `guild enable acme --kind plugin` switches it on
            [exit 3]
            $ guild enable acme
            [stderr]
            plugin `acme` is on
            $ guild list --installed
            NAME  KIND    WHERE    STATE   VERSION       SOURCE                          PREVIEW
            pdf   skill   project  intact  cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
            acme  plugin  project  intact  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            2 installed
            $ guild add acme/skills --skill acme --replace
            unchanged plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 as it was
            $ guild plugins
            NAME  VERSION  SOURCE   SKILLS  STATE  DESCRIPTION
            acme  1.0.0    project  1       on     Ships
            [stderr]
            1 plugin
            $ guild disable pdf
            [stderr]
            skill `pdf` is off
            $ guild add https://git.example/skills.git --skill pdf --replace
            updated skill pdf (https://git.example/skills.git at cacdd2bb6a9f)
            [stderr]
            1 replaced
            $ guild add https://git.example/skills.git#v1 --skill pdf --replace
            updated skill pdf (https://git.example/skills.git at cacdd2bb6a9f)
            [stderr]
            1 replaced
            $ guild remove pdf acme
            removed skill pdf (https://git.example/skills.git at cacdd2bb6a9f)
            removed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            2 removed
            $ guild list --installed
            [stderr]
            0 installed
        "#]],
    );
    let shown = masked(&session(&env, "guild receipts list --limit 20\nguild receipts verify"));
    expect![[r#"
        $ guild receipts list --limit 20
        ID                              AT                        KIND      CODE                 AGENT    SKILL
        [RCP 1]  [TIME]  decision  uninstalled          default  pdf
        [RCP 2]  [TIME]  decision  uninstalled          default  acme
        [RCP 3]  [TIME]  decision  installed            default  pdf
        [RCP 4]  [TIME]  decision  uninstalled          default  pdf
        [RCP 5]  [TIME]  decision  disabled             default  pdf
        [RCP 6]  [TIME]  decision  enabled              default  acme
        [RCP 7]  [TIME]  denied    skill_not_invocable  default  acme/deploy
        [RCP 8]  [TIME]  decision  installed            default  pdf
        [RCP 9]  [TIME]  decision  installed            default  acme
        [stderr]
        9 receipts
        $ guild receipts verify
        [stderr]
        9 receipts verified
    "#]].assert_eq(&shown);
}

#[test]
fn a_person_at_a_terminal_sees_what_a_plugin_brings_and_switches_it_on() {
    let (env, _repository) = world_of_skills();
    let add =
        env.invocation(&["add", "acme/skills", "--skill", "acme", "--color", "never"]).env("TERM", "dumb");
    expect![[r#"
        exit: 0
        --- stdout
        installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
        --- stderr
        1 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
        plugin acme 1.0.0
          what it is  Ships
          skills      deploy
        Switch it on? [yes/no] plugin `acme` is on
    "#]]
    .assert_eq(&add.typed("yes\n").to_string());
    done(&env, &["remove", "acme"]);
    let add =
        env.invocation(&["add", "acme/skills", "--skill", "acme", "--color", "never"]).env("TERM", "dumb");
    expect![[r#"
        exit: 0
        --- stdout
        installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
        --- stderr
        1 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
        plugin acme 1.0.0
          what it is  Ships
          skills      deploy
        Switch it on? [yes/no] plugin `acme` stays off
    "#]]
    .assert_eq(&add.typed("no\n").to_string());
}

/// One source in two installations is two things, and what is done to one leaves the other alone.
#[test]
fn a_plugin_in_two_installations_is_switched_in_each() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild add acme/skills --skill acme
        guild enable acme
        guild add acme/skills --skill acme --user
        guild list --installed
        guild remove acme
        guild list --installed
        guild list
        ",
        &expect![[r#"
            $ guild add acme/skills --skill acme
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild enable acme
            [stderr]
            plugin `acme` is on
            $ guild add acme/skills --skill acme --user
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild list --installed
            NAME  KIND    WHERE    STATE       VERSION       SOURCE                          PREVIEW
            acme  plugin  project  intact      cacdd2bb6a9f  https://github.com/acme/skills
            acme  plugin  user     intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            2 installed
            $ guild remove acme
            removed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 removed
            $ guild list --installed
            NAME  KIND    WHERE  STATE       VERSION       SOURCE                          PREVIEW
            acme  plugin  user   intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            1 installed
            $ guild list
            NAME         KIND    SOURCE  STATE  DESCRIPTION
            acme/deploy  inline  plugin  off    Deploys with the pipeline of Acme
            [stderr]
            1 skill
        "#]],
    );
}

#[test]
fn a_lock_from_elsewhere_is_followed_once_it_is_synced() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf,acme"]);
    std::fs::remove_dir_all(env.project().join(".guild")).unwrap();
    std::fs::remove_dir_all(env.home().join(".local")).unwrap();
    check(
        &env,
        "
        guild sync
        guild sync --frozen
        guild list --installed
        ",
        &expect![[r#"
            $ guild sync
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            2 restored, 0 as locked; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild sync --frozen
            [stderr]
            0 restored, 2 as locked
            $ guild list --installed
            NAME  KIND    WHERE    STATE       VERSION       SOURCE                          PREVIEW
            pdf   skill   project  intact      cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, page by page.
            acme  plugin  project  intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            2 installed
        "#]],
    );
}

#[test]
fn a_plugin_that_another_one_needs_is_not_removed_from_under_it() {
    let env = super::world();
    env.write(
        r#"
//- /project/from/base/guild.plugin.json
{"id": "base", "name": "Base", "version": "1.0.0", "description": "What others build on", "capabilities": []}
//- /project/from/top/guild.plugin.json
{"id": "top", "name": "Top", "version": "1.0.0", "description": "Builds on base", "capabilities": [], "dependencies": ["base"]}
"#,
    );
    done(&env, &["add", "./from", "--all"]);
    done(&env, &["enable", "base"]);
    done(&env, &["enable", "top"]);
    check(
        &env,
        "
        guild enable bsae
        guild enable top --agent ci
        guild remove base --force
        guild list --installed
        guild disable top
        guild enable top --agent ci
        guild enable top
        guild remove base top
        ",
        &expect![[r#"
            $ guild enable bsae
            [stderr]
            error[skill_not_found]: no skill and no plugin is named `bsae`; did you mean `base`?
            [exit 1]
            $ guild enable top --agent ci
            [stderr]
            plugin `top` is on for agent `ci` already
            $ guild remove base --force
            [stderr]
            error[plugin_in_use]: plugin `base` is needed by `top`; switch that off first
            [exit 1]
            $ guild list --installed
            NAME  KIND    WHERE    STATE   VERSION  SOURCE  PREVIEW
            base  plugin  project  intact  -        ./from
            top   plugin  project  intact  -        ./from
            [stderr]
            2 installed
            $ guild disable top
            [stderr]
            plugin `top` is off
            $ guild enable top --agent ci
            [stderr]
            plugin `top` is on for agent `ci` already; but it is off for everybody, and that counts
            $ guild enable top
            [stderr]
            plugin `top` is on
            $ guild remove base top
            removed plugin base (./from)
            removed plugin top (./from)
            [stderr]
            2 removed
        "#]],
    );
}
