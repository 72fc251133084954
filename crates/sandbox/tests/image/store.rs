//! The store: names, finding, removing, tidying up, and several at once.

use std::time::Duration;

use expect_test::expect;
use guild_sandbox::image::{Limits, Reaped, RemoveError, Store};

use crate::World;
use guild_testkit::image::{oci, pack, tar};

fn two() -> World {
    let world = World::new();
    world.import_as(&world.write("b.tar", &tar("b = 1")), Some("docker.io/library/b:latest"), None).unwrap();
    world.import_as(&world.write("a.tar", &tar("a = 1")), Some("a"), None).unwrap();
    world
}

#[test]
fn images_are_listed_by_name() {
    let names: Vec<String> =
        two().store.list().unwrap().iter().map(|image| image.names[0].name.clone()).collect();
    assert_eq!(names, ["a", "docker.io/library/b:latest"]);
    assert_eq!(World::new().store.list().unwrap(), []);
}

#[test]
fn an_image_is_found_by_name_digest_or_the_beginning_of_one() {
    let world = two();
    let image = world.store.find("b").unwrap();
    let digest = image.digest.to_string();
    let hex = image.digest.hex();
    for name in
        ["docker.io/library/b:latest", "b:latest", "library/b", &digest, &hex, &hex[..6], &digest[..15]]
    {
        assert_eq!(world.store.find(name).unwrap().digest, image.digest, "{name}");
    }
    let told = |name: &str| world.store.find(name).unwrap_err().to_string();
    expect!["there is no image `c`"].assert_eq(&told("c"));
    expect!["there is no image `be4ba`"].assert_eq(&told(&hex[..5]));
    expect!["there is no image `../../etc`"].assert_eq(&told("../../etc"));
}

#[test]
fn a_name_moves_to_what_was_imported_last() {
    let world = two();
    let old = world.store.find("a").unwrap().digest;
    let new = world.import_as(&world.write("c.tar", &tar("c = 1")), Some("a"), None).unwrap().digest;
    assert_eq!(world.store.find("a").unwrap().digest, new);
    // The other one stays, without a name, until it is removed.
    let nameless = world.store.list().unwrap().pop().unwrap();
    assert_eq!((nameless.digest, nameless.names.len()), (old, 0));
}

#[test]
fn the_last_name_takes_the_image_with_it() {
    let world = two();
    let path = world.path("a.tar");
    world.import_as(&path, Some("second"), None).unwrap();
    let removed = world.store.remove("a").unwrap();
    assert_eq!((removed.names, removed.left), (vec!["a".to_owned()], vec!["second".to_owned()]));
    let digest = world.store.find("second").unwrap().digest;
    assert!(world.store.remove("second").unwrap().left.is_empty());
    assert!(!world.store.root_of(&digest).exists());
    assert_eq!(world.residue(), "");
    expect!["there is no image `second`"].assert_eq(&world.store.remove("second").unwrap_err().to_string());
}

#[test]
fn a_digest_takes_all_names_with_it() {
    let world = two();
    let image = world.import_as(&world.path("a.tar"), Some("second"), None).unwrap();
    let removed = world.store.remove(&image.digest.to_string()).unwrap();
    assert_eq!(removed.names, ["a", "second"]);
    assert_eq!(world.store.list().unwrap().len(), 1);
}

#[test]
fn nothing_is_removed_from_under_a_container() {
    let world = two();
    let digest = world.store.find("a").unwrap().digest;
    let holds = [world.store.hold(&digest).unwrap().unwrap(), world.store.hold(&digest).unwrap().unwrap()];
    let error = world.store.remove("a").unwrap_err();
    assert!(matches!(error, RemoveError::InUse { .. }), "{error}");
    assert!(world.store.find("a").is_ok());
    drop(holds);
    world.store.remove("a").unwrap();
    assert!(world.store.hold(&digest).unwrap().is_none());
}

#[test]
fn what_was_changed_in_the_store_is_noticed() {
    let world = two();
    let image = world.store.find("a").unwrap();
    assert!(world.store.verify(&image).unwrap());
    std::fs::write(world.store.root_of(&image.digest).join("a"), "2\n").unwrap();
    assert!(!world.store.verify(&image).unwrap());
}

