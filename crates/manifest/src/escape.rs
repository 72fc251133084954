//! Hostile text made harmless for people's eyes, on a terminal or in a dialogue: nothing moves the cursor, turns the direction or hides.
//!
//! JSON and what is piped to a model are not changed here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// One line: white space collapsed, everything invisible shown as `\u{…}`.
pub fn line(text: &str) -> Cow<'_, str> {
    let is_plain = |text: &str| text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && !text.contains("  ");
    if is_plain(text) && text.trim() == text {
        return Cow::Borrowed(text);
    }
    let words = text.split_whitespace().map(shown).collect::<Vec<_>>();
    Cow::Owned(words.join(" "))
}

/// Several lines: line breaks and tabs stay, everything else invisible is shown as `\u{…}`.
pub fn block(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |out, c| {
        if matches!(c, '\n' | '\t') { push(out, c) } else { push_shown(out, c) }
    })
}

/// A path or another text whose blanks matter: everything invisible is shown as `\u{…}`, and nothing is collapsed.
pub fn exact(text: &str) -> String {
    shown(text)
}

/// JSON that means the same, with everything invisible in its strings written as `\uXXXX`.
///
/// Serialisers do so only with the first 32 characters, and a terminal obeys more than those.
pub fn json(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if c.is_ascii() && c != '\u{7f}' || !is_unseen(c) {
            return push(out, c);
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").ok();
        }
        out
    })
}

fn shown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), push_shown)
}

fn push(mut out: String, c: char) -> String {
    out.push(c);
    out
}

fn push_shown(mut out: String, c: char) -> String {
    if is_unseen(c) {
        write!(out, "\\u{{{:x}}}", u32::from(c)).ok();
        return out;
    }
    push(out, c)
}

/// Control characters, direction marks, zero-width characters, variation selectors beyond the common one, tags.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b | 0x200e..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0e | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_become_text() {
        assert_eq!(line("a\x1b]0;owned\x07b\x1b[2J"), "a\\u{1b}]0;owned\\u{7}b\\u{1b}[2J");
        assert_eq!(line("c1\u{9b}31m"), "c1\\u{9b}31m");
    }

    #[test]
    fn hidden_and_turning_characters_become_text() {
        assert_eq!(line("a\u{202e}b\u{200b}c\u{e0041}"), "a\\u{202e}b\\u{200b}c\\u{e0041}");
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("  two\r\n lines\tand  a tab "), "two lines and a tab");
    }

    #[test]
    fn ordinary_text_of_any_script_is_left_alone() {
        assert_eq!(line("größe 名前 ❤️ 👩‍💻"), "größe 名前 ❤️ 👩‍💻");
    }

    #[test]
    fn json_on_a_terminal_means_the_same_and_moves_nothing() {
        let value = "a\u{9b}31m\u{202e}b\u{7f}\u{e0041}\n größe \u{1b}";
        let written = json(&serde_json::to_string(value).unwrap());
        assert_eq!(written, r#""a\u009b31m\u202eb\u007f\udb40\udc41\n größe \u001b""#);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), value);
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(block("a\n\tb\x1b[0m\r\n"), "a\n\tb\\u{1b}[0m\\u{d}\n");
    }
}
