//! What is installed against what the lock says: compared, restored, listed, removed.

use super::{check, done, tree, world_of_skills};
use crate::envelope;
use expect_test::expect;
use std::fs;

#[test]
fn every_difference_from_the_lock_is_told_with_its_lines() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "
        guild add acme/skills --all
        guild verify
        ",
        &expect![[r#"
            $ guild add acme/skills --all
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild verify
            [stderr]
            3 verified
        "#]],
    );
    let skill = env.project().join(".guild/skills/pdf");
    let text = fs::read_to_string(skill.join("SKILL.md")).unwrap();
    fs::write(skill.join("SKILL.md"), text.replace("page by page", "all at once")).unwrap();
    fs::write(skill.join("notes.txt"), "mine\n").unwrap();
    fs::remove_file(skill.join("scripts/read.sh")).unwrap();
    fs::remove_dir_all(env.project().join(".guild/skills/docx")).unwrap();
    check(
        &env,
        "
        guild verify
        guild verify acme
        guild verify pfd
        guild list --installed
        ",
        &expect![[r#"
            $ guild verify
            changed pdf/SKILL.md
            @@ -3 +3 @@
             description: Reads PDF files and fills in their forms
             ---

            -Read the file that you were given, page by page.
            +Read the file that you were given, all at once.
            missing docx
            missing pdf/scripts/read.sh
            extra pdf/notes.txt
            [stderr]
            error[verify_failed]: 1 file changed, 2 files missing, 1 file extra; `guild sync --replace` restores what the lock says
            [exit 1]
            $ guild verify acme
            [stderr]
            1 verified
            $ guild verify pfd
            [stderr]
            error[not_installed]: `pfd` is not installed here; did you mean `pdf`?
            [exit 1]
            $ guild list --installed
            NAME  KIND    WHERE    STATE       VERSION       SOURCE                          PREVIEW
            docx  skill   project  missing     cacdd2bb6a9f  https://github.com/acme/skills
            pdf   skill   project  edited      cacdd2bb6a9f  https://github.com/acme/skills  Read the file that you were given, all at once.
            acme  plugin  project  intact,off  cacdd2bb6a9f  https://github.com/acme/skills
            [stderr]
            3 installed
        "#]],
    );
    let said = envelope(&env.guild(&["verify", "--json"]).stdout());
    let data = &said["data"];
    assert_eq!((&said["code"], &data["ok"]), (&"verify_failed".into(), &false.into()));
    let count = |list: &str| data[list].as_array().unwrap().len();
    assert_eq!((count("changed"), count("missing"), count("extra")), (1, 2, 1));
}

#[test]
fn a_byte_or_a_mode_or_a_link_in_any_file_is_found() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--all"]);
    let place = |path: &str| env.project().join(".guild").join(path);
    let finds = || envelope(&env.guild(&["verify", "--json"]).stdout())["code"] == "verify_failed";
    assert!(!finds());
    let files = [
        "skills/pdf/SKILL.md",
        "skills/pdf/scripts/read.sh",
        "skills/docx/SKILL.md",
        "plugins/acme/.claude-plugin/plugin.json",
        "plugins/acme/skills/deploy/SKILL.md",
    ];
    for file in files {
        let bytes = fs::read(place(file)).unwrap();
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(place(file), &changed).unwrap();
            assert!(finds(), "{file} at {at}");
        }
        fs::write(place(file), &bytes).unwrap();
    }
    assert!(!finds());
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(place(files[1]), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(finds(), "the mode");
    fs::set_permissions(place(files[1]), fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(place("skills/docx"), env.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(env.join("elsewhere"), place("skills/docx")).unwrap();
    assert!(finds(), "a link in the place of the directory");
}

/// Other agents run scripts where they are installed, and with them whatever lies beside.
#[test]
fn what_was_planted_in_directories_of_tools_is_found() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    let skill = env.project().join(".guild/skills/pdf");
    let plant = |path: &str| {
        let file = skill.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "evil").unwrap();
    };
    plant("scripts/__pycache__/read.cpython-312.pyc");
    plant(".git/hooks/post-checkout");
    check(
        &env,
        "
        guild verify
        guild sync --frozen
        guild sync
        guild remove pdf
        guild sync --replace
        guild verify
        ",
        &expect![[r#"
            $ guild verify
            extra pdf/.git/hooks/post-checkout
            extra pdf/scripts/__pycache__/read.cpython-312.pyc
            [stderr]
            error[verify_failed]: 2 files extra; `guild sync --replace` restores what the lock says
            [exit 1]
            $ guild sync --frozen
            edited skill pdf
            [stderr]
            error[sync_drift]: skill `pdf` is not what the lock says; `guild verify` shows what differs, `--replace` restores it
            [exit 1]
            $ guild sync
            edited skill pdf
            [stderr]
            0 restored, 0 as locked, 1 with edits left alone (see `guild verify`)
            $ guild remove pdf
            [stderr]
            error[locally_edited]: skill `pdf` has edits of yours, which would be lost: see `guild verify pdf`; `--force` goes on without them
            [exit 3]
            $ guild sync --replace
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 restored, 0 as locked
            $ guild verify
            [stderr]
            1 verified
        "#]],
    );
}

/// They come with every run of a script in its place, and go with what they were made of.
#[test]
fn what_python_has_compiled_is_told_and_is_nobodys_edit() {
    let (env, mut repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    let compiled = env.project().join(".guild/skills/pdf/scripts/__pycache__");
    let compile = || {
        fs::create_dir(&compiled).unwrap();
        fs::write(compiled.join("read.cpython-312.pyc"), "code").unwrap();
    };
    compile();
    repository.commit("//- /skills/pdf/notes.md\nNotes.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    check(
        &env,
        "guild sync",
        &expect![[r#"
        $ guild sync
        edited skill pdf
        [stderr]
        0 restored, 0 as locked, 1 with edits left alone (see `guild verify`)
    "#]],
    );
    assert!(compiled.exists());
    done(&env, &["update", "--yes"]);
    assert!(!compiled.exists());
    compile();
    done(&env, &["remove", "pdf"]);
}

#[test]
fn a_file_whose_mode_alone_has_changed_is_told_as_that() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    use std::os::unix::fs::PermissionsExt as _;
    let set = |file: &str, mode| {
        let path = env.project().join(".guild/skills/pdf").join(file);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set("scripts/read.sh", 0o644);
    set("SKILL.md", 0o755);
    check(
        &env,
        "guild verify",
        &expect![[r#"
        $ guild verify
        changed pdf/SKILL.md (now executable)
        changed pdf/scripts/read.sh (no longer executable)
        [stderr]
        error[verify_failed]: 2 files changed; `guild sync --replace` restores what the lock says
        [exit 1]
    "#]],
    );
}

#[test]
fn a_frozen_sync_without_a_lock_fails() {
    let (env, _repository) = world_of_skills();
    check(
        &env,
        "guild sync\nguild sync --frozen\nguild sync --frozen --user",
        &expect![[r#"
            $ guild sync
            [stderr]
            0 restored, 0 as locked
            $ guild sync --frozen
            [stderr]
            error[lock_missing]: there is no [ROOT]/project/guild.lock, so that nothing says what is to be installed; commit the one that `guild add` writes
            [exit 1]
            $ guild sync --frozen --user
            [stderr]
            error[lock_missing]: there is no [ROOT]/home/.guild/guild.lock, so that nothing says what is to be installed; commit the one that `guild add` writes
            [exit 1]
        "#]],
    );
}

#[test]
fn what_has_edits_is_not_counted_as_locked() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--all"]);
    for skill in ["pdf", "docx"] {
        fs::write(env.project().join(".guild/skills").join(skill).join("mine.md"), "mine\n").unwrap();
    }
    check(
        &env,
        "guild sync",
        &expect![[r#"
            $ guild sync
            edited skill docx
            edited skill pdf
            [stderr]
            0 restored, 1 as locked, 2 with edits left alone (see `guild verify`)
        "#]],
    );
}

#[test]
fn what_the_lock_says_is_installed_elsewhere_and_offline() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills", "--all"]);
    // Out of the store, without the network.
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::rename(env.join("srv"), env.join("away")).unwrap();
    check(
        &env,
        "guild sync --frozen\nguild verify",
        &expect![[r#"
            $ guild sync --frozen
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 restored, 0 as locked; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild verify
            [stderr]
            3 verified
        "#]],
    );
    // On another machine, from the source.
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local")).unwrap();
    fs::rename(env.join("away"), env.join("srv")).unwrap();
    check(
        &env,
        "guild sync --frozen\nguild verify\nguild sync",
        &expect![[r#"
            $ guild sync --frozen
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 restored, 0 as locked; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild verify
            [stderr]
            3 verified
            $ guild sync
            [stderr]
            0 restored, 3 as locked
        "#]],
    );
    expect![[r#"
        .guild/plugins/acme/.claude-plugin/plugin.json
        .guild/plugins/acme/skills/deploy/SKILL.md
        .guild/skills/docx/SKILL.md
        .guild/skills/pdf/SKILL.md
        .guild/skills/pdf/scripts/read.sh*
        guild.lock"#]]
    .assert_eq(&tree(&env, "project"));
}

#[test]
fn edits_are_left_alone_told_or_replaced() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    let file = env.project().join(".guild/skills/pdf/SKILL.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}Mine.\n")).unwrap();
    check(
        &env,
        "
        guild sync
        guild sync --frozen
        guild remove pdf
        guild sync --replace
        guild sync --frozen
        ",
        &expect![[r#"
            $ guild sync
            edited skill pdf
            [stderr]
            0 restored, 0 as locked, 1 with edits left alone (see `guild verify`)
            $ guild sync --frozen
            edited skill pdf
            [stderr]
            error[sync_drift]: skill `pdf` is not what the lock says; `guild verify` shows what differs, `--replace` restores it
            [exit 1]
            $ guild remove pdf
            [stderr]
            error[locally_edited]: skill `pdf` has edits of yours, which would be lost: see `guild verify pdf`; `--force` goes on without them
            [exit 3]
            $ guild sync --replace
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 restored, 0 as locked
            $ guild sync --frozen
            [stderr]
            0 restored, 1 as locked
        "#]],
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn what_comes_instead_of_what_was_locked_is_not_installed() {
    let (env, mut repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    fs::remove_dir_all(env.project().join(".guild")).unwrap();
    fs::remove_dir_all(env.home().join(".local")).unwrap();
    // The lock names another commit, as somebody would who wants other files under the same digest.
    let old = repository.git(&["rev-parse", "HEAD"]);
    let new = repository.commit("//- /skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Another one\n---\n\nRead something else than the file that you were given.\n");
    repository.publish(&env.join("srv/acme"), "skills");
    let lock = fs::read_to_string(env.project().join("guild.lock")).unwrap();
    fs::write(env.project().join("guild.lock"), lock.replace(old.trim(), &new)).unwrap();
    check(
        &env,
        "guild sync",
        &expect![[r#"
        $ guild sync
        [stderr]
        error[source_changed]: skill `pdf` from https://github.com/acme/skills is not what the lock says; nothing was installed
        [exit 1]
    "#]],
    );
    // And a source that is no source.
    fs::write(
        env.project().join("guild.lock"),
        lock.replace("https://github.com/acme/skills", "ext::sh -c x"),
    )
    .unwrap();
    check(
        &env,
        "guild sync\nguild outdated",
        &expect![[r#"
            $ guild sync
            [stderr]
            error[source_invalid]: the lock's source of `pdf`, `ext::sh -c x`, is not one that is fetched
            [exit 2]
            $ guild outdated
            NAME  STATE    REF  INSTALLED     LATEST  SOURCE
            pdf   unknown  -    cacdd2bb6a9f  -       the lock's source is not one that is fetched
            [stderr]
            1 could not be asked for
        "#]],
    );
    assert!(!env.project().join(".guild").exists());
}

#[test]
fn removing_leaves_what_is_somebody_elses_and_a_lock_without_it() {
    let (env, _repository) = world_of_skills();
    env.write("//- /project/.guild/skills/mine/SKILL.md\nmine\n");
    check(
        &env,
        "
        guild add acme/skills --all
        guild remove acme pdf
        guild remove mine
        guild pin docx --agent coder
        guild remove docx
        guild verify
        ",
        &expect![[r#"
            $ guild add acme/skills --all
            installed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            installed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            3 installed; plugin `acme` is off until you have looked at it: `guild enable acme`
            $ guild remove acme pdf
            removed plugin acme (https://github.com/acme/skills at cacdd2bb6a9f)
            removed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            2 removed
            $ guild remove mine
            [stderr]
            error[not_installed]: `mine` is not installed here; `guild list --installed` shows what is
            [exit 1]
            $ guild pin docx --agent coder
            [stderr]
            error[person_required]: agent `coder` cannot decide this; it takes a person
            [exit 3]
            $ guild remove docx
            removed skill docx (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 removed
            $ guild verify
            [stderr]
            0 verified
        "#]],
    );
    expect![[r#"
        .guild/skills/mine/SKILL.md
        guild.lock"#]]
    .assert_eq(&tree(&env, "project"));
}

#[test]
fn a_lock_that_was_lost_is_missed_and_made_again_from_the_same_source() {
    let (env, _repository) = world_of_skills();
    done(&env, &["add", "acme/skills@pdf"]);
    let lock = env.project().join("guild.lock");
    let written = fs::read_to_string(&lock).unwrap();
    fs::remove_file(&lock).unwrap();
    check(
        &env,
        "
        guild verify
        guild add acme/skills@pdf
        guild verify
        ",
        &expect![[r#"
            $ guild verify
            [stderr]
            error[lock_missing]: there is no [ROOT]/project/guild.lock, so that nothing says what is to be installed; commit the one that `guild add` writes
            [exit 1]
            $ guild add acme/skills@pdf
            unchanged skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 as it was
            $ guild verify
            [stderr]
            1 verified
        "#]],
    );
    assert_eq!(fs::read_to_string(&lock).unwrap(), written);
    fs::remove_file(&lock).unwrap();
    fs::write(env.project().join(".guild/skills/pdf/SKILL.md"), "mine").unwrap();
    check(
        &env,
        "guild add acme/skills@pdf --replace",
        &expect![[r#"
        $ guild add acme/skills@pdf --replace
        [stderr]
        error[already_exists]: skill `pdf` is at [ROOT]/project/.guild/skills/pdf already, and the lock does not name it; move it away first
        [exit 1]
    "#]],
    );
}
