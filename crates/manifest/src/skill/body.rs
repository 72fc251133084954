//! What can be said of the instructions without understanding them.

use crate::text::clamp;
use crate::{Code, Pos, Problem, injection};

/// How many lines the guidance allows.
const MAX_LINES: usize = 500;

/// The problems of a body that begins on line `first_line` of its file.
pub fn check(body: &str, first_line: u32) -> Vec<Problem> {
    let mut problems = injection::find(body, first_line);
    let lines = memchr::memchr_iter(b'\n', body.as_bytes()).count();
    if body.trim().is_empty() {
        let message = "the skill has no instructions below its frontmatter";
        let hint = "write what an agent should do, in Markdown";
        problems.push(Problem::new(Code::BodyEmpty, Pos::line(first_line), message, hint));
    } else if lines > MAX_LINES {
        let at = Pos::line(first_line.saturating_add(clamp(MAX_LINES)));
        let message = format!("the instructions have {lines} lines; the guidance is at most {MAX_LINES}");
        problems.push(Problem::new(
            Code::BodyLong,
            at,
            message,
            "move details into files under `references/`",
        ));
    }
    problems
}
