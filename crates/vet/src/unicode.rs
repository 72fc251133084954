//! Characters that are not seen for what they are: hidden messages, turned directions, letters of other scripts.
//!
//! Flags, families and scripts that need joiners are left alone.

mod imitated;

use crate::codes::Code;
use crate::finding::Finding;
use crate::scan::Scan;
use imitated::imitated;

/// So many hidden characters on one line are a message and no accident.
const MESSAGE: usize = 12;
/// So many variation selectors in a row select nothing.
const SELECTORS: usize = 4;

/// Looks at a text line by line.
pub fn scan(path: &str, text: &str, scan: &mut Scan) {
    if text.is_ascii() {
        return;
    }
    for (row, line) in text.lines().enumerate().filter(|(_, line)| !line.is_ascii()) {
        let row = u32::try_from(row + 1).unwrap_or(u32::MAX);
        if let Some(code) = judge(line, row == 1) {
            scan.add(Finding::new(code, path, row, &window(line)));
        }
        // Most lines have none of the letters in question, and need not be split into words.
        if line.chars().any(is_look_alike)
            && let Some(word) = line.split(|c: char| !c.is_alphanumeric()).find(|word| is_mixed(word))
        {
            scan.add(Finding::new(Code::Confusable, path, row, word));
        }
    }
}

/// Looks at a name or a description, which hosts show as they are.
pub fn scan_field(path: &str, line: u32, field: &str, text: &str, scan: &mut Scan) {
    if text.is_ascii() {
        return;
    }
    let hidden = text.lines().find_map(|line| judge(line, false));
    match hidden {
        Some(Code::BidiOverride) => scan.add(Finding::new(Code::BidiOverride, path, line, &window(text))),
        Some(_) => scan.add(Finding::new(Code::HiddenCharacters, path, line, &window(text))),
        None => {}
    }
    if field == "name"
        && has_foreign_letter(text)
        && let Some(imitated) = imitated(text)
    {
        let message =
            format!("The name is written with other letters than `{imitated}`, which it looks like.");
        scan.add(Finding::new(Code::ConfusableName, path, line, text).saying(&message));
    }
}

fn judge(line: &str, is_first: bool) -> Option<Code> {
    // Most lines that are not ASCII have quotation marks and dashes, and need not be taken apart.
    if line.chars().any(may_hide) { take_apart(line, is_first) } else { None }
}

fn take_apart(line: &str, is_first: bool) -> Option<Code> {
    let chars: Vec<char> = line.chars().collect();
    let (mut hidden, mut selectors, mut longest, mut turned) = (0, 0, 0, None);
    let reads_leftwards = chars.iter().copied().any(is_right_to_left);
    let mut tag = false;
    let mut in_flag = false;
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let is_selector = matches!(u32::from(c), 0xfe00..=0xfe0f | 0xe0100..=0xe01ef);
        selectors = if is_selector { selectors + 1 } else { 0 };
        longest = longest.max(selectors);
        match u32::from(c) {
            0x1f3f4 => in_flag = after.is_some_and(is_tag),
            0xe0000..=0xe007f if in_flag => in_flag = u32::from(c) != 0xe007f,
            0xe0000..=0xe007f => tag = true,
            0x202d | 0x202e => turned = Some(Code::BidiOverride),
            0x202a | 0x202b | 0x2066..=0x2068 if !reads_leftwards => {
                turned = Some(Code::BidiOverride);
            }
            0xfeff if is_first && at == 0 => {}
            0x200c | 0x200d if joins(before, after) => {}
            0x200b..=0x200d | 0x2060..=0x2064 | 0xfeff | 0x180e | 0x1d173..=0x1d17a => hidden += 1,
            _ => in_flag = false,
        }
    }
    match (turned, hidden) {
        _ if tag || longest >= SELECTORS || hidden >= MESSAGE => Some(Code::HiddenCharacters),
        (Some(code), _) => Some(code),
        (None, 0) => None,
        (None, _) => Some(Code::FewHiddenCharacters),
    }
}

/// Whether a character is one of those that hide something, or may be.
fn may_hide(c: char) -> bool {
    matches!(u32::from(c), 0x180e | 0x200b..=0x200d | 0x202a..=0x202e | 0x2060..=0x2068 | 0xfe00..=0xfe0f | 0xfeff
        | 0x1d173..=0x1d17a | 0xe0000..=0xe01ef)
}

fn is_tag(c: char) -> bool {
    matches!(u32::from(c), 0xe0020..=0xe007e)
}

/// Whether a joiner stands between what it joins: emoji, or letters of a script that needs it.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let is_joined = |c: char| {
        matches!(u32::from(c), 0x600..=0x6ff | 0x900..=0xdff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2190..=0x2bff
            | 0xfe0f | 0x1f000..=0x1faff | 0xe0020..=0xe007f)
    };
    before.is_some_and(is_joined) && after.is_some_and(is_joined)
}

fn is_right_to_left(c: char) -> bool {
    matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff)
}

fn has_foreign_letter(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

/// Whether a word mixes Latin letters with Cyrillic or Greek ones that look like them.
fn is_mixed(word: &str) -> bool {
    let latin = word.chars().filter(char::is_ascii_alphabetic).count();
    latin >= 2 && word.chars().any(is_look_alike)
}

/// Whether a letter is a Cyrillic or Greek one that looks like a Latin one.
fn is_look_alike(c: char) -> bool {
    // Where none of them stands the list is not searched.
    matches!(c, '\u{370}'..='\u{52f}')
        && "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅ\u{3bf}\u{39f}\u{3c1}\u{3bd}".contains(c)
}

/// The part of a line around its first odd character.
fn window(line: &str) -> String {
    let at = line.chars().position(|c| !crate::evidence::is_visible(c)).unwrap_or(0);
    line.chars().skip(at.saturating_sub(30)).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_hides_something_may_hide_something() {
        for c in ('\0'..=char::MAX).filter(|c| !may_hide(*c)) {
            for line in [String::from(c), String::from(c).repeat(MESSAGE.max(SELECTORS))] {
                assert_eq!(take_apart(&line, false), None, "{c:?}");
            }
        }
    }
}
