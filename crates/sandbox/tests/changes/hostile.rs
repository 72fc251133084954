//! What a command leaves behind to harm whoever lists, applies or removes it.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use guild_sandbox::changes::{ApplyError, Bounds, Layer, LayerError, ReadError};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, makedev, mknodat};

use crate::world::{Way, World, check_refused, inside, render, snapshot};

const FILES: &str = "
//- /a.txt
alpha
//- /d/b.txt
beta
//- /out link:../outside
";

/// An upper directory made by hand, as whoever escapes the kernel's rules could make it, is listed as expected and refused.
#[track_caller]
fn check_forged(forge: fn(&Path), expect: &Expect) {
    let world = World::new(FILES, Way::Root);
    let layer = world.layer();
    forge(&layer.upper());
    let listing = world.list(&layer);
    expect.assert_eq(&render(&listing));
    world.save(listing);
    let before = world.snapshot("source");
    assert!(matches!(world.apply(), Err(ApplyError::Refused { .. })));
    assert_eq!(world.snapshot("source"), before);
}

/// A layer that is too much to read is refused for this reason.
#[track_caller]
fn check_bounds(bounds: Bounds, forge: impl Fn(&Path), expect: &Expect) {
    let world = World::new(FILES, Way::Root);
    let layer = world.layer();
    forge(&layer.upper());
    let error = match layer.changes(&world.source(), bounds) {
        Err(LayerError::Written(error)) => error,
        other => panic!("{other:?}"),
    };
    expect.assert_eq(&error.to_string());
    layer.remove().unwrap();
}

#[test]
fn long_names_and_links_do_not_fill_the_memory_of_whoever_lists_them() {
    let bounds = Bounds { entries: 200, ..Bounds::default() };
    let deep = |upper: &Path| {
        let directory = upper.join(["d".repeat(200).as_str(); 10].join("/"));
        fs::create_dir_all(&directory).unwrap();
        directory
    };
    let names = |upper: &Path| {
        let directory = deep(upper);
        (0..20).for_each(|number| fs::write(directory.join(number.to_string()), "").unwrap());
    };
    let links = |upper: &Path| {
        let target = "t/".repeat(1500);
        (0..20).for_each(|number| symlink(&target, upper.join(number.to_string())).unwrap());
    };
    let refused = expect!["all paths and links together are longer than 32000 bytes"];
    check_bounds(bounds, names, &refused);
    check_bounds(bounds, links, &refused);
}

