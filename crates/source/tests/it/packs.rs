//! Many trees at once: their blobs lie in one file, and are read, checked and found from there as any other.

use crate::world::World;
use expect_test::expect;
use guild_manifest::Digest;
use guild_source::lock::{Kind, Lock};
use guild_source::site::{Change, Ours, Site, Trust};
use guild_source::store::{Content, Kept, StoreError};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A world with this many skills, and where they lie.
fn many(count: usize) -> (World, Vec<PathBuf>) {
    let skill = |number| {
        format!("//- /many/{number}/SKILL.md\nnumber {number}\n//- /many/{number}/a/b.txt\nall the same\n")
    };
    let world = World::new(&(0..count).map(skill).collect::<String>());
    let places = (0..count).map(|number| world.fixture.join(format!("many/{number}"))).collect();
    (world, places)
}

fn keep(world: &World, places: &[PathBuf]) -> Vec<Kept> {
    let contents: Vec<Content<'_>> = places.iter().map(|place| Content::Directory(place)).collect();
    world.store().keep_all(&contents).unwrap()
}

/// The packs of a world.
fn packs(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.fixture.join("data/store/packs")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A file of the first tree that no other has.
fn own(kept: &[Kept]) -> Digest {
    kept.first().unwrap().tree.file("SKILL.md").unwrap().digest
}

#[test]
fn many_trees_are_one_file_that_everybody_reads() {
    let (world, places) = many(10);
    let kept = keep(&world, &places);
    assert_eq!((packs(&world).len(), world.blob_count()), (1, 0));
    let other = world.store();
    assert_eq!(other.get(&own(&kept)).unwrap(), b"number 0\n");
    assert_eq!(other.tree(&kept[3].digest).unwrap().tree, kept[3].tree);
    assert_eq!(other.kept(&kept[4].digest).unwrap().tree, kept[4].tree);
    // What is in a pack is written nowhere else.
    keep(&world, &places);
    world.store().stage(&Content::Directory(&places[5])).unwrap();
    assert_eq!((packs(&world).len(), world.blob_count(), world.leftovers().len()), (1, 0, 0));
}

#[test]
fn a_store_that_was_open_before_a_pack_came_finds_what_is_in_it() {
    let (world, places) = many(10);
    let early = world.store();
    early.put(b"something").unwrap();
    let kept = keep(&world, &places);
    assert_eq!(early.get(&own(&kept)).unwrap(), b"number 0\n");
}

#[test]
fn a_changed_byte_in_a_pack_is_found_and_a_broken_pack_is_none() {
    let (world, places) = many(10);
    let kept = keep(&world, &places);
    let pack = packs(&world).pop().unwrap();
    let whole = fs::read(&pack).unwrap();
    let at = whole.windows(8).position(|window| window == b"number 0").unwrap();
    let mut changed = whole.clone();
    changed[at] = b'N';
    fs::remove_file(&pack).unwrap();
    fs::write(&pack, changed).unwrap();
    let error = world.store().get(&own(&kept)).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(world.store().kept(&kept[0].digest).is_err());
    assert!(world.store().kept(&kept[1].digest).is_ok());
    for broken in [&whole[..whole.len() - 1], &whole[1..], b"", &whole[..30]] {
        fs::write(&pack, broken).unwrap();
        let error = world.store().get(&own(&kept)).unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    }
    // Whoever has the files brings them again.
    keep(&world, &places);
    assert_eq!(world.store().get(&own(&kept)).unwrap(), b"number 0\n");
}

#[test]
fn only_a_directory_that_holds_the_files_and_nothing_else_is_exact() {
    let (world, places) = many(9);
    symlink("SKILL.md", places[1].join("link.md")).unwrap();
    fs::create_dir(places[2].join("empty")).unwrap();
    fs::create_dir(places[3].join(".git")).unwrap();
    let exact: Vec<bool> = keep(&world, &places).iter().map(|kept| kept.is_exact).collect();
    expect!["[true, false, false, false, true, true, true, true, true]"].assert_eq(&format!("{exact:?}"));
}

#[test]
fn a_directory_of_ours_is_moved_to_its_place_and_one_that_is_gone_is_written() {
    let (world, places) = many(9);
    let kept = keep(&world, &places);
    let project = world.fixture.join("p");
    fs::create_dir(&project).unwrap();
    let lock = project.join("guild.lock");
    let site = Site::new(project.join(".guild"), lock, world.fixture.join("journal"), Trust::Stranger);
    fs::remove_dir_all(&places[1]).unwrap();
    let change = |name, at: usize| Change::Place {
        kind: Kind::Skill,
        name,
        tree: &kept[at].tree,
        from: Some(Ours { path: &places[at], top: &places[at] }),
    };
    let changes = [change("moved", 0), change("written", 1)];
    site.hold().unwrap().apply(&world.store(), &changes, &Lock::default()).unwrap();
    assert!(!places[0].exists());
    for (name, at) in [("moved", 0), ("written", 1)] {
        let there = guild_source::store::scan(&project.join(".guild/skills").join(name)).unwrap();
        assert_eq!(there, kept[at].tree, "{name}");
    }
}
