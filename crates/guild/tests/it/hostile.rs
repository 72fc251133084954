//! Archives that were made to do harm: each is refused with its code, and leaves nothing behind.

use crate::envelope;
use crate::installing::{assert_nothing_is_left, tree, world};
use guild_testkit::Env;
use std::fs;
use std::io::Write as _;
use tar::{Builder, EntryType, Header};

const SKILL: &[u8] =
    b"---\nname: x\ndescription: Does it\n---\n\nDo what has to be done here, and say what you have done.\n";

/// A tar file that begins well.
pub fn archive(fill: impl FnOnce(&mut Builder<Vec<u8>>)) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    append(&mut builder, b"x/SKILL.md", EntryType::Regular, 0o644, SKILL);
    fill(&mut builder);
    builder.into_inner().unwrap()
}

/// An entry whose name is taken as it is.
pub fn append(builder: &mut Builder<Vec<u8>>, name: &[u8], kind: EntryType, mode: u32, content: &[u8]) {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(content.len() as u64);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

fn link(builder: &mut Builder<Vec<u8>>, kind: EntryType, name: &[u8], target: &[u8]) {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.as_mut_bytes()[157..157 + target.len()].copy_from_slice(target);
    header.set_entry_type(kind);
    header.set_mode(0o777);
    header.set_size(0);
    header.set_cksum();
    builder.append(&header, &[][..]).unwrap();
}

#[track_caller]
fn check_in(env: &Env, bytes: &[u8], code: &str) {
    fs::write(env.project().join("bad.tar"), bytes).unwrap();
    let output = env.guild(&["add", "./bad.tar", "--json"]);
    let said = envelope(&output.stdout());
    assert_eq!(said["code"], code, "{output}");
    assert_eq!(tree(env, "project"), "bad.tar", "something was installed");
    assert_nothing_is_left(env);
}

#[track_caller]
fn check(code: &str, fill: impl FnOnce(&mut Builder<Vec<u8>>)) {
    check_in(&world(), &archive(fill), code);
}

#[test]
fn paths_that_lead_out() {
    for name in [b"../evil".as_slice(), b"x/../../evil", b"/tmp/evil", b"x\\..\\..\\evil", b"C:/evil"] {
        check("unsafe_path", |builder| append(builder, name, EntryType::Regular, 0o644, b"evil"));
    }
    assert!(!fs::exists("/tmp/evil").unwrap());
}

#[test]
fn links_that_lead_out() {
    for target in [b"/etc/passwd".as_slice(), b"../../evil", b"a/../../../evil"] {
        check("unsafe_link", |builder| link(builder, EntryType::Symlink, b"x/link", target));
    }
}

#[test]
fn files_through_links() {
    check("name_collision", |builder| {
        link(builder, EntryType::Symlink, b"x/dir", b".");
        append(builder, b"x/dir/evil", EntryType::Regular, 0o644, b"evil");
    });
}

#[test]
fn names_that_are_one_on_some_file_systems() {
    let names = ["x/skill.md", "x/SKILL.md", "X/other", "x/SKILL.md/below"];
    for name in names {
        check("name_collision", |builder| {
            append(builder, name.as_bytes(), EntryType::Regular, 0o644, b"other");
        });
    }
    check("name_collision", |builder| {
        append(builder, "x/caf\u{e9}".as_bytes(), EntryType::Regular, 0o644, b"1");
        append(builder, "x/cafe\u{301}".as_bytes(), EntryType::Regular, 0o644, b"2");
    });
}

#[test]
fn devices_pipes_and_hard_links() {
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        check("special_file", |builder| append(builder, b"x/odd", kind, 0o644, b""));
    }
    check("special_file", |builder| link(builder, EntryType::Link, b"x/hard", b"/etc/passwd"));
}

#[test]
fn rights_of_somebody_else() {
    for mode in [0o4755, 0o2755] {
        check("set_id_file", |builder| append(builder, b"x/run", EntryType::Regular, mode, b"run"));
    }
}

#[test]
fn names_that_cannot_be_seen() {
    for name in ["x/a\u{1b}[31mb", "x/a\nb", "x/a\u{202e}b", "x/a\u{200b}b"] {
        check("unsafe_name", |builder| append(builder, name.as_bytes(), EntryType::Regular, 0o644, b""));
    }
    check("unsafe_name", |builder| append(builder, b"x/\xff\xfe", EntryType::Regular, 0o644, b""));
}

#[test]
fn too_many_names() {
    check("unpack_bomb", |builder| {
        for number in 0..10_001 {
            append(builder, format!("x/{number}").as_bytes(), EntryType::Regular, 0o644, b"");
        }
    });
}

/// Small enough to be sent by mail, and more than anybody wants on a disk.
#[test]
fn too_many_bytes_for_so_few() {
    let zeros = vec![0; 8 << 20];
    let bytes = archive(|builder| append(builder, b"x/zeros", EntryType::Regular, 0o644, &zeros));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&bytes).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 100_000, "{} bytes", packed.len());
    check_in(&world(), &packed, "unpack_bomb");
}

#[test]
fn what_is_cut_off_or_no_archive() {
    let env = world();
    let whole = archive(|builder| append(builder, b"x/long", EntryType::Regular, 0o644, &[7; 4000]));
    check_in(&env, &whole[..2600], "archive_invalid");
    check_in(&env, b"no archive at all", "archive_invalid");
    check_in(&env, b"PK\x03\x04 no zip at all", "archive_invalid");
    check_in(&env, &[0x1f, 0x8b, 8, 0, 1, 2, 3], "archive_invalid");
}
