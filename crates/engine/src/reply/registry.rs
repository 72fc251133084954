//! The replies of the registry: what was switched, and what is set.

use guild_ledger::{ConfigValue, Registration};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Run;
use crate::{Code, Envelope};

/// `enable` and `disable`: how a skill or plugin is switched now.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Toggle {
    /// Its qualified name.
    pub name: String,
    /// `skill` or `plugin`; null where there is none of that name.
    pub kind: Option<&'static str>,
    /// Its id in the registry; null where the registry does not know it.
    pub id: Option<String>,
    /// `enabled`, `disabled` or `error`; null where the registry does not know it.
    pub status: Option<&'static str>,
    /// Why it is in error.
    pub reason: Option<String>,
    /// The agent that it was switched for; null for everybody.
    pub agent: Option<String>,
    /// The agents that it is off for.
    pub off_for: Vec<String>,
    /// The receipt of the change, or of the request.
    pub receipt: Option<String>,
    /// The request that waits for a person.
    pub request: Option<String>,
    /// The plugin's own hook, where one was to be run.
    pub hook: Option<HookRun>,
    /// Names near the one that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// What came of a hook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HookRun {
    /// `onEnable` or `onDisable`.
    pub event: &'static str,
    /// The code of its run.
    pub code: Code,
    /// What it ended with; -1 where it was not run.
    pub exit_code: i32,
    /// What it answered.
    pub output: Option<Value>,
    /// What it wrote to standard error.
    pub stderr: String,
    /// The receipt of its run.
    pub receipt: Option<String>,
}

/// `plugins config`: what is set for a plugin.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PluginConfig {
    /// The plugin.
    pub name: String,
    /// Its id in the registry; null where the registry does not know it.
    pub id: Option<String>,
    /// What was asked for, or what was set; by key.
    pub values: Vec<ConfigLine>,
    /// The receipt of the change.
    pub receipt: Option<String>,
}

/// One value of a plugin.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ConfigLine {
    /// Its key.
    pub key: String,
    /// The value; null where it is a secret.
    pub value: Option<String>,
    /// Whether it is kept encrypted.
    pub secret: bool,
    /// Since when it is so.
    pub updated_at: String,
}

impl ConfigLine {
    pub(crate) fn of(value: &ConfigValue) -> Self {
        Self {
            key: value.key.clone(),
            value: (!value.encrypted).then(|| value.value.clone()),
            secret: value.encrypted,
            updated_at: value.updated_at.clone(),
        }
    }
}

impl Toggle {
    /// Takes on what the registry says.
    pub(crate) fn tell(&mut self, state: &Registration) {
        self.id = Some(state.plugin.clone());
        self.status = Some(state.status.as_str());
        self.reason.clone_from(&state.reason);
        self.off_for = state.off_for.keys().cloned().collect();
    }
}

impl HookRun {
    pub(crate) fn of(event: &'static str, ran: &Envelope<Run>) -> Self {
        let Run { exit_code, output, stderr, receipt, .. } = ran.data.clone();
        Self { event, code: ran.code, exit_code, output, stderr, receipt }
    }
}
