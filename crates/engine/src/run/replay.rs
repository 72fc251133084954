//! `replay`: a run made again from its receipt, with the same copy and the same inputs, and whether it gives the same.
//!
//! It needs a grant like any other run. What the workspace holds is not kept, so that a difference may come from there.

use std::path::PathBuf;

use guild_ledger::ReceiptId;
use guild_ledger::receipt::{self, Entry, Kind, Parameter, SignedReceipt};
use guild_manifest::Digest;
use guild_manifest::canonical;
use guild_manifest::skill::{Kind as SkillKind, Workspace};
use serde_json::{Map, Value};

use super::params::{self, Given};
use super::prepare::{Draft, prepare_again};
use super::workspace;
use super::{Invocation, perform, record};
use crate::security_hash;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

/// Repeats the run of a receipt. Secrets are not kept: whoever repeats the run gives them again.
pub async fn replay(
    workshop: &Workshop<'_>,
    id: &str,
    invocation: Invocation<'_>,
) -> Envelope<reply::Replay> {
    let (receipt, draft) = match first_time(workshop, id, &invocation).await {
        Ok(found) => found,
        Err(refusal) => return refused(id, reply::Run::nothing(""), refusal),
    };
    let prepared = match prepare_again(workshop, &invocation, draft).await {
        Ok(prepared) => prepared,
        Err(stop) => return not_run(id, record::denied(workshop, &invocation, *stop).await),
    };
    let expected = receipt.receipt.entry.outcome;
    let envelope = match perform(workshop, invocation, &prepared).await {
        Ok(envelope) => envelope,
        Err((invocation, stop)) => return not_run(id, record::denied(workshop, &invocation, *stop).await),
    };
    compared(workshop, id, expected.as_ref(), envelope).await
}

/// The receipt of a run that has ended, and the same run not begun.
async fn first_time<'w>(
    workshop: &Workshop<'w>,
    id: &str,
    invocation: &Invocation<'_>,
) -> Result<(SignedReceipt, Draft<'w>), Refusal> {
    let receipt = found(workshop, id).await?;
    let Entry { kind, skill, plan, .. } = &receipt.receipt.entry;
    let (Kind::Finished, Some(skill), Some(plan)) = (kind, skill, plan) else {
        return Err(impossible(format!("{id} is no receipt of a run that has ended")));
    };
    let hash = skill.security_hash.ok_or_else(|| impossible(format!("{id} names no security hash")))?;
    let staged = security_hash::load(workshop.hall, workshop.images, workshop.store, &hash)?;
    if staged.skill.kind != SkillKind::Script {
        return Err(impossible("only scripts can be repeated".to_owned()));
    }
    let mut draft = Draft::of(skill.name.clone(), staged, invocation);
    draft.source = format!("receipt · {id}");
    draft.parameters = parameters(workshop, &draft, plan, invocation.given)?;
    draft.workspace = directory(workshop, &draft, plan)?;
    Ok((receipt, draft))
}

async fn found(workshop: &Workshop<'_>, id: &str) -> Result<SignedReceipt, Refusal> {
    let unknown = || {
        Refusal::new(
            Code::ReceiptNotFound,
            format!("there is no receipt `{id}`; `guild receipts list` shows them"),
        )
    };
    let parsed: ReceiptId = id.parse().map_err(|_| unknown())?;
    let receipt = workshop.books.ledger.receipt(parsed).await;
    let receipt = receipt.map_err(|error| workshop.books.refusal(error))?.ok_or_else(unknown)?;
    if receipt.is_signed_by(&workshop.books.ledger.public_key()) {
        return Ok(receipt);
    }
    Err(impossible(format!("{id} is not signed by this installation")))
}

