//! The difference between two contents, as hunks of lines. Surfaces colour it; nothing here does.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiffConfig};

/// How two contents differ.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Difference {
    /// There is no content to compare: a directory, a link, or only permissions.
    #[default]
    None,
    /// At least one of them is no text.
    Binary,
    /// At least one of them is too long to be shown.
    TooLong,
    /// What the old one was is not kept on this machine.
    Unknown,
    /// Lines.
    Lines {
        /// The places that differ, each with some lines around it.
        hunks: Vec<Hunk>,
    },
}

/// One place that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hunk {
    /// Its first line in the old content, from 1.
    pub old_start: usize,
    /// Its first line in the new content, from 1.
    pub new_start: usize,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// ` ` in both, `-` only in the old one, `+` only in the new one.
    pub sign: char,
    /// The line without its end.
    pub text: String,
}

/// Lines that are shown before and after what differs.
const AROUND: usize = 3;

/// After this long what is left is shown as wholly different: contents are a stranger's, and may be made to be slow.
const PATIENCE: Duration = Duration::from_millis(500);

/// Compares two contents.
pub fn difference(old: &[u8], new: &[u8]) -> Difference {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return Difference::Binary;
    };
    if old.contains('\0') || new.contains('\0') {
        return Difference::Binary;
    }
    let mut config = TextDiffConfig::default();
    let diff = config.algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(old, new);
    let hunks = diff.grouped_ops(AROUND).into_iter().map(|ops| {
        let changes = ops.iter().flat_map(|op| diff.iter_changes(op));
        let lines = changes.map(|change| Line {
            sign: match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            },
            text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
        });
        let first = ops.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
        Hunk { old_start: first.0 + 1, new_start: first.1 + 1, lines: lines.collect() }
    });
    Difference::Lines { hunks: hunks.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &Expect) {
        let mut shown = String::new();
        match difference(old.as_bytes(), new.as_bytes()) {
            Difference::Lines { hunks } => {
                for hunk in hunks {
                    writeln!(shown, "@ {} {}", hunk.old_start, hunk.new_start).unwrap();
                    hunk.lines.iter().for_each(|line| writeln!(shown, "{}{}", line.sign, line.text).unwrap());
                }
            }
            other => writeln!(shown, "{other:?}").unwrap(),
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn lines_that_differ_come_with_some_around_them() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n",
            &expect![[r#"
            @ 2 2
             2
             3
             4
            -5
            +five
             6
             7
             8
             9
            +10
        "#]],
        );
    }

    #[test]
    fn what_is_no_text_is_said_to_be_none() {
        check(
            "a\0b",
            "c",
            &expect![[r#"
            Binary
        "#]],
        );
    }

    #[test]
    fn a_new_file_is_all_new() {
        check(
            "",
            "a\nb",
            &expect![[r#"
            @ 1 1
            +a
            +b
        "#]],
        );
    }
}
