//! `gc`: what nothing refers to goes, and what is installed can be restored afterwards.

use super::{check, world_of_skills};
use crate::envelope;
use expect_test::expect;
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The digest of `hello` with a line's end.
const HELLO: &str = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

/// Lets everything below look as if it had lain there for ever.
fn age(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        }
        File::open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
    }
}

#[test]
fn what_nothing_refers_to_goes_and_what_is_installed_stays() {
    let (env, _repository) = world_of_skills();
    assert_eq!(env.guild(&["add", "acme/skills", "--all"]).code(), Some(0));
    let store = env.home().join(".local/share/guild/store");
    let shard = store.join("blobs/sha256").join(&HELLO[..2]);
    fs::create_dir_all(&shard).unwrap();
    fs::write(shard.join(HELLO), "hello\n").unwrap();
    check(
        &env,
        "guild gc --dry-run",
        &expect![[r#"
        $ guild gc --dry-run
        [stderr]
        0 objects would go, 0 B freed; 9 kept
    "#]],
    );
    age(&store);
    fs::remove_dir_all(env.project().join(".guild/skills/pdf")).unwrap();
    check(
        &env,
        "
        guild gc --dry-run
        guild gc --agent claude
        guild gc
        guild sync
        guild verify
        ",
        &expect![[r#"
            $ guild gc --dry-run
            [stderr]
            1 object would go, 6 B freed; 8 kept
            $ guild gc --agent claude
            [stderr]
            error[person_required]: agent `claude` cannot decide this; it takes a person
            [exit 3]
            $ guild gc
            [stderr]
            1 object removed, 6 B freed; 8 kept
            $ guild sync
            installed skill pdf (https://github.com/acme/skills at cacdd2bb6a9f)
            [stderr]
            1 restored, 2 as locked
            $ guild verify
            [stderr]
            3 verified
        "#]],
    );
}

#[test]
fn a_program_is_told_the_numbers() {
    let (env, _repository) = world_of_skills();
    assert_eq!(env.guild(&["add", "acme/skills", "--all"]).code(), Some(0));
    let data = envelope(&env.guild(&["gc", "--keep", "7d", "--json"]).stdout())["data"].take();
    assert_eq!((&data["dry_run"], &data["removed"], &data["freed"]), (&json!(false), &json!(0), &json!(0)));
    assert!(data["kept"].as_u64().unwrap() > 0 && data["since"].as_str().unwrap().ends_with('Z'));
    let data = envelope(&env.guild(&["gc", "--json"]).stdout())["data"].take();
    assert_eq!(data["since"], json!(null), "all receipts count");
}

#[test]
fn where_a_lock_cannot_be_read_nothing_goes() {
    let (env, _repository) = world_of_skills();
    assert_eq!(env.guild(&["add", "acme/skills", "--all"]).code(), Some(0));
    fs::remove_file(env.project().join("guild.lock")).unwrap();
    fs::create_dir(env.project().join("guild.lock")).unwrap();
    check(
        &env,
        "guild gc --dry-run",
        &expect![[r#"
        $ guild gc --dry-run
        [stderr]
        error[read_failed]: cannot read [ROOT]/project/guild.lock, so nothing is removed: Is a directory (os error 21)
        [exit 1]
    "#]],
    );
}
