//! Hostile archives, one test each: nothing outside the tree is touched, and of a refused image nothing is left.

use expect_test::{Expect, expect};
use guild_sandbox::image::{Digest, Limits};
use serde_json::json;

use crate::{World, xz};
use guild_testkit::image::{bytes_of, docker, gzip, oci, oci_of, pack, tar, zstd};

/// Unpacks layers, given as text, and shows the tree or the refusal. What lies beside the store must not change.
#[track_caller]
fn check(layers: &[&str], expect: &Expect) {
    check_with(Limits::default(), layers, expect);
}

#[track_caller]
fn check_with(limits: Limits, layers: &[&str], expect: &Expect) {
    let world = World::with_limits(limits);
    let victim = world.write("victim", b"untouched");
    let archive = world.write("made.tar", &pack(&oci(layers).files));
    let shown = world.shown(world.import(&archive));
    assert_eq!(std::fs::read(&victim).unwrap(), b"untouched");
    assert_eq!(std::fs::read_dir(world.directory.path()).unwrap().count(), 3, "something new lies outside");
    expect.assert_eq(&shown);
}

/// Imports the bytes of a file.
#[track_caller]
fn check_file(bytes: &[u8], expect: &Expect) {
    let world = World::new();
    let archive = world.write("made.tar", bytes);
    expect.assert_eq(&world.shown(world.import(&archive)));
}

