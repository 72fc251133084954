//! A root file system as a tar archive, with the containers' first process in it.
//!
//! Links are written as links and never followed. Owners are root's, set-id bits are dropped, and what is no file, directory or link is
//! left out: a container has no use for any of them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType, Header};

use crate::engines::first;

/// Directories of the root that are the container's own: their content is not the image's to give.
const REPLACED: &[&str] = &["dev", "mnt", "proc", "run", "sys", "tmp"];

/// Directories that memory is mounted on by default. Older runtimes give the memory the mode of the directory beneath, so it must be
/// one that everybody may write to; the root itself is read-only whatever its modes are.
pub(super) const SCRATCH: &[&str] = &["output", "tmp"];

pub(super) const EVERYBODY: u32 = 0o1777;

/// Writes the archive of `root`, whole or with an error.
pub(super) fn write(root: &Path, first: &[u8], to: impl Write) -> io::Result<()> {
    let mut archive = Archive { builder: Builder::new(to), root: root.to_owned(), linked: HashMap::new() };
    archive.directory(Path::new(""))?;
    let mut header = new_header(EntryType::Regular, 0o555);
    header.set_size(first.len() as u64);
    archive.builder.append_data(&mut header, first::PATH, first)?;
    archive.builder.into_inner()?.flush()
}

struct Archive<W: Write> {
    builder: Builder<W>,
    root: PathBuf,
    /// The first name of each file that has several.
    linked: HashMap<(u64, u64), PathBuf>,
}

impl<W: Write> Archive<W> {
    fn directory(&mut self, path: &Path) -> io::Result<()> {
        let directory = self.root.join(path);
        let mut names: Vec<OsString> = fs::read_dir(&directory)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<Result<_, _>>()?;
        names.sort();
        for name in names {
            self.entry(&path.join(name))?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path) -> io::Result<()> {
        let metadata = fs::symlink_metadata(self.root.join(path))?;
        let kind = metadata.file_type();
        if path == Path::new(first::PATH) {
            return Ok(());
        }
        if kind.is_dir() {
            let mode = if is_one_of(path, SCRATCH) { EVERYBODY } else { metadata.mode() };
            let mut header = header(EntryType::Directory, mode, &metadata);
            self.builder.append_data(&mut header, path, io::empty())?;
            return if is_one_of(path, REPLACED) { Ok(()) } else { self.directory(path) };
        }
        if kind.is_symlink() {
            let target = fs::read_link(self.root.join(path))?;
            let mut header = header(EntryType::Symlink, 0o777, &metadata);
            return self.builder.append_link(&mut header, path, target);
        }
        if kind.is_file() { self.file(path) } else { Ok(()) }
    }

    /// A file, or another name of one that is there already.
    fn file(&mut self, path: &Path) -> io::Result<()> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = File::options().read(true).custom_flags(flags.bits() as i32).open(self.root.join(path))?;
        let metadata = file.metadata()?;
        let known = self.linked.get(&(metadata.dev(), metadata.ino()));
        if let Some(first) = known {
            let mut header = header(EntryType::Link, metadata.mode(), &metadata);
            return self.builder.append_link(&mut header, path, first);
        }
        if metadata.nlink() > 1 {
            self.linked.insert((metadata.dev(), metadata.ino()), path.to_owned());
        }
        let mut header = header(EntryType::Regular, metadata.mode(), &metadata);
        header.set_size(metadata.len());
        // A file that changes meanwhile must not displace what follows it.
        let content = file.chain(io::repeat(0)).take(metadata.len());
        self.builder.append_data(&mut header, path, content)
    }
}

fn header(kind: EntryType, mode: u32, metadata: &Metadata) -> Header {
    let mut header = new_header(kind, mode & 0o1777);
    header.set_mtime(u64::try_from(metadata.mtime()).unwrap_or(0));
    header
}

pub(super) fn new_header(kind: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header.set_mtime(0);
    header
}

fn is_one_of(path: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| path == Path::new(name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(build: impl Fn(&Path), expected: Expect) {
        let root = tempfile::tempdir().unwrap();
        build(root.path());
        let mut bytes = Vec::new();
        write(root.path(), b"first", &mut bytes).unwrap();
        let mut shown = String::new();
        for entry in tar::Archive::new(bytes.as_slice()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let header = entry.header();
            let link = entry.link_name().unwrap().map(|link| format!(" -> {}", link.display()));
            shown.push_str(&format!(
                "{:?} {:o} {}:{} {}{} {text:?}\n",
                header.entry_type(),
                header.mode().unwrap(),
                header.uid().unwrap(),
                header.gid().unwrap(),
                entry.path().unwrap().display(),
                link.unwrap_or_default(),
            ));
        }
        expected.assert_eq(&shown);
    }

    fn file(root: &Path, path: &str, mode: u32) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "text").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn files_come_without_owners_and_set_id_bits() {
        check(
            |root| file(root, "usr/bin/su", 0o4755),
            expect![[r#"
            Directory 755 0:0 usr ""
            Directory 755 0:0 usr/bin ""
            Regular 755 0:0 usr/bin/su "text"
            Regular 555 0:0 .guild-first "first"
        "#]],
        );
    }

    #[test]
    fn links_stay_links_and_other_names_are_the_same_file() {
        check(
            |root| {
                file(root, "a", 0o644);
                fs::hard_link(root.join("a"), root.join("b")).unwrap();
                symlink("/etc/shadow", root.join("c")).unwrap();
            },
            expect![[r#"
                Regular 644 0:0 a "text"
                Link 644 0:0 b -> a ""
                Symlink 777 0:0 c -> /etc/shadow ""
                Regular 555 0:0 .guild-first "first"
            "#]],
        );
    }

    #[test]
    fn what_a_container_has_of_its_own_is_empty_and_memory_finds_a_place_to_write() {
        check(
            |root| {
                file(root, "dev/null", 0o666);
                file(root, "tmp/rest", 0o600);
                fs::create_dir(root.join("output")).unwrap();
                file(root, "srv/tmp/stays", 0o600);
            },
            expect![[r#"
                Directory 755 0:0 dev ""
                Directory 1777 0:0 output ""
                Directory 755 0:0 srv ""
                Directory 755 0:0 srv/tmp ""
                Regular 600 0:0 srv/tmp/stays "text"
                Directory 1777 0:0 tmp ""
                Regular 555 0:0 .guild-first "first"
            "#]],
        );
    }

    #[test]
    fn pipes_are_left_out_and_the_first_process_is_ours() {
        check(
            |root| {
                rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), 0o600.into()).unwrap();
                file(root, first::PATH, 0o755);
            },
            expect![[r#"
                Regular 555 0:0 .guild-first "first"
            "#]],
        );
    }

    #[test]
    fn a_name_longer_than_a_header_is_kept() {
        let long = format!("{}/{}", "d".repeat(90), "f".repeat(90));
        check(
            |root| file(root, &long, 0o600),
            expect![[r#"
            Directory 755 0:0 dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd ""
            Regular 600 0:0 dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd/ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff "text"
            Regular 555 0:0 .guild-first "first"
        "#]],
        );
    }
}
