//! What was chosen of a source, read, vetted, and put in its place all at once.

use super::candidate::Candidate;
use super::drift::{Drift, drift};
use super::fetch::Fetched;
use super::preview::{previews, waiting};
use super::settled::{Fate, settle};
use super::staging::stage_all;
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::reply::{InstalledChange, PluginPreview, VettedCandidate};
use crate::{Code, Refusal, counted};
use guild_source::lock::{Entry, Lock, Offer, Origin};
use guild_source::site::{Change, Ours, Site};
use guild_source::store::{Keeping, Kept};
use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One thing that is ready to be installed.
pub struct Ready {
    /// What it is, and where it lies in its source.
    pub candidate: Candidate,
    /// Its files.
    pub stored: Kept,
    /// The source.
    pub origin: Origin,
    /// The directory of ours that it lies in, where its own holds its files alone and can be moved to where it is installed.
    pub ours: Option<Arc<Path>>,
}

/// How things are put in their place.
#[derive(Debug, Clone, Copy)]
pub struct Placing {
    /// Whether a link to the directory is made instead of a copy.
    pub link: bool,
    /// Whether what is installed under the same name is replaced.
    pub replace: bool,
}

/// What has become of what was to be installed.
pub struct Placed {
    /// Each of them.
    pub changes: Vec<InstalledChange>,
    /// The plugins among them that are off.
    pub previews: Vec<PluginPreview>,
    /// The lock that says so.
    pub lock: String,
    /// All of it in a sentence.
    pub message: String,
}