#[test]
fn what_others_left_unfinished_is_tidied_away_and_what_they_make_is_not() {
    let world = two();
    let images = world.path("images");
    // As a process leaves it that was killed: a directory with the lock that nobody holds any more.
    world.write("images/tmp/AbCdEf/root/file", b"half");
    world.write("images/tmp/AbCdEf.lock", b"");
    world.write("images/tmp/orphan/root/file", b"half");
    world.write("images/blobs/00.part", b"half");
    let held = std::fs::File::create(images.join("tmp/mine.lock")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    world.write("images/tmp/mine/root/file", b"half");
    let digest = world.store.find("a").unwrap().digest;
    std::fs::remove_dir_all(images.join("trees").join(digest.hex())).unwrap();

    let now = world.path("images/blobs/00.part").metadata().unwrap().modified().unwrap();
    let reaped = world.store.reap(now).unwrap();
    assert_eq!(reaped, Reaped { unfinished: 2, blobs: 0, names: 1 });
    assert_eq!(world.residue().split(' ').count(), 3, "{}", world.residue());
    let later = now + Duration::from_secs(8 * 24 * 60 * 60);
    assert_eq!(world.store.reap(later).unwrap(), Reaped { unfinished: 0, blobs: 1, names: 0 });
    drop(held);
    assert_eq!(world.store.reap(later).unwrap(), Reaped { unfinished: 1, blobs: 0, names: 0 });
    assert_eq!(world.residue(), "");
    assert_eq!(world.store.list().unwrap().len(), 1);
    assert_eq!(World::new().store.reap(now).unwrap(), Reaped::default());
}

#[test]
fn several_may_import_one_image_at_once() {
    let world = World::new();
    let sources = [
        world.write("oci.tar", &pack(&oci(&["a = 1\nb/c = 2", "d = 3"]).files)),
        world.write("plain.tar", &tar("a = 1\nb/c = 2\nd = 3")),
    ];
    std::thread::scope(|scope| {
        for index in 0..8 {
            let (world, sources) = (&world, &sources);
            scope.spawn(move || {
                let name = format!("name-{index}");
                let image = world.import_as(&sources[index % 2], Some(&name), None).unwrap();
                assert!(world.store.verify(&image).unwrap());
            });
        }
    });
    let images = world.store.list().unwrap();
    assert_eq!(images.iter().map(|image| image.names.len()).collect::<Vec<_>>(), [4, 4]);
    assert_eq!(world.residue(), "");
}

#[test]
fn a_store_of_a_later_release_is_left_alone() {
    let world = two();
    let record = world.path("images/names.json");
    let text = std::fs::read_to_string(&record).unwrap().replace("\"version\": 1", "\"version\": 2");
    std::fs::write(&record, &text).unwrap();
    let error = world.store.list().unwrap_err().to_string();
    assert!(error.ends_with("names.json is of version 2, which this release does not know"), "{error}");
    assert!(world.import(&world.path("a.tar")).is_err());
    assert_eq!(std::fs::read_to_string(&record).unwrap(), text);
}

#[test]
fn a_damaged_record_is_made_anew() {
    let world = two();
    let image = world.store.find("a").unwrap();
    std::fs::write(world.path("images/trees").join(image.digest.hex()).join("image.json"), "{").unwrap();
    assert!(world.store.list().is_err());
    assert_eq!(world.import(&world.path("a.tar")).unwrap().digest, image.digest);
    assert_eq!(world.store.list().unwrap().len(), 2);
}

#[test]
fn nobody_else_may_enter_the_store() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = two();
    assert_eq!(world.path("images").metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_store_that_cannot_be_made_is_told() {
    let world = World::new();
    world.write("images", b"a file is in the way");
    let store = Store::new(world.path("images"), Limits::default());
    assert!(store.list().is_err());
    assert!(world.import(&world.write("a.tar", &tar("a = 1"))).is_err());
}
