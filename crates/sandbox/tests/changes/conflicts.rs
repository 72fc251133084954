//! Somebody else changes the source: while the command runs, before the set is applied, or while it is.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use expect_test::{Expect, expect};
use guild_sandbox::changes::{ApplyError, Progress, Recovered};

use crate::world::{WAYS, Way, World, inside, render};

const FILES: &str = "
//- /a.txt
alpha
//- /b.txt
beta
//- /d/c.txt
gamma
//- /d/e/f.txt
delta
//- /l link:a.txt
";

/// A script of which every part can be in the way of somebody.
const SCRIPT: &str =
    "echo 2 >> a.txt; rm b.txt; rm -r d; echo n > n.txt; ln -sf n.txt l; mkdir -p x/y; echo z > x/y/z";

/// After the script has run, somebody meddles with the source; applying then names every path in the way and changes nothing.
#[track_caller]
fn check(meddle: fn(&Path), expect: &Expect) {
    let conflicts = |way| {
        let world = World::new(FILES, way);
        world.save_run(SCRIPT);
        meddle(&world.source());
        let before = world.snapshot("source");
        let text = conflicts(world.apply());
        assert_eq!(world.snapshot("source"), before, "{way:?}");
        // Nothing is left behind that would be in the way of anything.
        assert!(!world.store_path("journal.json").exists());
        assert!(world.store_path("set.json").exists());
        text
    };
    let texts: Vec<String> = WAYS.iter().map(|&way| inside(way, || conflicts(way))).collect();
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:#?}");
    expect.assert_eq(&texts[0]);
}

/// While the set is being applied, somebody meddles with the source at a certain step. All that was done is undone, and what they
/// did stays.
#[track_caller]
fn check_during(step: Progress, meddle: fn(&Path), expect: &Expect) {
    let world = World::new(FILES, Way::Root);
    world.save_run(SCRIPT);
    let undisturbed = World::new(FILES, Way::Root);
    meddle(&undisturbed.source());
    let mut meddle = Some(meddle);
    let source = world.source();
    let result = world.store.apply(&world.id, &mut |taken| {
        if taken == step
            && let Some(meddle) = meddle.take()
        {
            meddle(&source);
        }
    });
    expect.assert_eq(&conflicts(result));
    assert_eq!(world.snapshot("source"), undisturbed.snapshot("source"));
    assert!(!world.store_path("journal.json").exists());
}

