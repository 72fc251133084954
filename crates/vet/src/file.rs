//! One file: what it is, and which engines look at it.

use crate::codes::Code;
use crate::finding::Finding;
use crate::input::{Content, File, Input};
use crate::language::{self, Language};
use crate::scan::{MAX_DEPTH, Scan, Setting, Source};
use crate::{archive, asset, bytecode, dependency, document, frontmatter, launch, prose, secrets, unicode};

/// The largest text that is looked at.
const MAX_TEXT: usize = 8 * 1024 * 1024;
/// A script with lines longer than this, for the most part, is not meant to be read.
const LONG_LINE: usize = 1_000;
/// Shorter scripts are never called unreadable.
const SHORT_SCRIPT: usize = 4_096;

/// The skill that a file belongs to.
#[derive(Clone, Copy)]
pub struct Skill<'a> {
    /// Its files and its name.
    pub input: &'a Input<'a>,
    /// Whether it says that it looks for dangers.
    pub is_defensive: bool,
}

/// Looks at one entry of a skill.
pub fn scan(file: &File<'_>, skill: &Skill<'_>, scan: &mut Scan) {
    match file.content {
        Content::Bytes(bytes) => scan_bytes(file.path, bytes, skill, 0, scan),
        Content::Link(target) if leaves(file.path, target) => {
            scan.add(Finding::new(Code::LinkEscape, file.path, 1, target));
        }
        Content::Link(_) => {}
        Content::Special(what) => scan.add(Finding::new(Code::SpecialFile, file.path, 1, what)),
        Content::Unread(why) => scan.limit(file.path, why),
    }
}

/// Looks at the bytes of a file, or of a member of an archive at some depth.
pub fn scan_bytes(path: &str, bytes: &[u8], skill: &Skill<'_>, depth: u8, scan: &mut Scan) {
    if depth > MAX_DEPTH {
        return scan.limit(path, "archives are wrapped deeper than what is read");
    }
    if archive::is_archive(bytes) {
        return archive::scan(path, bytes, skill, depth, scan);
    }
    if path.ends_with(".pyc") || path.ends_with(".pyo") {
        return bytecode::scan(path, bytes, skill.input, scan);
    }
    if let Some(format) = program(bytes) {
        return scan.add(Finding::new(Code::Executable, path, 1, format));
    }
    if let Some(text) = text(bytes) {
        if text.len() > MAX_TEXT {
            return scan.limit(path, "the text is larger than what is read");
        }
        scan_text(path, &text, skill, scan);
    } else if bytes.starts_with(b"%PDF") {
        asset::scan_pdf(path, bytes, scan);
    }
}

fn scan_text(path: &str, text: &str, skill: &Skill<'_>, scan: &mut Scan) {
    unicode::scan(path, text, scan);
    secrets::scan(path, text, scan);
    dependency::scan(path, text, scan);
    launch::scan(path, text, scan);
    let language = language::of_file(path, text);
    let source = Source::new(path, 1, Setting::Script);
    match language {
        Language::Markdown if path == skill.input.main => {
            frontmatter::scan_main(text, path, skill.is_defensive, scan);
        }
        Language::Markdown => frontmatter::scan_main(text, path, skill.is_defensive, scan),
        Language::Markup => asset::scan(path, text, scan),
        Language::Text => {
            document::scan_code(text, language, &Source::new(path, 1, Setting::Instruction), scan);
            prose::scan_encoded(text, &source, skill.is_defensive, scan);
        }
        language => {
            unreadable(path, text, scan);
            document::scan_code(text, language, &source, scan);
        }
    }
}

/// A script that consists of long lines for the most part.
fn unreadable(path: &str, text: &str, scan: &mut Scan) {
    let long: usize = text.lines().map(str::len).filter(|length| *length > LONG_LINE).sum();
    if text.len() > SHORT_SCRIPT && long * 2 > text.len() {
        let first = text.lines().find(|line| line.len() > LONG_LINE).unwrap_or_default();
        let shown: String = first.chars().take(120).collect();
        scan.add(Finding::new(Code::Unreadable, path, 1, &shown));
    }
}

/// Whether a link leads out of the skill: it is absolute, or climbs above the skill's directory.
fn leaves(path: &str, target: &str) -> bool {
    if target.starts_with(['/', '\\']) || target.get(1..2) == Some(":") {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in target.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// The format of a compiled program.
fn program(bytes: &[u8]) -> Option<&'static str> {
    let is_mach = |magic: &[u8]| bytes.starts_with(magic);
    match () {
        () if bytes.starts_with(b"\x7fELF") => Some("ELF program"),
        () if bytes.starts_with(b"MZ") && bytes.len() > 64 => Some("Windows program"),
        () if is_mach(b"\xcf\xfa\xed\xfe")
            || is_mach(b"\xce\xfa\xed\xfe")
            || is_mach(b"\xca\xfe\xba\xbe") =>
        {
            Some("Mach-O or Java program")
        }
        () if bytes.starts_with(b"\0asm") => Some("WebAssembly program"),
        () => None,
    }
}

/// Bytes as text with plain line ends, if they are text: UTF-8, also broken in places, or UTF-16 with its mark.
pub fn text(bytes: &[u8]) -> Option<String> {
    let wide = |first: usize, second: usize| {
        let pairs = bytes.get(2..).unwrap_or_default().chunks_exact(2);
        let units: Vec<u16> = pairs
            .filter_map(|pair| Some(u16::from_be_bytes([*pair.get(first)?, *pair.get(second)?])))
            .collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(1, 0),
        [0xfe, 0xff, ..] => wide(0, 1),
        _ if memchr::memchr(0, bytes.get(..bytes.len().min(8_192)).unwrap_or_default()).is_some() => {
            return None;
        }
        // Nearly all are sound, which is seen several times as fast as where one is not.
        _ => {
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
        }
    };
    Some(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}
