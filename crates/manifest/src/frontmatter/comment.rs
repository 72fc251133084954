//! Values that end where YAML sees a comment: ` #12` begins one, and seldom to whoever wrote the text.
//!
//! A `#` with a blank behind it is taken for the comment that it is.

use crate::text::clamp;
use crate::tree::Map;
use crate::{Code, Pos, Problem};

/// The keys whose values are prose.
const PROSE: &[&str] = &["description", "when_to_use"];
/// How much of what was left out is repeated.
const SHOWN: usize = 40;

/// The problems of prose in `map` that lost its end; the block's first line is line `first_line` of its file.
pub fn cut(block: &str, first_line: u32, map: &Map) -> Vec<Problem> {
    if memchr::memchr(b'#', block.as_bytes()).is_none() {
        return Vec::new();
    }
    PROSE.iter().filter_map(|key| cut_at(key, block, first_line, map)).collect()
}

fn cut_at(key: &str, block: &str, first_line: u32, map: &Map) -> Option<Problem> {
    let entry = map.entry(key)?;
    let at = entry.value.at;
    // A block of text begins below its key, and everything in it is text.
    let text = &entry.value.as_scalar().filter(|_| at.line == entry.key_at.line)?.text;
    let line = block.lines().nth(at.line.checked_sub(first_line)? as usize)?;
    let (before, _) = line.char_indices().nth(at.column.checked_sub(1)? as usize)?;
    let value = line.get(before..).filter(|value| !value.starts_with(['"', '\'']))?;
    let (kept, left_out) = value.match_indices(" #").find_map(|(offset, _)| {
        let (kept, comment) = value.split_at_checked(offset + 1)?;
        comment.chars().nth(1).is_some_and(char::is_alphanumeric).then_some((kept, comment))
    })?;
    // A repair may have kept it.
    if text.contains(left_out.trim_end()) {
        return None;
    }
    let shown: String = left_out.chars().take(SHOWN).collect();
    let message = format!("`{key}` ends before `{shown}`: to YAML, a blank and `#` begin a comment");
    let at = Pos::new(at.line, at.column.saturating_add(clamp(kept.chars().count())));
    Some(Problem::new(Code::ValueCut, at, message, "put quotes around the whole value"))
}

#[cfg(test)]
mod tests {
    use crate::frontmatter::read;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(block: &str, expect: Expect) {
        let text = format!("---\n{block}\n---\n");
        let read = read(&text).unwrap();
        let problems: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
        expect.assert_eq(&problems.join("\n"));
    }

    #[test]
    fn a_description_that_ends_at_a_number_sign_is_told() {
        check(
            "name: a\ndescription: Fixes größere issue #12 and more",
            expect![
                ":3:34: warning[value_cut]: `description` ends before `#12 and more`: to YAML, a blank and `#` begin a comment"
            ],
        );
        check(
            "name: a\ndescription: d\nwhenToUse: in #general",
            expect![
                ":4:15: warning[value_cut]: `when_to_use` ends before `#general`: to YAML, a blank and `#` begin a comment"
            ],
        );
    }

    #[test]
    fn comments_and_text_that_was_kept_are_left_alone() {
        for block in [
            "description: d # a comment",
            "description: d #",
            "description: d ## heading",
            "description: 'issue #12'",
            "description: \"issue #12\"",
            "description: C#12 and F#",
            "description: |\n  issue #12\nname: a",
            "license: MIT #12",
        ] {
            check(block, expect![""]);
        }
    }
}