#[test]
fn links_out_are_refused_one_by_one() {
    check_refused(
        FILES,
        "ln -s /etc/passwd absolute; ln -s ../.. d/climbing; ln -s d/../../x around; ln -s out/x through; ln -sf .. a.txt",
        &expect![[r#"
            ~ a.txt: file 644, 6 bytes b6a9 → link to ".."
            + absolute: link to "/etc/passwd"
            + around: link to "d/../../x"
            + d/climbing: link to "../.."
            + through: link to "out/x"
            ! a.txt links to "..", which leads out of the directory
            ! absolute links to "/etc/passwd", which leads out of the directory
            ! around links to "d/../../x", which leads out of the directory
            ! d/climbing links to "../..", which leads out of the directory
            ! through links to "out/x", which leads out of the directory
        "#]],
    );
}

#[test]
fn a_link_that_leads_out_through_another_new_one_is_refused() {
    check_refused(
        FILES,
        "ln -s d/../.. e; ln -s e/x f; ln -s b.txt d/fine",
        &expect![[r#"
        + d/fine: link to "b.txt"
        + e: link to "d/../.."
        + f: link to "e/x"
        ! e links to "d/../..", which leads out of the directory
        ! f links to "e/x", which leads out of the directory
    "#]],
    );
}

#[test]
fn pipes_are_refused_and_not_waited_for() {
    check_refused(
        FILES,
        "mkfifo pipe; rm a.txt; mkfifo a.txt",
        &expect![[r#"
        ! a.txt is a named pipe
        ! pipe is a named pipe
    "#]],
    );
}

#[test]
fn sockets_are_refused() {
    check_refused(
        FILES,
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un(\"socket\")) or die'",
        &expect![[r#"
            ! socket is a socket
        "#]],
    );
}

#[test]
fn set_id_bits_are_refused() {
    check_refused(
        FILES,
        "echo x > suid; chmod 4755 suid; chmod 2755 d/b.txt; chmod 6700 a.txt",
        &expect![[r#"
            ~ a.txt: file 644, 6 bytes b6a9 → file 6700, 6 bytes b6a9
            ~ d/b.txt: file 644, 5 bytes f2c8 → file 2755, 5 bytes f2c8
            + suid: file 4755, 2 bytes 73cb
            ! a.txt has set-id bits (mode 6700)
            ! d/b.txt has set-id bits (mode 2755)
            ! suid has set-id bits (mode 4755)
        "#]],
    );
}

#[test]
fn names_that_applying_uses_for_itself_are_refused() {
    check_refused(
        FILES,
        "mkdir .guild-apply-chg_1; echo x > .guild-apply-chg_1/0.new",
        &expect![[r#"
        + .guild-apply-chg_1: directory 755
        + .guild-apply-chg_1/0.new: file 644, 2 bytes 73cb
        ! .guild-apply-chg_1 has a name that is reserved for applying changes
        ! .guild-apply-chg_1/0.new has a name that is reserved for applying changes
    "#]],
    );
}

#[test]
fn what_even_this_user_may_not_read_is_refused() {
    let listed = inside(Way::User, || {
        let world = World::new(FILES, Way::User);
        let listing =
            world.run("echo x > unreadable; mkdir shut shut/in; trap 'chmod 0 unreadable shut' EXIT");
        render(&listing)
    });
    expect![[r#"
        + shut: directory 0
        ! shut cannot be read
        ! unreadable cannot be read
    "#]]
    .assert_eq(&listed);
}

#[test]
fn devices_are_refused() {
    check_forged(
        |upper| {
            let device = |name: &str, kind, major, minor| {
                mknodat(CWD, upper.join(name), kind, Mode::RUSR, makedev(major, minor)).unwrap();
            };
            device("null", FileType::CharacterDevice, 1, 3);
            device("block", FileType::BlockDevice, 0, 0);
        },
        &expect![[r#"
            ! block is a device
            ! null is a device
        "#]],
    );
}

#[test]
fn content_that_is_said_to_be_elsewhere_is_refused() {
    check_forged(
        |upper| {
            fs::create_dir(upper.join("d")).unwrap();
            fs::write(upper.join("a.txt"), "").unwrap();
            let mark = |path: &str, name: &str| {
                rustix::fs::setxattr(upper.join(path), name, b"/etc", XattrFlags::empty()).unwrap();
            };
            mark("d", "user.overlay.redirect");
            mark("a.txt", "user.overlay.metacopy");
        },
        &expect![[r#"
            ! a.txt refers to another place of the layer
            ! d refers to another place of the layer
        "#]],
    );
}

#[test]
fn a_file_marked_as_a_whiteout_deletes() {
    let world = World::new(FILES, Way::Root);
    let layer = world.layer();
    for (name, path) in [("user.overlay.whiteout", "a.txt"), ("trusted.overlay.whiteout", "d")] {
        fs::write(layer.upper().join(path), "").unwrap();
        rustix::fs::setxattr(layer.upper().join(path), name, b"", XattrFlags::empty()).unwrap();
    }
    expect![[r#"
        - a.txt: file 644, 6 bytes b6a9
        - d: directory 755
        - d/b.txt: file 644, 5 bytes f2c8
    "#]]
    .assert_eq(&render(&world.list(&layer)));
}

#[test]
fn a_copy_has_no_whiteouts() {
    let world = World::new(FILES, Way::Copy);
    let layer = world.layer();
    fs::remove_file(layer.copy().join("a.txt")).unwrap();
    mknodat(CWD, layer.copy().join("a.txt"), FileType::CharacterDevice, Mode::empty(), 0).unwrap();
    expect![[r#"
        ! a.txt is a device
    "#]]
    .assert_eq(&render(&world.list(&layer)));
}

#[test]
fn more_entries_than_allowed_are_not_listed() {
    let forge = |upper: &Path| (0..20).for_each(|n| fs::write(upper.join(n.to_string()), "").unwrap());
    check_bounds(
        Bounds { entries: 19, ..Bounds::default() },
        forge,
        &expect!["there are more than 19 entries"],
    );
}

#[test]
fn a_vast_file_that_takes_no_room_is_not_read() {
    let forge = |upper: &Path| File::create(upper.join("vast")).unwrap().set_len(1 << 43).unwrap();
    check_bounds(Bounds::default(), forge, &expect!["there are more than 2147483648 bytes"]);
}

#[test]
fn many_files_together_are_not_more_than_allowed() {
    let forge = |upper: &Path| (0..3).for_each(|n| fs::write(upper.join(n.to_string()), [0; 100]).unwrap());
    check_bounds(
        Bounds { bytes: 299, ..Bounds::default() },
        forge,
        &expect!["there are more than 299 bytes"],
    );
}

#[test]
fn a_deletion_reads_no_more_of_the_source_than_allowed() {
    let forge = |upper: &Path| {
        mknodat(CWD, upper.join("d"), FileType::CharacterDevice, Mode::empty(), 0).unwrap();
    };
    check_bounds(Bounds { bytes: 4, ..Bounds::default() }, forge, &expect!["there are more than 4 bytes"]);
    check_bounds(
        Bounds { entries: 1, ..Bounds::default() },
        forge,
        &expect!["there are more than 1 entries"],
    );
}

#[test]
fn a_tree_that_is_deeper_than_any_path_is_not_listed_and_can_be_removed() {
    check_bounds(
        Bounds::default(),
        |upper| deepen(upper, 5000),
        &expect!["a path is longer than 4095 bytes"],
    );
}

#[test]
fn a_tree_is_removed_whatever_its_permissions_and_names_are() {
    inside(Way::User, || {
        let world = World::new(FILES, Way::User);
        let layer = world.layer();
        let upper = layer.upper();
        // The names that the removal itself would choose, taken by a file and by a full directory.
        for path in ["x/y/z", "x/1", "1/full", "3"] {
            fs::create_dir_all(upper.join(path)).unwrap();
        }
        fs::write(upper.join("2"), "").unwrap();
        symlink("/", upper.join("x/root")).unwrap();
        symlink(world.source(), upper.join("x/y/source")).unwrap();
        for path in ["x/y/z", "x/y", "x", "1"] {
            fs::set_permissions(upper.join(path), fs::Permissions::from_mode(0o000)).unwrap();
        }
        let before = world.snapshot("source");
        let directory = layer.directory().to_owned();
        layer.remove().unwrap();
        assert!(!directory.exists());
        assert_eq!(world.snapshot("source"), before);
    });
}

#[test]
fn a_directory_of_the_layer_swapped_for_a_link_after_the_listing_leads_nowhere() {
    let world = World::new(FILES, Way::Root);
    world.save_run("mkdir n; echo harmless > n/passwd");
    let swapped = world.store_path("layer/upper/n");
    fs::remove_dir_all(&swapped).unwrap();
    symlink("/etc", &swapped).unwrap();
    check_layer_changed(&world, "n/passwd");
}

#[test]
fn a_file_of_the_layer_changed_after_the_listing_is_not_applied() {
    let world = World::new(FILES, Way::Root);
    world.save_run("echo harmless > a.txt; echo other > b.txt");
    fs::write(world.store_path("layer/upper/a.txt"), "harmful!\n").unwrap();
    check_layer_changed(&world, "a.txt");
}

#[track_caller]
fn check_layer_changed(world: &World, expected: &str) {
    let before = world.snapshot("source");
    match world.apply() {
        Err(ApplyError::LayerChanged { path }) => assert_eq!(path, PathBuf::from(expected)),
        other => panic!("{other:?}"),
    }
    assert_eq!(world.snapshot("source"), before);
    assert!(!world.store_path("journal.json").exists());
}

#[test]
fn a_directory_of_the_source_swapped_for_a_link_leads_nowhere() {
    let world = World::new(FILES, Way::Root);
    world.save_run("echo new > d/new.txt; rm d/b.txt");
    let outside = world.fixture.join("outside");
    fs::rename(world.source().join("d"), &outside).unwrap();
    symlink(&outside, world.source().join("d")).unwrap();
    let before = snapshot(&outside);
    match world.apply() {
        Err(ApplyError::Conflict { conflicts }) => {
            let text: Vec<String> =
                conflicts.iter().map(|conflict| format!("{:?} {}", conflict.path, conflict.kind)).collect();
            expect![[r#"
                "d/b.txt" was deleted
                "d/new.txt" is in no directory any more"#]]
            .assert_eq(&text.join("\n"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(snapshot(&outside), before);
}

#[test]
fn the_source_itself_swapped_for_a_link_is_not_touched() {
    let world = World::new(FILES, Way::Root);
    world.save_run("echo new > new.txt");
    let outside = world.fixture.join("outside");
    fs::rename(world.source(), &outside).unwrap();
    symlink(&outside, world.source()).unwrap();
    let before = snapshot(&outside);
    assert!(matches!(world.apply(), Err(ApplyError::Io { .. })));
    assert_eq!(snapshot(&outside), before);
}

#[test]
fn a_layer_from_a_newer_program_is_refused() {
    let world = World::new(FILES, Way::Root);
    let directory = world.layer().directory().to_owned();
    fs::write(directory.join("layer.json"), r#"{"version":2,"form":"overlay"}"#).unwrap();
    match Layer::open(&directory) {
        Err(LayerError::Record { source, .. }) => {
            expect!["has version 2, and 1 is the newest known here"].assert_eq(&source.to_string());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_layer_is_made_in_an_empty_directory_alone() {
    let world = World::new(FILES, Way::Root);
    assert!(matches!(Layer::create(&world.source()), Err(LayerError::NotEmpty { .. })));
}

#[test]
fn a_copy_leaves_out_what_is_no_file_directory_or_link_and_stops_at_its_bounds() {
    let world = World::new(&format!("{FILES}//- /pipe kind:pipe\n"), Way::Copy);
    fs::set_permissions(world.source().join("a.txt"), fs::Permissions::from_mode(0o4755)).unwrap();
    let copy =
        |name: &str, bounds| Layer::copy_from(&world.fixture.join(name), &world.source(), bounds, None);
    let (layer, copied) = copy("copied", Bounds::default()).unwrap();
    assert_eq!(copied.entries, 4);
    expect![[r#"[("pipe", Fifo)]"#]].assert_eq(&format!("{:?}", copied.left_out));
    expect![[r#"
        "a.txt" 755 file sha256:b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060
        "d" 755 directory
        "d/b.txt" 644 file sha256:f2c82decdd7181cf98945929a62598db7e6b477e11f6e0eb0ae97020eff151ad
        "out" 0 link "../outside"
    "#]]
    .assert_eq(&snapshot(&layer.copy()));
    expect![""].assert_eq(&render(&world.list(&layer)));
    let bounds = Bounds { entries: 3, ..Bounds::default() };
    assert!(matches!(copy("small", bounds), Err(LayerError::Source(ReadError::TooMany { limit: 3 }))));
    let bounds = Bounds { bytes: 10, ..Bounds::default() };
    assert!(matches!(copy("light", bounds), Err(LayerError::Source(ReadError::TooLarge { limit: 10 }))));
}

/// Makes directories within each other, more than any path could name.
fn deepen(top: &Path, levels: usize) {
    let script = format!("$d = shift; chdir $d; for (1..{levels}) {{ mkdir 'deep'; chdir 'deep' or die }}");
    #[expect(clippy::disallowed_methods, reason = "this library has no directory of its own to stand in")]
    let status = std::process::Command::new("perl").args(["-e", &script]).arg(top).status().unwrap();
    assert!(status.success());
}
