//! A real container writes to a copy-on-write mount; what it wrote is listed, and applied as its owner's.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, lchown};

use expect_test::expect;
use guild_sandbox::{Access, Backend as _, Command, Embedded, Mount, Policy, Surroundings};

use crate::world::{Way, World, render};

const FILES: &str = "
//- /a.txt
alpha
//- /private mode:600
secret
//- /d/b.txt
beta
//- /gone/deep/c.txt
gamma
//- /l link:a.txt
";

const SCRIPT: &str = "cd /workspace
    echo 2 >> a.txt; echo 2 >> private; rm -r gone; rm -r d; mkdir d; echo other > d/b.txt
    mkdir -p x/y; echo z > x/y/z; ln -sfn x l; chmod 700 x/y";

#[test]
fn what_a_container_wrote_is_applied_and_belongs_to_whom_the_source_belongs() {
    let world = World::new(FILES, Way::Root);
    for path in ["", "a.txt", "private", "d", "d/b.txt", "gone", "gone/deep", "gone/deep/c.txt", "l"] {
        lchown(world.source().join(path), Some(1001), Some(1002)).unwrap();
    }
    let before = world.snapshot("source");
    let layer = world.layer();
    let policy = Policy {
        mounts: vec![Mount {
            source: world.source(),
            target: "/workspace".into(),
            access: Access::CopyOnWrite { layer: layer.directory().to_owned() },
        }],
        ..Policy::default()
    };
    let command = Command::new("sh").args(["-euc", SCRIPT]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async {
        Embedded::new(&Surroundings::default()).launch(&policy, &command).await.unwrap().wait().await.unwrap()
    });
    assert!(outcome.success(), "{}", outcome.stderr.text());
    assert_eq!(world.snapshot("source"), before);

    let listing = world.list(&layer);
    expect![[r#"
        ~ a.txt: file 644, 6 bytes b6a9 → file 644, 8 bytes c8dc
        ~ d/b.txt: file 644, 5 bytes f2c8 → file 644, 6 bytes 7e4f
        - gone: directory 755
        - gone/deep: directory 755
        - gone/deep/c.txt: file 644, 6 bytes ae9a
        ~ l: link to "a.txt" → link to "x"
        ~ private: file 600, 7 bytes b37e → file 600, 9 bytes e518
        + x: directory 755
        + x/y: directory 700
        + x/y/z: file 644, 2 bytes c865
    "#]]
    .assert_eq(&render(&listing));
    drop(layer);
    world.save(listing);
    world.apply().unwrap();
    expect![[r#"
        "a.txt" 644 file sha256:c8dc95cb96297c291366869b0a841897994a366f592ab17dbdaf3a197e2ff063
        "d" 755 directory
        "d/b.txt" 644 file sha256:7e4fa2eb8c7ac089739d5defc4489fad68a100d92082ca35c6b40a4524821f87
        "l" 0 link "x"
        "private" 600 file sha256:e5181627bca9f2c32e3d22ac2adbb1e1e4a8c97b89bdb26f242d2fddd329938d
        "x" 755 directory
        "x/y" 700 directory
        "x/y/z" 644 file sha256:c865f6c5ab8d1b0bcd383a5e1e3879d22681c96bf462c269b7581d523fbe70ab
    "#]]
    .assert_eq(&world.snapshot("source"));
    for path in ["a.txt", "private", "d", "d/b.txt", "x", "x/y", "x/y/z", "l"] {
        let found = fs::symlink_metadata(world.source().join(path)).unwrap();
        assert_eq!((found.uid(), found.gid()), (1001, 1002), "{path}");
    }
}
