//! The replies about what a skill needs installed.

use schemars::JsonSchema;
use serde::Serialize;

/// `deps`: the install steps that a skill declares.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Deps {
    /// Whether the skill was found.
    pub found: bool,
    /// Its qualified name.
    pub skill: Option<String>,
    /// The steps, in the order of the skill.
    pub steps: Vec<StepLine>,
    /// Why the skill cannot be used here now.
    pub unmet: Vec<String>,
    /// What came of the step that was to be run; only with `--install`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<DepsInstalled>,
    /// Names near it, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// One way to get what is missing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StepLine {
    /// Its number, from one.
    pub number: usize,
    /// `brew`, `uv`, `node`, `go`, `download`, `apt`, or what the skill says.
    pub kind: String,
    /// The package, module or address.
    pub target: String,
    /// What the skill says of it.
    pub label: Option<String>,
    /// The programs that it brings.
    pub bins: Vec<String>,
    /// Those of them that are not here.
    pub missing: Vec<String>,
    /// The command that would run, word by word; null where Guildhall does not run it.
    pub command: Option<Vec<String>>,
    /// Why it does not, and what to do.
    pub refused: Option<String>,
}

/// What came of one step.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct DepsInstalled {
    /// The skill's qualified name.
    pub skill: String,
    /// The step's number.
    pub step: Option<usize>,
    /// The command.
    pub command: Vec<String>,
    /// What it ended with.
    pub exit_code: Option<i32>,
    /// The receipt of how it ended.
    pub receipt: Option<String>,
}
