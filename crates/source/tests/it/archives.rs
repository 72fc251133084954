//! Zip files, whose hostile entries are told by other means than those of tar files.

use expect_test::{Expect, expect};
use guild_source::archive::{MAX_NAMES, unpack, unpack_bundle};
use guild_testkit::Fixture;
use std::fs::{self, File};
use std::io::Write as _;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A zip file with these entries: name, mode, content.
fn zip(fixture: &Fixture, entries: &[(&str, u32, &[u8])]) {
    let mut writer = ZipWriter::new(File::create(fixture.join("a.zip")).unwrap());
    for (name, mode, content) in entries {
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        if mode & 0o170_000 == 0o120_000 {
            writer.add_symlink(*name, std::str::from_utf8(content).unwrap(), options).unwrap();
        } else if name.ends_with('/') {
            writer.add_directory(*name, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
    }
    writer.finish().unwrap();
}

#[track_caller]
fn check(entries: &[(&str, u32, &[u8])], expected: &Expect) {
    let fixture = Fixture::write("//- /into/\n");
    zip(&fixture, entries);
    let unpacked = unpack(&fixture.join("a.zip"), &fixture.join("into"));
    expected.assert_eq(&unpacked.map_or_else(
        |error| error.to_string(),
        |()| {
            let mut names: Vec<String> = fs::read_dir(fixture.join("into"))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names.join(" ")
        },
    ));
    assert!(!fixture.join("evil").exists());
}

#[test]
fn a_zip_file_lands_with_what_can_be_executed_and_its_links() {
    check(
        &[("a/", 0o755, b""), ("b.sh", 0o755, b"echo"), ("c.md", 0o644, b"text"), ("d", 0o120_777, b"c.md")],
        &expect!["a b.sh c.md d"],
    );
}

#[test]
fn a_name_that_is_there_twice_is_refused_though_readers_show_one_of_them() {
    let fixture = Fixture::write("//- /into/\n");
    zip(&fixture, &[("a.sh", 0o644, b"first"), ("b.sh", 0o644, b"second"), ("c.sh", 0o644, b"third")]);
    let file = fixture.join("a.zip");
    // No writer makes such a file, so a name is written over in both places where it stands.
    let doubled = String::from_utf8_lossy(&fs::read(&file).unwrap()).matches("b.sh").count();
    assert_eq!(doubled, 2);
    let mut bytes = fs::read(&file).unwrap();
    for at in 0..bytes.len() - 4 {
        if &bytes[at..at + 4] == b"b.sh" {
            bytes[at] = b'a';
        }
    }
    fs::write(&file, bytes).unwrap();
    let error = unpack(&file, &fixture.join("into")).unwrap_err();
    expect!["`a.sh` is there twice, or differs from another name only in capitals and small letters"]
        .assert_eq(&error.to_string());
}

#[test]
fn hostile_entries_are_refused() {
    check(
        &[("../evil", 0o644, b"x")],
        &expect!["`../evil` leads out of the directory that it is unpacked into"],
    );
    check(&[("/evil", 0o644, b"x")], &expect!["`/evil` leads out of the directory that it is unpacked into"]);
    check(
        &[("a\\..\\evil", 0o644, b"x")],
        &expect![[r#"`a\..\evil` leads out of the directory that it is unpacked into"#]],
    );
    check(&[("l", 0o120_777, b"../evil")], &expect!["`l` is a link that leads out of the directory"]);
    check(
        &[("l", 0o120_777, b"."), ("l/evil", 0o644, b"x")],
        &expect!["`l/evil` is there twice, or differs from another name only in capitals and small letters"],
    );
    check(
        &[("a", 0o644, b"x"), ("A", 0o644, b"x")],
        &expect!["`A` is there twice, or differs from another name only in capitals and small letters"],
    );
    check(&[("a\u{7}b", 0o644, b"x")], &expect!["`a�b` has characters in its name that cannot be seen"]);
    check(&[("big", 0o644, &[0; 5 << 20])], &expect!["`big` is more than may be unpacked"]);
}

#[test]
fn a_name_that_is_another_one_where_the_entry_lies_is_refused() {
    let fixture = Fixture::write("//- /into/\n");
    zip(&fixture, &[("s/SKILL.md", 0o644, b"text"), ("s/ok.sh", 0o644, b"x")]);
    let place = fixture.join("a.zip");
    let mut bytes = fs::read(&place).unwrap();
    let at = bytes.windows(7).position(|window| window == b"s/ok.sh").unwrap();
    bytes[at..at + 7].copy_from_slice(b"../evil");
    fs::write(&place, bytes).unwrap();
    let refused = unpack(&place, &fixture.join("into")).unwrap_err().to_string();
    expect!["it is broken: `s/ok.sh` has another name where it lies than in the archive's directory"]
        .assert_eq(&refused);
}

/// A tar file with one skill in it.
fn tar() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(4);
    header.set_mode(0o644);
    builder.append_data(&mut header, "pdf/SKILL.md", &b"text"[..]).unwrap();
    builder.into_inner().unwrap()
}

fn packed(bytes: &[u8]) -> String {
    let fixture = Fixture::write("//- /into/\n");
    let place = fixture.join("a.archive");
    fs::write(&place, bytes).unwrap();
    match unpack(&place, &fixture.join("into")) {
        Ok(()) => fs::read_to_string(fixture.join("into/pdf/SKILL.md")).unwrap(),
        Err(error) => error.to_string().replace(&place.display().to_string(), "it"),
    }
}

#[test]
fn a_tar_file_is_unpacked_however_it_is_packed() {
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    xz.write_all(&tar()).unwrap();
    let xz = xz.finish().unwrap();
    let zst = ruzstd::encoding::compress_to_vec(&tar()[..], ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!([packed(&tar()), packed(&xz), packed(&zst)], ["text"; 3]);
    for cut in [&xz[..xz.len() / 2], &zst[..zst.len() - 9]] {
        assert!(packed(cut).starts_with("it is broken"), "{}", packed(cut));
    }
}

#[test]
fn what_is_packed_in_another_way_is_named() {
    expect![[r#"
        it is packed by bzip2, which is not unpacked here; zip, tar, tar.gz, tar.xz and tar.zst are
        it is packed by 7-Zip, which is not unpacked here; zip, tar, tar.gz, tar.xz and tar.zst are
        it is packed by RAR, which is not unpacked here; zip, tar, tar.gz, tar.xz and tar.zst are"#]]
    .assert_eq(&[packed(b"BZh91AY&SY"), packed(b"7z\xbc\xaf'\x1c"), packed(b"Rar!\x1a")].join("\n"));
}

#[test]
fn a_bomb_in_xz_or_zstandard_is_stopped() {
    let zeros = vec![0; 9 << 20];
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(zeros.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, "zeros", &zeros[..]).unwrap();
    let tar = builder.into_inner().unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
    xz.write_all(&tar).unwrap();
    let zst = ruzstd::encoding::compress_to_vec(&tar[..], ruzstd::encoding::CompressionLevel::Fastest);
    expect![[r#"
        `zeros` is more than may be unpacked
        `zeros` is more than may be unpacked"#]]
    .assert_eq(&[packed(&xz.finish().unwrap()), packed(&zst)].join("\n"));
}

#[test]
fn a_bundle_may_hold_what_many_archives_have_together() {
    let fixture = Fixture::write("//- /into/\n//- /all/\n");
    let mut builder = tar::Builder::new(File::create(fixture.join("a.tar")).unwrap());
    for at in 0..=MAX_NAMES {
        let mut header = tar::Header::new_gnu();
        header.set_size(0);
        header.set_mode(0o644);
        builder.append_data(&mut header, format!("{at}"), &b""[..]).unwrap();
    }
    builder.finish().unwrap();
    let refused = unpack(&fixture.join("a.tar"), &fixture.join("into")).unwrap_err();
    assert_eq!(refused.to_string(), format!("`{MAX_NAMES}` is more than may be unpacked"));
    unpack_bundle(&fixture.join("a.tar"), &fixture.join("all")).unwrap();
    assert_eq!(fs::read_dir(fixture.join("all")).unwrap().count() as u64, MAX_NAMES + 1);
}