/// Where the files of something lie already.
#[derive(Debug, Clone, Copy)]
pub enum Lies<'a> {
    /// In a directory that a link is to lead to.
    Elsewhere(&'a Path),
    /// In a directory of ours.
    Here(Ours<'a>),
}

/// Reads the files of what was chosen of a source, once, into the store.
pub fn read_all(desk: &Installer<'_>, chosen: &[Candidate], origin: &Origin) -> Result<Vec<Ready>, Refusal> {
    let (ready, mut keeping) = read_all_ahead(desk, chosen, origin)?;
    keeping.wait()?;
    Ok(ready)
}

/// The same, which goes on while the files are written into the store.
pub fn read_all_ahead(
    desk: &Installer<'_>,
    chosen: &[Candidate],
    origin: &Origin,
) -> Result<(Vec<Ready>, Keeping), Refusal> {
    (desk.progress)(&format!("reading {}", counted(chosen.len(), "skill")));
    let wanted: Vec<(&str, &Path)> =
        chosen.iter().map(|candidate| (candidate.name.as_str(), candidate.place.as_path())).collect();
    let (stored, keeping) = stage_all(desk, &wanted)?;
    let ready = |(candidate, stored): (&Candidate, Kept)| Ready {
        candidate: candidate.clone(),
        stored,
        origin: origin.clone(),
        ours: None,
    };
    Ok((chosen.iter().zip(stored).map(ready).collect(), keeping))
}

/// Lets everything of one source be moved that can be, which spares writing it once more.
pub fn let_move(ready: &mut [Ready], fetched: &Fetched) {
    if !fetched.is_ours() {
        return;
    }
    let top: Arc<Path> = Arc::from(fetched.top.as_path());
    let below = |ready: &Ready| ready.candidate.place.strip_prefix(&top).map(Path::to_owned);
    let places: BTreeSet<PathBuf> = ready.iter().filter_map(|ready| below(ready).ok()).collect();
    for ready in ready {
        let Ok(place) = ready.candidate.place.strip_prefix(&top) else { continue };
        // Behind it in their order come those that lie in it, which would go with it or be missing from it.
        let mut behind = places.range::<Path, _>((Bound::Excluded(place), Bound::Unbounded));
        let is_apart = !behind.next().is_some_and(|next| next.starts_with(place));
        ready.ours = (ready.stored.is_exact && is_apart).then(|| Arc::clone(&top));
    }
}

/// Vets everything, and keeps what is not denied; gives what was found.
pub fn admit(desk: &Installer<'_>, ready: &mut Vec<Ready>) -> Vec<VettedCandidate> {
    let looks: Vec<Look<'_>> = ready.iter().map(Ready::look).collect();
    let vetted = vetting::vet(desk, &looks);
    ready.retain(|ready| vetting::denied(&vetted).all(|name| name != ready.candidate.name));
    vetted
}

/// Puts everything in its place, all at once.
pub async fn install(
    desk: &Installer<'_>,
    site: &Site,
    placing: Placing,
    ready: &[Ready],
) -> Result<Placed, Refusal> {
    let mut entries = Vec::new();
    for ready in ready {
        let path = ready.candidate.place.as_path();
        let ours = ready.ours.as_deref().map(|top| Lies::Here(Ours { path, top }));
        let lies = if placing.link { Some(Lies::Elsewhere(path)) } else { ours };
        entries.push((entry(placing, site, ready), lies));
    }
    bring(desk, site, placing, entries).await
}

/// Puts entries in their place whose files are in the store, each with where else they lie.
pub async fn bring(
    desk: &Installer<'_>,
    site: &Site,
    placing: Placing,
    entries: Vec<(Entry, Option<Lies<'_>>)>,
) -> Result<Placed, Refusal> {
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    // Where nothing lies there is nothing to look for, five hundred times.
    let is_bare = !site.is_inhabited();
    let mut fates: Vec<(Fate, Entry)> = Vec::new();
    let mut sources = Vec::new();
    for (entry, lies) in entries {
        let fate = if is_bare { Fate::Installed } else { fate(placing, site, &lock, &entry)? };
        fates.push((fate, entry));
        sources.push(lies);
    }
    for (fate, entry) in &mut fates {
        let old = lock.get(entry.kind, &entry.name);
        entry.pinned |= old.is_some_and(|old| old.pinned);
        entry.previous = match (&fate, old) {
            (Fate::Updated, Some(old)) => old.before(&entry.origin),
            (_, old) => old.and_then(|old| old.before_it(&entry.origin)),
        };
        lock.put(entry.clone());
    }
    let mut changes = Vec::new();
    let changed = fates.iter().zip(sources).filter(|((fate, _), _)| *fate != Fate::Unchanged);
    for ((_, entry), lies) in changed {
        let (kind, name) = (entry.kind, entry.name.as_str());
        changes.push(match lies {
            Some(Lies::Elsewhere(target)) => Change::Link { kind, name, target },
            Some(Lies::Here(ours)) => Change::Place { kind, name, tree: &entry.tree, from: Some(ours) },
            None => Change::Place { kind, name, tree: &entry.tree, from: None },
        });
    }
    let told = fates.iter().map(|(fate, entry)| (*fate, entry));
    let changes = settle(desk, &held, &changes, &lock, told).await?;
    let previews = previews(desk.store, &lock, &changes);
    let message = format!("{}{}", sentence(&fates), waiting(&previews));
    Ok(Placed { changes, previews, lock: site.lock_file().to_string_lossy().into_owned(), message })
}

impl Ready {
    fn look(&self) -> Look<'_> {
        let Candidate { kind, name, main, .. } = &self.candidate;
        Look { kind: *kind, name, main, stored: &self.stored }
    }

    /// Where it came from, as the lock of a site says it.
    pub fn origin_in(&self, site: &Site) -> Origin {
        let Origin { source, path, offer, .. } = &self.origin;
        let parts = [path.as_deref().unwrap_or_default(), &self.candidate.path];
        let path = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let is_here = |text: &str| text.starts_with('/');
        let written = |text: &String| if is_here(text) { portable(site, text) } else { text.clone() };
        let offer = offer.clone().map(|offer| Offer { marketplace: written(&offer.marketplace), ..offer });
        let path = Some(path).filter(|path| !path.is_empty());
        Origin { source: written(source), path, offer, ..self.origin.clone() }
    }
}

/// The entry that the lock will have.
pub fn entry(placing: Placing, site: &Site, ready: &Ready) -> Entry {
    Entry {
        name: ready.candidate.name.clone(),
        kind: ready.candidate.kind,
        origin: ready.origin_in(site),
        pinned: false,
        linked: placing.link,
        digest: ready.stored.digest,
        tree: ready.stored.tree.clone(),
        previous: None,
    }
}

/// A path as it is written into the lock: relative where it lies beside it, so that others who have the project have it too.
fn portable(site: &Site, source: &str) -> String {
    let directory = site.lock_file().parent().and_then(|directory| directory.canonicalize().ok());
    let below = directory.as_deref().and_then(|directory| Path::new(source).strip_prefix(directory).ok());
    below.map_or_else(|| source.to_owned(), |below| format!("./{}", below.to_string_lossy()))
}

/// What becomes of an entry, unless something of somebody else's is in its place.
pub fn fate(placing: Placing, site: &Site, lock: &Lock, entry: &Entry) -> Result<Fate, Refusal> {
    let (kind, name) = (entry.kind, &entry.name);
    let place = site.place(kind, name);
    let is_there = place.symlink_metadata().is_ok();
    match lock.get(kind, name) {
        // Every byte of it is there; only the lock had been lost.
        None if is_there && drift(site, entry) == Drift::None => Ok(Fate::Unchanged),
        None if is_there || is_flat(&place) => {
            let message = format!(
                "{kind} `{name}` is at {} already, and the lock does not name it; move it away first",
                place.display()
            );
            Err(Refusal::new(Code::AlreadyExists, message))
        }
        None => Ok(Fate::Installed),
        Some(old)
            if is_there
                && old.digest == entry.digest
                && old.linked == entry.linked
                && old.origin == entry.origin =>
        {
            Ok(Fate::Unchanged)
        }
        Some(_) if !is_there => Ok(Fate::Installed),
        Some(_) if placing.replace => Ok(Fate::Updated),
        Some(old) => {
            let message = format!(
                "{kind} `{name}` is installed already, from {}; `guild update {name}` brings it up to date, `--replace` takes this one",
                old.origin.source
            );
            Err(Refusal::new(Code::AlreadyExists, message))
        }
    }
}

/// Whether a skill of that name lies there as one file.
fn is_flat(place: &Path) -> bool {
    let mut flat = PathBuf::from(place).into_os_string();
    flat.push(".md");
    Path::new(&flat).exists()
}

fn sentence(fates: &[(Fate, Entry)]) -> String {
    let count = |wanted: Fate| fates.iter().filter(|(fate, _)| *fate == wanted).count();
    let mut parts = Vec::new();
    for (fate, word) in
        [(Fate::Installed, "installed"), (Fate::Updated, "replaced"), (Fate::Unchanged, "as it was")]
    {
        if count(fate) > 0 {
            parts.push(format!("{} {word}", count(fate)));
        }
    }
    if parts.is_empty() { "nothing was installed".to_owned() } else { parts.join(", ") }
}
