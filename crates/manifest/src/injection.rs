//! Command injections in a body: `` !`command` `` and fences opened by ```` ```! ````.
//!
//! Some hosts run these before a model reads the skill. Nothing is run here, or anywhere outside a container:
//! the scan only says where they stand. Injections in code fences count too, because those hosts run them there.

use crate::text::clamp;
use crate::{Code, Pos, Problem};

/// How many injections of one body are told; a body with more is no clearer for it.
const MOST_TOLD: usize = 50;

const HINT: &str = "Guildhall runs nothing outside a container: make it a script of the skill, or tell the agent to \
                    run the command itself";

/// The command injections in `body`, whose first line is line `first_line` of its file.
///
/// `` !`command` `` counts at the start of a line or after white space, and ends within its paragraph.
pub fn find(body: &str, first_line: u32) -> Vec<Problem> {
    if !has_mark(body.as_bytes()) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut rest = body;
    let mut line_number = first_line;
    let mut fenced = false;
    while !rest.is_empty() && problems.len() < MOST_TOLD {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if fenced {
            fenced = !line.trim_start().starts_with("```");
        } else if let Some(indent) = command_fence(line) {
            problems.push(fence_problem(Pos::new(line_number, clamp(indent + 1))));
            fenced = true;
        } else {
            let spans = inline_commands(line, after).map(|column| Pos::new(line_number, column));
            problems.extend(spans.take(MOST_TOLD - problems.len()).map(inline_problem));
        }
        rest = after;
        line_number = line_number.saturating_add(1);
    }
    problems
}

/// Whether an exclamation mark stands beside a backtick anywhere; most bodies have few of either.
fn has_mark(body: &[u8]) -> bool {
    memchr::memchr_iter(b'!', body).any(|at| {
        body.get(at + 1) == Some(&b'`')
            || at.checked_sub(1).and_then(|before| body.get(before)) == Some(&b'`')
    })
}

/// The indent of a line that opens a fence whose content is a command.
fn command_fence(line: &str) -> Option<usize> {
    let fence = line.trim_start();
    let info = fence.trim_start_matches('`');
    (fence.len() - info.len() >= 3 && info.starts_with('!'))
        .then(|| line.chars().count() - fence.chars().count())
}

/// The columns of the commands that open in `line`; `after` is the text below it.
fn inline_commands<'a>(line: &'a str, after: &'a str) -> impl Iterator<Item = u32> + 'a {
    line.match_indices("!`")
        .filter(move |(offset, _)| {
            let before = line.get(..*offset).unwrap_or_default();
            let command = line.get(offset + 2..).unwrap_or_default();
            before.chars().next_back().is_none_or(char::is_whitespace) && is_closed(command, after)
        })
        .map(move |(offset, _)| clamp(line.get(..offset).map_or(0, |before| before.chars().count()) + 1))
}

/// Whether a command that begins with `command` has a closing backtick before its paragraph ends.
fn is_closed(command: &str, after: &str) -> bool {
    if let Some(end) = command.find('`') {
        return end > 0;
    }
    let ends_paragraph = |line: &str| line.is_empty() || line.starts_with("```");
    after.lines().take_while(|line| !ends_paragraph(line.trim())).any(|line| line.contains('`'))
}

fn inline_problem(at: Pos) -> Problem {
    Problem::new(Code::CommandInert, at, "the command of this `!` injection is not run; it stays text", HINT)
}

fn fence_problem(at: Pos) -> Problem {
    Problem::new(Code::CommandInert, at, "the commands of this `!` fence are not run; they stay text", HINT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let shown: Vec<String> = find(body, 10)
            .iter()
            .map(|problem| format!("{}:{} {}", problem.at.line, problem.at.column, problem.message))
            .collect();
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_command_at_the_start_of_a_line_or_after_white_space_is_found() {
        check(
            "!`git status`\n\nState: !`git diff` and\t!`date`\n",
            expect![[r#"
                10:1 the command of this `!` injection is not run; it stays text
                12:8 the command of this `!` injection is not run; it stays text
                12:24 the command of this `!` injection is not run; it stays text"#]],
        );
    }

    #[test]
    fn a_command_fence_is_found_once_and_its_content_is_not_read() {
        check(
            "Before\n  ```!\n  !`inner`\n  ```\n!`after`\n",
            expect![[r#"
                11:3 the commands of this `!` fence are not run; they stay text
                14:1 the command of this `!` injection is not run; it stays text"#]],
        );
    }

    #[test]
    fn a_fence_that_is_never_closed_or_longer_is_found() {
        check("````!bash\necho", expect!["10:1 the commands of this `!` fence are not run; they stay text"]);
    }

    #[test]
    fn a_command_in_an_ordinary_fence_is_found() {
        check(
            "```sh\n!`date`\n```\n",
            expect!["11:1 the command of this `!` injection is not run; it stays text"],
        );
    }

    #[test]
    fn a_command_may_cross_lines_within_its_paragraph() {
        check(
            "!`git\nlog`\n\n!`git\n\nlog`\n",
            expect!["10:1 the command of this `!` injection is not run; it stays text"],
        );
    }

    #[test]
    fn columns_count_characters() {
        check("Größe: !`du`", expect!["10:8 the command of this `!` injection is not run; it stays text"]);
    }

    #[test]
    fn exclamations_code_and_empty_commands_are_no_injections() {
        check(
            "Stop!`code` follows. Use `!`now`. A `!` alone. !`` x``, !` never closed\n```\n!\n```\n",
            expect![""],
        );
    }

    #[test]
    fn a_flood_is_cut() {
        assert_eq!(find(&"!`a` ".repeat(1000), 1).len(), MOST_TOLD);
    }

    #[test]
    fn line_numbers_do_not_overflow() {
        assert_eq!(find("\n\n!`a`", u32::MAX).first().map(|problem| problem.at.line), Some(u32::MAX));
    }
}
