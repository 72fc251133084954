//! A real image: Debian's static busybox, imported from an archive and run by the embedded runtime.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use guild_sandbox::image::{Kind, RoleRoot};

use crate::World;

/// An archive with busybox and a few of its names, as a person would make it.
fn archive(world: &World) -> std::path::PathBuf {
    let program = std::fs::read("/bin/busybox").unwrap();
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(program.len() as u64);
    // Root's own, and of no use to others: the store makes it readable.
    header.set_mode(0o700);
    builder.append_data(&mut header, "bin/busybox", &program[..]).unwrap();
    for (kind, name, target) in [
        (tar::EntryType::Link, "bin/sh", "bin/busybox"),
        (tar::EntryType::Symlink, "bin/cat", "busybox"),
        (tar::EntryType::Symlink, "usr/bin", "../bin"),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, name, target).unwrap();
    }
    let mut header = tar::Header::new_gnu();
    header.set_size(8);
    header.set_mode(0o400);
    builder.append_data(&mut header, "etc/motto", &b"be brief"[..]).unwrap();
    world.write("busybox.tar", &builder.into_inner().unwrap())
}

#[test]
fn busybox_is_imported_and_inspected() {
    let world = World::new();
    let image = world.import(&archive(&world)).unwrap();
    assert_eq!((image.kind, image.names[0].name.as_str()), (Kind::Content, "busybox"));
    assert_eq!((image.entries, image.skipped, image.layers.len()), (8, 0, 1));
    let program = std::fs::metadata("/bin/busybox").unwrap();
    // Two names of one file count twice, as they do for whoever copies the tree.
    assert_eq!(image.bytes, 2 * program.len() + 8);
    let root = world.store.root_of(&image.digest);
    assert_eq!(
        root.join("bin/busybox").metadata().unwrap().ino(),
        root.join("bin/sh").metadata().unwrap().ino()
    );
    assert!(world.store.verify(&image).unwrap());
    assert_eq!(world.store.find("busybox").unwrap(), image);
}

#[cfg(target_os = "linux")]
#[test]
fn busybox_runs_in_a_container_of_its_own() {
    use guild_sandbox::{Backend as _, Command, Embedded, Enforcement, Policy, Surroundings};

    let world = World::new();
    world.import(&archive(&world)).unwrap();
    let resolved = world.store.resolve(&RoleRoot::Image("busybox".to_owned()), Path::new("/")).unwrap();
    let mut policy = Policy { root: resolved.root.clone(), ..Policy::default() };
    policy.env.insert("PATH".to_owned(), "/bin".to_owned());
    // What limits can be enforced where this test runs is another test's business.
    policy.limits.enforcement = Enforcement::BestEffort;
    let script = "cat /etc/motto; echo; ls /; test -e /usr/bin/sh && ! test -e /usr/lib && echo nothing else";
    let command = Command::new("sh").args(["-c", script]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async {
        let child = Embedded::new(&Surroundings::default()).launch(&policy, &command).await.unwrap();
        child.wait().await.unwrap()
    });
    let said = (outcome.exit_code(), outcome.stdout.text().into_owned(), outcome.stderr.text().into_owned());
    assert_eq!(said.0, 0, "{said:?}");
    assert!(said.1.starts_with("be brief\n") && said.1.ends_with("nothing else\n"), "{said:?}");
}
