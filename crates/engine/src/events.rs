//! What plugins run before and after a run: hooks of events, in the order of their priority, each in its own container.
//!
//! A hook before a run is a gate: one that says no, fails, takes too long or is not approved stops the run. A hook after a run
//! changes nothing about it. Hooks are approved and written down like scripts; when they run is decided here, what they mean too.

mod declared;
mod verdict;
mod written;

use guild_catalog::PluginEntry;
use guild_manifest::plugin::{Lifecycle, Plugin};
use serde_json::{Map, Value, json};

pub(crate) use declared::{Event, EventHook, declared, read_file};
pub(crate) use written::written;

use crate::registry::{plugin_that_counts, plugins_that_are_on};
use crate::run::{Hook, Invocation, Moment, Prepared, run_hook};
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, Status, reply};

/// Runs the hooks before a run; the first that does not let it through stops it.
pub(crate) async fn before(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<(), Refusal> {
    for (entry, hook) in hooks(workshop, Event::BeforeRun, prepared) {
        let name = &entry.plugin.name;
        // What the vet denies is not run, and a gate that cannot be asked lets nothing through.
        let counts = plugin_that_counts(workshop.hall, name);
        let refused = match counts {
            Ok(_) => {
                let ran = run_one(workshop, invocation, entry, &hook, context(&hook, prepared)).await;
                verdict::refusal(&ran)
            }
            Err(refusal) => Some(refusal.message),
        };
        if let Some(why) = refused.filter(|_| hook.is_gate) {
            let message = format!("the hook `{}` of plugin `{name}` does not let it run: {why}", hook.id);
            return Err(Refusal::new(Code::HookDenied, message));
        }
    }
    Ok(())
}

/// Runs the hooks after a run, which has ended with this.
pub(crate) async fn after(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
    ended: &Envelope<reply::Run>,
) {
    for (entry, hook) in hooks(workshop, Event::AfterRun, prepared) {
        if !matches!(plugin_that_counts(workshop.hall, &entry.plugin.name), Ok(Some(_))) {
            continue;
        }
        let mut context = context(&hook, prepared);
        context.insert("code".to_owned(), json!(ended.code.as_str()));
        context.insert("ok".to_owned(), json!(ended.status == Status::Ok));
        context.insert("exit_code".to_owned(), json!(ended.data.exit_code));
        context.insert("receipt".to_owned(), json!(ended.data.receipt));
        run_one(workshop, invocation, entry, &hook, context).await;
    }
}

/// The events that a manifest itself says something about, its own life included.
pub(crate) fn declared_events(plugin: &Plugin) -> Vec<String> {
    let life = [Lifecycle::Enable, Lifecycle::Disable].into_iter();
    let life = life.filter(|moment| !matches!(plugin.lifecycle(*moment), Ok(None)));
    let inline = declared(plugin, None).into_iter().map(|hook| hook.id);
    let files = plugin.hooks.iter().filter_map(|source| match source {
        guild_manifest::plugin::HookSource::File(path) => Some(path.clone()),
        _ => None,
    });
    life.map(|moment| moment.as_str().to_owned()).chain(inline).chain(files).collect()
}

/// The hooks of an event that are meant for this run, the most urgent first.
fn hooks<'w>(
    workshop: &Workshop<'w>,
    event: Event,
    prepared: &Prepared<'_>,
) -> Vec<(&'w PluginEntry, EventHook)> {
    let agent = &prepared.agent;
    let on = plugins_that_are_on(workshop.hall).filter(|entry| !entry.switched.off_for.contains(agent));
    let mut found: Vec<(&PluginEntry, EventHook)> = on
        .filter(|entry| !entry.plugin.hooks.is_empty())
        .flat_map(|entry| {
            let hooks = declared(&entry.plugin, Some(&entry.directory)).into_iter();
            hooks.map(move |hook| (entry, hook))
        })
        .filter(|(_, hook)| hook.event == event && hook.is_meant_for(&prepared.name))
        .collect();
    found.sort_by_key(|(_, hook)| hook.priority);
    found
}

async fn run_one(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    plugin: &PluginEntry,
    hook: &EventHook,
    context: Map<String, Value>,
) -> Envelope<reply::Run> {
    let asked = Hook {
        plugin,
        moment: Moment::Event(hook),
        context,
        principal: invocation.principal,
        consent: None,
        wait: None,
        owner: invocation.owner,
        on_stage: invocation.on_stage,
    };
    run_hook(workshop, asked).await
}

/// What a hook is told, in our own words and in those that vendors' hooks read. Secrets are told by their digests.
fn context(hook: &EventHook, prepared: &Prepared<'_>) -> Map<String, Value> {
    let shown = &prepared.plan.shown;
    let told = json!({
        "event": hook.event.as_str(),
        "skill": shown.skill,
        "kind": shown.kind,
        "agent": shown.agent,
        "security_hash": shown.security_hash,
        "tool": shown.tool,
        "parameters": shown.parameters,
        "hook_event_name": hook.event.vendors_name(),
        "tool_name": "Skill",
        "tool_input": {"skill": shown.skill, "args": shown.parameters},
    });
    match told {
        Value::Object(told) => told,
        _ => Map::new(),
    }
}
