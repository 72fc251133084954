//! What has no place in a skill, and what is too much.

use crate::world::World;
use expect_test::{Expect, expect};
use guild_source::store::{Content, MAX_BYTES, MAX_FILE_BYTES, MAX_NAMES, MemoryFile};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;

#[track_caller]
fn refuse(world: &World, expect: &Expect) {
    let error = world.stage().unwrap_err().to_string();
    expect.assert_eq(&error.replace(world.fixture.path().to_str().unwrap(), "[ROOT]"));
}

fn world() -> World {
    World::new("//- /skill/SKILL.md\ntext\n")
}

#[test]
fn a_pipe_is_refused_and_keeps_nobody_waiting() {
    let world = world();
    world.fixture.add("//- /skill/data/feed kind:pipe\n");
    refuse(&world, &expect!["`data/feed` is a pipe"]);
    let linked = self::world();
    linked.fixture.add("//- /skill/z kind:pipe\n//- /skill/a link:z\n");
    refuse(&linked, &expect!["`a` is a pipe"]);
    let flat = world.skill().join("data/feed");
    let error = world.store().stage(&Content::File(&flat)).unwrap_err().to_string();
    expect!["`feed` is a pipe"].assert_eq(&error);
}

#[test]
fn a_socket_is_refused() {
    let world = world();
    let _socket = UnixListener::bind(world.skill().join("agent.sock")).unwrap();
    refuse(&world, &expect!["`agent.sock` is a socket"]);
}

#[test]
fn a_device_is_refused() {
    let world = world();
    let path = world.skill().join("null");
    // Whoever may not make devices cannot be given one in a skill either; then the machine's own stands in.
    match mknodat(
        CWD,
        &path,
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o666),
        rustix::fs::makedev(1, 3),
    ) {
        Ok(()) => refuse(&world, &expect!["`null` is a device"]),
        Err(_) => {
            let null = std::path::Path::new("/dev/null");
            let error = world.store().stage(&Content::File(null)).unwrap_err();
            expect!["`null` is a device"].assert_eq(&error.to_string());
        }
    }
}

#[test]
fn a_name_that_is_no_text_is_refused() {
    let world = world();
    fs::create_dir(world.skill().join("lib")).unwrap();
    File::create(world.skill().join("lib").join(OsStr::from_bytes(b"caf\xe9"))).unwrap();
    refuse(&world, &expect!["`lib/caf\u{fffd}` has a name that is no UTF-8 text"]);
}

#[test]
fn a_directory_that_is_none_is_told() {
    let world = world();
    fs::remove_dir_all(world.skill()).unwrap();
    refuse(&world, &expect!["cannot read [ROOT]/skill"]);
    fs::write(world.skill(), "a file").unwrap();
    refuse(&world, &expect!["cannot read [ROOT]/skill"]);
}

#[test]
fn too_many_files_are_refused() {
    let world = world();
    // The skill's own file is one more.
    for number in 0..MAX_NAMES {
        File::create(world.skill().join(number.to_string())).unwrap();
    }
    refuse(&world, &expect!["there are more than 10000 files"]);
}

#[test]
fn too_many_bytes_are_refused_without_reading_them() {
    let world = world();
    let large = |name: &str, size: u64| {
        File::create(world.skill().join(name)).unwrap().set_len(size).unwrap();
    };
    large("model.bin", MAX_FILE_BYTES + 1);
    refuse(&world, &expect!["`model.bin` has more than 134217728 bytes"]);
    large("model.bin", MAX_FILE_BYTES);
    large("more.bin", MAX_BYTES - MAX_FILE_BYTES);
    refuse(&world, &expect!["the files have more than 268435456 bytes together"]);
    let bytes = vec![0; 1 << 20];
    let file = MemoryFile { path: "", bytes: &bytes, executable: false };
    let names: Vec<String> = (0..257).map(|number| number.to_string()).collect();
    let files: Vec<MemoryFile<'_>> = names.iter().map(|name| MemoryFile { path: name, ..file }).collect();
    let error = world.store().stage(&Content::Memory(&files)).unwrap_err();
    expect!["the files have more than 268435456 bytes together"].assert_eq(&error.to_string());
}

#[test]
fn directories_too_deep_are_refused() {
    let world = world();
    let path = |depth: usize| vec!["d"; depth].join("/");
    fs::create_dir_all(world.skill().join(path(31))).unwrap();
    world.stage().unwrap();
    fs::create_dir_all(world.skill().join(path(32))).unwrap();
    let error = world.stage().unwrap_err().to_string();
    assert_eq!(error, format!("`{}` lies more than 32 directories deep", path(32)));
}
