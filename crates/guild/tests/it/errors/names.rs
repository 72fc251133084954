//! Names that are wrong or borne by several, and which ones are near.

use super::check;
use expect_test::expect;

#[test]
fn a_wrong_name_says_which_names_are_near() {
    check(
        "guild show reveiw\nguild show a/deplyo\nguild render rview\nguild show nothing-like-it",
        &expect![[r#"
            $ guild show reveiw
            [stderr]
            error[skill_not_found]: skill `reveiw` not found; did you mean `review`?
            [exit 1]
            $ guild show a/deplyo
            [stderr]
            error[skill_not_found]: skill `a/deplyo` not found; did you mean `a/deploy`, `b/deploy`?
            [exit 1]
            $ guild render rview
            [stderr]
            error[skill_not_found]: skill `rview` not found; did you mean `review`?
            [exit 1]
            $ guild show nothing-like-it
            [stderr]
            error[skill_not_found]: skill `nothing-like-it` not found; `guild list` shows every skill
            [exit 1]
        "#]],
    );
}

#[test]
fn whoever_gives_check_a_name_hears_where_the_skill_is() {
    check(
        "guild check review\nguild check nowhere a/deploy",
        &expect![[r#"
        $ guild check review
        [stderr]
        error[path_not_found]: there is no skill or plugin at `review`; the skill `review` is at `[ROOT]/project/.guild/skills/review/SKILL.md`
        [exit 1]
        $ guild check nowhere a/deploy
        [stderr]
        error[path_not_found]: there is no skill or plugin at `nowhere`, `a/deploy`; the skill `a/deploy` is at `[ROOT]/project/.claude/plugins/a/skills/deploy/SKILL.md`
        [exit 1]
    "#]],
    );
}

#[test]
fn a_name_that_several_bear_lists_them() {
    check(
        "guild show deploy\nguild render deploy\nguild show deploy --json",
        &expect![[r#"
        $ guild show deploy
        [stderr]
        error[skill_ambiguous]: several skills are named `deploy`; use one of `a/deploy`, `b/deploy`
        [exit 1]
        $ guild render deploy
        [stderr]
        error[skill_ambiguous]: several skills are named `deploy`; use one of `a/deploy`, `b/deploy`
        [exit 1]
        $ guild show deploy --json
        {"status":"error","code":"skill_ambiguous","message":"several skills are named `deploy`; use one of `a/deploy`, `b/deploy`","data":{"found":false,"skill":null,"candidates":["a/deploy","b/deploy"]}}
        [exit 1]
    "#]],
    );
}

#[test]
fn a_wrong_source_lists_the_right_ones() {
    check(
        "guild list --source plugn\nguild list --source everywhere",
        &expect![[r#"
        $ guild list --source plugn
        [stderr]
        error[unknown_source]: unknown source `plugn`; valid: project, custom, user, system, extra, plugin, builtin; did you mean `plugin`?
        [exit 2]
        $ guild list --source everywhere
        [stderr]
        error[unknown_source]: unknown source `everywhere`; valid: project, custom, user, system, extra, plugin, builtin
        [exit 2]
    "#]],
    );
}