/// The parameters of the first time: as they were, from the store, or given again and found to be the same.
fn parameters(
    workshop: &Workshop<'_>,
    draft: &Draft<'_>,
    plan: &receipt::Plan,
    given: &Given,
) -> Result<Map<String, Value>, Refusal> {
    let declared = draft.contract.params.as_ref();
    let again = params::typed_values(declared, given);
    let value = |name: &str, kept: &Parameter| match kept {
        Parameter::Value(value) => Ok(value.clone()),
        Parameter::Digest { digest, .. } => {
            let bytes = workshop.store.get(digest)?;
            serde_json::from_slice(&bytes)
                .map_err(|_| impossible(format!("what was kept of `{name}` is damaged")))
        }
        Parameter::Secret(expected) => {
            let value = again.get(name).ok_or_else(|| {
                impossible(format!("`{name}` is a secret and was not kept; give it with --param {name}=…"))
            })?;
            let context = format!("{}/{name}", draft.name);
            let text = canonical::text_of(value);
            if workshop.books.ledger.keyed_digest(&context, text.as_bytes()) != *expected {
                return Err(impossible(format!("`{name}` is not the secret of the first time")));
            }
            Ok(value.clone())
        }
    };
    // In the order of the first time: by the declaration, then as the caller gave them.
    let order = |name: &String| {
        let at = declared.and_then(|params| params.list.iter().position(|param| param.name == *name));
        (at.unwrap_or(usize::MAX), plan.undeclared.iter().position(|other| other == name))
    };
    let mut names: Vec<(&String, &Parameter)> = plan.parameters.iter().collect();
    names.sort_by_key(|(name, _)| order(name));
    names.into_iter().map(|(name, kept)| Ok((name.clone(), value(name, kept)?))).collect()
}

/// The workspace of the first time, if it is there and still one.
fn directory(
    workshop: &Workshop<'_>,
    draft: &Draft<'_>,
    plan: &receipt::Plan,
) -> Result<Option<PathBuf>, Refusal> {
    let Some(path) = plan.workspace.as_ref().filter(|_| draft.contract.workspace != Workspace::None) else {
        return Ok(None);
    };
    let machine = guild_catalog::Machine { directory: path.into(), ..workshop.hall.machine.clone() };
    let now = workspace::workspace(&machine, workshop.places)?;
    if now == std::path::Path::new(path) {
        return Ok(Some(now));
    }
    Err(impossible(format!("the workspace {path} is another directory now")))
}

/// What the first and the second time have not in common.
async fn compared(
    workshop: &Workshop<'_>,
    id: &str,
    expected: Option<&receipt::Outcome>,
    envelope: Envelope<reply::Run>,
) -> Envelope<reply::Replay> {
    let now = match envelope.data.receipt.as_deref() {
        Some(receipt) => found(workshop, receipt).await.ok().and_then(|signed| signed.receipt.entry.outcome),
        None => None,
    };
    let (Some(then), Some(now)) = (expected, now.as_ref()) else {
        return not_run(id, envelope);
    };
    let differences = differences(then, now);
    let same = differences.is_empty();
    let message = if same {
        format!("the same as {id}")
    } else {
        format!("other than {id}: {}", differences.join(", "))
    };
    let data = reply::Replay { original: id.to_owned(), same: Some(same), differences, run: envelope.data };
    match same {
        true => Envelope::ok(data).with_message(message),
        false => Envelope::error(Code::ReplayDiffers, message, data),
    }
}

fn differences(then: &receipt::Outcome, now: &receipt::Outcome) -> Vec<String> {
    let mut differences = Vec::new();
    if (then.exit_code, then.signal, then.timed_out) != (now.exit_code, now.signal, now.timed_out) {
        differences.push("exit_code".to_owned());
    }
    let what = |outcome: &receipt::Outcome, name: &str| -> Option<(Digest, u64)> {
        outcome.outputs.get(name).map(|output| (output.digest, output.bytes))
    };
    let mut names: Vec<&String> = then.outputs.keys().chain(now.outputs.keys()).collect();
    names.sort();
    names.dedup();
    let other = names.into_iter().filter(|name| what(then, name) != what(now, name));
    differences.extend(other.cloned());
    differences
}

fn impossible(message: String) -> Refusal {
    Refusal::new(Code::ReplayImpossible, message)
}

fn refused(id: &str, run: reply::Run, refusal: Refusal) -> Envelope<reply::Replay> {
    let data = reply::Replay { original: id.to_owned(), same: None, differences: Vec::new(), run };
    Envelope::error(refusal.code, refusal.message, data)
}

/// What stopped it, or why it cannot be compared.
fn not_run(id: &str, envelope: Envelope<reply::Run>) -> Envelope<reply::Replay> {
    let Envelope { status, code, message, data } = envelope;
    let data = reply::Replay { original: id.to_owned(), same: None, differences: Vec::new(), run: data };
    Envelope { status, code, message, data }
}
