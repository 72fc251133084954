//! Root file systems in the engines' own stores.

use std::fs;

use expect_test::expect;
use guild_sandbox::{Backend, Policy, Root};

use crate::world::{block_on, policy, shell, shown, with_both};

with_both! {
    fn a_root_is_imported_once_and_can_be_forgotten(world) {
        let root = world.path("root");
        let policy = Policy { root: tiny(&root, world.path("root").to_str().unwrap()), ..policy() };
        assert_eq!(shown(&world.shell(&policy, "cat /etc/motto")), "0 \"first\\n\" \"\"");
        // What is imported is not read again: its name is its content.
        fs::write(root.join("etc/motto"), "second\n").unwrap();
        assert_eq!(shown(&world.shell(&policy, "cat /etc/motto")), "0 \"first\\n\" \"\"");
        let Root::Directory { digest, .. } = &policy.root else { panic!("a directory") };
        assert!(block_on(world.engine.forget_root(digest)).unwrap());
        assert_eq!(shown(&world.shell(&policy, "cat /etc/motto")), "0 \"second\\n\" \"\"");
        assert!(block_on(world.engine.forget_root(digest)).unwrap());
        assert!(!block_on(world.engine.forget_root(digest)).unwrap());
    }

    fn two_launches_at_once_import_a_root_once(world) {
        let policy = Policy { root: tiny(&world.path("root"), world.path("twice").to_str().unwrap()), ..policy() };
        block_on(async {
            let command = shell("cat /etc/motto");
            let (one, two) = tokio::join!(
                world.engine.launch(&policy, &command),
                world.engine.launch(&policy, &command)
            );
            let (one, two) = tokio::join!(one.unwrap().wait(), two.unwrap().wait());
            assert_eq!([shown(&one.unwrap()), shown(&two.unwrap())], ["0 \"first\\n\" \"\""; 2]);
            let Root::Directory { digest, .. } = &policy.root else { panic!("a directory") };
            world.engine.forget_root(digest).await.unwrap();
        });
    }

    fn the_hosts_own_programs_are_mounted_and_nothing_of_its_people(world) {
        let policy = Policy { root: Root::Host, ..policy() };
        let outcome = world.shell(&policy, "cat /etc/passwd; ls -d /home /root /etc/shadow /var; echo x > /usr/x; python3 -c 'print(1)'");
        expect![[r#"0 "guild:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n1\n" "ls: cannot access '/home': No such file or directory\nls: cannot access '/root': No such file or directory\nls: cannot access '/etc/shadow': No such file or directory\nls: cannot access '/var': No such file or directory\nsh: 1: cannot create /usr/x: Read-only file system\n""#]]
            .assert_eq(&shown(&outcome));
    }

    fn a_root_that_is_not_there_is_refused(world) {
        let mut policy = policy();
        policy.root = Root::Directory { path: world.path("absent"), digest: format!("sha256:{}", "0".repeat(64)) };
        let error = world.try_run(&policy, &shell("true")).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot mount {}", world.path("absent").display()));
    }
}

/// A root of the guest's programs and a motto, under a digest that no other test uses.
fn tiny(root: &std::path::Path, unique: &str) -> Root {
    let Root::Directory { path: guest, .. } = policy().root else { panic!("a directory") };
    fs::create_dir(root).unwrap();
    for name in ["usr/bin", "etc"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["lib", "lib64", "bin"] {
        std::os::unix::fs::symlink(fs::read_link(guest.join(name)).unwrap(), root.join(name)).unwrap();
    }
    for name in ["sh", "cat"] {
        fs::copy(guest.join("usr/bin").join(name), root.join("usr/bin").join(name)).unwrap();
    }
    copy_libraries(&guest.join("usr"), &root.join("usr"));
    fs::write(root.join("etc/motto"), "first\n").unwrap();
    let number = unique.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Root::Directory { path: root.to_owned(), digest: format!("sha256:{number:064x}") }
}

/// The C library and its loader, wherever the machine has them.
fn copy_libraries(from: &std::path::Path, to: &std::path::Path) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && (name.starts_with("lib") || name.contains("linux-gnu")) {
            fs::create_dir_all(to.join(&name)).unwrap();
            copy_libraries(&path, &to.join(&name));
        } else if name.starts_with("libc.so") || name.starts_with("ld-") {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}
