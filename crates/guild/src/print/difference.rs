//! What changes in a file, as hunks: the lines are a stranger's and are shown harmless.

use super::{Ink, Style, escape};
use guild_engine::{Difference, Hunk};
use std::io::{self, Write};

/// Prints how two contents differ.
pub fn difference(difference: &Difference, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = difference_lines(difference).into_iter();
    lines.try_for_each(|(ink, text)| writeln!(out, "{}", style.ink(ink, &text)))
}

/// What is said behind the name of a file that may be run now, or no more.
pub fn mode_change(was_executable: Option<bool>, is_executable: Option<bool>) -> &'static str {
    match (was_executable, is_executable) {
        (None | Some(false), Some(true)) => " (now executable)",
        (Some(true), Some(false)) => " (no longer executable)",
        _ => "",
    }
}

/// The same as lines, for whoever shows them elsewhere.
pub fn difference_lines(difference: &Difference) -> Vec<(Ink, String)> {
    match difference {
        Difference::None => Vec::new(),
        Difference::Binary => vec![(Ink::Plain, "  no text".to_owned())],
        Difference::TooLong => vec![(Ink::Plain, "  too long to be shown".to_owned())],
        Difference::Unknown => vec![(Ink::Plain, "  what it was is not kept on this machine".to_owned())],
        Difference::Lines { hunks } => hunks.iter().flat_map(hunk).collect(),
    }
}

fn hunk(hunk: &Hunk) -> Vec<(Ink, String)> {
    let head = (Ink::Cyan, format!("@@ -{} +{} @@", hunk.old_start, hunk.new_start));
    let lines = hunk.lines.iter().map(|line| {
        let ink = match line.sign {
            '+' => Ink::Green,
            '-' => Ink::Red,
            _ => Ink::Plain,
        };
        (ink, format!("{}{}", line.sign, escape::exact(&line.text)))
    });
    std::iter::once(head).chain(lines).collect()
}
