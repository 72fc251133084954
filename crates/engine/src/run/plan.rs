//! The plan of a run: what a person is shown, the digest by which one run is allowed, and what the receipt keeps of it.
//!
//! Values of secrets are in none of the three; a digest that only this installation can compute stands for each.

use std::collections::BTreeMap;
use std::time::Duration;

use guild_ledger::{Ask, receipt};
use guild_manifest::skill::{Contract, Kind, Workspace};
use guild_manifest::{Digest, canonical};
use guild_sandbox::{Enforcement, Limits};
use serde_json::{Value, json};

use super::Invocation;
use super::executor::Call;
use super::params::is_secret;
use super::prepare::Draft;
use crate::reply::{RunLimits, RunPlan};
use crate::sandbox::LimitRequest;
use crate::workshop::Workshop;

/// A value longer than this is kept as a digest.
const LARGEST_VALUE: usize = 4096;

/// What is to be run.
pub struct Plan {
    /// For people.
    pub shown: RunPlan,
    /// For the ledger: who wants what.
    pub ask: Ask,
    /// For the receipt.
    pub kept: receipt::Plan,
    /// What it may use.
    pub limits: Limits,
}

impl Plan {
    /// The plan of a draft.
    pub fn of(workshop: &Workshop<'_>, invocation: &Invocation<'_>, draft: &Draft<'_>, call: &Call) -> Self {
        let limits = limits(workshop, invocation, &draft.contract);
        let parameters = parameters(workshop, draft);
        let shown = shown(invocation, draft, call, &limits, &parameters);
        let digest = digest(&shown);
        let workspace = draft.workspace.as_ref().map(|path| path.to_string_lossy().into_owned());
        let ask = Ask {
            agent: draft.agent.clone(),
            skill: draft.name.clone(),
            security_hash: draft.staged.security_hash,
            workspace: workspace.clone().unwrap_or_default(),
            plan: digest,
        };
        let kept = receipt::Plan {
            digest: Some(digest),
            parameters,
            undeclared: undeclared(draft),
            workspace,
            access: access(draft),
            network: Some(draft.contract.network.as_str().to_owned()),
            environment: draft.contract.env.clone(),
            backend: None,
            image: draft.staged.payload.image.as_ref().and_then(|image| image.digest.parse().ok()),
            limits: Some(kept_limits(&limits)),
        };
        Self { shown, ask, kept, limits }
    }
}

/// The contract's limits, else the configuration's; the caller's own time limit before either.
fn limits(workshop: &Workshop<'_>, invocation: &Invocation<'_>, contract: &Contract) -> Limits {
    let declared = &contract.limits;
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let asked = LimitRequest {
        cpus: declared.cpu_millis.map(|millis| f64::from(millis) / 1000.0),
        memory: declared.memory_mb.map(|mb| u64::from(mb) << 20),
        pids: declared.processes,
        timeout: invocation.timeout.or(declared.timeout_seconds.map(seconds)),
        output: declared.output_bytes.map(u64::from),
    };
    asked.over(workshop.images.settings())
}

fn shown(
    invocation: &Invocation<'_>,
    draft: &Draft<'_>,
    call: &Call,
    limits: &Limits,
    parameters: &BTreeMap<String, receipt::Parameter>,
) -> RunPlan {
    let contract = &draft.contract;
    let image = draft.staged.payload.image.as_ref();
    let parameters = parameters.iter().map(|(name, value)| (name.clone(), shown_value(value)));
    RunPlan {
        skill: draft.name.clone(),
        source: draft.source.clone(),
        agent: draft.agent.clone(),
        kind: draft.skill.kind.as_str().to_owned(),
        security_hash: draft.staged.security_hash.to_string(),
        command: call.shown.clone(),
        tool: call.tool.clone(),
        parameters: parameters.collect(),
        workspace: draft.workspace.as_ref().map(|path| path.to_string_lossy().into_owned()),
        workspace_access: if draft.workspace.is_some() { contract.workspace } else { Workspace::None }
            .as_str()
            .to_owned(),
        network: contract.network.as_str().to_owned(),
        environment: contract.env.clone(),
        tools: call.runner.as_ref().map_or_else(|| contract.tools.clone(), |runner| runner.tools.clone()),
        image_role: image.map(|image| image.role.clone()),
        image: image.map(|image| image.digest.clone()),
        limits: RunLimits {
            timeout_seconds: limits.timeout.as_secs_f64(),
            cpus: limits.cpus,
            memory_bytes: limits.memory,
            processes: limits.pids,
            output_bytes: limits.kept_output,
        },
        container: invocation.container.map(str::to_owned),
    }
}

