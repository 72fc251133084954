//! A plugin's own hooks, of its life and of events: staged, vetted, approved, run in a container and written down like a script.
//!
//! A hook finds its context in `/input/request.json` and says in `/output/response.json` whether it succeeded. What its failure
//! means is decided by whoever switches the plugin.

use guild_catalog::PluginEntry;
use guild_ledger::Principal;
use guild_manifest::plugin::{Lifecycle, ToolRun};
use serde_json::{Map, Value};
use std::time::Duration;

use super::command_line::entrypoint_command;
use super::executor::Call;
use super::prepare::{Draft, prepare_hook};
use super::stop::Stop;
use super::{Consent, Given, Invocation, Stage, perform_quietly, record};
use crate::events::EventHook;
use crate::security_hash::{Staged, stage_hook};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

/// A hook that is to be run.
pub(crate) struct Hook<'a> {
    /// The plugin.
    pub plugin: &'a PluginEntry,
    /// Which.
    pub moment: Moment<'a>,
    /// What it is told.
    pub context: Map<String, Value>,
    /// Who switches the plugin.
    pub principal: &'a Principal,
    /// What they have decided already.
    pub consent: Option<Consent>,
    /// How long to wait for somebody's answer.
    pub wait: Option<Duration>,
    /// Whose containers are the caller's.
    pub owner: &'a str,
    /// Told of what takes time.
    pub on_stage: &'a (dyn Fn(Stage<'_>) + Send + Sync),
}

/// When a hook runs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moment<'a> {
    /// When its plugin is switched.
    Life(Lifecycle),
    /// At an event.
    Event(&'a EventHook),
}

impl Moment<'_> {
    /// Its name in the books.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Life(moment) => moment.as_str(),
            Self::Event(hook) => &hook.id,
        }
    }
}

/// Runs a hook that the plugin declares.
pub(crate) async fn run_hook(workshop: &Workshop<'_>, hook: Hook<'_>) -> Envelope<reply::Run> {
    let name = format!("hook:{}/{}", hook.plugin.plugin.name, hook.moment.as_str());
    let given = Given::default();
    let mut unseen = |_: &guild_sandbox::Chunk| {};
    let invocation = Invocation {
        consent: hook.consent,
        wait: hook.wait,
        owner: hook.owner,
        timeout: match hook.moment {
            Moment::Life(_) => None,
            Moment::Event(event) => Some(event.timeout),
        },
        on_stage: hook.on_stage,
        ..Invocation::new(&name, hook.principal, &given, &mut unseen)
    };
    let draft = match draft(workshop, &hook, &name, &invocation) {
        Ok(draft) => draft,
        Err(stop) => return record::denied(workshop, &invocation, *stop).await,
    };
    let (draft, call) = draft;
    let prepared = match prepare_hook(workshop, &invocation, draft, call) {
        Ok(prepared) => prepared,
        Err(mut stop) => {
            if stop.code == Code::SecurityPreflightDenied {
                let plugin = &hook.plugin.plugin.name;
                stop.message =
                    format!("the vet denies plugin `{plugin}`; `guild vet` on its directory says why");
            }
            return record::denied(workshop, &invocation, *stop).await;
        }
    };
    // No event of its own: a hook of hooks would never end.
    match perform_quietly(workshop, invocation, &prepared).await {
        Ok((envelope, _)) => envelope,
        Err((invocation, stop)) => record::denied(workshop, &invocation, *stop).await,
    }
}

fn draft<'w>(
    workshop: &Workshop<'w>,
    hook: &Hook<'_>,
    name: &str,
    invocation: &Invocation<'_>,
) -> Result<(Draft<'w>, Call), Box<Stop>> {
    let stop = |refusal: Refusal| Stop::of(name, refusal);
    let tools = (workshop.images, workshop.store);
    let (staged, run) = stage_hook(workshop.hall, hook.plugin, hook.moment, tools).map_err(stop)?;
    let call = call(&staged, run).map_err(stop)?;
    let place = hook.plugin.directory.display();
    let draft = Draft {
        source: format!("{} · {place}", hook.plugin.scope.as_str()),
        parameters: hook.context.clone(),
        ..Draft::of(name.to_owned(), staged, invocation)
    };
    Ok((draft, call))
}

fn call(staged: &Staged, run: ToolRun) -> Result<Call, Refusal> {
    let command = match run {
        ToolRun::Command(words) => words,
        ToolRun::Entrypoint(path) => {
            let first = staged.head_of(&path).ok_or_else(|| {
                let message = format!("there is no file `{path}` in the plugin");
                Refusal::new(Code::ScriptNotFound, message)
            })?;
            entrypoint_command(&path, &first)
        }
    };
    Ok(Call { needs_grant: true, shown: command.clone(), command, ..Call::default() })
}
