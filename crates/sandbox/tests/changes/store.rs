//! What a state directory keeps, and what it forgets.

use std::fs::{self, File};

use expect_test::{expect, expect_file};
use guild_sandbox::changes::{ChangeSetId, StoreError};
use rustix::fs::FlockOperation;

use crate::world::{Way, World};

const FILES: &str = "
//- /a.txt
alpha
//- /d/b.txt
beta
";

fn id(text: &str) -> ChangeSetId {
    text.to_owned().try_into().unwrap()
}

/// A world with a saved set.
fn saved() -> World {
    let world = World::new(FILES, Way::Root);
    world.save_run("echo 2 >> a.txt; rm -r d; ln -s a.txt l; printf x > \"$(printf '\\377')\"; mkfifo pipe");
    world
}

#[test]
fn a_set_is_kept_as_json_with_a_version() {
    let world = saved();
    let text = fs::read_to_string(world.store_path("set.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let text = serde_json::to_string_pretty(&json).unwrap();
    let root = world.fixture.path().to_str().unwrap();
    expect_file!["../../test_data/change_set.json"].assert_eq(&text.replace(root, "…"));
    let set = world.store.load(&world.id).unwrap();
    assert_eq!(set.changes.len(), 5);
    assert_eq!(world.store.list().unwrap().sets, [set]);
}

#[test]
fn one_damaged_set_does_not_hide_the_others() {
    let world = saved();
    let damaged = [
        ("chg_2", "{"),
        ("chg_3", r#"{"version": 2}"#),
        ("chg_4", &fs::read_to_string(world.store_path("set.json")).unwrap()),
    ];
    for (name, text) in damaged {
        let directory = world.fixture.join("state").join(name);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("set.json"), text).unwrap();
    }
    let saved = world.store.list().unwrap();
    assert_eq!(saved.sets.iter().map(|set| set.id.as_str()).collect::<Vec<_>>(), ["chg_1"]);
    let errors: Vec<String> = saved.unusable.iter().map(ToString::to_string).collect();
    expect![[r#"
        the record of change set `chg_2` cannot be used
        the record of change set `chg_3` cannot be used
        the record of change set `chg_4` contradicts itself"#]]
    .assert_eq(&errors.join("\n"));

    // What nobody can read can be dropped; what a newer program keeps cannot.
    world.store.discard(&id("chg_2")).unwrap();
    world.store.discard(&id("chg_4")).unwrap();
    world.store.discard(&id("chg_3")).unwrap_err();
    assert_eq!(world.store.list().unwrap().unusable.len(), 1);
}

#[test]
fn a_set_whose_paths_leave_its_source_is_refused() {
    let world = saved();
    let text = fs::read_to_string(world.store_path("set.json")).unwrap();
    for path in ["/a.txt", "../a.txt", "d/../../a.txt", "", "."] {
        let text = text.replacen(r#""path":"a.txt""#, &format!(r#""path":"{path}""#), 1);
        fs::write(world.store_path("set.json"), text).unwrap();
        assert!(matches!(world.store.load(&world.id), Err(StoreError::Unsound { .. })), "{path}");
    }
}

#[test]
fn a_dropped_set_is_gone_with_its_layer_and_the_source_is_as_it_was() {
    let world = saved();
    let before = world.snapshot("source");
    world.store.discard(&world.id).unwrap();
    assert_eq!(world.snapshot("source"), before);
    assert_eq!(
        world.snapshot("state"),
        "\"lock\" 600 file sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
    );
    assert!(matches!(world.store.load(&world.id), Err(StoreError::Unknown { .. })));
}

#[test]
fn a_set_is_dropped_even_if_its_layer_is_gone() {
    let world = saved();
    fs::rename(world.store_path("layer"), world.fixture.join("elsewhere")).unwrap();
    world.store.discard(&world.id).unwrap();
}

#[test]
fn layers_that_nobody_holds_and_that_became_no_set_are_removed() {
    let world = saved();
    let held = world.store.begin(&id("chg_2")).unwrap();
    drop(world.store.begin(&id("chg_3")).unwrap());
    fs::create_dir(world.fixture.join("state/chg_4")).unwrap();
    assert!(world.store.recover(&mut |_| {}).unwrap().is_empty());
    let left = || {
        let mut names: Vec<String> = fs::read_dir(world.fixture.join("state"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(left(), ["chg_1", "chg_2", "lock"]);
    drop(held);
    world.store.recover(&mut |_| {}).unwrap();
    assert_eq!(left(), ["chg_1", "lock"]);
}

#[test]
fn nobody_recovers_while_another_is_at_work() {
    let world = saved();
    drop(world.store.begin(&id("chg_2")).unwrap());
    let lock = File::open(world.fixture.join("state/lock")).unwrap();
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).unwrap();
    assert!(world.store.recover(&mut |_| {}).unwrap().is_empty());
    assert!(world.fixture.join("state/chg_2").exists());
}
