//! What a skill's text must be before it is written, and what is worth a remark when it is read.
//!
//! Structure, names and references to tools. The frontmatter's content is the reader's business, and whether the
//! text is safe is the vet's.

mod references;

use guild_manifest::{Code, Pos, Problem, frontmatter};

pub use references::{is_known_tool, looks_like_tool_name, references};

/// The fewest bytes of a skill file that say anything.
const FEWEST_BYTES: usize = 80;

/// Whether `name` can be a skill's identifier: letters, digits, `.`, `_` and `-`, at most 64 of them, the first a
/// letter or a digit.
pub fn is_valid_name(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    first && name.len() <= 64 && name.bytes().all(allowed)
}

/// Checks a whole skill file: its structure, then its references to tools.
///
/// `registry` names the tools that are there besides those that agents bring along.
pub fn validate(text: &str, registry: &[&str]) -> Vec<Problem> {
    let mut problems = structure(text);
    if let Ok(parts) = frontmatter::split(text) {
        problems.extend(references(parts.body, parts.body_line, registry));
    }
    problems
}

/// Checks that a whole skill file has frontmatter, instructions below it, and enough of both.
pub fn structure(text: &str) -> Vec<Problem> {
    if text.trim().is_empty() {
        return vec![empty(Pos::START)];
    }
    let mut problems = match frontmatter::split(text) {
        Err(problem) => vec![problem],
        Ok(parts) if parts.body.trim().is_empty() => return vec![empty(Pos::line(parts.body_line))],
        Ok(_) => Vec::new(),
    };
    if text.len() < FEWEST_BYTES {
        problems.push(too_short(text.len()));
    }
    problems
}

fn empty(at: Pos) -> Problem {
    let hint = "write below the frontmatter what the agent is to do";
    Problem::new(Code::BodyEmpty, at, "the skill has no instructions", hint)
}

fn too_short(bytes: usize) -> Problem {
    let message =
        format!("the skill has {bytes} bytes; fewer than {FEWEST_BYTES} are too short to be of use");
    Problem::new(
        Code::BodyTooShort,
        Pos::START,
        message,
        "say when to use the skill, its steps and how to verify them",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let shown: Vec<String> = validate(text, &["own_tool"]).iter().map(Problem::to_string).collect();
        expect.assert_eq(&shown.join("\n"));
    }

    const GOOD: &str =
        "---\nname: a\ndescription: Does a thing well and says so at some length\n---\n\nDo the thing.\n";

    #[test]
    fn a_whole_skill_has_no_problem() {
        check(GOOD, expect![""]);
        check(&GOOD.replace('\n', "\r\n"), expect![""]);
        check(&format!("\u{feff}\n{GOOD}"), expect![""]);
        check(&GOOD.replacen("\n---", "\n...", 1), expect![""]);
    }

    #[test]
    fn an_empty_file_is_empty_and_nothing_else() {
        check("", expect![":1:1: warning[body_empty]: the skill has no instructions"]);
        check(" \n\t\n", expect![":1:1: warning[body_empty]: the skill has no instructions"]);
    }

    #[test]
    fn frontmatter_without_instructions_is_told_below_it() {
        check("---\nname: a\n---\n\n", expect![":4:1: warning[body_empty]: the skill has no instructions"]);
        check("---\n---", expect![":3:1: warning[body_empty]: the skill has no instructions"]);
    }

    #[test]
    fn a_file_without_frontmatter_is_told() {
        check(
            &"Do the thing. ".repeat(10),
            expect![":1:1: error[missing_frontmatter]: the skill has no frontmatter"],
        );
        check(&format!(" {GOOD}"), expect![":1:1: error[missing_frontmatter]: the skill has no frontmatter"]);
    }

    #[test]
    fn only_a_line_that_is_a_fence_closes_the_frontmatter() {
        check(
            "\n---\nname: a\ndescription: a text of some length, so that it is no matter\n ---\n---x\ntitle: ---\n",
            expect![":2:1: error[unclosed_frontmatter]: the frontmatter is never closed"],
        );
    }

    #[test]
    fn a_short_file_is_told_after_what_else_it_lacks() {
        check(
            "Do it.",
            expect![[r#"
                :1:1: error[missing_frontmatter]: the skill has no frontmatter
                :1:1: warning[body_too_short]: the skill has 6 bytes; fewer than 80 are too short to be of use"#]],
        );
        check(
            "---\nname: a\n---\nDo it.",
            expect![
                ":1:1: warning[body_too_short]: the skill has 22 bytes; fewer than 80 are too short to be of use"
            ],
        );
    }

    #[test]
    fn unknown_tools_stand_at_their_line_in_the_file() {
        check(
            &format!("{GOOD}Then use the `own_tool` tool and the `no_tool` tool.\n"),
            expect![":7:39: info[unknown_tool]: `no_tool` is no known tool"],
        );
    }

    #[test]
    fn no_text_panics() {
        let text = format!("\u{feff}{GOOD}Ä `a_b` tool, call the ``c``, **tools:** `d_é`\n~~~\n`e` tool");
        for at in 0..text.len() {
            for mark in *b"`~\n -_\xc3\xff" {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = mark;
                validate(&String::from_utf8_lossy(&bytes), &["d_é"]);
                validate(&String::from_utf8_lossy(&bytes[at..]), &[]);
            }
        }
    }

    #[test]
    fn names_are_letters_digits_and_three_marks() {
        for name in ["a", "A1", "0", "a.b_c-d", "SKILL.md", &"a".repeat(64)] {
            assert!(is_valid_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "-a",
            "_a",
            ".a",
            "a b",
            "a/b",
            "a\\b",
            "../a",
            "a\n",
            "ä",
            "a\0",
            &"a".repeat(65),
        ] {
            assert!(!is_valid_name(name), "{name}");
        }
    }
}
