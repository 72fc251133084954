//! Several that stage at once, and somebody who rewrites a skill while it is staged.

use crate::world::World;
use guild_manifest::Digest;
use guild_source::store::{StageError, Stored};
use guild_testkit::rounds;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

const SKILL: &str = "
//- /skill/SKILL.md
text
//- /skill/lib/run.sh mode:755
run
";

/// That what lies in a tree is what its manifest says.
#[track_caller]
fn is_whole(staged: &Stored) {
    for file in staged.tree.files() {
        let bytes = fs::read(staged.root.join(&file.path)).unwrap();
        assert_eq!(Digest::of(&bytes), file.digest, "{}", file.path);
    }
}

#[test]
fn many_that_stage_one_skill_get_one_tree() {
    for _ in 0..rounds() {
        let world = World::new(SKILL);
        let staged: Vec<Stored> = std::thread::scope(|scope| {
            let stagers: Vec<_> = (0..4).map(|_| scope.spawn(|| world.stage().unwrap())).collect();
            stagers.into_iter().map(|stager| stager.join().unwrap()).collect()
        });
        is_whole(&staged[0]);
        assert!(staged.iter().all(|other| *other == staged[0]));
        assert!(world.leftovers().is_empty(), "{:?}", world.leftovers());
    }
}

/// A tree that somebody is using stays the very one it was, whoever else finds that it should be made.
#[test]
fn a_whole_tree_is_never_replaced() {
    use std::os::unix::fs::MetadataExt as _;
    let world = World::new(SKILL);
    let staged = world.stage().unwrap();
    let inode = || fs::metadata(&staged.root).unwrap().ino();
    for _ in 0..rounds() {
        fs::remove_file(staged.root.join("SKILL.md")).unwrap();
        let seen: Vec<u64> = std::thread::scope(|scope| {
            let stage = || {
                world.stage().unwrap();
                inode()
            };
            let stagers: Vec<_> = (0..4).map(|_| scope.spawn(stage)).collect();
            stagers.into_iter().map(|stager| stager.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|seen| *seen == inode()), "{seen:?}");
        is_whole(&staged);
    }
}

/// Whoever tidied up once let go of the lock before it removed what it took for a dead one's.
#[test]
fn nobody_loses_a_place_that_was_just_made_to_one_who_tidies_up() {
    let world = World::new("");
    let store = world.store();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..rounds() * 4 {
                    store.put(format!("{thread} {number}").as_bytes()).unwrap();
                }
            });
        }
    });
    assert_eq!(world.blob_count() as u64, rounds() * 16);
}

#[test]
fn what_is_staged_while_it_is_rewritten_is_one_reading_of_it() {
    let world = World::new(SKILL);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let skill = world.skill();
            for number in 0.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                fs::write(skill.join("SKILL.md"), format!("text {number}")).unwrap();
                fs::write(skill.join("new"), "x".repeat(number % 5000)).unwrap();
                fs::rename(skill.join("new"), skill.join("lib/run.sh")).unwrap();
                fs::create_dir_all(skill.join("more")).unwrap();
                fs::write(skill.join("more/file"), "more").unwrap();
                fs::remove_dir_all(skill.join("more")).unwrap();
            }
        });
        let mut staged = 0;
        while staged < rounds() {
            match world.stage() {
                Ok(stored) => {
                    is_whole(&stored);
                    staged += 1;
                }
                // Whoever removes a directory while it is listed may be told so.
                Err(StageError::Read { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(world.leftovers().is_empty(), "{:?}", world.leftovers());
}
