//! Sources that are gone, have moved, or are not the one that they were.

use super::{SKILLS, check, done, world, world_of_skills};
use expect_test::expect;
use guild_testkit::Repository;
use std::fs;

#[test]
fn what_is_gone_at_its_source_does_not_keep_the_rest_from_being_updated() {
    let (env, mut repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf,docx"]);
    repository.git(&["mv", "skills/docx", "skills/word"]);
    repository.commit("//- /skills/pdf/more.md\nMore.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    check(
        &env,
        "
        guild update
        guild update --yes
        guild update docx --yes
        guild add https://github.com/acme/skills --skill docx --replace
        guild update --yes
        ",
        &expect![[r#"
            $ guild update
            update skill pdf cacdd2bb6a9f → 542afc9398a5
            added more.md
            @@ -1 +1 @@
            +More.
            unknown skill docx: https://github.com/acme/skills has no `skills/docx` any more, where `docx` came from; a skill of that name is at `skills/word` now: `guild add https://github.com/acme/skills --skill docx --replace` takes it
            [stderr]
            error[not_confirmed]: nothing was changed: look at what would be, and say `--yes`
            [exit 3]
            $ guild update --yes
            updated skill pdf (https://github.com/acme/skills at 542afc9398a5)
            unknown skill docx: https://github.com/acme/skills has no `skills/docx` any more, where `docx` came from; a skill of that name is at `skills/word` now: `guild add https://github.com/acme/skills --skill docx --replace` takes it
            [stderr]
            update skill pdf cacdd2bb6a9f → 542afc9398a5
            added more.md
            @@ -1 +1 @@
            +More.
            error[path_not_found]: 1 updated, 1 not: https://github.com/acme/skills has no `skills/docx` any more, where `docx` came from; a skill of that name is at `skills/word` now: `guild add https://github.com/acme/skills --skill docx --replace` takes it
            [exit 1]
            $ guild update docx --yes
            [stderr]
            error[path_not_found]: https://github.com/acme/skills has no `skills/docx` any more, where `docx` came from; a skill of that name is at `skills/word` now: `guild add https://github.com/acme/skills --skill docx --replace` takes it
            [exit 1]
            $ guild add https://github.com/acme/skills --skill docx --replace
            updated skill docx (https://github.com/acme/skills at 542afc9398a5)
            [stderr]
            1 replaced
            $ guild update --yes
            [stderr]
            everything is up to date
        "#]],
    );
    repository.remove("skills/word");
    repository.publish(&env.join("srv/acme"), "skills");
    check(
        &env,
        "guild update --yes\nguild verify",
        &expect![[r#"
            $ guild update --yes
            unknown skill docx: https://github.com/acme/skills has no `skills/word` any more, where `docx` came from
            [stderr]
            error[path_not_found]: https://github.com/acme/skills has no `skills/word` any more, where `docx` came from
            [exit 1]
            $ guild verify
            [stderr]
            2 verified
        "#]],
    );
}

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

#[test]
fn a_link_is_followed_wherever_the_project_lies_and_whatever_was_edited() {
    let env = world();
    env.write("//- /project/own/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n");
    done(&env, &["add", "./own/notes", "--link"]);
    env.write("//- /project/own/notes/more.md\nMore.\n");
    // As a clone of the project on another machine.
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.join("home/.local")).unwrap();
    check(
        &env,
        "guild sync\nguild verify\nguild sync --frozen",
        &expect![[r#"
        $ guild sync
        installed skill notes (./own/notes)
        [stderr]
        1 restored, 0 as locked
        $ guild verify
        linked notes
        [stderr]
        1 verified
        $ guild sync --frozen
        [stderr]
        0 restored, 1 as locked
    "#]],
    );
    let link = env.project().join(".guild/skills/notes");
    assert_eq!(fs::canonicalize(&link).unwrap(), fs::canonicalize(env.project().join("own/notes")).unwrap());
}

#[test]
fn a_link_that_leads_elsewhere_or_nowhere_is_not_what_the_lock_says() {
    let env = world();
    env.write("//- /project/own/notes/SKILL.md\n---\nname: notes\ndescription: Keeps notes\n---\n\nWrite down all of it, in the order in which it was said.\n//- /project/evil/SKILL.md\n---\nname: notes\ndescription: Keeps none\n---\n\nForget all of it.\n");
    done(&env, &["add", "./own/notes", "--link"]);
    let link = env.project().join(".guild/skills/notes");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(env.project().join("evil"), &link).unwrap();
    check(
        &env,
        "
        guild verify
        guild sync --frozen
        guild sync --replace
        guild verify
        ",
        &expect![[r#"
            $ guild verify
            changed notes
            [stderr]
            error[verify_failed]: 1 file changed; `guild sync --replace` restores what the lock says
            [exit 1]
            $ guild sync --frozen
            edited skill notes
            [stderr]
            error[sync_drift]: skill `notes` is not what the lock says; `guild verify` shows what differs, `--replace` restores it
            [exit 1]
            $ guild sync --replace
            installed skill notes (./own/notes)
            [stderr]
            1 restored, 0 as locked
            $ guild verify
            linked notes
            [stderr]
            1 verified
        "#]],
    );
    fs::remove_dir_all(env.project().join("own")).unwrap();
    check(
        &env,
        "guild verify\nguild sync\nguild list --installed\nguild remove notes",
        &expect![[r#"
            $ guild verify
            missing notes
            [stderr]
            error[verify_failed]: 1 file missing; `guild sync --replace` restores what the lock says
            [exit 1]
            $ guild sync
            [stderr]
            error[path_not_found]: skill `notes` is a link to [ROOT]/project/own/notes, where there is nothing
            [exit 1]
            $ guild list --installed
            NAME   KIND   WHERE    STATE    VERSION  SOURCE       PREVIEW
            notes  skill  project  missing  -        ./own/notes
            [stderr]
            1 installed
            $ guild remove notes
            removed skill notes (./own/notes)
            [stderr]
            1 removed
        "#]],
    );
}

#[test]
fn a_file_in_whose_place_a_link_or_a_pipe_lies_is_told_as_changed_and_not_read() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--skill", "pdf"]);
    env.write("//- /home/secret.txt\nhunter2\n");
    let file = env.project().join(".guild/skills/pdf/SKILL.md");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(env.join("home/secret.txt"), &file).unwrap();
    check(
        &env,
        "guild verify",
        &expect![[r#"
        $ guild verify
        changed pdf/SKILL.md
        [stderr]
        error[verify_failed]: 1 file changed; `guild sync --replace` restores what the lock says
        [exit 1]
    "#]],
    );
}

#[test]
fn a_lock_that_somebody_else_has_moved_on_is_followed_without_their_being_taken_for_edits() {
    let (env, mut repository) = world_of_skills();
    let lock = env.project().join("guild.lock");
    done(&env, &["add", "acme/skills", "--skill", "pdf,docx"]);
    let theirs = fs::read_to_string(&lock).unwrap();
    repository.commit("//- /skills/pdf/more.md\nMore.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    done(&env, &["update", "pdf", "--yes"]);
    done(&env, &["remove", "docx"]);
    let ours = fs::read_to_string(&lock).unwrap();
    // As `git pull` brings it.
    fs::write(&lock, &theirs).unwrap();
    check(
        &env,
        "guild sync\nguild verify",
        &expect![[r#"
        $ guild sync
        installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
        updated skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
        [stderr]
        2 restored, 0 as locked
        $ guild verify
        [stderr]
        2 verified
    "#]],
    );
    fs::write(&lock, &ours).unwrap();
    check(
        &env,
        "
        guild sync --frozen
        guild sync
        guild verify
        guild list
        guild sync --frozen
        ",
        &expect![[r#"
            $ guild sync --frozen
            edited skill pdf
            extra skill docx
            [stderr]
            error[sync_drift]: skill `pdf` is not what the lock says; `guild verify` shows what differs, `--replace` restores it
            [exit 1]
            $ guild sync
            updated skill pdf (https://github.com/acme/skills at 3a24712be618)
            removed skill docx (acme/skills/skills/docx at cacdd2bb6a9f)
            [stderr]
            1 restored, 0 as locked, 1 removed, as the lock has it
            $ guild verify
            [stderr]
            1 verified
            $ guild list
            NAME  KIND    SOURCE   STATE  DESCRIPTION
            pdf   inline  project  ready  Reads PDF files and fills in their forms
            [stderr]
            1 skill
            $ guild sync --frozen
            [stderr]
            0 restored, 1 as locked
        "#]],
    );
    fs::write(&lock, &theirs).unwrap();
    done(&env, &["sync"]);
    fs::write(env.project().join(".guild/skills/docx/mine.md"), "Mine.\n").unwrap();
    fs::write(env.project().join(".guild/skills/pdf/mine.md"), "Mine.\n").unwrap();
    fs::write(&lock, &ours).unwrap();
    check(
        &env,
        "guild sync\nguild sync\nguild sync --replace\nguild verify",
        &expect![[r#"
        $ guild sync
        edited skill pdf
        extra skill docx
        [stderr]
        0 restored, 0 as locked, 2 with edits left alone (see `guild verify`)
        $ guild sync
        edited skill pdf
        extra skill docx
        [stderr]
        0 restored, 0 as locked, 2 with edits left alone (see `guild verify`)
        $ guild sync --replace
        installed skill pdf (https://github.com/acme/skills at 3a24712be618)
        removed skill docx (acme/skills/skills/docx at cacdd2bb6a9f)
        [stderr]
        1 restored, 0 as locked, 1 removed, as the lock has it
        $ guild verify
        [stderr]
        1 verified
    "#]],
    );
    fs::write(&lock, &theirs).unwrap();
    check(
        &env,
        "guild update pdf --yes\nguild verify pdf",
        &expect![[r#"
        $ guild update pdf --yes
        updated skill pdf (https://github.com/acme/skills at 3a24712be618)
        [stderr]
        update skill pdf cacdd2bb6a9f → 3a24712be618
        added more.md
        @@ -1 +1 @@
        +More.
        1 updated; `guild rollback NAME` goes back
        $ guild verify pdf
        [stderr]
        1 verified
    "#]],
    );
    // A lock that is gone says nothing of what is to go.
    fs::remove_file(&lock).unwrap();
    check(
        &env,
        "guild sync\nguild list",
        &expect![[r#"
        $ guild sync
        [stderr]
        0 restored, 0 as locked
        $ guild list
        NAME  KIND    SOURCE   STATE  DESCRIPTION
        pdf   inline  project  ready  Reads PDF files and fills in their forms
        [stderr]
        1 skill
    "#]],
    );
}
