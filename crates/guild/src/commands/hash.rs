//! `guild hash`

use crate::print::{Ink, Style, escape, size};
use crate::ui::Ui;
use crate::workshop::within;
use guild_engine::catalog::Freshness;
use guild_engine::reply::Hash;
use guild_engine::security_hash::{ContractTerms, Limits, Payload};
use guild_engine::{Refusal, bound_hash, counted, hash};
use std::io::{self, Write};
use std::process::ExitCode;

/// Print the security hash of a skill, to which approvals are given
///
/// Every file of the skill, or of the whole plugin that ships it, is read once and kept in the store, and its digest goes into the
/// hash with what the skill declares, the vet's policy and the image that it would run in, and for a skill that dispatches to a tool or
/// to a child agent also that tool or whoever runs the agent. Whatever of that changes, the hash does.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The skill: `name`, `plugin/name` or `plugin:name`
    #[arg(value_name = "NAME")]
    name: String,
    /// Print what went into the hash, too
    #[arg(long)]
    explain: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let mut envelope = hash(&hall, &ui.images(), &ui.places(), &args.name);
    if envelope.data.may_be_bound() {
        let principal = ui.principal(None);
        let bound = within(ui, async |workshop| bound_hash(workshop, &principal, &args.name).await);
        envelope = bound.unwrap_or_else(Refusal::into_envelope);
    }
    ui.finish(&envelope, |data, style, out| print(data, args.explain, style, out))
}

fn print(data: &Hash, explain: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (Some(hash), Some(payload)) = (&data.security_hash, &data.payload) else { return Ok(()) };
    writeln!(out, "{}", style.ink(Ink::Bold, hash))?;
    if !explain {
        return Ok(());
    }
    for (label, value) in facts(payload).into_iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "{} {}", style.ink(Ink::Dim, &format!("{label:<12}")), escape::line(&value))?;
    }
    for file in &payload.files {
        let mode = if file.executable { "x" } else { " " };
        let path = escape::exact(&file.path);
        writeln!(out, "  {} {mode} {path}", style.ink(Ink::Dim, &file.digest.to_string()))?;
    }
    Ok(())
}

/// What was hashed beside the files, without what is empty.
fn facts(payload: &Payload) -> Vec<(&'static str, String)> {
    let Payload { skill, contract, .. } = payload;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let plugin = payload.plugin.as_ref();
    let image = payload.image.as_ref().map(|image| format!("{} {}", image.role, image.digest));
    let locks: Vec<&str> = payload.locks.iter().map(|lock| lock.path.as_str()).collect();
    let bytes = payload.files.iter().map(|file| file.size).sum();
    vec![
        ("format", payload.version.to_string()),
        ("skill", format!("{} ({})", skill.name, skill.kind)),
        (
            "plugin",
            plugin.map(|plugin| format!("{} {}", plugin.name, text(&plugin.version))).unwrap_or_default(),
        ),
        ("own file", format!("{} {}", skill.file, skill.digest)),
        ("runs", runs(contract)),
        ("needs", format!("workspace {}, network {}", contract.workspace, contract.network)),
        ("environment", contract.env.join(", ")),
        ("tools", contract.tools.join(", ")),
        ("params", contract.params.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("outputs", contract.outputs.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("limits", limits(&payload.limits)),
        ("profile", text(&payload.profile)),
        ("policy", payload.policy.clone()),
        ("image", image.unwrap_or_default()),
        ("config", payload.configuration.paths.join(", ")),
        ("locks", locks.join(", ")),
        ("files", format!("{}, {}", counted(payload.files.len(), "file"), size(bytes))),
    ]
}

/// The script, the code or the tool behind a skill.
fn runs(contract: &ContractTerms) -> String {
    let entrypoint = contract.entrypoint.as_ref().map(|entrypoint| entrypoint.file.clone());
    let parts = [contract.script.clone(), entrypoint, contract.dispatch.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The limits that a skill declares.
fn limits(limits: &Limits) -> String {
    let named = [
        ("timeout_seconds", limits.timeout_seconds),
        ("memory_mb", limits.memory_mb),
        ("processes", limits.processes),
        ("output_bytes", limits.output_bytes),
        ("cpu_millis", limits.cpu_millis),
    ];
    let declared = named.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}")));
    declared.collect::<Vec<_>>().join(", ")
}
