//! What changes in a file, as hunks: the lines are a stranger's and are shown harmless.

use super::{Ink, Style, escape};
use guild_engine::{Difference, Hunk};
use std::io::{self, Write};

/// Prints how two contents differ.
pub fn difference(difference: &Difference, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match difference {
        Difference::None => Ok(()),
        Difference::Binary => writeln!(out, "  no text"),
        Difference::TooLong => writeln!(out, "  too long to be shown"),
        Difference::Lines { hunks } => hunks.iter().try_for_each(|one| hunk(one, style, out)),
    }
}

fn hunk(hunk: &Hunk, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let head = format!("@@ -{} +{} @@", hunk.old_start, hunk.new_start);
    writeln!(out, "{}", style.ink(Ink::Cyan, &head))?;
    for line in &hunk.lines {
        let ink = match line.sign {
            '+' => Ink::Green,
            '-' => Ink::Red,
            _ => Ink::Plain,
        };
        writeln!(out, "{}", style.ink(ink, &format!("{}{}", line.sign, escape::exact(&line.text))))?;
    }
    Ok(())
}
