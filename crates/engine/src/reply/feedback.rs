//! What people think of skills, and what is known of them by their runs.

use schemars::JsonSchema;
use serde::Serialize;

/// `feedback`: what was kept.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Feedback {
    /// Its id; null where nothing was kept.
    pub id: Option<String>,
    /// The skill's qualified name.
    pub skill: String,
    /// Whether the run was good.
    pub good: Option<bool>,
    /// Why.
    pub note: Option<String>,
    /// The state of the skill that ran.
    pub security_hash: Option<String>,
    /// The receipt of the run that was judged.
    pub run_receipt: Option<String>,
    /// The receipt of the judgement.
    pub receipt: Option<String>,
}

/// What is known of a skill by its runs and by people.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct History {
    /// How many of its runs have ended, of those that are looked back at.
    pub runs: u64,
    /// The part of them that went well; null where it has not run.
    pub success_rate: Option<f64>,
    /// How often people found it good.
    pub good: u64,
    /// How often they did not.
    pub bad: u64,
    /// The last runs, the newest first.
    pub last_runs: Vec<HistoryRun>,
    /// The last things that people wrote, the newest first.
    pub notes: Vec<String>,
}

/// One of the last runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryRun {
    /// Its receipt.
    pub receipt: String,
    /// How it ended: `ok`, or another stable code.
    pub code: String,
}

impl History {
    pub(crate) fn of(known: &crate::experience::Experience) -> Self {
        let run = |run: &crate::experience::LastRun| HistoryRun {
            receipt: run.receipt.clone(),
            code: run.code.clone(),
        };
        Self {
            runs: known.runs,
            success_rate: known.success_rate(),
            good: known.good,
            bad: known.bad,
            last_runs: known.last.iter().map(run).collect(),
            notes: known.notes.clone(),
        }
    }
}
