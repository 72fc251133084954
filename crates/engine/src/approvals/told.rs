//! What a person is told before they decide, as lines of harmless text: the same at a terminal, on a page and in a client's dialogue.

use guild_manifest::escape;
use serde_json::Value;

use super::{Asks, Shown};
use crate::inquiry::{FieldKind, asked_fields};
use crate::ports::Question;
use crate::reply::RequestLine;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What it is about.
    pub label: &'static str,
    /// What is said, with everything invisible made visible.
    pub text: String,
    /// How much a person should look at it.
    pub weight: Weight,
}

/// How much a person should look at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It is there to be looked up.
    Plain,
    /// It is what the decision is about.
    Strong,
    /// It should give pause.
    Warning,
    /// It should frighten.
    Danger,
}

impl Question {
    /// Everything that the question is about.
    pub fn told(&self) -> Vec<Told> {
        let mut lines = vec![
            exact("agent", &self.agent),
            exact("skill", &self.skill),
            exact("hash", &self.security_hash),
            exact("workspace", &self.workspace),
        ];
        lines.extend(self.shown.told());
        lines
    }
}

impl RequestLine {
    /// Everything that the request is about.
    pub fn told(&self) -> Vec<Told> {
        let mut lines = vec![
            exact("action", &self.action),
            exact("agent", &self.agent),
            exact("skill", &self.skill),
            exact("hash", self.security_hash.as_deref().unwrap_or("none")),
            exact("workspace", &self.workspace),
            exact("expires", &self.expires),
        ];
        match Shown::read(&self.shown) {
            Some(shown) => lines.extend(shown.told()),
            // Another program has asked, in words of its own.
            None => lines.push(line("asked", escape::json(&self.shown.to_string()), Weight::Strong)),
        }
        lines
    }
}

impl Shown {
    /// What would be run, what it needs, what has changed and what the vet found.
    pub fn told(&self) -> Vec<Told> {
        let mut lines = self.asks.iter().flat_map(Asks::told).collect::<Vec<_>>();
        if !self.source.is_empty() {
            lines.push(exact("source", &self.source));
        }
        if !self.command.is_empty() {
            lines.push(line("command", command_line(&self.command), Weight::Strong));
        }
        for (name, value) in &self.parameters {
            let text = format!("{} = {}", escape::exact(name), parameter(value));
            lines.push(line("parameter", text, Weight::Plain));
        }
        for needed in &self.capabilities {
            let text = format!("{}: {}", escape::exact(&needed.name), escape::exact(&needed.value));
            lines.push(match needed.is_new {
                true => line("needs", format!("{text} (new)"), Weight::Warning),
                false => line("needs", text, Weight::Plain),
            });
        }
        lines.extend(self.changes_told());
        lines.extend(self.findings_told());
        lines
    }

    fn changes_told(&self) -> Vec<Told> {
        let approved = self.approved.iter().map(|approved| {
            let text = format!("another hash was approved: {}", escape::exact(approved));
            line("changed", text, Weight::Warning)
        });
        let files = self.changed.iter().map(|file| {
            let text = format!("{} {}", escape::exact(&file.change), escape::exact(&file.path));
            line("changed", text, Weight::Plain)
        });
        approved.chain(files).collect()
    }

    fn findings_told(&self) -> Vec<Told> {
        let mut lines = Vec::new();
        for finding in &self.findings {
            let weight = if finding.severity == "deny" { Weight::Danger } else { Weight::Warning };
            let (code, path) = (escape::exact(&finding.code), escape::exact(&finding.path));
            let message = escape::line(&finding.message);
            lines.push(line("vet", format!("{code} {path}:{}: {message}", finding.line), weight));
            if !finding.evidence.is_empty() {
                lines.push(exact("", &finding.evidence));
            }
        }
        lines
    }
}

impl Asks {
    /// The question, and what is to be filled in.
    fn told(&self) -> Vec<Told> {
        let mut lines = vec![
            exact("asked by", &self.tool),
            line("question", escape::exact(&self.message), Weight::Strong),
        ];
        for field in asked_fields(&self.schema) {
            let takes = match field.kind {
                FieldKind::Text => "text".to_owned(),
                FieldKind::Number => "a number".to_owned(),
                FieldKind::Truth => "yes or no".to_owned(),
                FieldKind::Choice(choices) => format!("one of {}", choices.join(", ")),
                FieldKind::Choices(choices) => format!("some of {}", choices.join(", ")),
                FieldKind::Json => "JSON".to_owned(),
            };
            let required = if field.required { ", required" } else { "" };
            let about =
                field.description.or(field.title).map(|about| format!(": {about}")).unwrap_or_default();
            lines.push(exact("field", &format!("{} ({takes}{required}){about}", field.name)));
        }
        lines
    }
}

/// A command as a shell would take it, made harmless.
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn line(label: &'static str, text: String, weight: Weight) -> Told {
    Told { label, text, weight }
}

fn exact(label: &'static str, text: &str) -> Told {
    line(label, escape::exact(text), Weight::Plain)
}

fn parameter(value: &Value) -> String {
    escape::json(&value.to_string())
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
