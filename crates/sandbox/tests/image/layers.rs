//! Several layers to one tree.

use expect_test::{Expect, expect};

use crate::World;
use guild_testkit::image::{oci, pack};

#[track_caller]
fn check(layers: &[&str], expect: &Expect) {
    let world = World::new();
    let archive = world.write("made.tar", &pack(&oci(layers).files));
    expect.assert_eq(&world.shown(world.import(&archive)));
}

#[test]
fn a_later_layer_adds_and_replaces() {
    check(
        &["etc/\netc/a = one\netc/b = one\nbin/sh x = sh", "etc/b = two\netc/c = two", "usr/bin/env x = env"],
        &expect![[r#"
            bin/ 755
            bin/sh 755 = sh
            etc/ 755
            etc/a 644 = one
            etc/b 644 = two
            etc/c 644 = two
            usr/ 755
            usr/bin/ 755
            usr/bin/env 755 = env
        "#]],
    );
}

#[test]
fn a_whiteout_takes_one_thing_away() {
    check(
        &["a/\na/b = 1\na/c = 1\nd = 1", "a/.wh.b\n.wh.d\n.wh.never-there"],
        &expect![[r#"
        a/ 755
        a/c 644 = 1
    "#]],
    );
}

#[test]
fn a_whiteout_takes_a_directory_away_with_all_in_it() {
    check(
        &["a/b/c/d = 1\na/b/e = 1\nf = 1", "a/.wh.b"],
        &expect![[r#"
        a/ 755
        f 644 = 1
    "#]],
    );
}

#[test]
fn an_opaque_directory_shows_only_its_own_layer() {
    check(
        &["a/b/old = 1\na/old = 1", "a/.wh..wh..opq\na/new = 2\na/b/new = 2"],
        &expect![[r#"
        a/ 755
        a/b/ 755
        a/b/new 644 = 2
        a/new 644 = 2
    "#]],
    );
    // Wherever the mark stands in its layer.
    check(
        &["a/b/old = 1\na/old = 1", "a/new = 2\na/b/new = 2\na/.wh..wh..opq"],
        &expect![[r#"
        a/ 755
        a/b/ 755
        a/b/new 644 = 2
        a/new 644 = 2
    "#]],
    );
}

#[test]
fn a_whiteout_spares_what_its_own_layer_made() {
    check(
        &["a = old\nb/old = 1", "a = new\n.wh.a\nb/new = 2\n.wh.b"],
        &expect![[r#"
        a 644 = new
        b/ 755
        b/new 644 = 2
    "#]],
    );
}

#[test]
fn notes_of_other_file_systems_are_no_files() {
    check(
        &["a = 1", ".wh..wh.plnk/ \n.wh..wh.aufs"],
        &expect![[r#"
        a 644 = 1
    "#]],
    );
}

#[test]
fn second_names_lead_to_files_of_lower_layers_too() {
    check(
        &["bin/busybox x = multi", "bin/sh => bin/busybox\nbin/ls => /bin/busybox"],
        &expect![[r#"
        bin/ 755
        bin/busybox 755 = multi
        bin/ls 755 = multi
        bin/sh 755 = multi
    "#]],
    );
}

#[test]
fn links_are_kept_as_they_are() {
    check(
        &["usr/lib/ \nlib -> usr/lib\nmtab -> /proc/mounts\nup -> ../../../x\nbroken -> nowhere"],
        &expect![[r#"
        broken -> nowhere
        lib -> usr/lib
        mtab -> /proc/mounts
        up -> ../../../x
        usr/ 755
        usr/lib/ 755
    "#]],
    );
}

#[test]
fn kinds_may_change_between_layers() {
    check(
        &["a/b = 1\nc = 1\nd -> a\ne -> a", "a = file\nc/\nc/x = 2\nd/\ne = file"],
        &expect![[r#"
            a 644 = file
            c/ 755
            c/x 644 = 2
            d/ 755
            e 644 = file
        "#]],
    );
}

#[test]
fn directories_that_nobody_mentions_are_made() {
    check(
        &["very/deep/down/file = x"],
        &expect![[r#"
        very/ 755
        very/deep/ 755
        very/deep/down/ 755
        very/deep/down/file 644 = x
    "#]],
    );
}

#[test]
fn an_empty_layer_changes_nothing() {
    check(
        &["a = 1", "", "b = 2"],
        &expect![[r#"
        a 644 = 1
        b 644 = 2
    "#]],
    );
}
