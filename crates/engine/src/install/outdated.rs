//! `outdated`: what has moved at its source since it was installed, so that an update would change it.
//!
//! Commits are asked for by name; a repository is fetched only where that has moved, since the files may not have.

use super::fetch::digest_of;
use super::place::{Scope, site};
use super::refetch::{Refetch, is_elsewhere, local_place, source_path};
use super::select::select;
use super::{Installer, failure};
use crate::reply::{Outdated, OutdatedLine};
use crate::{Envelope, Refusal};
use guild_source::lock::{Entry, SourceType};
use guild_source::site::Site;
use guild_source::spec::{self, Spec};
use guild_source::store::scan;
use guild_source::{git, http};
use std::collections::HashMap;

/// What was found at a source: the commit, or why there is none.
type Tips = HashMap<(String, Option<String>), Result<String, String>>;

/// Compares what is installed with where it came from.
pub async fn outdated(desk: &Installer<'_>, scope: Scope, names: &[String]) -> Envelope<Outdated> {
    match run(desk, scope, names).await {
        Ok(reply) => {
            let unknown = reply.skills.iter().filter(|line| line.state == "unknown").count();
            let message = match reply.count {
                0 if unknown > 0 => format!("{unknown} could not be asked for"),
                0 if reply.skills.iter().any(|line| line.state == "pinned") => {
                    "all that has moved is pinned".to_owned()
                }
                0 => "everything is up to date".to_owned(),
                count => format!("{count} can be updated; `guild update` shows how, and asks"),
            };
            Envelope::ok(reply).with_message(message)
        }
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn run(desk: &Installer<'_>, scope: Scope, names: &[String]) -> Result<Outdated, Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    let entries = select(&lock, names)?;
    let (mut tips, mut refetch) = (Tips::new(), Refetch::new(desk, &site));
    let mut lines = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        (desk.progress)(&format!("asking {} of {}", at + 1, entries.len()));
        lines.push(line(desk, &site, entry, (&mut tips, &mut refetch)).await?);
    }
    let count = lines.iter().filter(|line| line.state == "outdated").count();
    Ok(Outdated { scope: scope.word(), skills: lines, count })
}

async fn line(
    desk: &Installer<'_>,
    site: &Site,
    entry: &Entry,
    (tips, refetch): (&mut Tips, &mut Refetch<'_, '_>),
) -> Result<OutdatedLine, Refusal> {
    let is_offered = entry.origin.offer.is_some();
    let latest = match entry.origin.source_type {
        _ if is_offered => latest(desk, site, entry).await,
        SourceType::Git => commit(refetch, entry, tip(desk, entry, tips).await?).await,
        // The files themselves say whether they have moved.
        SourceType::Local => scan(&local_place(site, entry))
            .map(|tree| tree.digest().to_string())
            .map_err(|error| error.to_string()),
        SourceType::WellKnown | SourceType::Npm | SourceType::Oci | SourceType::Mcp => {
            latest(desk, site, entry).await
        }
        _ if is_elsewhere(entry) => file(desk, entry).await?,
        SourceType::Archive | SourceType::Skills => {
            let digest = digest_of(&source_path(site, entry));
            digest.map(|digest| digest.to_string()).map_err(|error| error.to_string())
        }
    };
    let current = match entry.origin.source_type {
        SourceType::Local | SourceType::WellKnown | SourceType::Npm | SourceType::Oci | SourceType::Mcp => {
            Some(entry.digest.to_string())
        }
        _ if is_offered => Some(entry.digest.to_string()),
        _ => entry.origin.resolved.clone(),
    };
    let state = match &latest {
        Err(_) => "unknown",
        Ok(latest) if Some(latest) == current.as_ref() || entry.linked => "current",
        Ok(_) if entry.pinned => "pinned",
        Ok(_) => "outdated",
    };
    Ok(OutdatedLine {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        state,
        r#ref: entry.origin.reference.clone(),
        current,
        reason: latest.as_ref().err().cloned(),
        latest: latest.ok(),
        source: entry.origin.source.clone(),
    })
}

/// The commit to go to: the one that is installed where the files are what they were, whatever else has changed beside them.
async fn commit(
    refetch: &mut Refetch<'_, '_>,
    entry: &Entry,
    tip: Result<String, String>,
) -> Result<String, String> {
    let tip = tip?;
    if Some(&tip) == entry.origin.resolved.as_ref() || entry.pinned || entry.linked {
        return Ok(tip);
    }
    let (_, stored) = refetch.latest(entry).await.map_err(|refusal| refusal.message)?;
    Ok(entry.origin.resolved.clone().filter(|_| stored.digest == entry.digest).unwrap_or(tip))
}

/// What the files are now, where only they say whether they have moved.
async fn latest(desk: &Installer<'_>, site: &Site, entry: &Entry) -> Result<String, String> {
    let latest = Refetch::new(desk, site).latest(entry).await;
    latest.map(|(_, stored)| stored.digest.to_string()).map_err(|refusal| refusal.message)
}

/// What is at the address that an entry came from.
async fn file(desk: &Installer<'_>, entry: &Entry) -> Result<Result<String, String>, Refusal> {
    let scratch = desk.store.scratch()?;
    let place = scratch.path().join("download");
    let downloaded = http::download(&entry.origin.source, &place, &|_| {}).await;
    let digest = downloaded
        .map_err(|error| error.to_string())
        .and_then(|()| digest_of(&place).map(|digest| digest.to_string()).map_err(|error| error.to_string()));
    Ok(digest)
}

/// What the ref of an entry stands for now; each is asked for once.
async fn tip(
    desk: &Installer<'_>,
    entry: &Entry,
    tips: &mut Tips,
) -> Result<Result<String, String>, Refusal> {
    let (url, reference) = (&entry.origin.source, &entry.origin.reference);
    let key = (url.clone(), reference.clone());
    if let Some(known) = tips.get(&key) {
        return Ok(known.clone());
    }
    let is_fetched = matches!(spec::parse(url, ""), Ok(Spec::Git(spec)) if spec.url == *url);
    let is_plain = reference.as_deref().is_none_or(spec::is_reference);
    let found = if is_fetched && is_plain {
        let scratch = desk.store.scratch()?;
        let tip = git::tip(desk.git, url, reference.as_deref(), scratch.path()).await;
        tip.map(|tip| tip.commit).map_err(|error| error.to_string())
    } else {
        Err("the lock's source is not one that is fetched".to_owned())
    };
    tips.insert(key, found.clone());
    Ok(found)
}
