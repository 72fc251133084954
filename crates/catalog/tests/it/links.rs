//! Links: what is followed, and what may not lead out.

use crate::world::{World, check};
use expect_test::expect;
use std::fs;

#[test]
fn a_linked_skill_is_followed_whether_directory_or_file() {
    check(
        "
        //- /elsewhere/alpha/SKILL.md
        @alpha
        //- /elsewhere/alpha/scripts/run.sh
        true
        //- /elsewhere/beta.md
        @beta
        //- /project/.guild/skills/alpha link:/elsewhere/alpha
        //- /project/.guild/skills/beta.md link:/elsewhere/beta.md
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
            beta (project) /project/.guild/skills/beta.md
        "#]],
    );
}

#[test]
fn a_linked_group_is_followed() {
    check(
        "
        //- /elsewhere/one/SKILL.md
        @one
        //- /elsewhere/two/SKILL.md
        @two
        //- /project/.guild/skills/group link:/elsewhere
        ",
        expect![[r#"
            one (project) /project/.guild/skills/group/one/SKILL.md
            two (project) /project/.guild/skills/group/two/SKILL.md
        "#]],
    );
}

#[test]
fn a_linked_root_is_followed() {
    check(
        "
        //- /elsewhere/one/SKILL.md
        @one
        //- /project/.guild/skills link:/elsewhere
        ",
        expect![[r#"
            one (project) /project/.guild/skills/one/SKILL.md
        "#]],
    );
}

#[test]
fn a_link_that_leads_nowhere_is_told() {
    check(
        "
        //- /project/.guild/skills/gone link:/nowhere
        //- /project/.guild/skills/gone.md link:nowhere.md
        //- /project/.guild/skills/self link:self
        //- /project/.guild/skills/good/SKILL.md
        @good
        ",
        expect![[r#"
            good (project) /project/.guild/skills/good/SKILL.md
            problem warning[link_broken] /project/.guild/skills/gone:1
            problem warning[link_broken] /project/.guild/skills/gone.md:1
            problem warning[link_broken] /project/.guild/skills/self:1
        "#]],
    );
}

#[test]
fn a_link_back_up_is_told_and_not_followed() {
    check(
        "
        //- /project/.guild/skills/group/loop link:..
        //- /project/.guild/skills/top link:/project
        //- /project/.guild/skills/group/good/SKILL.md
        @good
        ",
        expect![[r#"
            good (project) /project/.guild/skills/group/good/SKILL.md
            problem warning[link_cycle] /project/.guild/skills/top:1
            problem warning[link_cycle] /project/.guild/skills/group/loop:1
        "#]],
    );
}

#[test]
fn links_that_lead_to_each_other_end() {
    check(
        "
        //- /project/.guild/skills/a/b link:../../x
        //- /project/.guild/skills/a/one/SKILL.md
        @one
        //- /project/.guild/x/a link:../skills/a
        //- /project/.guild/x/two/SKILL.md
        @two
        ",
        expect![[r#"
            one (project) /project/.guild/skills/a/one/SKILL.md
                also at /project/.guild/skills/a/b/a/one/SKILL.md
            two (project) /project/.guild/skills/a/b/two/SKILL.md
        "#]],
    );
}

#[test]
fn links_inside_a_skill_are_fine() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/docs/guide.md
        Text.
        //- /project/.guild/skills/alpha/guide.md link:docs/guide.md
        //- /project/.guild/skills/alpha/manual link:docs
        //- /project/.guild/skills/alpha/docs/up link:..
        //- /project/.guild/skills/beta/SKILL.md link:text.md
        //- /project/.guild/skills/beta/text.md
        @beta
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
            beta (project) /project/.guild/skills/beta/SKILL.md
        "#]],
    );
}

#[test]
fn a_file_that_leads_out_excludes_its_skill() {
    check(
        "
        //- /secret/key
        secret
        //- /project/.guild/skills/file/SKILL.md
        @file
        //- /project/.guild/skills/file/key link:/secret/key
        //- /project/.guild/skills/directory/SKILL.md
        @directory
        //- /project/.guild/skills/directory/all link:/secret
        //- /project/.guild/skills/deep/SKILL.md
        @deep
        //- /project/.guild/skills/deep/a/b/key link:../../../../../../secret/key
        //- /project/.guild/skills/neighbour/SKILL.md
        @neighbour
        //- /project/.guild/skills/neighbour/other link:../file/SKILL.md
        ",
        expect![[r#"
            broken: deep (project) /project/.guild/skills/deep/SKILL.md
                error[file_escapes] a/b/key:1
            broken: directory (project) /project/.guild/skills/directory/SKILL.md
                error[file_escapes] all:1
            broken: file (project) /project/.guild/skills/file/SKILL.md
                error[file_escapes] key:1
            broken: neighbour (project) /project/.guild/skills/neighbour/SKILL.md
                error[file_escapes] other:1
        "#]],
    );
}

#[test]
fn a_skill_file_that_leads_out_excludes_its_skill() {
    check(
        "
        //- /elsewhere/text.md
        @alpha
        //- /project/.guild/skills/alpha/SKILL.md link:/elsewhere/text.md
        ",
        expect![[r#"
            broken: alpha (project) /project/.guild/skills/alpha/SKILL.md
                error[file_escapes] SKILL.md:1
        "#]],
    );
}

#[test]
fn a_link_out_of_a_linked_skill_is_measured_by_where_it_really_lies() {
    check(
        "
        //- /elsewhere/fine/SKILL.md
        @fine
        //- /elsewhere/fine/docs/a.md
        Text.
        //- /elsewhere/fine/a.md link:docs/a.md
        //- /elsewhere/bad/SKILL.md
        @bad
        //- /elsewhere/bad/a.md link:../fine/docs/a.md
        //- /project/.guild/skills/fine link:/elsewhere/fine
        //- /project/.guild/skills/bad link:/elsewhere/bad
        ",
        expect![[r#"
            fine (project) /project/.guild/skills/fine/SKILL.md
            broken: bad (project) /project/.guild/skills/bad/SKILL.md
                error[file_escapes] a.md:1
        "#]],
    );
}

#[test]
fn a_broken_link_inside_a_skill_is_told_and_the_skill_loads() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/gone link:nowhere
        //- /project/.guild/skills/beta/SKILL.md link:nowhere
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                warning[link_broken] gone:1
            broken: beta (project) /project/.guild/skills/beta/SKILL.md
                error[unreadable_file] SKILL.md:1
                warning[link_broken] SKILL.md:1
        "#]],
    );
}

#[test]
fn a_link_to_a_pipe_or_device_is_not_waited_for() {
    check(
        "
        //- /queue kind:pipe
        //- /project/.guild/skills/flat.md link:/queue
        //- /project/.guild/skills/alpha/SKILL.md link:/queue
        ",
        expect![[r#"
            broken: alpha (project) /project/.guild/skills/alpha/SKILL.md
                error[file_escapes] SKILL.md:1
        "#]],
    );
}

#[test]
fn two_links_to_one_skill_are_one_skill() {
    check(
        "
        //- /elsewhere/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha link:/elsewhere/alpha
        //- /home/.claude/skills/alpha link:/elsewhere/alpha
        //- /home/.agents/skills/alpha link:/home/.claude/skills/alpha
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                also at /home/.agents/skills/alpha/SKILL.md
                also at /home/.claude/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn a_root_that_is_a_link_back_up_is_told_and_not_searched() {
    check(
        "
        //- /other/alpha/SKILL.md
        @alpha
        //- /project/.claude/skills link:/
        //- /project/.guild/skills link:/project
        //- /project/.guild/plugins link:../..
        //- /project/beta/SKILL.md
        @beta
        ",
        expect![[r#"
            problem warning[link_cycle] /project/.guild/skills:1
            problem warning[link_cycle] /project/.guild/plugins:1
            problem warning[link_cycle] /project/.claude/skills:1
        "#]],
    );
}

#[test]
fn a_skill_file_that_leads_out_is_not_read_behind_ten_thousand_others() {
    let world = World::new(
        "
        //- /elsewhere/text.md
        @secret
        //- /elsewhere/openai.yaml
        interface: {display_name: secret}
        //- /project/.guild/skills/alpha/SKILL.md link:/elsewhere/text.md
        //- /project/.guild/skills/alpha/A/
        //- /project/.guild/skills/beta/SKILL.md
        @beta
        //- /project/.guild/skills/beta/A/
        //- /project/.guild/skills/beta/agents/openai.yaml link:/elsewhere/openai.yaml
        ",
    );
    for name in ["alpha", "beta"] {
        let crowd = world.path(&format!("/project/.guild/skills/{name}/A"));
        (0..10_001).for_each(|number| fs::write(crowd.join(number.to_string()), "").unwrap());
    }
    world.check(expect![[r#"
        broken: alpha (project) /project/.guild/skills/alpha/SKILL.md
            warning[scan_limit] A:1
            error[file_escapes] SKILL.md:1
        broken: beta (project) /project/.guild/skills/beta/SKILL.md
            warning[scan_limit] A:1
            error[file_escapes] agents/openai.yaml:1
    "#]]);
}
