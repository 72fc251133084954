//! What a skill may do now and could not before, or no longer.

use crate::reply::CapabilityChange;
use crate::security_hash::{Limits, Payload};
use guild_manifest::config::Usage;
use guild_manifest::{Digest, canonical};

/// From nothing to everything.
const WORKSPACE: &[&str] = &["none", "read", "write"];
const NETWORK: &[&str] = &["none", "host"];

/// Every capability that is not as it was.
pub fn changes(old: &Payload, new: &Payload) -> Vec<CapabilityChange> {
    let (before, after) = (&old.contract, &new.contract);
    let text = |value: &str| Some(value.to_owned());
    let image =
        |payload: &Payload| payload.image.as_ref().map(|image| format!("{} {}", image.role, image.digest));
    let entrypoint = |payload: &Payload| Some(payload.contract.entrypoint.as_ref()?.file.clone());
    let mut changes = vec![
        ranked("network", NETWORK, &before.network, &after.network),
        ranked("workspace", WORKSPACE, &before.workspace, &after.workspace),
        other("kind", text(&old.skill.kind), text(&new.skill.kind)),
        named("script", before.script.clone(), after.script.clone()),
        named("entrypoint", entrypoint(old), entrypoint(new)),
        named("dispatch", before.dispatch.clone(), after.dispatch.clone()),
        other("tool", described(old), described(new)),
        named("runner", runner(old), runner(new)),
        named("image", image(old), image(new)),
        other("profile", old.profile.clone(), new.profile.clone()),
        other("policy", text(&old.policy), text(&new.policy)),
    ];
    changes.extend(limits(&old.limits, &new.limits));
    changes.extend(members("env", &before.env, &after.env));
    changes.extend(members("tools", &before.tools, &after.tools));
    changes.extend(members("tools", offered(old), offered(new)));
    changes.extend(members("configuration", &old.configuration.paths, &new.configuration.paths));
    changes.into_iter().flatten().collect()
}

/// Who runs the child agent.
fn runner(payload: &Payload) -> Option<String> {
    let runner = payload.runner.as_ref()?;
    Some(
        [Some(runner.target.as_str()), runner.model.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    )
}

/// What the child agent is offered.
fn offered(payload: &Payload) -> &[String] {
    payload.runner.as_ref().map(|runner| runner.tools.as_slice()).unwrap_or_default()
}

/// The tool that somebody else offers: what it is said to do, and in which form.
fn described(payload: &Payload) -> Option<String> {
    let tool = payload.tool.as_ref()?;
    let form = canonical::to_string(&(&tool.input, &tool.output, &tool.code)).unwrap_or_default();
    Some(format!("{} ({})", tool.description, Digest::of(form.as_bytes())))
}

/// One word out of several that are ordered; what is not among them counts as the most.
fn ranked(capability: &'static str, ranks: &[&str], old: &str, new: &str) -> Option<CapabilityChange> {
    let rank = |word: &str| ranks.iter().position(|known| *known == word).unwrap_or(ranks.len());
    let (before, after) = (Some(old.to_owned()), Some(new.to_owned()));
    (old != new).then(|| CapabilityChange { capability, before, after, wider: rank(new) >= rank(old) })
}

/// Something that there is or is not; another one cannot be compared.
fn named(
    capability: &'static str,
    before: Option<String>,
    after: Option<String>,
) -> Option<CapabilityChange> {
    let wider = after.is_some();
    (before != after).then_some(CapabilityChange { capability, before, after, wider })
}

/// Something that cannot be compared.
fn other(
    capability: &'static str,
    before: Option<String>,
    after: Option<String>,
) -> Option<CapabilityChange> {
    (before != after).then_some(CapabilityChange { capability, before, after, wider: true })
}

/// What came to a set, and what left it.
fn members(
    capability: &'static str,
    old: &[String],
    new: &[String],
) -> impl Iterator<Item = Option<CapabilityChange>> {
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|word| !other.contains(word)).cloned().collect()
    };
    let (gone, come) = (only(old, new), only(new, old));
    let come = come.into_iter().map(move |word| named(capability, None, Some(word)));
    come.chain(gone.into_iter().map(move |word| named(capability, Some(word), None)))
}

/// Limits; where none is declared, that of Guildhall's own defaults counts.
fn limits(old: &Limits, new: &Limits) -> [Option<CapabilityChange>; 5] {
    let usage = Usage::default();
    let changed = |capability, before: Option<u32>, after: Option<u32>, default: u64| {
        let amount = |limit: Option<u32>| limit.map_or(default, u64::from);
        let text = |limit: Option<u32>| limit.map(|limit| limit.to_string());
        (amount(before) != amount(after)).then(|| CapabilityChange {
            capability,
            before: text(before),
            after: text(after),
            wider: amount(after) > amount(before),
        })
    };
    [
        changed("limits.timeout_seconds", old.timeout_seconds, new.timeout_seconds, usage.timeout_seconds),
        changed("limits.memory_mb", old.memory_mb, new.memory_mb, usage.memory_mb),
        changed("limits.processes", old.processes, new.processes, usage.pids),
        changed("limits.output_bytes", old.output_bytes, new.output_bytes, usage.output_bytes),
        changed("limits.cpu_millis", old.cpu_millis, new.cpu_millis, cpu_millis(usage)),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the default is a small positive number"
)]
fn cpu_millis(usage: Usage) -> u64 {
    (usage.cpus * 1_000.0).round() as u64
}
