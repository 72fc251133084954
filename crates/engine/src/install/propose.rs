//! What an agent wishes to have installed: brought into the store and looked at, so that a person decides about exactly that.
//!
//! What would be installed is written as a lock, whose digest the request carries. What is approved is what that lock says, wherever
//! its source has moved to meanwhile; nothing of it is in any place before.

use super::add::{AddRequest, Gathered, gather};
use super::compare::compare_trees;
use super::place::{Scope, site};
use super::ready::{Placing, admit, bring, entry, fate};
use super::refetch::Refetch;
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::approvals::{Capability, ShownFinding};
use crate::reply::{Add, InstalledChange, VettedCandidate};
use crate::{Code, Refusal};
use guild_manifest::{Digest, TreeManifest};
use guild_source::lock::Lock;

/// How what was approved is put in its place: beside what is there, and never over it.
const PLACING: Placing = Placing { link: false, replace: false };

/// What would be installed.
pub(crate) struct Proposal {
    /// The digest of the lock that says so, which is in the store.
    pub bound: Digest,
    /// The commit, or the digest of what was downloaded.
    pub resolved: Option<String>,
    /// Each skill and plugin, with the digest of its files.
    pub installs: Vec<String>,
    /// What they declare that they need.
    pub capabilities: Vec<Capability>,
    /// What the vet found.
    pub findings: Vec<ShownFinding>,
}

/// Gets what is wished for, and looks at it. What could not be installed anyway is refused at once.
pub(crate) async fn propose(desk: &Installer<'_>, request: &AddRequest<'_>) -> Result<Proposal, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let mut told = Add::default();
    let Gathered::Ready { mut ready, mut keeping, _fetched } = gather(desk, request, &mut told).await? else {
        return Err(Refusal::new(Code::Internal, "a list is nothing to install"));
    };
    let vetted = admit(desk, &mut ready);
    vetting::refuse_denied(&vetted, "")?;
    keeping.wait()?;
    let there = site.read_lock().map_err(failure::of_site)?;
    let mut lock = Lock::default();
    for ready in &ready {
        let entry = entry(PLACING, &site, ready);
        fate(PLACING, &site, &there, &entry)?;
        lock.put(entry);
    }
    let installs =
        lock.entries().iter().map(|entry| format!("{} {} {}", entry.kind, entry.name, entry.digest));
    Ok(Proposal {
        resolved: told.source.and_then(|source| source.resolved),
        installs: installs.collect(),
        capabilities: capabilities(desk, &lock)?,
        findings: vetted.iter().flat_map(findings).collect(),
        bound: desk.store.put(lock.text().as_bytes())?,
    })
}

/// Installs what was approved, and nothing else.
///
/// # Errors
/// Where it cannot be had any more, is denied by now, or something is in its place.
pub(crate) async fn install_bound(
    desk: &Installer<'_>,
    scope: Scope,
    bound: &Digest,
) -> Result<(Vec<InstalledChange>, String), Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let text = desk.store.get(bound).map_err(|_| gone())?;
    let lock = Lock::parse(&String::from_utf8_lossy(&text)).map_err(|_| gone())?;
    let kept = Refetch::new(desk, &site).all_locked(lock.entries()).await?;
    let looks: Vec<Look<'_>> = lock
        .entries()
        .iter()
        .zip(&kept)
        .map(|(entry, kept)| Look::of(entry, kept))
        .collect::<Result<_, _>>()?;
    // The rules, and what the person makes of them, may be others than when it was asked.
    vetting::refuse_denied(&vetting::vet(desk, &looks), "")?;
    let entries = lock.entries().iter().map(|entry| (entry.clone(), None)).collect();
    let placed = bring(desk, &site, PLACING, entries).await?;
    Ok((placed.changes, placed.message))
}

fn gone() -> Refusal {
    let message = "what was approved is not kept any more, so nothing was installed; let the agent ask again";
    Refusal::new(Code::SourceChanged, message)
}

/// What everything declares that it needs, with whose it is.
fn capabilities(desk: &Installer<'_>, lock: &Lock) -> Result<Vec<Capability>, Refusal> {
    let nothing =
        TreeManifest::new(Vec::new()).map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
    let mut all = Vec::new();
    for entry in lock.entries() {
        let found = compare_trees(desk, &entry.name, &nothing, &entry.tree)?;
        all.extend(found.capabilities.into_iter().filter_map(|change| {
            let name = format!("{}: {}", entry.name, change.capability);
            Some(Capability { name, value: change.after?, is_new: false })
        }));
    }
    Ok(all)
}

fn findings(vetted: &VettedCandidate) -> Vec<ShownFinding> {
    let shown = |line| {
        let shown = ShownFinding::of(line);
        ShownFinding { path: format!("{}/{}", vetted.name, shown.path), ..shown }
    };
    vetted.findings.iter().map(shown).collect()
}
