//! One finding: what, where, and the evidence in a form that is safe to print.
//!
//! It weighs nothing: see `verdict`.

use crate::codes::Code;
use crate::evidence;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, relative to the skill; what lies in an archive comes after a `!`.
    pub path: String,
    /// The line, from one.
    pub line: u32,
    /// What it is.
    pub code: Code,
    /// The text that shows it: printable, at most 160 characters.
    pub evidence: String,
    /// What it means here.
    pub message: String,
}

impl Finding {
    /// A finding whose message is the code's own; the evidence is made harmless.
    pub fn new(code: Code, path: &str, line: u32, evidence: &str) -> Self {
        let evidence = evidence::shown(evidence);
        Self { code, path: evidence::path(path), line, evidence, message: code.about().to_owned() }
    }

    /// The same with a message of its own.
    #[must_use]
    pub fn saying(mut self, message: &str) -> Self {
        self.message = evidence::message(message);
        self
    }
}
