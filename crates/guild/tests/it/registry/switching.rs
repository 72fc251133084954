//! Switching skills and plugins: for everybody, for one agent, and what keeps a plugin from it.

use super::{shown, world};
use expect_test::expect;

#[test]
fn a_skill_that_is_off_is_listed_and_neither_offered_nor_run() {
    expect![[r#"
        $ guild disable deploy
        [stderr]
        skill `deploy` is off
        $ guild disable deploy
        [stderr]
        skill `deploy` is off already
        $ guild list --source project
        NAME     KIND    SOURCE   STATE       DESCRIPTION
        deploy   script  project  off         Deploys to staging
        keyed    script  project  ineligible  Uses a key
        retired  inline  project  off         Was useful once
        tone     inline  project  ready       How we write
        [stderr]
        4 skills, 1 other problem (see `guild check`)
        $ guild show deploy --no-body
        deploy
        Deploys to staging

        kind         script
        source       project
        path         [ROOT]/project/.guild/skills/deploy/SKILL.md
        eligible     yes
        enabled      no: switched off; `guild enable deploy` switches it on
        for models   yes
        for people   yes
        script       deploy.sh
        needs        workspace none, network none
        time-out     600 s
        files        SKILL.md, deploy.sh
        digest       [SHA256 1]
        $ guild list --agent ci --source project
        NAME  KIND    SOURCE   STATE  DESCRIPTION
        tone  inline  project  ready  How we write
        [stderr]
        1 skill, 1 other problem (see `guild check`)
        $ guild search deploy --agent ci
        [stderr]
        nothing matches `deploy`; `guild list` shows every skill
        $ guild run deploy --approve once
        [stderr]
        error[skill_not_invocable]: skill `deploy` is switched off; `guild enable deploy` switches it on
        [exit 3]
        $ guild render deploy
        [stderr]
        error[skill_not_invocable]: skill `deploy` is switched off; `guild enable deploy` switches it on
        [exit 3]
        $ guild enable deploy
        [stderr]
        skill `deploy` is on
        $ guild run deploy --approve once
        deployed
        $ guild receipts list
        ID                              AT                        KIND      CODE                 AGENT    SKILL
        [RCP 1]  [TIME]  finished  ok                   default  deploy
        [RCP 2]  [TIME]  started   ok                   default  deploy
        [RCP 3]  [TIME]  decision  run_once             default  deploy
        [RCP 4]  [TIME]  decision  enabled              default  deploy
        [RCP 5]  [TIME]  denied    skill_not_invocable  default  deploy
        [RCP 6]  [TIME]  denied    skill_not_invocable  default  deploy
        [RCP 7]  [TIME]  decision  disabled             default  deploy
        [RCP 8]  [TIME]  decision  installed            default  deploy
        [stderr]
        8 receipts
        $ guild receipts verify
        [stderr]
        8 receipts verified
    "#]].assert_eq(&shown(
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
        1 skill, 1 other problem (see `guild check`)
        $ guild list --agent reviewer --source project
        NAME    KIND    SOURCE   STATE  DESCRIPTION
        deploy  script  project  ready  Deploys to staging
        tone    inline  project  ready  How we write
        [stderr]
        2 skills, 1 other problem (see `guild check`)
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
        2 skills, 1 other problem (see `guild check`)
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
    expect![[r#"
        $ guild disable top
        [stderr]
        plugin `top` is off
        $ guild disable base
        [stderr]
        plugin `base` is off
        $ guild plugins
        NAME    VERSION  SOURCE   SKILLS  STATE  DESCRIPTION
        acme    1.0.0    project  1       off    Prepares itself
        adder   1.0.0    project  0       off    Adds in its own way
        base    1.2.0    project  1       off    What others build on
        evil    1.0.0    project  0       on     Installs itself
        faulty  1.0.0    project  0       on     Fails to prepare itself
        gnir    1.0.0    project  0       off    The other half
        house   2.0.0    project  0       off    Has something of everything
        lost    1.0.0    project  0       off    Wants what is not here
        newer   1.0.0    project  0       off    Wants more than there is
        ring    1.0.0    project  0       off    Half of a circle
        top     1.0.0    project  0       off    Builds on base
        twin    1.0.0    project  0       off    Measures too
        vague   1.0.0    project  0       on     Names a hook that is not there
        [ROOT]/project/.guild/plugins/needy:1:1: warning[plugin_env_missing]: the plugin `needy` needs `NEEDY_KEY` in the environment; it was skipped
          hint: set `NEEDY_KEY`
        [stderr]
        13 plugins
        $ guild show base/note --no-body
        base/note
        Takes a note

        kind         inline
        source       plugin
        path         [ROOT]/project/.guild/plugins/base/skills/note/SKILL.md
        eligible     yes
        enabled      no: off with its plugin `base`, which is switched off; `guild enable base --kind plugin` switches it on
        for models   yes
        for people   yes
        needs        workspace read, network none
        time-out     600 s
        files        SKILL.md
        digest       [SHA256 1]
        $ guild run base/note
        [stderr]
        error[skill_not_invocable]: skill `base/note` is off with its plugin `base`, which is switched off; `guild enable base --kind plugin` switches it on
        [exit 3]
        $ guild enable top
        [stderr]
        error[dependency_missing]: plugin `top` depends on what is off; switch it on first, in this order: `guild enable base`
        [exit 1]
        $ guild enable base
        [stderr]
        plugin `base` is on
        $ guild enable top
        [stderr]
        plugin `top` is on
    "#]].assert_eq(&shown(
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
        error[skill_not_found]: skill `acm` not found; did you mean `acme/greet`?
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
    expect![[r#"
        $ guild list --source project
        NAME     KIND    SOURCE   STATE       DESCRIPTION
        deploy   script  project  ready       Deploys to staging
        keyed    script  project  ineligible  Uses a key
        retired  inline  project  off         Was useful once
        tone     inline  project  ready       How we write
        [stderr]
        4 skills, 1 other problem (see `guild check`)
        $ guild requests
        ID                              ACTION   AGENT  SKILL   EXPIRES
        [APR 1]  disable  ci     deploy  [TIME]
        [APR 2]  disable  ci     base    [TIME]
        [APR 3]  enable   ci     acme    [TIME]
        [APR 4]  disable  ci     needy   [TIME]
        [stderr]
        4 requests
        $ guild approve [APR 1] --once --agent ci
        [stderr]
        error[person_required]: agent `ci` cannot decide this; it takes a person
        [exit 3]
        $ guild approve [APR 1] --once
        [stderr]
        approved: disable of `deploy` for agent `ci`; skill `deploy` is off
        $ guild approve [APR 2] --once
        [stderr]
        approved: disable of `base` for agent `ci`; plugin `base` is off for agent `ci`
        $ guild approve [APR 3] --once
        [stderr]
        error[approval_required]: approved: enable of `acme` for agent `ci`; `onEnable` of plugin `acme` was not run: a person must approve it first; `guild approve [APR 5]` answers
        [exit 3]
        $ guild list --source project
        NAME     KIND    SOURCE   STATE       DESCRIPTION
        deploy   script  project  off         Deploys to staging
        keyed    script  project  ineligible  Uses a key
        retired  inline  project  off         Was useful once
        tone     inline  project  ready       How we write
        [stderr]
        4 skills, 1 other problem (see `guild check`)
        $ guild list --agent ci
        NAME  KIND    SOURCE   STATE  DESCRIPTION
        tone  inline  project  ready  How we write
        [stderr]
        1 skill, 1 other problem (see `guild check`)
        $ guild disable deploy --as ci
        [stderr]
        error[approval_required]: an admin must approve it first; `guild approve [APR 6]` answers
        [exit 3]
        $ guild deny [APR 4]
        [stderr]
        denied: disable of `needy` for agent `ci`
        $ guild receipts list
        ID                              AT                        KIND      CODE               AGENT    SKILL
        [RCP 1]  [TIME]  decision  denied             default  needy
        [RCP 2]  [TIME]  asked     approval_required  ci       deploy
        [RCP 3]  [TIME]  asked     approval_required  default  hook:acme/onEnable
        [RCP 4]  [TIME]  decision  approved           default  acme
        [RCP 5]  [TIME]  decision  disabled           default  base
        [RCP 6]  [TIME]  decision  installed          default  base
        [RCP 7]  [TIME]  decision  approved           default  base
        [RCP 8]  [TIME]  decision  disabled           default  deploy
        [RCP 9]  [TIME]  decision  installed          default  deploy
        [RCP 10]  [TIME]  decision  approved           default  deploy
        [RCP 11]  [TIME]  denied    person_required    ci       -
        [RCP 12]  [TIME]  asked     approval_required  ci       needy
        [RCP 13]  [TIME]  asked     approval_required  ci       acme
        [RCP 14]  [TIME]  asked     approval_required  ci       base
        [RCP 15]  [TIME]  asked     approval_required  ci       deploy
        [stderr]
        15 receipts
    "#]].assert_eq(&shown(&env, &script));
}
