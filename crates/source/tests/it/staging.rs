//! What is staged of a directory, a file or memory, and that it no longer depends on where it came from.

use crate::world::{World, listing};
use expect_test::expect;
use guild_manifest::Digest;
use guild_source::store::{Content, MemoryFile, Store};
use guild_testkit::Fixture;
use std::fs;

const SKILL: &str = "
//- /skill/SKILL.md mode:640
text
//- /skill/scripts/run.sh mode:700
echo run
//- /skill/scripts/deep/er/data.txt
data
//- /skill/empty/
//- /skill/.hidden
seen
//- /skill/.git/HEAD
not seen
//- /skill/scripts/.git/config
not seen
//- /skill/scripts/__pycache__/run.pyc
not seen
//- /skill/node_modules/left-pad/index.js
module
";

#[test]
fn every_file_is_there_read_only_and_nothing_else_is() {
    let world = World::new(SKILL);
    let staged = world.stage().unwrap();
    expect![[r#"
        0444 .hidden: seen
        0444 SKILL.md: text
        0755 node_modules/
        0755 node_modules/left-pad/
        0444 node_modules/left-pad/index.js: module
        0755 scripts/
        0755 scripts/deep/
        0755 scripts/deep/er/
        0444 scripts/deep/er/data.txt: data
        0555 scripts/run.sh: echo run
    "#]]
    .assert_eq(&listing(&staged.root));
    let paths: Vec<&str> = staged.tree.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".hidden",
            "SKILL.md",
            "node_modules/left-pad/index.js",
            "scripts/deep/er/data.txt",
            "scripts/run.sh"
        ]
    );
    assert_eq!(staged.tree.file("SKILL.md").unwrap().digest, Digest::of(b"text\n"));
    assert_eq!(staged.digest, staged.tree.digest());
}

