//! What is going on.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Comparison, ProblemLine, ReceiptLine, RequestLine};

/// `top`: what waits for a person, what runs, what has ended and what is wrong.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Top {
    /// The workspace.
    pub workspace: String,
    /// How many skills load.
    pub skill_count: usize,
    /// What waits for a person's answer, the oldest first.
    pub waiting: Vec<WaitingLine>,
    /// The `started` receipts of the runs that are under way, the oldest first.
    pub running: Vec<ReceiptLine>,
    /// What has ended, was interrupted or was denied lately, the newest first.
    pub ended: Vec<ReceiptLine>,
    /// What is wrong with skills, plugins and configuration, errors first; files are whole paths.
    pub problems: Vec<ProblemLine<'static>>,
    /// How many problems there are, those included that are not listed.
    pub problem_count: usize,
}

/// A request with the files that it is about.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingLine {
    /// What is asked.
    #[serde(flatten)]
    pub request: RequestLine,
    /// What has changed since another state was approved, and all of it where none was; null where that is not known here.
    pub contents: Option<Comparison>,
}
