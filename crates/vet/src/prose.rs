//! What people and models are talked into: lures, instructions against their user, texts hidden in encodings.
//!
//! Each rule is a few patterns over a line and its neighbours. Addresses are known by their kind, never by name.

mod instructions;
mod lures;

use crate::codes::{Code, Tier};
use crate::context;
use crate::decode;
use crate::markdown::Line;
use crate::rows::Rows;
use crate::scan::{Scan, Setting, Source};
use crate::triggers;
use instructions::{Manner, Shown, Wanted};
use std::ops::Range;

/// How many lines before and behind a line belong to it.
const BEFORE: u32 = 3;
const BEHIND: u32 = 8;
/// How many pieces of text may stand on the lines before a line; a table has many on one.
const MAX_LINES: usize = 60;
/// How much of the text beside an encoded one is read.
const MAX_AROUND: usize = 200;
/// How much of the neighbours is read.
const MAX_WINDOW: usize = 2_000;

/// Looks at the prose of a file.
pub fn scan(lines: &[Line], path: &str, is_defensive: bool, scan: &mut Scan) {
    let all = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    let wanted = Wanted::of(&all);
    let may_lure = all.contains("://") || lures::may_name_package(&all);
    let may_command = triggers::is_candidate(&all);
    for (at, line) in lines.iter().enumerate() {
        let is_lure = may_lure && lures::is_candidate(&line.text);
        let lure = is_lure.then(|| lures::check(&line.text, || window(lines, at))).flatten();
        let shown = instructions::check(&line.text, || near(lines, at), wanted);
        let commands = may_command && triggers::is_candidate(&line.text);
        if lure.is_none() && shown.is_empty() && !commands {
            continue;
        }
        let source = Source::new(path, line.line, context::setting(&line.words(), is_defensive));
        lure.iter().for_each(|code| scan.report(&source, 0, *code, &line.text));
        for Shown { code, manner } in shown {
            let setting = match manner {
                Manner::Plain => source.setting,
                Manner::Forbidding => context::setting(&line.heading, is_defensive),
                Manner::Quoted => Setting::Example,
            };
            scan.report(&Source { setting, ..source }, 0, code, &line.text);
        }
        if commands {
            triggers::scan_line(&line.text, 0, &source, scan);
        }
    }
}

/// Looks at encoded texts in any text, and at what they hold.
///
/// They are meant as they are wherever they stand, for nobody reads them: only a skill that looks for dangers, with words of warning
/// right there, shows them as examples.
pub fn scan_encoded(text: &str, source: &Source<'_>, is_defensive: bool, scan: &mut Scan) {
    let mut rows = Rows::new(text);
    for (offset, run) in decode::base64_runs(text) {
        let Some(plain) = decode::base64(run).as_deref().and_then(decode::readable) else { continue };
        if holds_denial(&plain) {
            let is_shown = is_defensive
                && context::setting(&around(text, offset..offset + run.len()), false) == Setting::Example;
            let setting = if is_shown { Setting::Example } else { source.setting };
            let source = Source { setting, ..*source };
            scan.report(&source, rows.row(offset), Code::EncodedInstructions, &plain);
        }
    }
}

/// The words right before and behind a part of a text.
fn around(text: &str, part: Range<usize>) -> String {
    let before = text.get(..part.start).unwrap_or_default();
    let before: Vec<char> = before.chars().rev().take(MAX_AROUND).collect();
    let behind = text.get(part.end..).unwrap_or_default().lines().next().unwrap_or_default();
    before.into_iter().rev().chain(['\n']).chain(behind.chars().take(MAX_AROUND)).collect()
}

/// Whether a decoded text would be denied if it stood there in plain text, whatever words are around it.
fn holds_denial(plain: &str) -> bool {
    let is_denied = |code: Code| code.tier() == Tier::Deny;
    let wanted = Wanted::of(plain);
    let mut scan = Scan::default();
    triggers::scan_lines(plain, &Source::new("", 1, Setting::Instruction), &mut scan);
    plain.lines().any(|line| {
        let lure = lures::is_candidate(line).then(|| lures::check(line, || plain.to_owned())).flatten();
        let shown = instructions::check(line, || plain.to_owned(), wanted);
        lure.is_some() || shown.iter().any(|shown| is_denied(shown.code))
    }) || scan.finish().0.iter().any(|finding| is_denied(finding.code))
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
    let earlier = lines.get(..at).unwrap_or_default().iter().rev().take(MAX_LINES);
    let first = earlier.take_while(|line| line.line.saturating_add(before) >= here);
    let first = at - first.count();
    let near = lines.iter().skip(first).take_while(|line| line.line <= here.saturating_add(behind));
    let mut out = String::new();
    for line in near {
        if out.len() > MAX_WINDOW {
            break;
        }
        out.push_str(line.text.get(..line.text.len().min(MAX_WINDOW)).unwrap_or_default());
        out.push('\n');
    }
    out
}
