//! What a person sees of a run before they decide: where it comes from, what it would do, what it needs, what is new.

use guild_manifest::Digest;
use guild_manifest::skill::{Network, Workspace};

use super::prepare::Prepared;
use crate::approvals::{Capability, ChangedFile, Shown, ShownFinding};
use crate::reply::{Comparison, FileChange, RunPlan};
use crate::security_hash::{Payload, RunnerIdentity, compare};
use crate::workshop::Workshop;

/// The whole of it; `approved` is the other state of the skill that was approved before.
pub fn shown(workshop: &Workshop<'_>, prepared: &Prepared<'_>, approved: Option<Digest>) -> Shown {
    let plan = &prepared.plan.shown;
    let changes = approved.as_ref().and_then(|hash| changes(workshop, prepared, hash)).unwrap_or_default();
    Shown {
        asks: None,
        source: plan.source.clone(),
        command: plan.tool.clone().map_or_else(|| plan.command.clone(), |tool| vec![tool]),
        parameters: plan.parameters.clone(),
        capabilities: capabilities(workshop, prepared, plan, &changes),
        approved: approved.map(|hash| hash.to_string()),
        changed: changes.files.iter().map(changed).collect(),
        findings: prepared.findings.iter().map(ShownFinding::of).collect(),
    }
}

/// What has changed since another state was approved, as long as that is still known here.
fn changes(workshop: &Workshop<'_>, prepared: &Prepared<'_>, approved: &Digest) -> Option<Comparison> {
    let old = Payload::load(workshop.store, approved).ok()?;
    compare(&old, &prepared.staged.payload, workshop.store).ok()
}

fn changed(file: &FileChange) -> ChangedFile {
    ChangedFile { path: file.path.clone(), change: file.change.to_owned() }
}

/// What it needs, in words that say what that means.
fn capabilities(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    plan: &RunPlan,
    changes: &Comparison,
) -> Vec<Capability> {
    let contract = &prepared.contract;
    let workspace = match contract.workspace {
        _ if plan.workspace.is_none() => "none",
        Workspace::None => "none",
        Workspace::Read => "read",
        Workspace::Write => "write, kept aside until you apply it",
    };
    let network = match contract.network {
        Network::None => "none",
        Network::Host => "the host's, services on this machine and its local network included",
    };
    let limits = &plan.limits;
    let limits = format!(
        "{} s, {} CPU, {} MB, {} processes",
        limits.timeout_seconds,
        limits.cpus,
        limits.memory_bytes >> 20,
        limits.processes
    );
    let mut needs = vec![("workspace", workspace.to_owned()), ("network", network.to_owned())];
    let listed = |names: &[String]| names.join(", ");
    if !plan.environment.is_empty() {
        needs.push(("environment", listed(&variables(workshop, &plan.environment))));
    }
    if let Some(tool) = &prepared.call.described {
        needs.push(("tool", format!("{}: {}", tool.name, tool.description)));
    }
    if let Some(runner) = &prepared.call.runner {
        needs.push(("runner", told_runner(runner)));
        needs
            .push(("tools", if runner.tools.is_empty() { "none".to_owned() } else { listed(&runner.tools) }));
    } else if !plan.tools.is_empty() {
        needs.push(("tools", listed(&plan.tools)));
    }
    if let (Some(role), Some(image)) = (&plan.image_role, &plan.image) {
        needs.push(("image", format!("{role} ({image})")));
        needs.push(("limits", limits));
    }
    if let Some(container) = &plan.container {
        needs.push(("container", container.clone()));
    }
    let capability = |(name, value): (&str, String)| Capability {
        name: name.to_owned(),
        value,
        is_new: changes.capabilities.iter().any(|change| change.wider && is_about(change.capability, name)),
    };
    needs.into_iter().map(capability).collect()
}

/// Who gets the instructions, the task and whatever its tools give.
fn told_runner(runner: &RunnerIdentity) -> String {
    let model = runner.model.as_deref().map(|model| format!(", model {model}")).unwrap_or_default();
    let place = match runner.kind.as_str() {
        "command" => "a program of yours outside any container",
        "sampling" => "the client's own model",
        _ => "a model that sees whatever its tools give",
    };
    format!("{} ({}{model}): {place}", runner.name, runner.target)
}

/// The variables by name; a secret that would be handed over is told as one.
fn variables(workshop: &Workshop<'_>, names: &[String]) -> Vec<String> {
    let machine = &workshop.hall.machine;
    let is_secret = |name: &String| !machine.env.contains_key(name) && machine.credentials.contains(name);
    let shown = |name: &String| if is_secret(name) { format!("{name} (your secret)") } else { name.clone() };
    names.iter().map(shown).collect()
}

/// Whether a change of this capability is one of what is shown under that name.
fn is_about(capability: &str, name: &str) -> bool {
    let part = capability.split('.').next().unwrap_or(capability);
    part == name || (part == "env" && name == "environment")
}
