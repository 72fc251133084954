//! Zip files, whose hostile entries are told by other means than those of tar files.

use expect_test::{Expect, expect};
use guild_source::archive::unpack;
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
