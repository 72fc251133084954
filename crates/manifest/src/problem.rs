//! A problem found in a file: a stable code, where it is, what it means and how to mend it.
//!
//! Problems are data. Nothing here prints, and nothing here decides what a caller does about them.

mod codes;

use serde::{Deserialize, Serialize};
use std::fmt;

pub use codes::Code;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// The file loads, but not as its author meant, or not everywhere.
    Warning,
    /// The file breaks a rule of the chosen profile.
    Error,
}

impl Severity {
    /// The word shown to people and programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a text: line and column count from one, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pos {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

impl Pos {
    /// The start of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place at `line` and `column`, both counted from one.
    pub const fn new(line: u32, column: u32) -> Self {
        Self { line, column }
    }

    /// The first column of `line`.
    pub const fn line(line: u32) -> Self {
        Self { line, column: 1 }
    }
}

/// One thing that is wrong with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Which rule; stable across releases.
    pub code: Code,
    /// How much it matters under the profile that was checked.
    pub severity: Severity,
    /// The file, as its reader named it.
    pub file: String,
    /// Where in the file.
    pub at: Pos,
    /// What is wrong, in one sentence without a period.
    pub message: String,
    /// What mends it.
    pub hint: String,
}

impl Problem {
    /// A problem of the severity its code has by default, in a file still to be named.
    pub fn new(code: Code, at: Pos, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            file: String::new(),
            at,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The same problem under another code, at that code's severity.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Self {
        self.code = code;
        self.severity = code.severity();
        self
    }

    /// The same problem at another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same problem in the named file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// Whether this problem keeps the skill or plugin out of the catalog.
    pub fn excludes(&self) -> bool {
        self.code.excludes()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, at, severity, code, message, .. } = self;
        write!(f, "{file}:{}:{}: {severity}[{code}]: {message}", at.line, at.column)
    }
}
