//! Getting something again that is in the lock: as it was locked, or as it is now.
//!
//! A lock is a text that others may have written, so that its sources are read as strictly as what a person types.

use super::candidate::{self, Candidate};
use super::drift::{Drift, drift};
use super::fetch::{Fetched, fetch};
use super::ready::Ready;
use super::staging::stage;
use super::{Installer, failure, market};
use crate::{Code, Refusal};
use guild_source::lock::{Entry, Offer, Origin, SourceType};
use guild_source::npm::NpmSpec;
use guild_source::oci::{OciSpec, is_reference};
use guild_source::site::Site;
use guild_source::spec::{self, GitSpec, Spec};
use guild_source::store::Kept;
use std::path::{Path, PathBuf};

/// Fetches sources, each state of one once.
pub struct Refetch<'a, 'd> {
    desk: &'a Installer<'d>,
    site: &'a Site,
    fetched: Vec<(Spec, Vec<String>, Fetched)>,
}

impl<'a, 'd> Refetch<'a, 'd> {
    /// Nothing fetched yet.
    pub fn new(desk: &'a Installer<'d>, site: &'a Site) -> Self {
        Self { desk, site, fetched: Vec::new() }
    }

    /// The files of an entry as they are locked: out of the store, or fetched again.
    pub async fn locked(&mut self, entry: &Entry) -> Result<Kept, Refusal> {
        if entry.linked && !local_place(self.site, entry).is_dir() {
            let place = local_place(self.site, entry);
            let message = format!(
                "{} `{}` is a link to {}, where there is nothing",
                entry.kind,
                entry.name,
                place.display()
            );
            return Err(Refusal::new(Code::PathNotFound, message));
        }
        if let Some(place) = self.own_place(entry) {
            return stage(self.desk, &entry.name, &place);
        }
        if let Ok(kept) = self.desk.store.kept(&entry.digest) {
            return Ok(kept);
        }
        // It may have come with the project, and lie in its place although nobody has installed it here.
        if drift(self.site, entry) == Drift::None {
            let kept = stage(self.desk, &entry.name, &self.site.place(entry.kind, &entry.name))?;
            if kept.digest == entry.digest {
                return Ok(kept);
            }
        }
        let spec = self.spec(entry, entry.origin.resolved.as_deref())?;
        let (_, place) = self.get(entry, spec).await?;
        let stored = stage(self.desk, &entry.name, &place)?;
        if stored.digest != entry.digest {
            let message = format!(
                "{} `{}` from {} is not what the lock says; nothing was installed",
                entry.kind, entry.name, entry.origin.source
            );
            return Err(Refusal::new(Code::SourceChanged, message));
        }
        Ok(stored)
    }

    /// The directory of the project that an entry is a link to. It is edited as the rest of the project is, so that the lock does not say
    /// what has to be in it. A link out of the project is another matter: the lock may be a stranger's.
    fn own_place(&self, entry: &Entry) -> Option<PathBuf> {
        let project = self.site.lock_file().parent()?.canonicalize().ok()?;
        let place = local_place(self.site, entry).canonicalize().ok()?;
        (entry.linked && place.is_dir() && place.starts_with(project)).then_some(place)
    }

    /// The same for several.
    pub async fn all_locked(
        &mut self,
        entries: impl IntoIterator<Item = &Entry>,
    ) -> Result<Vec<Kept>, Refusal> {
        let mut kept = Vec::new();
        for entry in entries {
            kept.push(self.locked(entry).await?);
        }
        Ok(kept)
    }

    /// Sees to it that the files of an entry are in the store.
    pub async fn ensure(&mut self, entry: &Entry) -> Result<(), Refusal> {
        if self.desk.store.kept(&entry.digest).is_err() {
            self.locked(entry).await?;
        }
        Ok(())
    }

