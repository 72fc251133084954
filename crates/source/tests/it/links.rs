//! Links: those that stay inside count as what they lead to, the others refuse the tree.

use crate::world::{World, listing};
use expect_test::{Expect, expect};

#[track_caller]
fn check(links: &str, expect: &Expect) {
    let files = "
        //- /skill/SKILL.md
        text
        //- /skill/lib/code.py mode:755
        code
        //- /outside/secret
        secret
        ";
    let world = World::new(files);
    world.fixture.add(links);
    let shown = match world.stage() {
        Ok(staged) => listing(&staged.root),
        Err(error) => format!("{error}\n"),
    };
    expect.assert_eq(&shown);
}

#[test]
fn a_link_to_a_file_or_directory_inside_is_what_it_leads_to() {
    check(
        "
        //- /skill/README.md link:SKILL.md
        //- /skill/lib/up.md link:../README.md
        //- /skill/tools link:./lib
        ",
        &expect![[r#"
            0444 README.md: text
            0444 SKILL.md: text
            0755 lib/
            0555 lib/code.py: code
            0444 lib/up.md: text
            0755 tools/
            0555 tools/code.py: code
            0444 tools/up.md: text
        "#]],
    );
}

#[test]
fn links_that_lead_out_are_refused() {
    let out = expect![["`a` is a link that leads out of the directory\n"]];
    check("//- /skill/a link:../outside/secret", &out);
    check("//- /skill/a link:..", &out);
    check("//- /skill/a link:lib/../../outside", &out);
    check("//- /skill/a link:/outside/secret", &out);
    // Out and in again depends on where the skill lies, and a whole path does even more.
    check("//- /skill/a link:../skill/SKILL.md", &out);
    check("//- /skill/a link:/skill/SKILL.md", &out);
    check("//- /skill/a link:lib/b\n//- /skill/lib/b link:../c\n//- /skill/c link:../outside/secret", &out);
    check(
        "//- /skill/deep/er/a link:../../../outside/secret",
        &expect![["`deep/er/a` is a link that leads out of the directory\n"]],
    );
}

#[test]
fn links_that_lead_nowhere_or_back_are_refused() {
    check("//- /skill/a link:nothing", &expect![["`a` is a link that leads nowhere\n"]]);
    check("//- /skill/a link:SKILL.md/x", &expect![["`a` is a link that leads nowhere\n"]]);
    let back = expect![["`a` is a link that leads back to a directory above it, or to itself\n"]];
    check("//- /skill/a link:a", &back);
    check("//- /skill/a link:b\n//- /skill/b link:a", &back);
    check("//- /skill/a link:.", &back);
    check(
        "//- /skill/lib/all link:..",
        &expect![["`lib/all` is a link that leads back to a directory above it, or to itself\n"]],
    );
}

#[test]
fn links_that_double_at_every_step_end_at_the_limit() {
    let mut links = String::new();
    for step in 0..31 {
        for name in ["a", "b"] {
            links += &format!("//- /skill/d{step}/{name} link:../d{}\n", step + 1);
        }
    }
    check(
        &format!("{links}//- /skill/d31/end\n"),
        &expect![[r#"
        `d0/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a` lies more than 32 directories deep
    "#]],
    );
}
