//! What a person is shown before they decide about a run: the same at a terminal, on a page and in the ledger.
//!
//! Whoever asks fills it in, and secrets are not in it. It is a stranger's text: whoever shows it makes it harmless first.

use crate::reply::FindingLine;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a person is shown about a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Shown {
    /// Where the skill comes from: its scope and its path.
    pub source: String,
    /// The exact command that would run, word by word.
    pub command: Vec<String>,
    /// The parameters by name; secrets by their digest.
    pub parameters: BTreeMap<String, Value>,
    /// What the skill declares that it needs.
    pub capabilities: Vec<Capability>,
    /// The security hash that was approved before, where it is another one.
    pub approved: Option<String>,
    /// What has changed since then, where that is still known.
    pub changed: Vec<ChangedFile>,
    /// What the vet found.
    pub findings: Vec<ShownFinding>,
    /// What a tool asks in the midst of a call, where the request is answered with values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<Asks>,
}

/// What a tool asks a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Asks {
    /// The tool, as `provider:tool`.
    pub tool: String,
    /// The question.
    pub message: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// Something that a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Capability {
    /// What: `workspace`, `network`, `environment`, `image`, `limits`, …
    pub name: String,
    /// How much of it, for people.
    pub value: String,
    /// Whether what was approved before did without.
    pub is_new: bool,
}

/// A file of the skill that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangedFile {
    /// Where it lies in the skill.
    pub path: String,
    /// `added`, `changed` or `deleted`.
    pub change: String,
}

/// Something that the vet found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShownFinding {
    /// Which rule.
    pub code: String,
    /// `deny` or `warn`.
    pub severity: String,
    /// The file, relative to the skill.
    pub path: String,
    /// Line, from one.
    pub line: u32,
    /// What it means.
    pub message: String,
    /// The text that shows it.
    pub evidence: String,
}

impl ShownFinding {
    /// What is shown of a finding.
    pub(crate) fn of(line: &FindingLine) -> Self {
        Self {
            code: line.code.to_owned(),
            severity: line.severity.to_owned(),
            path: line.path.clone(),
            line: line.line,
            message: line.message.clone(),
            evidence: line.evidence.clone(),
        }
    }
}

impl Shown {
    /// What a request shows; nothing where it says more than is known here, since nobody decides about what they are not shown.
    pub fn read(shown: &Value) -> Option<Self> {
        serde_json::from_value(shown.clone()).ok()
    }

    /// As it is kept with a request.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
