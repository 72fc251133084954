//! Compiled Python: whether it comes from the source beside it.
//!
//! Nothing is run or disassembled. The header names the size of the source; the names in the code must stand in it.

use crate::codes::Code;
use crate::finding::Finding;
use crate::input::{Content, Input};
use crate::scan::Scan;
use std::collections::BTreeSet;

/// The length of the header.
const HEADER: usize = 16;
/// Names that every compiled file may hold without its source naming them.
const IMPLICIT: &[&str] =
    &["return", "annotations", "None", "True", "False", "Ellipsis", "staticmethod", "classcell"];

/// Compares a compiled file with its source.
pub fn scan(path: &str, bytes: &[u8], input: &Input<'_>, scan: &mut Scan) {
    let Some(source) = source_of(path, input) else {
        return scan.add(Finding::new(Code::BytecodeAlone, path, 1, path));
    };
    let size = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (Some(flags), Some(recorded)) = (size(4), size(12)) else {
        return scan.add(Finding::new(Code::BytecodeMismatch, path, 1, "the header is cut off"));
    };
    // With flags the header holds a hash of the source instead of its size.
    if flags == 0 && recorded as usize != source.len() {
        let told = format!("made from a source of {recorded} bytes; the one beside it has {}", source.len());
        return scan.add(Finding::new(Code::BytecodeMismatch, path, 1, &told));
    }
    let text = String::from_utf8_lossy(source);
    let body = bytes.get(HEADER..).unwrap_or_default();
    let foreign: Vec<String> =
        names(body).into_iter().filter(|name| !is_implicit(name) && !text.contains(name.as_str())).collect();
    if !foreign.is_empty() {
        let told = format!("uses names that the source does not have: {}", foreign.join(", "));
        scan.add(Finding::new(Code::BytecodeMismatch, path, 1, &told));
    }
}

/// The bytes of `x.py` for `__pycache__/x.cpython-312.pyc` or `x.pyc`.
fn source_of<'a>(path: &str, input: &Input<'a>) -> Option<&'a [u8]> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next()?;
    let directory = directory.strip_suffix("__pycache__").unwrap_or(directory).trim_end_matches('/');
    let wanted = if directory.is_empty() { format!("{stem}.py") } else { format!("{directory}/{stem}.py") };
    let file = input.files.iter().find(|file| file.path == wanted)?;
    match file.content {
        Content::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// The identifiers among the interned texts of marshalled code.
fn names(body: &[u8]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, kind) in body.iter().enumerate() {
        // Short ASCII texts, interned ones, with or without the mark of a reference.
        if !matches!(kind & 0x7f, b'Z') {
            continue;
        }
        let Some(length) = body.get(at + 1).map(|length| usize::from(*length)) else { continue };
        let Some(text) = body.get(at + 2..at + 2 + length).and_then(|text| std::str::from_utf8(text).ok())
        else {
            continue;
        };
        let is_name = (3..=60).contains(&length)
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && out.len() < 4_096 {
            out.insert(text.to_owned());
        }
    }
    out
}

fn is_implicit(name: &str) -> bool {
    name.starts_with("__") || IMPLICIT.contains(&name)
}
