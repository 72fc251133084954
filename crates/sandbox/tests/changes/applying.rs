//! What applying a set leaves: owners, groups, access lists, and nothing of its own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::thread;

use expect_test::expect;
use guild_sandbox::changes::{
    ApplyError, Bounds, ChangeSetId, ChangeStore, Listing, Owner, Progress, Status,
};
use rustix::fs::XattrFlags;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::world::{WAYS, Way, World, inside};

const FILES: &str = "
//- /a.txt
alpha
//- /b.txt
beta
//- /d/c.txt
gamma
//- /l link:a.txt
";

const SCRIPT: &str = "echo 2 >> a.txt; rm b.txt; echo n > d/n.txt; mkdir -p d/x; echo y > d/x/y; ln -sf d l
    rm d/c.txt; mkdir d/c.txt; chmod 700 d";

#[test]
fn a_set_is_applied_once_and_leaves_nothing_behind() {
    for &way in WAYS {
        inside(way, || {
            let world = World::new(FILES, way);
            world.save_run(SCRIPT);
            world.apply().unwrap();
            assert_eq!(world.snapshot("source"), world.snapshot("merged"));
            assert!(matches!(world.apply(), Err(ApplyError::AlreadyApplied { .. })));
            assert_eq!(world.store.load(&world.id).unwrap().status, Status::Applied);
            let left: Vec<_> =
                fs::read_dir(world.store_path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(left, ["set.json"]);
        });
    }
}

#[test]
fn each_step_is_told() {
    let world = World::new(FILES, Way::Root);
    world.save_run("echo 2 >> a.txt; rm b.txt; chmod 700 d");
    let mut steps = Vec::new();
    world.store.apply(&world.id, &mut |step| steps.push(step)).unwrap();
    expect!["[Checked, Announced, Opened, Staged, Journalled, Moved, Moved, Moved, Finished, Recorded, Cleaned, LayerRemoved]"].assert_eq(&format!("{steps:?}"));
}

#[test]
fn what_root_applies_belongs_to_whom_the_source_belongs() {
    let world = World::new(FILES, Way::Root);
    for (path, uid, gid) in [("a.txt", 1001, 2001), ("d", 1002, 2002), ("d/c.txt", 1003, 2003)] {
        chown(world.source().join(path), Some(uid), Some(gid)).unwrap();
    }
    world.save_run(
        "echo 2 >> a.txt; mkdir d/x; echo n > d/x/n; ln -s n d/x/l; rm d/c.txt; mkdir d/c.txt; echo n > d/c.txt/n
         echo top > top; chown -R 4711:4711 a.txt d top; chown -h 4711:4711 d/x/l",
    );
    world.apply().unwrap();
    let owners = ["a.txt", "d", "d/x", "d/x/n", "d/x/l", "d/c.txt", "d/c.txt/n", "top"].map(|path| {
        let found = fs::symlink_metadata(world.source().join(path)).unwrap();
        format!("{path} {}:{}\n", found.uid(), found.gid())
    });
    expect![[r#"
        a.txt 1001:2001
        d 1002:2002
        d/x 1002:2002
        d/x/n 1002:2002
        d/x/l 1002:2002
        d/c.txt 1003:2003
        d/c.txt/n 1003:2003
        top 0:0
    "#]]
    .assert_eq(&owners.concat());
}

#[test]
fn a_directory_gives_its_group_and_its_set_group_bit_to_what_is_new_in_it() {
    let world = World::new(FILES, Way::Root);
    chown(world.source().join("d"), None, Some(2002)).unwrap();
    fs::set_permissions(world.source().join("d"), fs::Permissions::from_mode(0o2775)).unwrap();
    world.save_run("mkdir -p d/x/y; echo n > d/x/y/n; chmod 700 d/x/y");
    world.apply().unwrap();
    assert_eq!(world.snapshot("source"), world.snapshot("merged"));
    let found = fs::metadata(world.source().join("d/x/y")).unwrap();
    assert_eq!((found.mode() & 0o7777, found.gid()), (0o2700, 2002));
}

#[test]
fn a_replaced_file_keeps_its_access_list() {
    const ACCESS_LIST: &str = "system.posix_acl_access";
    // Version 2; then owner rw, user 1000 rw, group r, mask rw, others nothing: tag, permissions and id of each.
    let mut list = vec![2, 0, 0, 0];
    for (tag, permissions, id) in
        [(1u16, 6u16, u32::MAX), (2, 6, 1000), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)]
    {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let world = World::new(FILES, Way::Root);
    let path = world.source().join("a.txt");
    rustix::fs::setxattr(&path, ACCESS_LIST, &list, XattrFlags::empty()).unwrap();
    world.save_run("echo 2 >> a.txt");
    world.apply().unwrap();
    let mut kept = vec![0; 1024];
    let length = rustix::fs::getxattr(&path, ACCESS_LIST, &mut kept).unwrap();
    kept.truncate(length);
    assert_eq!(kept, list);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
}

#[test]
fn a_directory_that_this_user_may_not_write_to_leaves_everything_as_it_was() {
    let world = inside(Way::User, || {
        let world = World::new(FILES, Way::User);
        world.save_run(SCRIPT);
        world
    });
    chown(world.source().join("d"), Some(0), Some(0)).unwrap();
    let before = world.snapshot("source");
    let path = inside(Way::User, || match world.apply() {
        Err(ApplyError::Undone { path, .. }) => path,
        other => panic!("{other:?}"),
    });
    expect!["d/c.txt"].assert_eq(&path.display().to_string());
    assert_eq!(world.snapshot("source"), before);
    assert!(!world.store_path("journal.json").exists());
}

#[test]
fn a_file_system_that_cannot_swap_names_is_applied_to_and_put_back_all_the_same() {
    const EXCHANGE: u64 = 2;
    check_without(&[EXCHANGE]);
}

#[test]
fn a_file_system_that_only_knows_plain_renames_is_applied_to_and_put_back_all_the_same() {
    const NO_REPLACE: u64 = 1;
    const EXCHANGE: u64 = 2;
    check_without(&[NO_REPLACE, EXCHANGE]);
}

/// Applies and undoes while the kernel knows none of these flags of a rename.
fn check_without(flags: &[u64]) {
    inside(Way::Root, || {
        let (applied, disturbed) = (World::new(FILES, Way::Root), World::new(FILES, Way::Root));
        applied.save_run(SCRIPT);
        disturbed.save_run(SCRIPT);
        let before = disturbed.snapshot("source");
        forget(flags);
        applied.apply().unwrap();
        assert_eq!(applied.snapshot("source"), applied.snapshot("merged"));
        // The last thing to be done is to close `d`, so this is in the way when everything else was done.
        let d = disturbed.source().join("d");
        let result = disturbed.store.apply(&disturbed.id, &mut |step| {
            if step == Progress::Journalled {
                fs::set_permissions(&d, fs::Permissions::from_mode(0o711)).unwrap();
            }
        });
        assert!(matches!(result, Err(ApplyError::Conflict { .. })), "{result:?}");
        fs::set_permissions(&d, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(disturbed.snapshot("source"), before);
    });
}

/// Has the kernel answer this thread that it does not know these flags of a rename.
fn forget(flags: &[u64]) {
    let rules = flags.iter().map(|&flag| {
        let condition = SeccompCondition::new(4, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, flag).unwrap();
        SeccompRule::new(vec![condition]).unwrap()
    });
    let filter = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_renameat2, rules.collect())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EINVAL.unsigned_abs()),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    seccompiler::apply_filter(&BpfProgram::try_from(filter.unwrap()).unwrap()).unwrap();
}

#[test]
fn sets_that_are_applied_at_once_are_applied_one_after_the_other() {
    let world = World::new("//- /shared\n0\n", Way::Root);
    let ids: Vec<ChangeSetId> = (1..=6).map(|n| format!("chg_{n}").try_into().unwrap()).collect();
    for (n, id) in ids.iter().enumerate() {
        let layer = world.store.begin(id).unwrap();
        // Half of them want the same file, the other half one of their own.
        let path = if n % 2 == 0 { "shared".to_owned() } else { format!("own{n}") };
        world.run_in(&layer, &format!("echo by {n} > {path}"));
        world.save_as(id, world.list(&layer));
    }
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = ids
            .iter()
            .map(|id| {
                let store = ChangeStore::open(&world.fixture.join("state")).unwrap();
                scope.spawn(move || store.apply(id, &mut |_| {}))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let applied = results.iter().filter(|result| result.is_ok()).count();
    let conflicts =
        results.iter().filter(|result| matches!(result, Err(ApplyError::Conflict { .. }))).count();
    assert_eq!((applied, conflicts), (4, 2), "{results:?}");
}

#[test]
fn a_set_of_many_files_is_applied() {
    let world = World::new(FILES, Way::Root);
    world.save_run("mkdir many; for n in $(seq 200); do echo $n > many/$n; done; rm -r d");
    world.apply().unwrap();
    assert_eq!(world.snapshot("source"), world.snapshot("merged"));
}

#[test]
fn a_copy_belongs_to_whom_the_caller_says() {
    let world = World::new(FILES, Way::Copy);
    let owner = Some(Owner { uid: 1234, gid: 4321 });
    let (layer, _) = world.store.begin_copy(&world.id, &world.source(), Bounds::default(), owner).unwrap();
    for path in ["", "a.txt", "d", "d/c.txt", "l"] {
        let found = fs::symlink_metadata(layer.copy().join(path)).unwrap();
        assert_eq!((found.uid(), found.gid()), (1234, 4321), "{path}");
    }
    assert_eq!(world.list(&layer), Listing::default());
}
