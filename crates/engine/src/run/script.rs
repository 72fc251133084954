//! Scripts: the staged copy, mounted read-only in a container of its own or in the caller's, and what came of it.

mod callers_container;
mod contained;
mod outcome;

pub use callers_container::check as check_container;

use guild_manifest::skill::Kind;
use guild_sandbox::Gate;
use serde_json::{Map, Value};

use super::Invocation;
use super::command_line::{NoCommand, argv, interpreter, script, text};
use super::executor::{Call, Done, Executor};
use super::params::is_secret;
use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use crate::discretion::{Discretion, HIDDEN};
use crate::ports::Pending;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// What hooks' encrypted settings are called among their parameters.
const SECRETS: &str = "secrets";

/// Runs in a container.
pub struct Script;

impl Executor for Script {
    fn kind(&self) -> Kind {
        Kind::Script
    }

    fn call<'a>(&'a self, _: &'a Workshop<'_>, draft: &'a Draft<'_>) -> Pending<'a, Result<Call, Box<Stop>>> {
        let call = call(draft).map_err(|refusal| draft.stop(refusal));
        Box::pin(async { call })
    }

    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done> {
        Box::pin(executed(Gate::open(), workshop, invocation, prepared))
    }

    /// The container is made while the gate is still shut.
    fn execute_behind<'a>(
        &'a self,
        gate: Gate,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Option<Done>> {
        Box::pin(async move { Some(executed(gate, workshop, invocation, prepared).await) })
    }
}

async fn executed(
    gate: Gate,
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Done {
    let started = workshop.now();
    match contained::run(gate, workshop, invocation, prepared).await {
        Ok(ran) => outcome::done(workshop, prepared, started, ran),
        Err(refusal) => Done::failed(prepared.reply(), refusal),
    }
}

/// The command, and the same without the values of secrets.
fn call(draft: &Draft<'_>) -> Result<Call, Refusal> {
    let Some(template) = &draft.contract.script else {
        return Err(Refusal::new(Code::ScriptNotFound, "the skill names no script"));
    };
    let invalid = |error: NoCommand| Refusal::new(Code::InvalidParams, error.to_string());
    let exact = script(template, &draft.parameters).map_err(invalid)?;
    let first = draft.staged.head_of(&exact.path).ok_or_else(|| {
        let message = format!("there is no script `{}` in the skill", exact.path);
        Refusal::new(Code::ScriptNotFound, message)
    })?;
    let interpreter = interpreter(&exact.path, &first);
    let shown = script(template, &hidden(draft)).map_err(invalid)?;
    Ok(Call {
        needs_grant: true,
        command: argv(&interpreter, &exact),
        shown: argv(&interpreter, &shown),
        ..Call::default()
    })
}

/// The parameters with something else in place of secrets.
fn hidden(draft: &Draft<'_>) -> Map<String, Value> {
    let mut parameters = draft.parameters.clone();
    for name in secrets(draft) {
        if let Some(value) = parameters.get_mut(name) {
            *value = HIDDEN.into();
        }
    }
    parameters
}

/// What must not be kept of anything that the script prints.
fn discretion(draft: &Draft<'_>) -> Discretion {
    let mut discretion = Discretion::default();
    for value in secrets(draft).filter_map(|name| draft.parameters.get(name)) {
        discretion.hide(&text(value));
    }
    // What is set for a plugin and encrypted comes to its hooks among their parameters, as text and as JSON.
    let settings = draft.parameters.get(SECRETS).filter(|_| draft.name.starts_with("hook:"));
    for value in settings.and_then(Value::as_object).into_iter().flat_map(Map::values) {
        discretion.hide(&text(value));
        discretion.hide(value.to_string().trim_matches('"'));
    }
    discretion
}

fn secrets<'d>(draft: &'d Draft<'_>) -> impl Iterator<Item = &'d str> {
    let declared = draft.contract.params.as_ref().map(|params| params.list.as_slice()).unwrap_or_default();
    declared.iter().filter(|param| is_secret(param)).map(|param| param.name.as_str())
}
