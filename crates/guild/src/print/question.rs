//! What a person is told before they decide, one line each.

use super::{Ink, Style};
use guild_engine::{Told, Weight};
use std::io::{self, Write};

/// Prints what the engine has made harmless already.
pub fn told(lines: &[Told], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for Told { label, text, weight } in lines {
        let ink = match weight {
            Weight::Plain => Ink::Plain,
            Weight::Strong => Ink::Bold,
            Weight::Warning => Ink::Yellow,
            Weight::Danger => Ink::Red,
        };
        writeln!(out, "{}  {}", style.ink(Ink::Dim, &format!("{label:<10}")), style.ink(ink, text))?;
    }
    Ok(())
}
