//! The places for this machine's own programs as a tar archive: empty directories and files to mount them on, links, and what is made up.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use tar::{Builder, EntryType};

use super::archive::{EVERYBODY, SCRATCH, new_header};
use crate::engines::first;
use crate::host_root::Part;

/// Directories that engines mount the kernel's own file systems on.
const KERNEL: &[&str] = &["dev", "proc", "sys"];

/// The archive of a root of these parts: always the same bytes for the same parts.
pub(super) fn archive(parts: &[Part], first: &[u8]) -> io::Result<Vec<u8>> {
    let mut places = Places { builder: Builder::new(Vec::new()), made: BTreeSet::new() };
    for name in KERNEL {
        places.directory(Path::new(name), 0o755)?;
    }
    for name in SCRATCH {
        places.directory(Path::new(name), EVERYBODY)?;
    }
    for part in parts {
        match part {
            Part::Shown { path, directory: true } => places.directory(path, 0o755)?,
            Part::Shown { path, directory: false } => places.file(path, b"", 0o444)?,
            Part::Link { path, to } => places.link(path, to)?,
            Part::File { path, content } => places.file(Path::new(path), content.as_bytes(), 0o444)?,
        }
    }
    places.file(Path::new(first::PATH), first, 0o555)?;
    places.builder.into_inner()
}

struct Places {
    builder: Builder<Vec<u8>>,
    made: BTreeSet<PathBuf>,
}

impl Places {
    fn directory(&mut self, path: &Path, mode: u32) -> io::Result<()> {
        self.parents(path)?;
        if !self.made.insert(path.to_owned()) {
            return Ok(());
        }
        self.builder.append_data(&mut new_header(EntryType::Directory, mode), path, io::empty())
    }

    fn file(&mut self, path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
        self.parents(path)?;
        let mut header = new_header(EntryType::Regular, mode);
        header.set_size(content.len() as u64);
        self.builder.append_data(&mut header, path, content)
    }

    fn link(&mut self, path: &Path, to: &Path) -> io::Result<()> {
        self.parents(path)?;
        self.builder.append_link(&mut new_header(EntryType::Symlink, 0o777), path, to)
    }

    fn parents(&mut self, path: &Path) -> io::Result<()> {
        match path.parent() {
            Some(parent) if parent != Path::new("") => self.directory(parent, 0o755),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_part_has_its_place_and_everything_else_is_missing() {
        let parts = [
            Part::Shown { path: "usr".into(), directory: true },
            Part::Link { path: "bin".into(), to: "usr/bin".into() },
            Part::Shown { path: "etc/ssl/certs".into(), directory: true },
            Part::Shown { path: "etc/magic".into(), directory: false },
            Part::File { path: "etc/passwd", content: "guild".to_owned() },
        ];
        let bytes = archive(&parts, b"first").unwrap();
        assert_eq!(bytes, archive(&parts, b"first").unwrap());
        let mut shown = String::new();
        for entry in tar::Archive::new(bytes.as_slice()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let text = io::read_to_string(&mut entry).unwrap();
            let link = entry.link_name().unwrap().map(|link| format!(" -> {}", link.display()));
            let (mode, path) = (entry.header().mode().unwrap(), entry.path().unwrap());
            shown.push_str(&format!("{mode:o} {}{} {text:?}\n", path.display(), link.unwrap_or_default()));
        }
        expect![[r#"
            755 dev ""
            755 proc ""
            755 sys ""
            1777 output ""
            1777 tmp ""
            755 usr ""
            777 bin -> usr/bin ""
            755 etc ""
            755 etc/ssl ""
            755 etc/ssl/certs ""
            444 etc/magic ""
            444 etc/passwd "guild"
            555 .guild-first "first"
        "#]]
        .assert_eq(&shown);
    }
}