    /// The files of an entry as they are at the ref that was asked for, or as its marketplace offers it now, and where they come from.
    pub async fn latest(&mut self, entry: &Entry) -> Result<(Origin, Kept), Refusal> {
        if let Some(offer) = &entry.origin.offer {
            return self.offered(entry, offer).await;
        }
        let spec = self.spec(entry, entry.origin.reference.as_deref())?;
        let (fetched, place) = self.get(entry, spec).await?;
        let (resolved, top) = (fetched.origin.resolved.clone(), fetched.top.clone());
        let stored = stage(self.desk, &entry.name, &place)?;
        if stored.digest != entry.digest && !candidate::is_still(&place, entry.kind, &self.desk.hall.config)?
        {
            let (kind, name, source) = (entry.kind, &entry.name, &entry.origin.source);
            let moved = self.moved(entry, &top);
            let message =
                format!("{kind} `{name}` is no {kind} any more where it came from, {source}{moved}");
            return Err(Refusal::new(Code::SkillBroken, message));
        }
        Ok((Origin { resolved, ..entry.origin.clone() }, stored))
    }

    /// Asks the marketplace again.
    async fn offered(&mut self, entry: &Entry, offer: &Offer) -> Result<(Origin, Kept), Refusal> {
        let is_here = !offer.marketplace.contains(':');
        let directory = self.site.lock_file().parent().unwrap_or(Path::new("/"));
        let whole: PathBuf = directory.join(&offer.marketplace).components().collect();
        let text = if is_here { whole.to_string_lossy().into_owned() } else { offer.marketplace.clone() };
        let market = market::open(self.desk, &text, offer.reference.as_deref()).await?;
        let ready = market.get(self.desk, market.offer(&offer.plugin)?).await?;
        let is_it = |ready: &Ready| ready.candidate.kind == entry.kind && ready.candidate.name == entry.name;
        let Some(ready) = ready.into_iter().find(is_it) else {
            let message = format!("{} no longer has {} `{}`", offer.marketplace, entry.kind, entry.name);
            return Err(Refusal::new(Code::PathNotFound, message));
        };
        Ok((ready.origin_in(self.site), ready.stored))
    }

    fn spec(&self, entry: &Entry, reference: Option<&str>) -> Result<Spec, Refusal> {
        let url = &entry.origin.source;
        if is_elsewhere(entry) {
            let is_skill = entry.origin.source_type == SourceType::Skills;
            return spec::file(url, is_skill).map(Spec::Url).map_err(|error| failure::of_spec(&error));
        }
        if entry.origin.source_type == SourceType::Npm {
            let spec = NpmSpec::of_source(url).ok_or_else(|| refused(entry))?;
            return Ok(Spec::Npm(NpmSpec { version: reference.map(str::to_owned), ..spec }));
        }
        if entry.origin.source_type == SourceType::Oci {
            let spec = OciSpec::parse(url).filter(|spec| spec.name == *url).ok_or_else(|| refused(entry))?;
            return match reference.map(str::to_owned) {
                Some(reference) if !is_reference(&reference) => Err(refused(entry)),
                reference => Ok(Spec::Oci(OciSpec { reference, ..spec })),
            };
        }
        if entry.origin.source_type == SourceType::Mcp {
            return match spec::parse(url, "") {
                Ok(Spec::Server(spec)) if spec.skill.is_none() => Ok(Spec::Server(spec)),
                _ => Err(refused(entry)),
            };
        }
        if matches!(entry.origin.source_type, SourceType::Local | SourceType::Archive) {
            return Ok(Spec::Path(source_path(self.site, entry)));
        }
        let is_same = |spec: &GitSpec| spec.url == *url && spec.path.is_none() && spec.at.is_none();
        match spec::parse(url, "") {
            Ok(Spec::Git(spec)) if is_same(&spec) && reference.is_none_or(spec::is_reference) => {
                Ok(Spec::Git(GitSpec { reference: reference.map(str::to_owned), ..spec }))
            }
            _ => Err(refused(entry)),
        }
    }

