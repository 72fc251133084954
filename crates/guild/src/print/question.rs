//! What a person is told before they decide, one line each.

use super::{Ink, Style};
use guild_engine::{Told, Weight};
use std::io::{self, Write};

/// Prints what the engine has made harmless already.
pub fn told(lines: &[Told], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{}  {}", style.ink(Ink::Dim, &label(line)), style.ink(ink(line), &line.text))?;
    }
    Ok(())
}

/// The same as lines, for whoever shows them elsewhere.
pub fn told_lines(lines: &[Told]) -> Vec<(Ink, String)> {
    lines.iter().map(|line| (ink(line), format!("{}  {}", label(line), line.text))).collect()
}

fn label(line: &Told) -> String {
    format!("{:<10}", line.label)
}

fn ink(line: &Told) -> Ink {
    match line.weight {
        Weight::Plain => Ink::Plain,
        Weight::Strong => Ink::Bold,
        Weight::Warning => Ink::Yellow,
        Weight::Danger => Ink::Red,
    }
}
