//! What a request is about, as lines for the screen and for plain output: harmless text, each with its ink.

use crate::print::{Ink, difference_lines, escape, told_lines};
use guild_engine::reply::{CapabilityChange, Comparison, FileChange, WaitingLine};
use unicode_width::UnicodeWidthChar as _;

/// Who asks for what, what it needs, the findings, and every file that is new to the person.
pub fn lines(line: &WaitingLine) -> Vec<(Ink, String)> {
    let request = &line.request;
    let [agent, action, skill] =
        [&request.agent, &request.action, &request.skill].map(|text| escape::exact(text));
    let by = format!("{} via {}", request.by.kind, escape::exact(&request.by.via));
    let mut lines = vec![
        (Ink::Bold, format!("{agent} asks to {action} {skill}")),
        (Ink::Dim, format!("{} asked {} by {by}", request.id, request.at)),
    ];
    lines.extend(told_lines(&request.told()));
    let was_approved = request.shown.get("approved").is_some_and(|approved| !approved.is_null());
    match &line.contents {
        Some(contents) => lines.extend(compared(contents, was_approved)),
        None if was_approved => {
            let text = "what has changed since it was approved is no longer known here";
            lines.push((Ink::Yellow, text.to_owned()));
        }
        None => {}
    }
    lines
}

/// A line in pieces that fit a width; one that is empty stays a line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut rows, mut row, mut filled) = (Vec::new(), String::new(), 0);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if filled + wide > width && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            filled = 0;
        }
        row.push(c);
        filled += wide;
    }
    rows.push(row);
    rows
}

fn compared(contents: &Comparison, was_approved: bool) -> Vec<(Ink, String)> {
    if contents.files.is_empty() && contents.capabilities.is_empty() {
        return Vec::new();
    }
    let title =
        if was_approved { "changed since it was approved:" } else { "never approved before, all of it:" };
    let mut lines = vec![(Ink::Bold, title.to_owned())];
    lines.extend(contents.capabilities.iter().map(capability));
    lines.extend(contents.files.iter().flat_map(file));
    lines
}

fn capability(change: &CapabilityChange) -> (Ink, String) {
    let word = |value: &Option<String>| escape::exact(value.as_deref().unwrap_or("none"));
    let (before, after) = (word(&change.before), word(&change.after));
    let (ink, note) = if change.wider { (Ink::Yellow, " (wider)") } else { (Ink::Plain, "") };
    (ink, format!("{}: {before} -> {after}{note}", change.capability))
}

fn file(file: &FileChange) -> Vec<(Ink, String)> {
    let now_runs = file.is_executable == Some(true) && file.was_executable != Some(true);
    let note = if now_runs { " (can be executed)" } else { "" };
    let mut lines = vec![(Ink::Cyan, format!("{} {}{note}", file.change, escape::exact(&file.path)))];
    lines.extend(difference_lines(&file.difference));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_where_they_no_longer_fit_and_nothing_is_lost() {
        let check =
            |text: &str, width, expected: &[&str]| assert_eq!(wrapped(text, width), expected, "{text}");
        check("", 4, &[""]);
        check("abcd", 4, &["abcd"]);
        check("abcdefghi", 4, &["abcd", "efgh", "i"]);
        check("日本語", 5, &["日本", "語"]);
        check("日", 1, &["日"]);
        check("ab", 0, &["a", "b"]);
    }
}
