//! Archives and documents that are archives: looked into in memory, within strict budgets.
//!
//! Nothing is unpacked to disk. What is locked, too large or too deep is said to be so.

use crate::codes::Code;
use crate::file::{Skill, scan_bytes};
use crate::finding::Finding;
use crate::scan::Scan;
use std::borrow::Cow;
use std::io::{Cursor, Read};

/// How many members of one archive are looked at.
const MAX_MEMBERS: usize = 2_000;
/// How many bytes of one member are read.
const MAX_MEMBER: u64 = 4 * 1024 * 1024;
/// How many bytes of all members of one archive are read.
const MAX_TOTAL: u64 = 32 * 1024 * 1024;
/// Documents that are archives, and that no program belongs into.
const DOCUMENTS: &[&str] = &["docx", "xlsx", "pptx", "odt", "ods", "odp", "docm", "xlsm", "pptm"];
/// Extensions of programs.
const PROGRAMS: &[&str] = &[
    "sh", "bash", "py", "js", "mjs", "ps1", "bat", "cmd", "exe", "dll", "vbs", "scr", "jar", "command", "rb",
    "pl", "php", "so",
];

/// Whether bytes begin like an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    is_zip(bytes) || is_gzip(bytes) || is_tar(bytes)
}

/// Looks into an archive.
pub fn scan(path: &str, bytes: &[u8], skill: &Skill<'_>, depth: u8, scan: &mut Scan) {
    let mut archive = Archive { path, skill, depth, left: MAX_TOTAL, scan };
    if is_zip(bytes) {
        archive.zip(bytes);
    } else if is_gzip(bytes) {
        archive.gzip(bytes);
    } else {
        archive.tar(bytes);
    }
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b\x08")
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

struct Archive<'a> {
    path: &'a str,
    skill: &'a Skill<'a>,
    depth: u8,
    left: u64,
    scan: &'a mut Scan,
}

impl Archive<'_> {
    fn zip(&mut self, bytes: &[u8]) {
        let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else {
            return self.scan.limit(self.path, "the archive cannot be read");
        };
        if archive.len() > MAX_MEMBERS {
            self.scan.limit(self.path, "the archive has more members than what is read");
        }
        for at in 0..archive.len().min(MAX_MEMBERS) {
            let Ok(raw) = archive.by_index_raw(at) else {
                self.scan.limit(self.path, "a member of the archive cannot be read");
                continue;
            };
            let name = raw.name().map_or_else(|_| "?".to_owned(), Cow::into_owned);
            let is_locked = raw.encrypted();
            let is_link = raw.unix_mode().is_some_and(|mode| mode & 0o170_000 == 0o120_000);
            drop(raw);
            self.name(&name, is_link);
            if is_locked {
                self.scan.add(Finding::new(Code::Locked, self.path, 1, &name));
                continue;
            }
            match archive.by_index(at) {
                Ok(member) => self.member(&name, member),
                Err(_) => self.scan.limit(self.path, "a member of the archive cannot be read"),
            }
        }
    }

    fn gzip(&mut self, bytes: &[u8]) {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let inner =
            name.strip_suffix(".gz").or_else(|| name.strip_suffix(".tgz")).unwrap_or("content").to_owned();
        self.member(&inner, flate2::read::GzDecoder::new(bytes));
    }

    fn tar(&mut self, bytes: &[u8]) {
        let mut archive = tar::Archive::new(bytes);
        let Ok(entries) = archive.entries() else {
            return self.scan.limit(self.path, "the archive cannot be read");
        };
        for (at, entry) in entries.enumerate() {
            let Ok(entry) = entry else {
                return self.scan.limit(self.path, "a member of the archive cannot be read");
            };
            if at >= MAX_MEMBERS {
                return self.scan.limit(self.path, "the archive has more members than what is read");
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            let link = entry.link_name_bytes().map(|link| String::from_utf8_lossy(&link).into_owned());
            self.name(
                &name,
                link.is_some_and(|link| link.starts_with('/') || link.split('/').any(|part| part == "..")),
            );
            if kind.is_file() {
                self.member(&name, entry);
            } else if kind.is_block_special() || kind.is_character_special() || kind.is_fifo() {
                self.scan.add(Finding::new(Code::SpecialFile, self.path, 1, &name));
            }
        }
    }

    /// A member's name: whether it leads out, and whether it belongs into such a document.
    fn name(&mut self, name: &str, leads_out: bool) {
        let climbs = name.starts_with(['/', '\\'])
            || name.get(1..2) == Some(":")
            || name.split(['/', '\\']).any(|part| part == "..");
        if climbs || leads_out {
            self.scan.add(Finding::new(Code::ArchiveEscape, self.path, 1, name));
        }
        let extension =
            |text: &str| text.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
        if DOCUMENTS.contains(&extension(self.path).as_str()) {
            if PROGRAMS.contains(&extension(name).as_str()) {
                self.scan.add(Finding::new(Code::HiddenScript, self.path, 1, name));
            } else if name.ends_with("vbaProject.bin") {
                self.scan.add(Finding::new(Code::Macro, self.path, 1, name));
            }
        }
    }

    /// Reads a member within the budgets and looks at it.
    fn member(&mut self, name: &str, reader: impl Read) {
        let most = MAX_MEMBER.min(self.left);
        let mut bytes = Vec::new();
        let read = reader.take(most + 1).read_to_end(&mut bytes);
        let size = bytes.len() as u64;
        self.left = self.left.saturating_sub(size);
        if size > most {
            return self.scan.limit(self.path, "a member of the archive is larger than what is read");
        }
        if read.is_err() {
            self.scan.limit(self.path, "a member of the archive cannot be read");
        }
        let inner = format!("{}!{name}", self.path);
        scan_bytes(&inner, &bytes, self.skill, self.depth + 1, self.scan);
    }
}