#[test]
fn a_path_upwards_is_refused() {
    check(
        &["../victim = owned"],
        &expect![[r#"
        Unsafe: the image holds `../victim`, which leads upwards
    "#]],
    );
    check(
        &["a/../../../victim = owned"],
        &expect![[r#"
        Unsafe: the image holds `a/../../../victim`, which leads upwards
    "#]],
    );
}

#[test]
fn an_absolute_path_lies_beneath_the_root() {
    check(
        &["/etc/guild-was-here = owned"],
        &expect![[r#"
        etc/ 755
        etc/guild-was-here 644 = owned
    "#]],
    );
    assert!(!std::path::Path::new("/etc/guild-was-here").exists());
}

#[test]
fn a_link_out_is_kept_but_nothing_is_written_through_it() {
    check(
        &["out -> ../../../..\nout/victim = owned"],
        &expect![[r#"
        Unsafe: the image holds `out/victim`, which leads through the link `out`
    "#]],
    );
    check(
        &["out -> /tmp", "out/victim = owned"],
        &expect![[r#"
        Unsafe: the image holds `out/victim`, which leads through the link `out`
    "#]],
    );
    check(
        &["out -> /tmp\nout/deep/er/ "],
        &expect![[r#"
        Unsafe: the image holds `out/deep/er`, which leads through the link `out`
    "#]],
    );
    check(
        &["a/\nout -> a\nout/file = owned"],
        &expect![[r#"
        Unsafe: the image holds `out/file`, which leads through the link `out`
    "#]],
    );
}

#[test]
fn a_link_out_is_replaced_and_not_followed() {
    check(
        &["victim -> ../../../../victim", "victim = mine"],
        &expect![[r#"
        victim 644 = mine
    "#]],
    );
    check(
        &["out -> /etc", "out/\nout/passwd = mine"],
        &expect![[r#"
        out/ 755
        out/passwd 644 = mine
    "#]],
    );
}

#[test]
fn a_second_name_of_a_file_outside_is_refused() {
    check(
        &["mine => ../../../../victim"],
        &expect![[r#"
        Unsafe: the image holds `../../../../victim`, which leads upwards
    "#]],
    );
    check(
        &["mine => /etc/passwd"],
        &expect![[r#"
        Invalid: mine cannot be used: it is a link to `etc/passwd`, which is no file
    "#]],
    );
    check(
        &["out -> /etc\nmine => out/passwd"],
        &expect![[r#"
        Unsafe: the image holds `out/passwd`, which leads through the link `out`
    "#]],
    );
}

#[test]
fn a_second_name_of_a_link_out_is_that_link() {
    check(
        &["out -> /etc/passwd\nmine => out\nfile = x"],
        &expect![[r#"
        file 644 = x
        mine -> /etc/passwd
        out -> /etc/passwd
    "#]],
    );
}

#[test]
fn devices_and_pipes_are_left_out() {
    check(
        &["dev/\ndev/null char\ndev/sda block\npipe fifo\nfile = x"],
        &expect![[r#"
        dev/ 755
        file 644 = x
    "#]],
    );
}

#[test]
fn set_id_bits_are_not_kept_and_owner_only_files_become_readable() {
    check(
        &["bin/su x setid = su\nbin/ setid\netc/shadow = secret"],
        &expect![[r#"
        bin/ 755
        bin/su 755 = su
        etc/ 755
        etc/shadow 644 = secret
    "#]],
    );
}

#[test]
fn only_what_is_in_the_tree_is_taken_away() {
    check(
        &["a = 1", ".wh..."],
        &expect![[r#"
        Unsafe: the image holds `.wh...`, which takes away what is not its own to take
    "#]],
    );
    check(
        &["a = 1", "../.wh.victim"],
        &expect![[r#"
        Unsafe: the image holds `../.wh.victim`, which leads upwards
    "#]],
    );
    check(
        &["out -> ../../../..", "out/.wh.victim"],
        &expect![[r#"
        Unsafe: the image holds `out/victim`, which leads through the link `out`
    "#]],
    );
    check(
        &["out -> ../../../..", "out/.wh..wh..opq"],
        &expect![[r#"
        Unsafe: the image holds `out`, which leads through the link `out`
    "#]],
    );
}

#[test]
fn a_link_that_is_taken_away_takes_nothing_with_it() {
    check(
        &["a = 1\nout -> ../../../..", ".wh.out"],
        &expect![[r#"
        a 644 = 1
    "#]],
    );
}

#[test]
fn too_many_bytes_are_refused_before_they_are_written() {
    let limits = Limits { bytes: 10_000, ..Limits::default() };
    check_with(
        limits,
        &["a 6000", "b 6000"],
        &expect![[r#"
        TooLarge: the image has more than 10000 bytes
    "#]],
    );
}

#[test]
fn bytes_that_a_later_layer_replaces_count() {
    let limits = Limits { bytes: 10_000, ..Limits::default() };
    check_with(
        limits,
        &["a 6000", "a 6000"],
        &expect![[r#"
        TooLarge: the image has more than 10000 bytes
    "#]],
    );
}

#[test]
fn too_many_entries_are_refused() {
    let limits = Limits { entries: 10, ..Limits::default() };
    let many: String = (0..11).map(|index| format!("f{index}\n")).collect();
    check_with(
        limits,
        &[&many],
        &expect![[r#"
        TooLarge: the image has more than 10 entries
    "#]],
    );
    // Entries of one name count each time.
    check_with(
        limits,
        &[&"f\n".repeat(11)],
        &expect![[r#"
        TooLarge: the image has more than 10 entries
    "#]],
    );
}

#[test]
fn directories_that_no_entry_is_of_count_too() {
    let limits = Limits { entries: 50, ..Limits::default() };
    let deep = |number: usize| format!("{number}/{}f\n", "d/".repeat(30));
    let world = World::with_limits(limits);
    let archive = world.write("made.tar", &tar(&deep(1)));
    assert_eq!(world.import(&archive).unwrap().entries, 32);
    check_with(
        limits,
        &[&(deep(1) + &deep(2))],
        &expect![[r#"
            TooLarge: the image has more than 50 entries
        "#]],
    );
}

#[test]
fn long_names_do_not_fill_the_memory() {
    let limits = Limits { entries: 20, ..Limits::default() };
    for kind in ["", ".wh."] {
        let mut archive = tar::Builder::new(Vec::new());
        for number in 0..19 {
            let mut header = tar::Header::new_gnu();
            header.set_size(0);
            let path = format!("{kind}{}{number}", "n".repeat(200));
            archive.append_data(&mut header, path, std::io::empty()).unwrap();
        }
        let world = World::with_limits(limits);
        let archive = world.write("made.tar", &archive.into_inner().unwrap());
        let shown = world.shown(world.import(&archive));
        assert_eq!(shown, "TooLarge: the image has more than 3200 bytes of names\n", "{kind}");
    }
}

#[test]
fn long_names_of_an_archives_members_are_refused() {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    archive.append_data(&mut header.clone(), "oci-layout", std::io::empty()).unwrap();
    archive.append_data(&mut header.clone(), "n/".repeat(3000), std::io::empty()).unwrap();
    check_file(
        &archive.into_inner().unwrap(),
        &expect![[r#"
        Invalid: [DIR]/made.tar cannot be used: `n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/n/…` has too long a name
    "#]],
    );
}

#[test]
fn taking_the_same_away_again_and_again_is_done_once() {
    let files: String = (0..3000).map(|number| format!("d/{number}\n")).collect();
    let layer = files + &"d/.wh..wh..opq\n.wh.d\n".repeat(3000);
    let world = World::new();
    let archive = world.write("made.tar", &tar(&layer));
    assert_eq!(world.import(&archive).unwrap().entries, 3001);
}

#[test]
fn what_unpacks_to_many_times_its_size_is_refused() {
    let limits = Limits { ratio: 20, ratio_free: 10_000, ..Limits::default() };
    for compress in [gzip, zstd, xz] {
        let world = World::with_limits(limits);
        let archive = world.write("bomb.tar", &compress(&tar("zeros 300000")));
        let shown = world.shown(world.import(&archive));
        assert_eq!(shown, "Bomb: the image unpacks to more than 20 times its size\n");
    }
}

#[test]
fn a_name_that_is_longer_than_memory_is_refused() {
    // A header that announces a long name of 2 GiB, of which 1.5 MiB follow.
    let mut header = tar::Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..13].copy_from_slice(b"././@LongLink");
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(2 << 30);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(3 << 19, b'a');
    check_file(
        &gzip(&bytes),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: an entry's header is too long
        "#]],
    );
    let mut parts = oci(&["a = 1"]).files;
    parts.push(("blobs/long".to_owned(), Vec::new()));
    check_file(
        &[pack(&parts)[..1024].to_vec(), bytes].concat(),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: an entry's header is too long
        "#]],
    );
}

#[test]
fn the_last_of_two_entries_of_one_name_counts() {
    check(
        &["a = first\na = second"],
        &expect![[r#"
        a 644 = second
    "#]],
    );
    check(
        &["a/\na/b = first\na = second"],
        &expect![[r#"
        a 644 = second
    "#]],
    );
    check(
        &["a = first\na/\na/b = second"],
        &expect![[r#"
        a/ 755
        a/b 644 = second
    "#]],
    );
}

#[test]
fn a_file_is_no_directory() {
    check(
        &["a = file\na/b = below"],
        &expect![[r#"
        Invalid: a/b cannot be used: `a` is no directory
    "#]],
    );
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    let mut parts = oci(&["a = 1"]).files;
    parts.push(("index.json".to_owned(), b"{}".to_vec()));
    check_file(
        &pack(&parts),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: `index.json` stands twice in it
        "#]],
    );
}

#[test]
fn a_layer_that_is_not_what_its_digest_says_is_refused() {
    let mut parts = oci(&["a = 1"]).files;
    let layer = tar("a = 2");
    assert_eq!(parts[1].1.len(), layer.len());
    parts[1].1 = layer;
    check_file(
        &pack(&parts),
        &expect![[r#"
        Mismatch: layer sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b has the digest sha256:d26fbfa86d6b0836873cf7f002844c3524aa96b91062679c4d927870617c2d7a and not sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b
    "#]],
    );
}

#[test]
fn a_manifest_or_configuration_that_is_not_what_its_digest_says_is_refused() {
    let spoilt = |index: usize| {
        let mut parts = oci(&["a = 1"]).files;
        let last = parts[index].1.len() - 1;
        parts[index].1[last] = b' ';
        pack(&parts)
    };
    check_file(
        &spoilt(2),
        &expect![[r#"
        Mismatch: the configuration has the digest sha256:3f7eb91ba6bf59147f623e6c063e762b6a68140f9d31fceb4e795dcb51a2fc43 and not sha256:a880c9b11b7a3afab56bf0e8a2e618695ad0dcd2edc97d91b9cd614a16a5ed7b
    "#]],
    );
    check_file(
        &spoilt(3),
        &expect![[r#"
        Mismatch: the manifest has the digest sha256:3fb2ecb18cad6be45576967dcb033cc2fbc2c275c87db2937882afdbaa3bc5e4 and not sha256:412efe740dac6bc3519ab47ba5dfdbdb6f0d862dd14538e61c439494381fdca1
    "#]],
    );
}

#[test]
fn a_layer_that_unpacks_to_something_else_than_the_configuration_says_is_refused() {
    let twist = json!({"config": {"rootfs": {"diff_ids": [Digest::of(b"other").to_string()]}}});
    check_file(
        &pack(&oci_of(&[tar("a = 1")], &twist).files),
        &expect![[r#"
            Mismatch: layer sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b, unpacked, has the digest sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b and not sha256:d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa
        "#]],
    );
}

#[test]
fn a_docker_archive_is_held_to_the_digests_of_its_configuration() {
    let mut files = docker(&["a = 1"]);
    files[0].1 = tar("a = 2");
    check_file(
        &pack(&files),
        &expect![[r#"
            Mismatch: layer sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b, unpacked, has the digest sha256:d26fbfa86d6b0836873cf7f002844c3524aa96b91062679c4d927870617c2d7a and not sha256:4efd30df54aa3ff7f739f169f2318ef77e14783e7c2d31b4d001fa3b2dc12f0b
        "#]],
    );
    let mut files = docker(&["a = 1"]);
    files[1].1.push(b' ');
    check_file(
        &pack(&files),
        &expect![[r#"
        Mismatch: the configuration has the digest sha256:b8e4ed5e63629496d9bf0cfbeac59ef6838e87a8102c9390a9364db946b4a4e4 and not sha256:a880c9b11b7a3afab56bf0e8a2e618695ad0dcd2edc97d91b9cd614a16a5ed7b
    "#]],
    );
    let mut files = docker(&["a = 1"]);
    let list = json!([{"Config": files[1].0, "Layers": []}]);
    files[2].1 = bytes_of(&list);
    check_file(
        &pack(&files),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: the image has 0 layers, and its configuration names 1
        "#]],
    );
}

#[test]
fn what_is_cut_short_is_refused_wherever_it_is_cut() {
    let whole = tar("a = 1\nb = 2\n");
    for end in [100, 512, 700, 1024, 1536, 2048] {
        let world = World::new();
        let shown = world.shown(world.import(&world.write("cut.tar", &whole[..end])));
        assert!(shown.starts_with("Invalid: "), "{end}: {shown}");
    }
    for compress in [gzip, zstd, xz] {
        let whole = compress(&whole);
        for end in [10, whole.len() / 2, whole.len() - 1] {
            let world = World::new();
            let shown = world.shown(world.import(&world.write("cut.tar", &whole[..end])));
            assert!(shown.starts_with("Invalid: "), "{end}: {shown}");
        }
    }
    let whole = pack(&oci(&["a = 1", "b = 2"]).files);
    for end in [600, 2000, whole.len() / 2, whole.len() - 2000] {
        let world = World::new();
        let shown = world.shown(world.import(&world.write("cut.tar", &whole[..end])));
        assert!(shown.starts_with("Invalid: "), "{end}: {shown}");
    }
}

#[test]
fn what_is_no_image_is_refused() {
    check_file(
        b"",
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: it holds no file
        "#]],
    );
    check_file(
        b"This is a text, and a long one, but no archive of anything.\n",
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: it is neither an archive nor a directory with an OCI layout
        "#]],
    );
    check_file(
        &tar(""),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: it holds no file
        "#]],
    );
    check_file(
        &vec![0x42; 100_000],
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: it is neither an archive nor a directory with an OCI layout
        "#]],
    );
    check_file(
        &pack(&[("manifest.json".to_owned(), b"{}".to_vec())]),
        &expect![[r#"
        Invalid: manifest.json cannot be used: invalid type: map, expected a sequence at line 1 column 0
    "#]],
    );
    check_file(
        &pack(&[("manifest.json".to_owned(), b"[]".to_vec())]),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: it holds no image
        "#]],
    );
    check_file(
        &pack(&[("index.json".to_owned(), b"{}".to_vec())]),
        &expect![[r#"
            Invalid: [DIR]/made.tar cannot be used: `manifest.json` is missing
        "#]],
    );
}

#[test]
fn a_directory_that_is_no_layout_is_refused() {
    let world = World::new();
    world.write("layout/readme", b"");
    let path = world.path("layout");
    let shown = world.shown(world.import(&path)).replace(path.to_str().unwrap(), "[LAYOUT]");
    expect![[r#"
        Invalid: [DIR]/layout cannot be used: the directory is no OCI layout: it has no `oci-layout` and `index.json`
    "#]].assert_eq(&shown);
}

#[test]
fn a_link_in_a_layout_is_not_followed() {
    let world = World::new();
    let secret = world.write("secret", b"{\"manifests\": []}");
    world.write("layout/oci-layout", b"{}");
    std::os::unix::fs::symlink(&secret, world.path("layout/index.json")).unwrap();
    let shown = world.shown(world.import(&world.path("layout")));
    assert!(shown.starts_with("Io: cannot read "), "{shown}");
}

#[test]
fn nesting_without_end_is_refused() {
    let mut files = Vec::new();
    files.push(("oci-layout".to_owned(), b"{}".to_vec()));
    let mut list = json!({"manifests": []});
    for _ in 0..10 {
        let index = "application/vnd.oci.image.index.v1+json";
        list = json!({"manifests": [guild_testkit::image::blob(&mut files, index, bytes_of(&list))]});
    }
    files.push(("index.json".to_owned(), bytes_of(&list)));
    check_file(
        &pack(&files),
        &expect![[r#"
        Unsupported: there is no image for linux/amd64 in it
    "#]],
    );
}
