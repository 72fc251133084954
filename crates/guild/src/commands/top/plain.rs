//! Everything that the view has, printed once.

use super::{matter, rows};
use crate::print::{Cell, Ink, Style, problem_line, table};
use guild_engine::counted;
use guild_engine::reply::Top;
use std::io::{self, Write};
use std::path::Path;

/// Prints what waits, with everything that an answer is about, then runs and problems.
pub fn print(top: &Top, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let heading = |out: &mut dyn Write, text: String| writeln!(out, "{}", style.ink(Ink::Bold, &text));
    heading(out, format!("{} waiting", counted(top.waiting.len(), "request")))?;
    for (ink, text) in top.waiting.iter().flat_map(matter::lines) {
        writeln!(out, "  {}", style.ink(ink, &text))?;
    }
    heading(out, format!("{} under way, {} ended", counted(top.running.len(), "run"), top.ended.len()))?;
    let runs = rows::runs(top, str::to_owned);
    let cells: Vec<_> =
        runs.iter().map(|row| row.each_ref().map(|(ink, text)| Cell::new(*ink, text))).collect();
    if !cells.is_empty() {
        table(["AT", "SKILL", "AGENT", "WHAT", "OUTCOME"], &cells, style, out)?;
    }
    heading(out, counted(top.problem_count, "problem"))?;
    top.problems.iter().try_for_each(|problem| problem_line(problem, Path::new(""), style, out))
}
