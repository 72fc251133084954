//! What a person is shown before they decide: everything that the decision is about, made harmless.

use super::{Ink, Style, escape};
use guild_engine::Shown;
use guild_engine::reply::RequestLine;
use serde_json::Value;
use std::io::{self, Write};

/// Prints a request and everything that it shows.
pub fn question(request: &RequestLine, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut field = |name: &str, value: &str| {
        let name = format!("{name:<10}");
        writeln!(out, "{}  {}", style.ink(Ink::Dim, &name), escape::exact(value))
    };
    field("action", &request.action)?;
    field("agent", &request.agent)?;
    field("skill", &request.skill)?;
    field("hash", request.security_hash.as_deref().unwrap_or("none"))?;
    field("workspace", &request.workspace)?;
    field("expires", &request.expires)?;
    match Shown::read(&request.shown) {
        Some(shown) => details(&shown, style, out),
        // Another program has asked, in words of its own.
        None => writeln!(out, "{}", escape::json(&request.shown.to_string())),
    }
}

/// Prints what a run would be.
pub fn details(shown: &Shown, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let label = |name: &str| style.ink(Ink::Dim, &format!("{name:<10}")).to_string();
    if !shown.source.is_empty() {
        writeln!(out, "{}  {}", label("source"), escape::exact(&shown.source))?;
    }
    if !shown.command.is_empty() {
        let command = command_line(&shown.command);
        writeln!(out, "{}  {}", label("command"), style.ink(Ink::Bold, &command))?;
    }
    for (name, value) in &shown.parameters {
        writeln!(out, "{}  {} = {}", label("parameter"), escape::exact(name), parameter(value))?;
    }
    for capability in &shown.capabilities {
        let (name, value) = (escape::exact(&capability.name), escape::exact(&capability.value));
        let mark =
            if capability.is_new { style.ink(Ink::Yellow, " (new)").to_string() } else { String::new() };
        writeln!(out, "{}  {name}: {value}{mark}", label("needs"))?;
    }
    if let Some(approved) = &shown.approved {
        writeln!(out, "{}  another hash was approved: {}", label("changed"), escape::exact(approved))?;
    }
    for file in &shown.changed {
        writeln!(out, "{}  {} {}", label("changed"), escape::exact(&file.change), escape::exact(&file.path))?;
    }
    for finding in &shown.findings {
        let ink = if finding.severity == "deny" { Ink::Red } else { Ink::Yellow };
        let code = escape::exact(&finding.code);
        let place = format!("{}:{}", escape::exact(&finding.path), finding.line);
        let message = escape::line(&finding.message);
        writeln!(out, "{}  {} {place}: {message}", label("vet"), style.ink(ink, &code))?;
        if !finding.evidence.is_empty() {
            writeln!(out, "{}  {}", label(""), escape::exact(&finding.evidence))?;
        }
    }
    Ok(())
}

fn parameter(value: &Value) -> String {
    escape::json(&value.to_string())
}

/// A command as a shell would take it, made harmless.
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell would take it, so that nobody takes one for two.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", escape::exact(word).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_are_told_apart() {
        assert_eq!(quoted("/skill/run.sh"), "/skill/run.sh");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("x\u{1b}[2J"), "'x\\u{1b}[2J'");
    }
}
