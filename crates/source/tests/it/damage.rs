//! Stored trees that somebody or something has changed: found before each use, and made again.

use crate::world::{World, listing};
use guild_source::store::{StageError, StoreError};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

const SKILL: &str = "
//- /skill/SKILL.md
text
//- /skill/lib/run.sh mode:755
run
";

#[track_caller]
fn check(damage: impl Fn(&Path)) {
    let world = World::new(SKILL);
    let staged = world.stage().unwrap();
    let whole = listing(&staged.root);
    damage(&staged.root);
    assert_eq!(world.stage().unwrap(), staged);
    assert_eq!(listing(&staged.root), whole);
    damage(&staged.root);
    assert_eq!(world.store().tree(&staged.digest).unwrap(), staged);
    assert_eq!(listing(&staged.root), whole);
    assert!(world.leftovers().is_empty(), "{:?}", world.leftovers());
}

fn rewrite(path: &Path, text: &str) {
    fs::remove_file(path).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o444)).unwrap();
}

#[test]
fn a_changed_file_is_found_and_the_tree_made_again() {
    check(|root| rewrite(&root.join("SKILL.md"), "texT\n"));
    check(|root| rewrite(&root.join("SKILL.md"), ""));
}

#[test]
fn a_file_too_many_or_too_few_is_found() {
    check(|root| fs::write(root.join("more"), "more").unwrap());
    check(|root| fs::remove_file(root.join("lib/run.sh")).unwrap());
    check(|root| fs::remove_dir_all(root).unwrap());
    check(|root| fs::create_dir(root.join("empty")).unwrap());
}

/// What a stranger's tree may have beside its files has no place in a stored one.
#[test]
fn directories_of_tools_and_links_are_found_too() {
    check(|root| {
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "planted").unwrap();
    });
    check(|root| {
        fs::create_dir(root.join("lib/__pycache__")).unwrap();
        fs::write(root.join("lib/__pycache__/run.pyc"), "planted").unwrap();
    });
    check(|root| {
        fs::rename(root.join("SKILL.md"), root.join("lib/other")).unwrap();
        symlink("lib/other", root.join("SKILL.md")).unwrap();
    });
}

#[test]
fn changed_modes_are_found() {
    let set = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    check(|root| set(&root.join("SKILL.md"), 0o555));
    check(|root| set(&root.join("lib/run.sh"), 0o4555));
    check(|root| set(&root.join("lib/run.sh"), 0o755));
    check(|root| set(&root.join("lib"), 0o700));
    check(|root| set(root, 0o700));
}

#[test]
fn a_tree_is_not_made_of_damaged_content() {
    let world = World::new(SKILL);
    let staged = world.stage().unwrap();
    let digest = staged.tree.file("SKILL.md").unwrap().digest;
    rewrite(&world.blob(&digest), "texT\n");
    // As long as the tree itself is whole nobody needs the content that it was made of.
    assert_eq!(world.stage().unwrap(), staged);
    rewrite(&staged.root.join("SKILL.md"), "TEXT\n");
    let error = world.stage().unwrap_err();
    assert!(matches!(error, StageError::Store(StoreError::Damaged { digest: found, .. }) if found == digest));
    fs::remove_file(world.blob(&digest)).unwrap();
    let error = world.store().tree(&staged.digest).unwrap_err();
    assert!(matches!(error, StoreError::Missing { digest: found } if found == digest));
    // The way out: what is damaged is removed, and staging brings it back.
    assert_eq!(world.stage().unwrap(), staged);
    assert_eq!(fs::read(staged.root.join("SKILL.md")).unwrap(), b"text\n");
}
