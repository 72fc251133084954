//! Single contents by their digests.

use crate::world::World;
use guild_manifest::Digest;
use std::fs;
use std::path::Path;

#[test]
fn what_is_put_in_comes_out_under_its_digest() {
    let world = World::new("");
    let store = world.store();
    let digest = store.put(b"payload").unwrap();
    assert_eq!(digest, Digest::of(b"payload"));
    assert_eq!(store.put(b"payload").unwrap(), digest);
    assert_eq!((store.get(&digest).unwrap(), world.blob_count()), (b"payload".to_vec(), 1));
    assert_eq!(store.get(&store.put(b"").unwrap()).unwrap(), b"");
}

#[test]
fn what_a_run_has_printed_is_kept_apart_and_checked_when_it_is_read() {
    let world = World::new("");
    let store = world.store();
    let digest = store.put_log(b"printed").unwrap();
    assert_eq!(
        (store.put_log(b"printed").unwrap(), store.get_log(&digest).unwrap()),
        (digest, b"printed".to_vec())
    );
    // It is relied on by nobody, and so is nothing that anybody may rely on.
    assert!(store.get(&digest).is_err());
    let hex = digest.to_hex();
    let path = world.fixture.join("data/store/logs/sha256").join(&hex[..2]).join(&hex);
    fs::write(&path, b"pRinted").unwrap();
    assert!(store.get_log(&digest).unwrap_err().to_string().contains("is damaged"));
    fs::write(&path, b"short").unwrap();
    store.put_log(b"printed").unwrap();
    assert_eq!(store.get_log(&digest).unwrap(), b"printed");
}

#[test]
fn what_a_process_has_put_in_before_is_put_in_again_where_it_is_gone_or_cut_short() {
    let world = World::new("");
    let store = world.store().remembering();
    let digest = store.put(b"payload").unwrap();
    for damage in [
        |path: &Path| fs::remove_file(path).unwrap(),
        |path: &Path| {
            fs::remove_file(path).unwrap();
            fs::write(path, "pay").unwrap();
        },
    ] {
        assert_eq!(store.put(b"payload").unwrap(), digest);
        damage(&world.blob(&digest));
        assert_eq!(store.put(b"payload").unwrap(), digest);
        assert_eq!(store.get(&digest).unwrap(), b"payload");
    }
}

#[test]
fn what_was_never_put_in_is_missing() {
    let world = World::new("");
    let digest = Digest::of(b"never");
    let error = world.store().get(&digest).unwrap_err().to_string();
    assert_eq!(error, format!("the store has no content {digest}"));
}

#[test]
fn a_damaged_content_is_an_error_and_never_given_out() {
    let world = World::new("");
    let store = world.store();
    let digest = store.put(b"payload").unwrap();
    fs::remove_file(world.blob(&digest)).unwrap();
    fs::write(world.blob(&digest), b"pAyload").unwrap();
    let error = store.get(&digest).unwrap_err().to_string();
    assert_eq!(error, format!("the stored content {} is damaged", world.blob(&digest).display()));
}

#[test]
fn a_content_that_was_cut_short_is_written_again() {
    let world = World::new("");
    let store = world.store();
    let digest = store.put(b"payload").unwrap();
    fs::remove_file(world.blob(&digest)).unwrap();
    fs::write(world.blob(&digest), b"").unwrap();
    store.put(b"payload").unwrap();
    assert_eq!(store.get(&digest).unwrap(), b"payload");
}

#[test]
fn a_place_for_unfinished_things_that_somebody_removed_is_made_again() {
    let world = World::new("");
    world.store().put(b"one").unwrap();
    fs::remove_dir_all(world.fixture.join("data/store/tmp")).unwrap();
    world.store().put(b"two").unwrap();
    assert_eq!(world.blob_count(), 2);
}

#[test]
fn a_content_that_is_no_tree_is_not_taken_for_one() {
    let world = World::new("");
    let digest = world.store().put(b"{\"version\":1,\"files\":[],\"more\":0}").unwrap();
    let error = world.store().tree(&digest).unwrap_err().to_string();
    assert_eq!(error, format!("the content {digest} is no tree"));
}
