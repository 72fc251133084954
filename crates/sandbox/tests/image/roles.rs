//! Roles: what a launch is given, and by which digest it is known.

use std::path::Path;

use expect_test::expect;
use guild_sandbox::Root;
use guild_sandbox::image::{ResolveError, RoleRoot};

use crate::World;
use guild_testkit::image::tar;

#[test]
fn the_hosts_own_root_is_known_by_its_distribution() {
    let world = World::new();
    world.write("host/etc/os-release", b"ID=debian\nVERSION_ID=\"12\"\n");
    let resolve = || world.store.resolve(&RoleRoot::Host, &world.path("host")).unwrap();
    let one = resolve();
    assert_eq!(one.root, Root::Host);
    assert_eq!(one.identity, format!("debian 12 {}", std::env::consts::ARCH));
    // A package more, and it is still the same one; another release is not.
    world.write("host/usr/bin/new", b"");
    assert_eq!(resolve().digest, one.digest);
    world.write("host/etc/os-release", b"ID=debian\nVERSION_ID=\"13\"\n");
    assert_ne!(resolve().digest, one.digest);
}

#[test]
fn a_directory_is_known_by_what_is_in_it_whatever_its_times_say() {
    let world = World::new();
    let file = world.write("root/bin/tool", b"one");
    let times = file.metadata().unwrap().modified().unwrap();
    let role = RoleRoot::Directory(world.path("root"));
    let resolve = || world.store.resolve(&role, Path::new("/")).unwrap();
    let one = resolve();
    std::fs::write(&file, "two").unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(times).unwrap();
    let two = resolve();
    assert_ne!(one.digest, two.digest);
    std::fs::write(&file, "one").unwrap();
    assert_eq!(resolve().digest, one.digest);
    let path = world.path("root").canonicalize().unwrap();
    assert_eq!(two.root, Root::Directory { path, digest: two.digest.to_string() });
}

#[test]
fn a_directory_and_an_image_of_one_content_have_one_digest() {
    let world = World::new();
    let image = world.import(&world.write("a.tar", &tar("bin/tool x = tool\nlink -> bin"))).unwrap();
    let copy = RoleRoot::Directory(world.store.root_of(&image.digest));
    assert_eq!(world.store.resolve(&copy, Path::new("/")).unwrap().digest, image.digest);
}

#[test]
fn an_image_cannot_be_removed_while_it_is_used() {
    let world = World::new();
    let image = world.import(&world.write("a.tar", &tar("a = 1"))).unwrap();
    let resolved = world.store.resolve(&RoleRoot::Image("a".to_owned()), Path::new("/")).unwrap();
    assert_eq!(resolved.digest, image.digest);
    assert!(world.store.remove("a").is_err());
    drop(resolved);
    world.store.remove("a").unwrap();
}

#[test]
fn a_role_without_its_root_is_told() {
    let world = World::new();
    let told = |role: RoleRoot| {
        let error: ResolveError = world.store.resolve(&role, Path::new("/")).unwrap_err();
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{error}{cause}").replace(world.directory.path().to_str().unwrap(), "[DIR]")
    };
    expect!["there is no image `gone`"].assert_eq(&told(RoleRoot::Image("gone".to_owned())));
    expect!["cannot read [DIR]/gone: No such file or directory (os error 2)"]
        .assert_eq(&told(RoleRoot::Directory(world.path("gone"))));
    let file = world.write("file", b"");
    expect!["cannot read [DIR]/file: Not a directory (os error 20)"]
        .assert_eq(&told(RoleRoot::Directory(file)));
}
