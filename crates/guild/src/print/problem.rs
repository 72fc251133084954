//! A problem for people: where, what, the line itself with a caret, and the hint.

use super::{Ink, Style, escape};
use guild_engine::reply::ProblemLine;
use std::io::{self, Write};
use std::path::Path;
use unicode_width::UnicodeWidthStr as _;

/// How much of a long line is shown around the place.
const SHOWN: usize = 100;

/// Prints a problem whose file stands in `directory`, with its source line.
pub fn problem(
    problem: &ProblemLine<'_>,
    directory: &Path,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    problem_line(problem, directory, style, out)?;
    if let Some(source) = &problem.source {
        let number = problem.line.to_string();
        let column = problem.source_column.unwrap_or(problem.column);
        let (shown, before) = window(source, column as usize);
        let margin = " ".repeat(number.len());
        writeln!(out, " {} {} {shown}", style.ink(Ink::Dim, &number), style.ink(Ink::Dim, "|"))?;
        let caret = format!("{}^", " ".repeat(before));
        writeln!(out, " {margin} {} {}", style.ink(Ink::Dim, "|"), style.ink(severity_ink(problem), &caret))?;
    }
    if !problem.hint.is_empty() {
        writeln!(out, "  {} {}", style.ink(Ink::Cyan, "hint:"), escape::line(&problem.hint))?;
    }
    Ok(())
}

/// Prints the first line of a problem: place, severity, code, message.
pub fn problem_line(
    problem: &ProblemLine<'_>,
    directory: &Path,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = directory.join(problem.file.as_ref());
    let place = format!("{}:{}:{}", escape::exact(&path.to_string_lossy()), problem.line, problem.column);
    let label = format!("{}[{}]", problem.severity, problem.code);
    writeln!(out, "{place}: {}: {}", style.ink(severity_ink(problem), &label), escape::line(&problem.message))
}

fn severity_ink(problem: &ProblemLine<'_>) -> Ink {
    match problem.severity {
        "error" => Ink::Red,
        "warning" => Ink::Yellow,
        _ => Ink::Dim,
    }
}

/// The part of a line around a column, and how wide what stands before the column is in it.
fn window(source: &str, column: usize) -> (String, usize) {
    let column = column.saturating_sub(1);
    let start = column.saturating_sub(SHOWN / 2);
    let shown: String = source.chars().skip(start).take(SHOWN).collect();
    let before: String = shown.chars().take(column - start).collect();
    let harmless = |text: &str| escape::block(&text.replace('\t', " "));
    let mark = if start > 0 { "…" } else { "" };
    (format!("{mark}{}", harmless(&shown)), mark.width() + harmless(&before).width())
}
