//! What people and models are talked into: lures, instructions against their user, texts hidden in encodings.
//!
//! Each rule is a few patterns over a line and its neighbours. Addresses are known by their kind, never by name.

mod instructions;
mod lures;

use crate::codes::Code;
use crate::context;
use crate::decode;
use crate::markdown::Line;
use crate::scan::{Scan, Setting, Source};
use crate::triggers;

/// How many lines before and behind a line belong to it.
const BEFORE: u32 = 3;
const BEHIND: u32 = 8;
/// How much of the neighbours is read.
const MAX_WINDOW: usize = 2_000;

/// Looks at the prose of a file.
pub fn scan(lines: &[Line], path: &str, is_defensive: bool, scan: &mut Scan) {
    for (at, line) in lines.iter().enumerate() {
        let words = format!("{}\n{}", line.heading, line.text);
        let setting = context::setting(&words, is_defensive);
        let source = Source::new(path, line.line, setting);
        if lures::is_candidate(&line.text) {
            lures::check(line, &window(lines, at), &source, scan);
        }
        instructions::check(line, &near(lines, at), &source, scan);
    }
}

/// Looks at encoded texts in any text, and at what they hold.
pub fn scan_encoded(text: &str, source: &Source<'_>, scan: &mut Scan) {
    for (offset, run) in decode::base64_runs(text) {
        let Some(plain) = decode::base64(run).as_deref().and_then(decode::readable) else { continue };
        let row = text.get(..offset).map_or(0, |before| memchr::memchr_iter(b'\n', before.as_bytes()).count());
        if holds_denial(&plain) {
            scan.report(source, row, Code::EncodedInstructions, &plain);
        }
    }
}

/// Whether a decoded text would be denied if it stood there in plain text.
fn holds_denial(plain: &str) -> bool {
    let mut scan = Scan::default();
    let source = Source::new("", 1, Setting::Instruction);
    triggers::scan_lines(plain, &source, &mut scan);
    let line = Line { text: plain.to_owned(), line: 1, heading: String::new() };
    instructions::check(&line, plain, &source, &mut scan);
    scan.finish().0.iter().any(|finding| finding.code.tier() == crate::codes::Tier::Deny)
}

/// A line with its neighbours, as far as they stand near in the file.
fn window(lines: &[Line], at: usize) -> String {
    joined(lines, at, BEFORE, BEHIND)
}

/// A line with the ones directly before and behind it.
fn near(lines: &[Line], at: usize) -> String {
    joined(lines, at, 2, 2)
}

fn joined(lines: &[Line], at: usize, before: u32, behind: u32) -> String {
    let Some(here) = lines.get(at).map(|line| line.line) else { return String::new() };
    let first = lines.get(..at).unwrap_or_default().iter().rev().take_while(|line| line.line.saturating_add(before) >= here);
    let first = at - first.count();
    let near = lines.iter().skip(first).take_while(|line| line.line <= here.saturating_add(behind));
    let mut out = String::new();
    for line in near.take_while(|_| true) {
        if out.len() > MAX_WINDOW {
            break;
        }
        out.push_str(line.text.get(..line.text.len().min(MAX_WINDOW)).unwrap_or_default());
        out.push('\n');
    }
    out
}