#[test]
fn the_same_files_are_the_same_tree_and_are_written_once() {
    let world = World::new(SKILL);
    let first = world.stage().unwrap();
    let blobs = world.blob_count();
    assert_eq!(blobs, 6, "five files and the manifest of the tree");
    let modified = |path: &str| fs::metadata(first.root.join(path)).unwrap().modified().unwrap();
    let before = modified("SKILL.md");
    assert_eq!(world.stage().unwrap(), first);
    assert_eq!((world.blob_count(), modified("SKILL.md")), (blobs, before));
    assert_eq!(world.leftovers(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn one_run_sees_one_reading_and_the_next_run_what_has_changed() {
    let world = World::new(SKILL);
    for store in [world.store(), world.store().remembering()] {
        let skill = world.skill();
        let (before, run) = (Content::Directory(&skill), store.for_one_run());
        let first = run.stage(&before).unwrap();
        fs::write(skill.join("more"), "more").unwrap();
        assert_eq!(run.stage(&before).unwrap(), first);
        assert_eq!(run.tree(&first.digest).unwrap(), first);
        let next = store.for_one_run().stage(&before).unwrap();
        assert_ne!(next.digest, first.digest);
        fs::remove_file(skill.join("more")).unwrap();
    }
}

#[test]
fn whatever_changes_is_another_tree() {
    let changes = [
        ("a byte", "//- /skill/SKILL.md\ntexT\n"),
        ("a mode", "//- /skill/SKILL.md mode:740\ntext\n"),
        ("a new file", "//- /skill/more\n"),
        ("a hidden file", "//- /skill/.hidden\n"),
    ];
    let world = World::new(SKILL);
    let first = world.stage().unwrap();
    for (what, change) in changes {
        let world = World::new(SKILL);
        world.fixture.add(change);
        assert_ne!(world.stage().unwrap().digest, first.digest, "{what}");
    }
    fs::rename(world.skill().join("SKILL.md"), world.skill().join("skill.md")).unwrap();
    assert_ne!(world.stage().unwrap().digest, first.digest, "a name");
}

#[test]
fn what_is_staged_no_longer_depends_on_where_it_came_from() {
    let world = World::new(SKILL);
    let staged = world.stage().unwrap();
    fs::remove_dir_all(world.skill()).unwrap();
    let again = world.store().tree(&staged.digest).unwrap();
    assert_eq!(again, staged);
    assert_eq!(fs::read(again.root.join("SKILL.md")).unwrap(), b"text\n");
}

#[test]
fn one_file_is_a_tree_by_itself() {
    let world = World::new(
        "//- /skill/notes.md\nflat\n//- /skill/other.md\nother\n//- /skill/link.md link:notes.md\n",
    );
    let stage = |name: &str| world.store().stage(&Content::File(&world.skill().join(name)));
    expect!["0444 notes.md: flat\n"].assert_eq(&listing(&stage("notes.md").unwrap().root));
    // Whoever found it has judged where it leads.
    expect!["0444 link.md: flat\n"].assert_eq(&listing(&stage("link.md").unwrap().root));
    let error = stage("gone.md").unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.ends_with("skill/gone.md"), "{error}");
}

#[test]
fn what_a_program_carries_is_the_same_tree_as_on_disk() {
    let world = World::new("//- /skill/SKILL.md\ntext\n//- /skill/bin/run mode:755\nrun\n");
    let file = |path, bytes, executable| MemoryFile { path, bytes, executable };
    let files = [file("bin/run", b"run\n".as_slice(), true), file("SKILL.md", b"text\n", false)];
    let staged = world.store().stage(&Content::Memory(&files)).unwrap();
    assert_eq!(staged, world.stage().unwrap());
    let bad = [file("../escape", b"".as_slice(), false)];
    let error = world.store().stage(&Content::Memory(&bad)).unwrap_err();
    expect!["`../escape` is no path of a file in a tree"].assert_eq(&error.to_string());
    let twice = [file("a", b"1".as_slice(), false), file("a", b"2", false)];
    let error = world.store().stage(&Content::Memory(&twice)).unwrap_err();
    expect!["`a` is there twice"].assert_eq(&error.to_string());
}

#[test]
fn more_files_than_are_synced_one_by_one_are_kept_too() {
    let world = World::new("//- /skill/SKILL.md\ntext\n");
    for number in 0..100 {
        fs::write(world.skill().join(format!("{number}.txt")), number.to_string()).unwrap();
    }
    let staged = world.stage().unwrap();
    assert_eq!((staged.tree.files().len(), world.blob_count()), (101, 102));
    assert_eq!(world.stage().unwrap(), staged);
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let fixture = Fixture::write("//- /store/version\n2\n");
    let error = Store::open(fixture.join("store")).unwrap_err().to_string();
    expect!["the store is of version `2`, which this program does not know; see [ROOT]/store/version"]
        .assert_eq(&error.replace(fixture.path().to_str().unwrap(), "[ROOT]"));
    let world = World::new(SKILL);
    world.stage().unwrap();
    assert_eq!(fs::read_to_string(world.fixture.join("data/store/version")).unwrap(), "1\n");
}

#[test]
fn many_at_once_are_what_each_would_be_and_one_that_is_refused_is_named() {
    let mut files = SKILL.to_owned();
    for number in 0..12 {
        files.push_str(&format!("//- /many/{number}/SKILL.md\nnumber {number}\n"));
    }
    let world = World::new(&files);
    let places: Vec<_> = (0..12).map(|number| world.fixture.join(format!("many/{number}"))).collect();
    let contents: Vec<Content<'_>> = places.iter().map(|place| Content::Directory(place)).collect();
    let all = world.store().keep_all(&contents).unwrap();
    let single: Vec<_> = contents.iter().map(|content| world.store().keep(content).unwrap()).collect();
    assert_eq!(all, single);
    assert!(all.iter().all(|kept| kept.is_exact));
    assert_eq!(listing(&world.store().tree(&all[7].digest).unwrap().root), "0444 SKILL.md: number 7\n");
    std::os::unix::fs::symlink("/etc/passwd", places[5].join("out")).unwrap();
    let (at, error) = world.store().keep_all(&contents).unwrap_err();
    assert_eq!(at, 5, "{error}");
    assert_eq!(world.leftovers(), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn what_is_read_ahead_is_had_at_once_and_in_the_store_after_the_wait() {
    let files: String =
        (0..12).map(|number| format!("//- /many/{number}/SKILL.md\nnumber {number}\n")).collect();
    let world = World::new(&files);
    let places: Vec<_> = (0..12).map(|number| world.fixture.join(format!("many/{number}"))).collect();
    let contents: Vec<Content<'_>> = places.iter().map(|place| Content::Directory(place)).collect();
    let store = world.store();
    let (kept, mut keeping) = store.keep_all_ahead(&contents).unwrap();
    let digest = kept[7].tree.files()[0].digest;
    assert_eq!(store.get(&digest).unwrap(), b"number 7\n");
    keeping.wait().unwrap();
    drop(keeping);
    assert_eq!(store.get(&digest).unwrap(), b"number 7\n");
    assert_eq!(world.store().kept(&kept[7].digest).unwrap().tree, kept[7].tree);
    assert_eq!(world.leftovers(), [""; 0].map(std::path::PathBuf::from));
}

/// Of two that have read the same at once the one that is done first does not take it from the other.
#[test]
fn what_could_not_be_written_is_told_by_the_wait_and_is_gone_with_the_last() {
    let files: String =
        (0..12).map(|number| format!("//- /many/{number}/SKILL.md\nnumber {number}\n")).collect();
    let world = World::new(&files);
    let places: Vec<_> = (0..12).map(|number| world.fixture.join(format!("many/{number}"))).collect();
    let contents: Vec<Content<'_>> = places.iter().map(|place| Content::Directory(place)).collect();
    // A file is where packs would lie.
    fs::create_dir_all(world.fixture.join("data/store")).unwrap();
    fs::write(world.fixture.join("data/store/packs"), "").unwrap();
    let store = world.store();
    let (kept, mut keeping) = store.keep_all_ahead(&contents).unwrap();
    let (_, mut another) = store.keep_all_ahead(&contents).unwrap();
    assert!(keeping.wait().is_err() && another.wait().is_err());
    drop(keeping);
    let digest = kept[7].tree.files()[0].digest;
    assert_eq!(store.get(&digest).unwrap(), b"number 7\n");
    drop(another);
    assert!(store.get(&digest).is_err());
}

#[test]
fn what_a_killed_one_left_goes_even_where_nothing_is_new() {
    let world = World::new(SKILL);
    world.stage().unwrap();
    fs::create_dir(world.fixture.join("data/store/tmp/new-left")).unwrap();
    world.stage().unwrap();
    assert_eq!(world.leftovers().len(), 0);
}
