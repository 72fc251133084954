//! What is wrong, with its place.

use guild_manifest::Problem;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// `check`: every file that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Check<'a> {
    /// The skills, by path.
    pub skills: Vec<CheckedFile<'a>>,
    /// Plugins, roots and configuration files with problems.
    pub others: Vec<OtherFile<'a>>,
    /// The counts.
    pub summary: CheckSummary,
}

/// One skill's file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedFile<'a> {
    /// The file.
    pub path: String,
    /// The skill's name.
    pub name: String,
    /// Whether it loads.
    pub loaded: bool,
    /// What is wrong with it.
    pub problems: Vec<ProblemLine<'a>>,
}

/// Another file with problems.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OtherFile<'a> {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub problems: Vec<ProblemLine<'a>>,
}

/// The counts of a check.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckSummary {
    /// Files looked at.
    pub files: usize,
    /// Skills that load.
    pub loaded: usize,
    /// Problems that are errors.
    pub errors: usize,
    /// Problems that are warnings.
    pub warnings: usize,
    /// Problems that are neither.
    pub infos: usize,
}

/// One problem.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemLine<'a> {
    /// Which rule.
    pub code: &'static str,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// The file; relative to the skill's directory inside a skill.
    pub file: Cow<'a, str>,
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
    /// What is wrong.
    pub message: Cow<'a, str>,
    /// What mends it.
    pub hint: Cow<'a, str>,
    /// The line of the file, where it was read for this reply; of a very long one the part around the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The column in `source`, where that is not the column in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_column: Option<u32>,
}

impl<'a> ProblemLine<'a> {
    /// The line of a problem that somebody else keeps.
    pub fn of(problem: &'a Problem) -> Self {
        Self {
            code: problem.code.as_str(),
            severity: problem.severity.as_str(),
            file: Cow::Borrowed(&problem.file),
            line: problem.at.line,
            column: problem.at.column,
            message: Cow::Borrowed(&problem.message),
            hint: Cow::Borrowed(&problem.hint),
            source: None,
            source_column: None,
        }
    }

    /// The line of a problem that nobody else keeps.
    pub fn owned(problem: Problem) -> ProblemLine<'static> {
        ProblemLine {
            code: problem.code.as_str(),
            severity: problem.severity.as_str(),
            line: problem.at.line,
            column: problem.at.column,
            file: Cow::Owned(problem.file),
            message: Cow::Owned(problem.message),
            hint: Cow::Owned(problem.hint),
            source: None,
            source_column: None,
        }
    }
}