fn conflicts(result: Result<(), ApplyError>) -> String {
    match result {
        Err(error @ ApplyError::Conflict { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_path_that_has_changed_is_named() {
    check(
        |source| {
            fs::write(source.join("a.txt"), "other\n").unwrap();
            fs::remove_file(source.join("b.txt")).unwrap();
            fs::write(source.join("n.txt"), "n\n").unwrap();
            fs::remove_file(source.join("l")).unwrap();
            symlink("b.txt", source.join("l")).unwrap();
        },
        &expect![[
            r#"the directory has changed since: "a.txt" was changed, "b.txt" was deleted, "l" was changed, "n.txt" was added"#
        ]],
    );
}

#[test]
fn a_file_of_the_same_size_is_another_by_its_content() {
    check(
        |source| fs::write(source.join("b.txt"), "BETA\n").unwrap(),
        &expect![[r#"the directory has changed since: "b.txt" was changed"#]],
    );
}

#[test]
fn a_file_that_has_grown_beyond_reading_is_not_read() {
    let world = World::new(FILES, Way::Root);
    world.save_run(SCRIPT);
    fs::File::create(world.source().join("n.txt")).unwrap().set_len(1 << 43).unwrap();
    fs::File::create(world.source().join("b.txt")).unwrap().set_len(1 << 43).unwrap();
    expect![[r#"the directory has changed since: "b.txt" was changed, "n.txt" was added"#]]
        .assert_eq(&conflicts(world.apply()));
}

#[test]
fn changed_permissions_are_in_the_way() {
    check(
        |source| {
            fs::set_permissions(source.join("a.txt"), fs::Permissions::from_mode(0o600)).unwrap();
            fs::set_permissions(source.join("d/e"), fs::Permissions::from_mode(0o700)).unwrap();
        },
        &expect![[r#"the directory has changed since: "a.txt" was changed, "d/e" was changed"#]],
    );
}

#[test]
fn a_file_added_to_a_directory_that_was_deleted_is_in_the_way() {
    check(
        |source| fs::write(source.join("d/e/mine"), "").unwrap(),
        &expect![[r#"the directory has changed since: "d/e/mine" was added"#]],
    );
}

#[test]
fn another_type_is_in_the_way() {
    check(
        |source| {
            fs::remove_file(source.join("b.txt")).unwrap();
            fs::create_dir(source.join("b.txt")).unwrap();
            fs::create_dir(source.join("x")).unwrap();
        },
        &expect![[r#"the directory has changed since: "b.txt" was changed, "x" was added"#]],
    );
}

#[test]
fn what_was_changed_elsewhere_is_not_in_the_way() {
    let world = World::new("//- /a.txt\na\n//- /b.txt\nb\n//- /d/x\nx\n", Way::Root);
    world.save_run("echo 2 >> a.txt; echo n > d/n");
    fs::write(world.source().join("b.txt"), "mine\n").unwrap();
    fs::write(world.source().join("d/mine"), "mine\n").unwrap();
    world.apply().unwrap();
    expect![[r#"
        "a.txt" 644 file sha256:fa39ab7bea456781477b3697b4380ea256af38b0fe75aa3b0d477fc74be511be
        "b.txt" 644 file sha256:fcbc800db3f1867000b852f1ce0044b8f1584f76ade1ed6e65189824f95c3cda
        "d" 755 directory
        "d/mine" 644 file sha256:fcbc800db3f1867000b852f1ce0044b8f1584f76ade1ed6e65189824f95c3cda
        "d/n" 644 file sha256:a4fb621495a0122493b2203591c448903c472e306a1ede54fabad829e01075c0
        "d/x" 644 file sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881
    "#]]
    .assert_eq(&world.snapshot("source"));
}

#[test]
fn a_file_that_was_edited_while_the_command_ran_is_in_the_way() {
    let world = World::new("//- /a.txt\na\n//- /b.txt\nb\n//- /gone/x\nx\n", Way::Root);
    let layer = world.layer();
    edit_later_than(&world.source().join("a.txt"), &layer.directory().join("layer.json"));
    edit_later_than(&world.source().join("gone/mine"), &layer.directory().join("layer.json"));
    world.run_in(&layer, "echo 2 >> a.txt; echo 2 >> b.txt; rm -r gone");
    let listing = world.list(&layer);
    expect![[r#"
        ~ a.txt: file 644, 7 bytes 68f0 → file 644, 9 bytes f8da (edited meanwhile)
        ~ b.txt: file 644, 2 bytes 0263 → file 644, 4 bytes 1979
        - gone: directory 755
        - gone/mine: file 644, 7 bytes 68f0 (edited meanwhile)
        - gone/x: file 644, 1 bytes 2d71
    "#]]
    .assert_eq(&render(&listing));
    world.save(listing);
    expect![[r#"the directory has changed since: "a.txt" was changed while the command ran, "gone/mine" was changed while the command ran"#]].assert_eq(&conflicts(world.apply()));
}

/// Writes a file until the clock that stamps files has moved on.
fn edit_later_than(path: &Path, earlier: &Path) {
    let earlier = fs::metadata(earlier).unwrap();
    loop {
        fs::write(path, "edited\n").unwrap();
        let now = fs::metadata(path).unwrap();
        if (now.ctime(), now.ctime_nsec()) > (earlier.mtime(), earlier.mtime_nsec()) {
            return;
        }
    }
}

#[test]
fn a_file_saved_between_the_comparison_and_the_move_is_not_lost() {
    check_during(
        Progress::Journalled,
        |source| fs::write(source.join("a.txt"), "saved meanwhile\n").unwrap(),
        &expect![[r#"the directory has changed since: "a.txt" was changed"#]],
    );
}

#[test]
fn a_file_replaced_between_the_comparison_and_the_move_is_not_lost() {
    check_during(
        Progress::Journalled,
        |source| {
            fs::write(source.join("saved"), "saved meanwhile\n").unwrap();
            fs::rename(source.join("saved"), source.join("a.txt")).unwrap();
        },
        &expect![[r#"the directory has changed since: "a.txt" was changed"#]],
    );
}

#[test]
fn a_file_added_between_the_comparison_and_the_move_is_not_lost() {
    check_during(
        Progress::Journalled,
        |source| fs::write(source.join("n.txt"), "mine\n").unwrap(),
        &expect![[r#"the directory has changed since: "n.txt" was added"#]],
    );
    check_during(
        Progress::Journalled,
        |source| fs::write(source.join("d/e/mine"), "").unwrap(),
        &expect![[r#"the directory has changed since: "d/e" was changed"#]],
    );
}

#[test]
fn a_directory_swapped_for_a_link_between_the_comparison_and_the_move_leads_nowhere() {
    check_during(
        Progress::Journalled,
        |source| {
            let aside = source.join("../aside");
            fs::rename(source.join("d"), &aside).unwrap();
            symlink("../aside", source.join("d")).unwrap();
        },
        &expect![[r#"the directory has changed since: "d/e/f.txt" is in no directory any more"#]],
    );
}

#[test]
fn what_cannot_be_put_back_is_kept_and_named() {
    let world = World::new(FILES, Way::Root);
    world.save_run(SCRIPT);
    let source = world.source();
    let mut moves = 0;
    let result = world.store.apply(&world.id, &mut |taken| {
        moves += usize::from(taken == Progress::Moved);
        // Everything that was deleted is out; then somebody uses one of those names, and another is in the way of what is to come.
        if moves == 5 && taken == Progress::Moved {
            fs::write(source.join("b.txt"), "mine\n").unwrap();
            fs::write(source.join("n.txt"), "mine too\n").unwrap();
        }
    });
    let Err(ApplyError::Disturbed { paths, kept }) = result else { panic!("{result:?}") };
    expect![[r#"["b.txt"]"#]].assert_eq(&format!("{paths:?}"));
    expect![[r#"
        ".guild-apply-chg_1" 700 directory
        ".guild-apply-chg_1/10.new" 644 file sha256:c865f6c5ab8d1b0bcd383a5e1e3879d22681c96bf462c269b7581d523fbe70ab
        ".guild-apply-chg_1/4.old" 644 file sha256:f2c82decdd7181cf98945929a62598db7e6b477e11f6e0eb0ae97020eff151ad
        ".guild-apply-chg_1/5.new" 644 file sha256:c8dc95cb96297c291366869b0a841897994a366f592ab17dbdaf3a197e2ff063
        ".guild-apply-chg_1/6.new" 0 link "n.txt"
        ".guild-apply-chg_1/7.new" 644 file sha256:a4fb621495a0122493b2203591c448903c472e306a1ede54fabad829e01075c0
        ".guild-apply-chg_1/8.new" 700 directory
        ".guild-apply-chg_1/9.new" 700 directory
        "a.txt" 644 file sha256:b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060
        "b.txt" 644 file sha256:fcbc800db3f1867000b852f1ce0044b8f1584f76ade1ed6e65189824f95c3cda
        "d" 755 directory
        "d/c.txt" 644 file sha256:ae9a6306a205417afddd14316cc1d0d5e04a98f1be10865dce643925ee070ce2
        "d/e" 755 directory
        "d/e/f.txt" 644 file sha256:673953e0ad7fc53247f4feadc2c2d4506396840d1f8796526f48d47333ac7652
        "l" 0 link "a.txt"
        "n.txt" 644 file sha256:2dfdb699a62141d6c14e70441624c1c6b0011c3c4671b1dc25f3042a6bbee5b6
    "#]].assert_eq(&world.snapshot("source"));
    assert_eq!(kept, source.join(".guild-apply-chg_1"));

    // It stays so until the person has made room; then everything is as it was, and nothing is applied after all.
    assert!(matches!(world.apply(), Err(ApplyError::Disturbed { .. })));
    fs::remove_file(source.join("b.txt")).unwrap();
    fs::remove_file(source.join("n.txt")).unwrap();
    let recoveries = world.store.recover(&mut |_| {}).unwrap();
    assert!(matches!(recoveries[..], [ref recovery] if matches!(recovery.outcome, Ok(Recovered::Back))));
    expect![[r#"
        "a.txt" 644 file sha256:b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060
        "b.txt" 644 file sha256:f2c82decdd7181cf98945929a62598db7e6b477e11f6e0eb0ae97020eff151ad
        "d" 755 directory
        "d/c.txt" 644 file sha256:ae9a6306a205417afddd14316cc1d0d5e04a98f1be10865dce643925ee070ce2
        "d/e" 755 directory
        "d/e/f.txt" 644 file sha256:673953e0ad7fc53247f4feadc2c2d4506396840d1f8796526f48d47333ac7652
        "l" 0 link "a.txt"
    "#]]
    .assert_eq(&world.snapshot("source"));
}

#[test]
fn a_set_that_cannot_be_put_back_can_be_dropped_without_losing_what_was_kept() {
    let world = World::new("//- /a.txt\nalpha\n//- /b.txt\nbeta\n", Way::Root);
    world.save_run("rm a.txt; echo 2 >> b.txt");
    let source = world.source();
    let result = world.store.apply(&world.id, &mut |taken| {
        if taken == Progress::Moved && !source.join("a.txt").exists() {
            fs::write(source.join("a.txt"), "mine\n").unwrap();
            fs::write(source.join("b.txt"), "mine too\n").unwrap();
        }
    });
    assert!(matches!(result, Err(ApplyError::Disturbed { .. })), "{result:?}");
    world.store.discard(&world.id).unwrap();
    assert!(world.store.list().unwrap().sets.is_empty());
    expect![[r#"
        ".guild-apply-chg_1" 700 directory
        ".guild-apply-chg_1/0.old" 644 file sha256:b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060
        ".guild-apply-chg_1/1.new" 644 file sha256:878712ffc1b0036d7fac2b9e9ea015577d0fd431f33ae68fbf96e48c19c2194e
        "a.txt" 644 file sha256:fcbc800db3f1867000b852f1ce0044b8f1584f76ade1ed6e65189824f95c3cda
        "b.txt" 644 file sha256:2dfdb699a62141d6c14e70441624c1c6b0011c3c4671b1dc25f3042a6bbee5b6
    "#]].assert_eq(&world.snapshot("source"));
}

#[test]
fn what_somebody_did_to_something_new_is_not_lost_when_it_is_moved_back() {
    let world = World::new("//- /z.txt\nomega\n", Way::Root);
    world.save_run("echo n > n.txt; mkdir -p x; echo 2 >> z.txt");
    let source = world.source();
    let result = world.store.apply(&world.id, &mut |taken| {
        if taken == Progress::Moved && source.join("x").exists() {
            fs::write(source.join("n.txt"), "edited\n").unwrap();
            fs::write(source.join("x/mine"), "mine\n").unwrap();
            fs::write(source.join("z.txt"), "in the way\n").unwrap();
        }
    });
    let Err(ApplyError::Disturbed { paths, .. }) = result else { panic!("{result:?}") };
    expect![[r#"["n.txt", "x"]"#]].assert_eq(&format!("{paths:?}"));
    let read = |path: &str| fs::read_to_string(source.join(path)).unwrap();
    assert_eq!((read("n.txt"), read("x/mine")), ("edited\n".to_owned(), "mine\n".to_owned()));
}

#[test]
fn a_directory_in_the_place_where_a_set_is_prepared_is_not_taken_for_our_own() {
    let world = World::new("//- /.guild-apply-chg_1/mine\nmine\n", Way::Root);
    world.save_run("echo n > n.txt");
    let before = world.snapshot("source");
    assert!(matches!(world.apply(), Err(ApplyError::Io { .. })));
    assert!(world.store.recover(&mut |_| {}).unwrap().is_empty());
    assert_eq!(world.snapshot("source"), before);
}

#[test]
fn nobody_recovers_what_is_being_applied() {
    let world = World::new(FILES, Way::Root);
    world.save_run(SCRIPT);
    world
        .store
        .apply(&world.id, &mut |step| {
            let recoveries = world.store.recover(&mut |_| {}).unwrap();
            assert!(recoveries.is_empty(), "{step:?}: {recoveries:?}");
        })
        .unwrap();
    assert_eq!(world.snapshot("source"), world.snapshot("merged"));
}
