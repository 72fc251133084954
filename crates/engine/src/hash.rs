//! `hash`: the security hash of a skill, and everything that went into it.
//!
//! It stages the skill and decides nothing about it.

use guild_catalog::Entry;
use guild_ledger::Principal;
use guild_sandbox::Chunk;

use crate::Envelope;
use crate::hall::Hall;
use crate::image::Images;
use crate::places::Places;
use crate::reply::Hash;
use crate::resolve::{Unresolved, resolve};
use crate::run::{Given, Invocation, bound};
use crate::sandbox::Refusal;
use crate::security_hash::{Staged, stage};
use crate::workshop::Workshop;

/// The security hash of a skill, by any of its names.
pub fn hash(hall: &Hall, images: &Images, places: &Places, name: &str) -> Envelope<Hash> {
    let entry = match found(hall, name) {
        Ok(entry) => entry,
        Err(envelope) => return *envelope,
    };
    match places.store().and_then(|store| stage(hall, entry, images, &store)) {
        Ok(staged) => Envelope::ok(reply(entry, staged)),
        Err(refusal) => refused(entry, refusal),
    }
}

/// The same with the tool or the runner behind the skill, which a person approves with it. Where those cannot be found, the message says
/// why, and the hash is that of the skill alone.
pub async fn bound_hash(workshop: &Workshop<'_>, principal: &Principal, name: &str) -> Envelope<Hash> {
    let entry = match found(workshop.hall, name) {
        Ok(entry) => entry,
        Err(envelope) => return *envelope,
    };
    let staged = match stage(workshop.hall, entry, workshop.images, workshop.store) {
        Ok(staged) => staged,
        Err(refusal) => return refused(entry, refusal),
    };
    let (given, name) = (Given::default(), entry.qualified_name());
    let mut unseen = |_: &Chunk| {};
    let invocation = Invocation::new(&name, principal, &given, &mut unseen);
    let (staged, unbound) = bound(workshop, &invocation, staged).await;
    let message = unbound.map(|refusal| format!("the hash is that of the skill alone: {}", refusal.message));
    Envelope::ok(reply(entry, staged)).with_message(message.unwrap_or_default())
}

fn found<'h>(hall: &'h Hall, name: &str) -> Result<&'h Entry, Box<Envelope<Hash>>> {
    resolve(hall, name).map_err(|Unresolved { code, message, candidates }| {
        Box::new(Envelope::error(code, message, Hash { candidates, ..Hash::default() }))
    })
}

fn reply(entry: &Entry, Staged { payload, security_hash, .. }: Staged) -> Hash {
    Hash {
        found: true,
        skill: Some(entry.qualified_name().into_owned()),
        security_hash: Some(security_hash.to_string()),
        payload: Some(payload),
        candidates: Vec::new(),
    }
}

fn refused(entry: &Entry, Refusal { code, message }: Refusal) -> Envelope<Hash> {
    let skill = Some(entry.qualified_name().into_owned());
    Envelope::error(code, message, Hash { found: true, skill, ..Hash::default() })
}
