//! Getting something again that is in the lock: as it was locked, or as it is now.
//!
//! A lock is a text that others may have written, so that its sources are read as strictly as what a person types.

use super::Installer;
use super::fetch::{Fetched, fetch};
use super::staging::stage;
use crate::{Code, Refusal};
use guild_source::lock::{Entry, SourceType};
use guild_source::site::Site;
use guild_source::spec::{self, GitSpec, Spec};
use guild_source::store::Stored;
use std::path::{Path, PathBuf};

/// Fetches sources, each state of one once.
pub struct Refetch<'a, 'd> {
    desk: &'a Installer<'d>,
    site: &'a Site,
    fetched: Vec<(Spec, Fetched)>,
}

impl<'a, 'd> Refetch<'a, 'd> {
    /// Nothing fetched yet.
    pub fn new(desk: &'a Installer<'d>, site: &'a Site) -> Self {
        Self { desk, site, fetched: Vec::new() }
    }

    /// The files of an entry as they are locked.
    pub async fn locked(&mut self, entry: &Entry) -> Result<Stored, Refusal> {
        let spec = self.spec(entry, entry.origin.resolved.as_deref())?;
        let (_, stored) = self.get(entry, spec).await?;
        if stored.digest != entry.digest {
            let message = format!(
                "{} `{}` from {} is not what the lock says; nothing was installed",
                entry.kind, entry.name, entry.origin.source
            );
            return Err(Refusal::new(Code::SourceChanged, message));
        }
        Ok(stored)
    }

    /// The files of an entry as they are at the ref that was asked for, and what that was found to be.
    pub async fn latest(&mut self, entry: &Entry) -> Result<(Option<String>, Stored), Refusal> {
        let spec = self.spec(entry, entry.origin.reference.as_deref())?;
        self.get(entry, spec).await
    }

    fn spec(&self, entry: &Entry, reference: Option<&str>) -> Result<Spec, Refusal> {
        if entry.origin.source_type != SourceType::Git {
            return Ok(Spec::Path(source_path(self.site, entry)));
        }
        let url = &entry.origin.source;
        let is_same = |spec: &GitSpec| spec.url == *url && spec.path.is_none() && spec.at.is_none();
        match spec::parse(url, "") {
            Ok(Spec::Git(spec)) if is_same(&spec) && reference.is_none_or(spec::is_reference) => {
                Ok(Spec::Git(GitSpec { reference: reference.map(str::to_owned), ..spec }))
            }
            _ => {
                let message =
                    format!("the lock's source of `{}`, `{url}`, is not one that is fetched", entry.name);
                Err(Refusal::new(Code::SourceInvalid, message))
            }
        }
    }

    async fn get(&mut self, entry: &Entry, spec: Spec) -> Result<(Option<String>, Stored), Refusal> {
        let at = match self.fetched.iter().position(|(known, _)| *known == spec) {
            Some(at) => at,
            None => {
                let fetched = fetch(self.desk, &spec).await?;
                self.fetched.push((spec, fetched));
                self.fetched.len() - 1
            }
        };
        let Some((_, fetched)) = self.fetched.get(at) else {
            return Err(Refusal::new(Code::Internal, "what was fetched is gone"));
        };
        let path = entry.origin.path.as_deref().unwrap_or_default();
        let is_below = path.split('/').all(|name| !matches!(name, "." | ".."));
        let place = fetched.top.join(path);
        if !is_below || Path::new(path).is_absolute() || !place.exists() {
            let message =
                format!("{} has no `{path}` any more, where `{}` came from", entry.origin.source, entry.name);
            return Err(Refusal::new(Code::PathNotFound, message));
        }
        let stored = stage(self.desk, &entry.name, &place)?;
        Ok((fetched.origin.resolved.clone(), stored))
    }
}

/// Where the source of an entry lies on this machine; a relative one is so to the lock.
pub fn source_path(site: &Site, entry: &Entry) -> PathBuf {
    let directory = site.lock_file().parent().unwrap_or(Path::new("/"));
    directory.join(&entry.origin.source).components().collect()
}

/// The directory that a linked entry leads to.
pub fn local_place(site: &Site, entry: &Entry) -> PathBuf {
    source_path(site, entry).join(entry.origin.path.as_deref().unwrap_or_default())
}