/// The digest of what decides a run: not where the skill was found, nor what the vet had to say.
fn digest(shown: &RunPlan) -> Digest {
    let decided = json!({
        "version": 1,
        "command": shown.command,
        "tool": shown.tool,
        "parameters": shown.parameters,
        "workspace": shown.workspace,
        "workspace_access": shown.workspace_access,
        "network": shown.network,
        "environment": shown.environment,
        "image": shown.image,
        "limits": shown.limits,
        "container": shown.container,
    });
    Digest::of(canonical::text_of(&decided).as_bytes())
}

/// The parameters as they may be kept.
fn parameters(workshop: &Workshop<'_>, draft: &Draft<'_>) -> BTreeMap<String, receipt::Parameter> {
    let declared = draft.contract.params.as_ref().map(|params| params.list.as_slice()).unwrap_or_default();
    let secret = |name: &str| declared.iter().any(|param| param.name == name && is_secret(param));
    let kept = |name: &str, value: &Value| {
        let text = canonical::text_of(value);
        if secret(name) {
            let context = format!("{}/{name}", draft.name);
            return receipt::Parameter::Secret(workshop.books.ledger.keyed_digest(&context, text.as_bytes()));
        }
        if text.len() > LARGEST_VALUE {
            let digest = Digest::of(text.as_bytes());
            // Kept so that the run can be repeated; where it cannot be, that alone is lost.
            workshop.store.put(text.as_bytes()).ok();
            return receipt::Parameter::Digest { digest, bytes: text.len() as u64 };
        }
        receipt::Parameter::Value(value.clone())
    };
    draft.parameters.iter().map(|(name, value)| (name.clone(), kept(name, value))).collect()
}

/// The parameters that are not declared, if they have an order.
fn undeclared(draft: &Draft<'_>) -> Vec<String> {
    let declared = draft.contract.params.as_ref().map(|params| params.list.as_slice()).unwrap_or_default();
    let is_declared = |name: &String| declared.iter().any(|param| param.name == *name);
    let names: Vec<String> = draft.parameters.keys().filter(|name| !is_declared(name)).cloned().collect();
    if names.len() > 1 { names } else { Vec::new() }
}

fn shown_value(kept: &receipt::Parameter) -> Value {
    match kept {
        receipt::Parameter::Value(value) => value.clone(),
        receipt::Parameter::Digest { digest, bytes } => json!({"digest": digest.to_string(), "bytes": bytes}),
        receipt::Parameter::Secret(digest) => json!({"secret": digest}),
    }
}

fn access(draft: &Draft<'_>) -> receipt::Access {
    match draft.contract.workspace {
        _ if draft.skill.kind == Kind::Subagent && draft.workspace.is_some() => receipt::Access::Read,
        _ if draft.skill.kind != Kind::Script => receipt::Access::None,
        Workspace::None => receipt::Access::None,
        Workspace::Read => receipt::Access::Read,
        Workspace::Write => receipt::Access::Write,
    }
}

fn kept_limits(limits: &Limits) -> receipt::Limits {
    let millis = u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX);
    receipt::Limits {
        time_ms: Some(millis),
        cpu_milli: Some(thousandths(limits.cpus)),
        memory_bytes: Some(limits.memory),
        processes: Some(limits.pids.into()),
        output_bytes: Some(limits.kept_output),
        enforced: limits.enforcement == Enforcement::Strict,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "processors are few and not negative"
)]
fn thousandths(cpus: f64) -> u64 {
    (cpus * 1000.0).round() as u64
}
