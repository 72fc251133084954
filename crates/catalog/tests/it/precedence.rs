//! Who wins a name, and what is said of those that lose it.

use crate::world::{World, check};
use expect_test::expect;

#[test]
fn scopes_win_in_their_order() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/custom"]
        extra_paths = ["~/extra"]
        //- /home/extra/test/SKILL.md
        @test From extra.
        //- /etc/guild/skills/test/SKILL.md
        @test From the system.
        //- /home/.guild/skills/test/SKILL.md
        @test From the user.
        //- /home/custom/test/SKILL.md
        @test From custom.
        //- /project/.guild/skills/test/SKILL.md
        @test From the project.
        "#,
        expect![[r#"
            test (project) /project/.guild/skills/test/SKILL.md
            collision test: project /project/.guild/skills/test/SKILL.md over custom /home/custom/test/SKILL.md
            collision test: project /project/.guild/skills/test/SKILL.md over user /home/.guild/skills/test/SKILL.md
            collision test: project /project/.guild/skills/test/SKILL.md over system /etc/guild/skills/test/SKILL.md
            collision test: project /project/.guild/skills/test/SKILL.md over extra /home/extra/test/SKILL.md
            collision test: project /project/.guild/skills/test/SKILL.md over builtin (builtin)/test/SKILL.md
        "#]],
    );
}

#[test]
fn each_scope_wins_over_the_ones_below_it() {
    let config = "
        //- /home/.config/guild/config.toml
        skills.paths = ['~/custom']
        skills.extra_paths = ['~/extra']
        //- /home/custom/
        //- /home/extra/
    ";
    let scopes =
        ["/project/.guild/skills", "/home/custom", "/home/.guild/skills", "/etc/guild/skills", "/home/extra"];
    for (at, higher) in scopes.iter().enumerate() {
        for lower in &scopes[at + 1..] {
            let world = World::new(config);
            world.add(&format!(
                "//- {lower}/alpha/SKILL.md\n@alpha low\n//- {higher}/alpha/SKILL.md\n@alpha high\n"
            ));
            let snapshot = world.discover();
            let alpha = snapshot.skills.iter().find(|entry| entry.skill.name == "alpha").unwrap();
            assert_eq!(alpha.skill.description, "high", "{higher} over {lower}");
            assert_eq!(snapshot.collisions.len(), 1);
        }
    }
}

