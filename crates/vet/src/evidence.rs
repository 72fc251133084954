//! Hostile text made fit to be shown: one line, nothing invisible, at most 160 characters.
//!
//! What cannot be seen is written as its code point. Secrets are shortened before they come here.

use std::fmt::Write as _;

/// How many characters of evidence are kept.
pub const MAX_EVIDENCE: usize = 160;
/// How many characters of a path or message are kept.
const MAX_OTHER: usize = 400;

/// Evidence: white space collapsed, everything invisible as `\u{…}`, cut to its length.
pub fn shown(text: &str) -> String {
    cut(text, MAX_EVIDENCE)
}

/// A path: the same, a little longer.
pub fn path(text: &str) -> String {
    cut(text, MAX_OTHER)
}

/// A message: the same, a little longer.
pub fn message(text: &str) -> String {
    cut(text, MAX_OTHER)
}

/// A secret as it may be shown: what it begins with, and how long it is.
pub fn redacted(secret: &str) -> String {
    let head: String = secret.chars().take(4).collect();
    format!("{head}… ({} characters)", secret.chars().count())
}

/// Whether a character is seen for what it is.
pub fn is_visible(c: char) -> bool {
    !(c.is_control()
        || matches!(u32::from(c),
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff))
}

fn cut(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut gap = false;
    for c in text.trim().chars() {
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        let mut piece = String::new();
        if std::mem::take(&mut gap) {
            piece.push(' ');
        }
        if is_visible(c) {
            piece.push(c);
        } else {
            write!(piece, "\\u{{{:x}}}", u32::from(c)).ok();
        }
        length += piece.chars().count();
        if length >= most {
            out.push('…');
            return out;
        }
        out.push_str(&piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_has_no_control_character_and_is_short() {
        assert_eq!(shown(" a\x1b[2J\r\n\tb\u{202e}c\u{e0041} "), "a\\u{1b}[2J b\\u{202e}c\\u{e0041}");
        assert_eq!(shown(&"\u{200b}".repeat(500)).chars().count(), 153);
        assert_eq!(shown(&"x".repeat(500)).chars().count(), MAX_EVIDENCE);
    }

    #[test]
    fn a_secret_is_never_shown_whole() {
        assert_eq!(redacted("ghp_abcdefghijkl"), "ghp_… (16 characters)");
    }
}
