//! Skills in other agents' directories: linked, copied, undone, and nothing else touched.

use super::{check, done, tree, world_of_skills};
use expect_test::expect;
use guild_testkit::Env;
use std::fs;

fn world() -> Env {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf,docx"]);
    env
}

#[test]
fn what_is_installed_is_linked_into_agents_directories_and_taken_away_again() {
    let env = world();
    check(
        &env,
        "
        guild link claude-code codex cursor
        guild link claude-code
        guild list
        guild link claude-code --remove --skill docx
        guild link claude-code codex --remove --json
        guild link claude-code --remove
        ",
        &expect![[r#"
            $ guild link claude-code codex cursor
            CHANGE  SKILL  AGENT        PATH
            linked  docx   claude-code  [ROOT]/project/.claude/skills/docx
            linked  pdf    claude-code  [ROOT]/project/.claude/skills/pdf
            linked  docx   codex        [ROOT]/project/.agents/skills/docx
            linked  pdf    codex        [ROOT]/project/.agents/skills/pdf
            [stderr]
            4 linked
            $ guild link claude-code
            CHANGE     SKILL  AGENT        PATH
            unchanged  docx   claude-code  [ROOT]/project/.claude/skills/docx
            unchanged  pdf    claude-code  [ROOT]/project/.claude/skills/pdf
            [stderr]
            2 unchanged
            $ guild list
            NAME  KIND    SOURCE   STATE  DESCRIPTION
            docx  inline  project  ready  Reads Word files
            pdf   inline  project  ready  Reads PDF files and fills in their forms
            [stderr]
            2 skills
            $ guild link claude-code --remove --skill docx
            CHANGE   SKILL  AGENT        PATH
            removed  docx   claude-code  [ROOT]/project/.claude/skills/docx
            [stderr]
            1 removed
            $ guild link claude-code codex --remove --json
            {"status":"ok","code":"ok","message":"3 removed","data":{"scope":"project","links":[{"agent":"claude-code","name":"pdf","path":"[ROOT]/project/.claude/skills/pdf","target":"[ROOT]/project/.guild/skills/pdf","mode":"link","change":"removed"},{"agent":"codex","name":"docx","path":"[ROOT]/project/.agents/skills/docx","target":"[ROOT]/project/.guild/skills/docx","mode":"link","change":"removed"},{"agent":"codex","name":"pdf","path":"[ROOT]/project/.agents/skills/pdf","target":"[ROOT]/project/.guild/skills/pdf","mode":"link","change":"removed"}],"left_out":[]}}
            $ guild link claude-code --remove
            [stderr]
            there is nothing to undo
        "#]],
    );
    expect![[r#"
        .agents/skills/
        .claude/skills/
        .guild/skills/docx/SKILL.md
        .guild/skills/pdf/SKILL.md
        .guild/skills/pdf/scripts/read.sh*
        guild.lock"#]]
    .assert_eq(&tree(&env, "project"));
}

#[test]
fn links_lead_within_the_project_and_outlive_its_move() {
    let env = world();
    done(&env, &["link", "windsurf"]);
    let link = env.project().join(".windsurf/skills/pdf");
    assert_eq!(fs::read_link(&link).unwrap().to_str().unwrap(), "../../.guild/skills/pdf");
    fs::rename(env.project(), env.join("moved")).unwrap();
    assert!(env.join("moved/.windsurf/skills/pdf/SKILL.md").is_file());
}

#[test]
fn a_copy_is_replaced_when_the_skill_has_changed_and_never_when_somebody_edited_it() {
    let env = world();
    check(
        &env,
        "
        guild link goose --skill pdf --copy
        guild link goose --skill pdf --copy
        guild link goose --skill pdf
        guild link goose --skill pdf --copy
        ",
        &expect![[r#"
            $ guild link goose --skill pdf --copy
            CHANGE  SKILL  AGENT  PATH
            copied  pdf    goose  [ROOT]/project/.goose/skills/pdf
            [stderr]
            1 copied
            $ guild link goose --skill pdf --copy
            CHANGE     SKILL  AGENT  PATH
            unchanged  pdf    goose  [ROOT]/project/.goose/skills/pdf
            [stderr]
            1 unchanged
            $ guild link goose --skill pdf
            CHANGE  SKILL  AGENT  PATH
            linked  pdf    goose  [ROOT]/project/.goose/skills/pdf
            [stderr]
            1 linked
            $ guild link goose --skill pdf --copy
            CHANGE  SKILL  AGENT  PATH
            copied  pdf    goose  [ROOT]/project/.goose/skills/pdf
            [stderr]
            1 copied
        "#]],
    );
    expect![[r#"
        skills/pdf/SKILL.md
        skills/pdf/scripts/read.sh*"#]]
    .assert_eq(&tree(&env, "project/.goose"));
    env.write("//- /project/.goose/skills/pdf/mine.md\nmine\n");
    check(
        &env,
        "guild link goose --skill pdf --copy\nguild link goose --remove",
        &expect![[r#"
        $ guild link goose --skill pdf --copy
        [stderr]
        error[locally_edited]: [ROOT]/project/.goose/skills/pdf was copied there, and was edited since; move it away first
        [exit 3]
        $ guild link goose --remove
        [stderr]
        error[locally_edited]: [ROOT]/project/.goose/skills/pdf was changed since it was made; remove it yourself
        [exit 3]
    "#]],
    );
}

#[test]
fn what_this_did_not_make_is_never_touched() {
    let env = world();
    env.write("//- /project/.claude/skills/pdf/SKILL.md\nmine\n//- /elsewhere/\n//- /project/.goose link:../elsewhere\n");
    check(
        &env,
        "
        guild link claude-code
        guild link goose --copy
        guild link windsurf --skill nothing
        guild link claude-cod
        guild link eve --user
        guild link claude-code --agent reviewer
        guild disable docx
        guild link windsurf
        guild link windsurf --skill docx
        ",
        &expect![[r#"
            $ guild link claude-code
            [stderr]
            error[already_exists]: [ROOT]/project/.claude/skills/pdf is there already, and Guildhall did not make it; move it away first
            [exit 1]
            $ guild link goose --copy
            [stderr]
            error[install_place_refused]: [ROOT]/project/.goose is no directory, or a link that may lead anywhere
            [exit 3]
            $ guild link windsurf --skill nothing
            [stderr]
            error[skill_not_found]: skill `nothing` not found; `guild list` shows every skill
            [exit 1]
            $ guild link claude-cod
            [stderr]
            error[unknown_agent]: no agent is called `claude-cod`; did you mean `claude-code`?
            [exit 2]
            $ guild link eve --user
            [stderr]
            error[unknown_agent]: Eve has no directory for skills of that kind
            [exit 2]
            $ guild link claude-code --agent reviewer
            [stderr]
            error[person_required]: agent `reviewer` cannot decide this; it takes a person
            [exit 3]
            $ guild disable docx
            [stderr]
            skill `docx` is off
            $ guild link windsurf
            CHANGE  SKILL  AGENT     PATH
            linked  pdf    windsurf  [ROOT]/project/.windsurf/skills/pdf
            left out: docx: it is switched off
            [stderr]
            1 linked, 1 skill left out
            $ guild link windsurf --skill docx
            left out: docx: it is switched off
            [stderr]
            error[skill_not_invocable]: there is nothing to show: docx: it is switched off
            [exit 3]
        "#]],
    );
    expect!["skills/pdf/SKILL.md"].assert_eq(&tree(&env, "project/.claude"));
    assert!(fs::read_dir(env.join("elsewhere")).unwrap().next().is_none());
}

#[test]
fn a_persons_own_skills_are_linked_for_every_project() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild link claude-code --user
        guild add acme/skills --skill pdf --user
        guild link claude-code --user
        guild link goose --user --copy
        guild remove pdf --user
        guild link claude-code goose --user --remove
        ",
        &expect![[r#"
            $ guild link claude-code --user
            [stderr]
            error[no_skills]: no skill is installed there; `--skill NAME` names one of those that `guild list` shows
            [exit 1]
            $ guild add acme/skills --skill pdf --user
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 installed
            $ guild link claude-code --user
            CHANGE  SKILL  AGENT        PATH
            linked  pdf    claude-code  [ROOT]/home/.claude/skills/pdf
            [stderr]
            1 linked
            $ guild link goose --user --copy
            CHANGE  SKILL  AGENT  PATH
            copied  pdf    goose  [ROOT]/home/.config/goose/skills/pdf
            [stderr]
            1 copied
            $ guild remove pdf --user
            removed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 removed
            $ guild link claude-code goose --user --remove
            [stderr]
            there is nothing to undo
        "#]],
    );
    expect!["skills/"].assert_eq(&tree(&env, "home/.claude"));
}