    /// A source as it was fetched, and where an entry lies in it.
    async fn get(&mut self, entry: &Entry, spec: Spec) -> Result<(&Fetched, PathBuf), Refusal> {
        // Of a site's index, and of a server, only what is meant is fetched.
        let is_site = matches!(entry.origin.source_type, SourceType::WellKnown | SourceType::Mcp);
        let named = entry.origin.path.as_deref().and_then(|path| path.split('/').next());
        let wanted: Vec<String> = named.filter(|_| is_site).map(str::to_owned).into_iter().collect();
        let is_known = |(known, names, _): &(Spec, Vec<String>, Fetched)| *known == spec && *names == wanted;
        let at = match self.fetched.iter().position(is_known) {
            Some(at) => at,
            None => {
                let fetched = fetch(self.desk, &spec, &wanted).await?;
                self.fetched.push((spec, wanted, fetched));
                self.fetched.len() - 1
            }
        };
        let Some((_, _, fetched)) = self.fetched.get(at) else {
            return Err(Refusal::new(Code::Internal, "what was fetched is gone"));
        };
        let path = entry.origin.path.as_deref().unwrap_or_default();
        let is_below = path.split('/').all(|name| !matches!(name, "." | ".."));
        let place = fetched.top.join(path);
        if !is_below || Path::new(path).is_absolute() || !place.exists() {
            let message = format!(
                "{} has no `{path}` any more, where `{}` came from{}",
                entry.origin.source,
                entry.name,
                self.moved(entry, &fetched.top)
            );
            return Err(Refusal::new(Code::PathNotFound, message));
        }
        if !fetched.holds(&place) {
            let message = format!(
                "{} has a link at `{path}` that leads out of it; nothing of it is read",
                entry.origin.source
            );
            return Err(Refusal::new(Code::UnsafeLink, message));
        }
        Ok((fetched, place))
    }
}

impl Refetch<'_, '_> {
    /// Where something of that name lies now in what was fetched, for whoever wants it from there.
    fn moved(&self, entry: &Entry, top: &Path) -> String {
        let found = candidate::find(top, &self.desk.hall.config);
        let is_it = |found: &&Candidate| found.kind == entry.kind && found.name == entry.name;
        let Some(found) = found.iter().find(is_it) else { return String::new() };
        let reference = entry.origin.reference.as_ref().map(|reference| format!(" --ref {reference}"));
        let way = match entry.origin.source_type {
            SourceType::Npm => "npm:",
            SourceType::Oci => "oci:",
            _ => "",
        };
        format!(
            "; a {} of that name is at `{}` now: `guild add {way}{}{} --skill {} --replace` takes it",
            entry.kind,
            found.path,
            entry.origin.source,
            reference.unwrap_or_default(),
            found.qualified()
        )
    }
}

/// Whether an entry came as a file from an address.
pub fn is_elsewhere(entry: &Entry) -> bool {
    let is_file = matches!(entry.origin.source_type, SourceType::Archive | SourceType::Skills);
    is_file && entry.origin.source.contains("://")
}

fn refused(entry: &Entry) -> Refusal {
    let (name, source) = (&entry.name, &entry.origin.source);
    let message = format!("the lock's source of `{name}`, `{source}`, is not one that is fetched");
    Refusal::new(Code::SourceInvalid, message)
}

/// Where the source of an entry lies on this machine; a relative one is so to the lock.
pub fn source_path(site: &Site, entry: &Entry) -> PathBuf {
    let directory = site.lock_file().parent().unwrap_or(Path::new("/"));
    directory.join(&entry.origin.source).components().collect()
}

/// The directory that a linked entry leads to.
pub fn local_place(site: &Site, entry: &Entry) -> PathBuf {
    let place = source_path(site, entry).join(entry.origin.path.as_deref().unwrap_or_default());
    // Without a slash at its end.
    place.components().collect()
}
