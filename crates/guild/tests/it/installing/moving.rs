//! Sources that are gone, have moved, or are not the one that they were.

use super::{SKILLS, check, done, world_of_skills};
use expect_test::expect;
use guild_testkit::Repository;
use std::fs;

#[test]
fn a_rollback_goes_back_to_the_source_that_it_came_from() {
    let (env, _first) = world_of_skills();
    let mut second = Repository::new();
    second.commit(&SKILLS.replace("page by page", "from its end to its beginning"));
    second.publish(&env.join("srv/other"), "skills");
    done(&env, &["add", "acme/skills", "--skill", "pdf"]);
    let before = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    done(&env, &["add", "other/skills", "--skill", "pdf", "--replace"]);
    check(
        &env,
        "guild rollback pdf",
        &expect![[r#"
        $ guild rollback pdf
        updated skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        `pdf` is what it was; `guild pin pdf` keeps updates from it
    "#]],
    );
    let after = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    let entry =
        |text: &str| text.lines().filter(|line| !line.starts_with("previous")).collect::<Vec<_>>().join("\n");
    assert_eq!(entry(&after), entry(&before));
    // Somebody else, who has nothing of it yet, gets the same out of that lock.
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.join("home/.local")).unwrap();
    check(
        &env,
        "guild sync\nguild rollback pdf\nguild verify",
        &expect![[r#"
        $ guild sync
        installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        1 restored, 0 as locked
        $ guild rollback pdf
        updated skill pdf (https://github.com/other/skills at 1706307e9feb)
        [stderr]
        `pdf` is what it was; `guild pin pdf` keeps updates from it
        $ guild verify
        [stderr]
        1 verified
    "#]],
    );
}