#[test]
fn in_a_project_the_nearest_directory_wins_and_then_the_convention() {
    World::new(
        "
        //- /project/.git/
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha At the top, ours.
        //- /project/sub/.codex/skills/alpha/SKILL.md
        @alpha Near, a later convention.
        //- /project/sub/.claude/skills/beta/SKILL.md
        @beta Claude.
        //- /project/sub/.agents/skills/beta/SKILL.md
        @beta Agents.
        //- /project/sub/.guild/skills/beta/SKILL.md
        @beta Ours.
        //- /project/sub/skills/beta/SKILL.md
        @beta A project's own.
        ",
    )
    .standing_in("/project/sub")
    .check(expect![[r#"
        alpha (project) /project/sub/.codex/skills/alpha/SKILL.md
        beta (project) /project/sub/.guild/skills/beta/SKILL.md
        collision alpha: project /project/sub/.codex/skills/alpha/SKILL.md over project /project/.guild/skills/alpha/SKILL.md
        collision beta: project /project/sub/.guild/skills/beta/SKILL.md over project /project/sub/.agents/skills/beta/SKILL.md
        collision beta: project /project/sub/.guild/skills/beta/SKILL.md over project /project/sub/.claude/skills/beta/SKILL.md
        collision beta: project /project/sub/.guild/skills/beta/SKILL.md over project /project/sub/skills/beta/SKILL.md
    "#]]);
}

#[test]
fn configured_paths_win_in_the_order_they_are_written() {
    check(
        r#"
        //- /home/.config/guild/config.toml
        [skills]
        paths = ["~/second", "~/first"]
        //- /home/first/alpha/SKILL.md
        @alpha first
        //- /home/second/alpha/SKILL.md
        @alpha second
        "#,
        expect![[r#"
            alpha (custom) /home/second/alpha/SKILL.md
            collision alpha: custom /home/second/alpha/SKILL.md over custom /home/first/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn in_one_root_what_is_nearer_to_its_top_wins_and_then_the_alphabet() {
    check(
        "
        //- /project/.guild/skills/a/deep/SKILL.md
        @alpha Deep.
        //- /project/.guild/skills/y/SKILL.md
        @alpha Last.
        //- /project/.guild/skills/x/SKILL.md
        @alpha First.
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/x/SKILL.md
                info[name_mismatch] SKILL.md:2
            collision alpha: project /project/.guild/skills/x/SKILL.md over project /project/.guild/skills/a/deep/SKILL.md
            collision alpha: project /project/.guild/skills/x/SKILL.md over project /project/.guild/skills/y/SKILL.md
        "#]],
    );
}

#[test]
fn a_name_counts_not_the_directory() {
    check(
        "
        //- /project/.guild/skills/one/SKILL.md
        @same From the project.
        //- /home/.guild/skills/two/SKILL.md
        @same From the user.
        //- /home/.guild/skills/one/SKILL.md
        @other In a directory of the first one's name.
        ",
        expect![[r#"
            other (user) /home/.guild/skills/one/SKILL.md
                info[name_mismatch] SKILL.md:2
            same (project) /project/.guild/skills/one/SKILL.md
                info[name_mismatch] SKILL.md:2
            collision same: project /project/.guild/skills/one/SKILL.md over user /home/.guild/skills/two/SKILL.md
        "#]],
    );
}

#[test]
fn a_malformed_winner_does_not_let_a_lower_one_in() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        Not a skill at all.
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha
        //- /etc/guild/skills/alpha/SKILL.md
        @alpha
        ",
        expect![[r#"
            broken: alpha (project) /project/.guild/skills/alpha/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            collision alpha: project /project/.guild/skills/alpha/SKILL.md over user /home/.guild/skills/alpha/SKILL.md
            collision alpha: project /project/.guild/skills/alpha/SKILL.md over system /etc/guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn an_ineligible_winner_does_not_let_a_lower_one_in() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        ---
        name: alpha
        description: For another system.
        platforms: [windows]
        ---
        Do it.
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                lacks: it is for windows, and this is linux
            collision alpha: project /project/.guild/skills/alpha/SKILL.md over user /home/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn a_winner_that_is_switched_off_does_not_let_a_lower_one_in() {
    check(
        "
        //- /home/.config/guild/config.toml
        skills.disabled = ['alpha']
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha From the project.
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha From the user.
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                off
            collision alpha: project /project/.guild/skills/alpha/SKILL.md over user /home/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn equal_copies_are_one_skill_in_two_places() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha
        //- /project/.guild/skills/alpha/scripts/run.sh
        true
        //- /project/.guild/skills/alpha/link link:scripts/run.sh
        //- /home/.claude/skills/alpha/SKILL.md
        @alpha
        //- /home/.claude/skills/alpha/scripts/run.sh
        true
        //- /home/.claude/skills/alpha/link link:scripts/run.sh
        //- /project/.guild/skills/flat.md
        @flat
        //- /home/.guild/skills/flat.md
        @flat
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                also at /home/.claude/skills/alpha/SKILL.md
            flat (project) /project/.guild/skills/flat.md
                also at /home/.guild/skills/flat.md
        "#]],
    );
}

#[test]
fn copies_with_different_files_collide() {
    check(
        "
        //- /project/.guild/skills/content/SKILL.md
        @content
        //- /project/.guild/skills/content/run.sh
        true
        //- /home/.guild/skills/content/SKILL.md
        @content
        //- /home/.guild/skills/content/run.sh
        fals
        //- /project/.guild/skills/extra/SKILL.md
        @extra
        //- /home/.guild/skills/extra/SKILL.md
        @extra
        //- /home/.guild/skills/extra/more.sh
        true
        //- /project/.guild/skills/link/SKILL.md
        @link
        //- /project/.guild/skills/link/a
        //- /project/.guild/skills/link/b
        //- /project/.guild/skills/link/c link:a
        //- /home/.guild/skills/link/SKILL.md
        @link
        //- /home/.guild/skills/link/a
        //- /home/.guild/skills/link/b
        //- /home/.guild/skills/link/c link:b
        //- /project/.guild/skills/form.md
        @form
        //- /home/.guild/skills/form/SKILL.md
        @form
        ",
        expect![[r#"
            content (project) /project/.guild/skills/content/SKILL.md
            extra (project) /project/.guild/skills/extra/SKILL.md
            form (project) /project/.guild/skills/form.md
            link (project) /project/.guild/skills/link/SKILL.md
            collision content: project /project/.guild/skills/content/SKILL.md over user /home/.guild/skills/content/SKILL.md
            collision extra: project /project/.guild/skills/extra/SKILL.md over user /home/.guild/skills/extra/SKILL.md
            collision form: project /project/.guild/skills/form.md over user /home/.guild/skills/form/SKILL.md
            collision link: project /project/.guild/skills/link/SKILL.md over user /home/.guild/skills/link/SKILL.md
        "#]],
    );
}

#[test]
fn copies_of_a_malformed_skill_do_not_collide() {
    check(
        "
        //- /project/.agents/skills/bad/SKILL.md
        Not a skill.
        //- /project/.claude/skills/bad link:../../.agents/skills/bad
        //- /home/.guild/skills/bad/SKILL.md
        Not a skill.
        //- /etc/guild/skills/bad/SKILL.md
        Another text.
        ",
        expect![[r#"
            broken: bad (project) /project/.agents/skills/bad/SKILL.md
                error[missing_frontmatter] SKILL.md:1
            collision bad: project /project/.agents/skills/bad/SKILL.md over system /etc/guild/skills/bad/SKILL.md
        "#]],
    );
}

#[test]
fn a_copy_further_down_is_a_place_even_below_one_that_differs() {
    check(
        "
        //- /project/.guild/skills/alpha/SKILL.md
        @alpha Same.
        //- /home/.guild/skills/alpha/SKILL.md
        @alpha Different.
        //- /etc/guild/skills/alpha/SKILL.md
        @alpha Same.
        ",
        expect![[r#"
            alpha (project) /project/.guild/skills/alpha/SKILL.md
                also at /etc/guild/skills/alpha/SKILL.md
            collision alpha: project /project/.guild/skills/alpha/SKILL.md over user /home/.guild/skills/alpha/SKILL.md
        "#]],
    );
}

#[test]
fn one_bad_skill_does_not_stop_the_others() {
    check(
        "
        //- /project/.guild/skills/good/SKILL.md
        @good
        //- /project/.guild/skills/nameless/SKILL.md
        ---
        description: Has no name.
        ---
        Do it.
        //- /project/.guild/skills/unterminated/SKILL.md
        ---
        name: unterminated
        ",
        expect![[r#"
            good (project) /project/.guild/skills/good/SKILL.md
            nameless (project) /project/.guild/skills/nameless/SKILL.md
                warning[name_missing] SKILL.md:2
            broken: unterminated (project) /project/.guild/skills/unterminated/SKILL.md
                error[unclosed_frontmatter] SKILL.md:1
        "#]],
    );
}
