//! A finding for people: where, what, the evidence and what to do.

use super::{Ink, Style, escape};
use guild_engine::reply::FindingLine;
use std::io::{self, Write};

/// Prints a finding.
pub fn finding(finding: &FindingLine, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let ink = if finding.severity == "deny" { Ink::Red } else { Ink::Yellow };
    let place = format!("{}:{}", escape::exact(&finding.path), finding.line);
    writeln!(out, "  {place}: {}: {}", style.ink(ink, finding.code), escape::line(&finding.message))?;
    if !finding.evidence.is_empty() {
        writeln!(out, "    {} {}", style.ink(Ink::Dim, "|"), escape::line(&finding.evidence))?;
    }
    writeln!(out, "    {} {}", style.ink(Ink::Cyan, "hint:"), finding.advice)
}
