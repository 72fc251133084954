//! The registry follows the lock: a row for everything that is installed, and none for what no longer is.
//!
//! What is known keeps its state. What is new is on if it is a skill, and off if it is a plugin: what a plugin brings is looked at first.
//! Rows of what lies there without having been installed are left alone.

use super::manifest::{manifest, skill};
use super::place::{Scope, journals, site};
use super::refetch::source_path;
use super::{Registrar, failure};
use crate::{Installer, Places, Refusal};
use guild_catalog::{Machine, in_parallel_from};
use guild_ledger::{Arrival, Registration, SourceType, Status, Subject, SubjectKind};
use guild_source::lock::{self, Entry, Kind, Lock, Offer};
use guild_source::site::{Held, Site};
use guild_source::store::Store;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Whether what lies at each place is on.
pub type Statuses = BTreeMap<String, &'static str>;

/// How much of a description the registry keeps.
const DESCRIPTION: usize = 1024;

/// So many that have come, of which each is read once more, are worth a thread.
const WORTH_A_THREAD: usize = 64;

/// The forge whose repositories are known by `owner/repo`.
const FORGE: &str = "https://github.com/";

/// Registers the plugins that are about to come, which are off before they are there.
pub async fn announce(desk: &Installer<'_>, site: &Site, lock: &Lock) -> Result<(), Refusal> {
    let Some(registrar) = &desk.registrar else { return Ok(()) };
    let known = known(registrar).await?;
    let is_new = |entry: &&Entry| {
        let place = place(site, entry);
        entry.kind == Kind::Plugin && !known.iter().any(|known| known.subject.place == place)
    };
    let come = lock.entries().iter().filter(is_new).map(|entry| arrival(desk.store, site, entry)).collect();
    registrar.settle(come, &[]).await.map(drop)
}

/// Brings the rows of a site up to its lock, as it stands there. Without somebody who writes them they wait for the next one.
pub async fn follow(
    registrar: Option<&Registrar<'_>>,
    store: &Store,
    held: &Held<'_>,
    lock: &Lock,
) -> Result<Statuses, Refusal> {
    let Some(registrar) = registrar else { return Ok(Statuses::new()) };
    let known = known(registrar).await?;
    let Due { come, unlocked } = Due::of(&known, held.site(), lock);
    let come = arrivals(store, held.site(), &come);
    // What lies there still is remembered until it goes: `sync` takes it away by that.
    let is_gone = |known: &&&Registration| Path::new(&known.subject.place).symlink_metadata().is_err();
    let gone: Vec<String> = unlocked.iter().filter(is_gone).map(|known| known.plugin.clone()).collect();
    let settled =
        if come.is_empty() && gone.is_empty() { known } else { registrar.settle(come, &gone).await? };
    held.followed().map_err(failure::of_site)?;
    Ok(statuses(settled))
}

/// The same while the changes that the lock speaks of are being made: what is written counts once `is_made`. Nothing where it does
/// not, or where more has to be known first than what has come; then it is for [`follow`].
pub async fn follow_ahead(
    registrar: &Registrar<'_>,
    store: &Store,
    held: &Held<'_>,
    lock: &Lock,
    is_made: impl Future<Output = bool>,
) -> Result<Option<Statuses>, Refusal> {
    let known = known(registrar).await?;
    let Due { come, unlocked } = Due::of(&known, held.site(), lock);
    if come.is_empty() || !unlocked.is_empty() {
        return Ok(None);
    }
    let come = arrivals(store, held.site(), &come);
    let (books, by) = (registrar.books, &registrar.by);
    let settled = books.ledger.settle_registry_once(registrar.now, (come, &[]), by, is_made).await;
    let Some(settled) = settled.map_err(|error| books.registry_refusal(error))? else { return Ok(None) };
    held.followed().map_err(failure::of_site)?;
    Ok(Some(statuses(settled)))
}

/// What the registry has to be told.
struct Due<'a> {
    /// What it does not know, or knows otherwise.
    come: Vec<&'a Entry>,
    /// What was installed here and is not in the lock.
    unlocked: Vec<&'a Registration>,
}

impl<'a> Due<'a> {
    fn of(known: &'a [Registration], site: &Site, lock: &'a Lock) -> Self {
        let rows: BTreeMap<&str, &Subject> =
            known.iter().map(|known| (known.subject.place.as_str(), &known.subject)).collect();
        let mut come = Vec::new();
        let mut locked = BTreeSet::new();
        for entry in lock.entries() {
            let place = place(site, entry);
            if !rows.get(place.as_str()).is_some_and(|subject| says(subject, site, entry)) {
                come.push(entry);
            }
            locked.insert(place);
        }
        let is_unlocked =
            |known: &&Registration| was_installed(site, known) && !locked.contains(&known.subject.place);
        Self { come, unlocked: known.iter().filter(is_unlocked).collect() }
    }
}

fn arrivals(store: &Store, site: &Site, come: &[&Entry]) -> Vec<(Subject, Arrival)> {
    in_parallel_from(WORTH_A_THREAD, come, |entry| arrival(store, site, entry))
}

fn statuses(settled: Vec<Registration>) -> Statuses {
    settled.into_iter().map(|known| (known.subject.place, known.status.as_str())).collect()
}

/// Whether somebody was killed while something was installed, here or in the home directory. Costs four looks, and one where nothing
/// was ever installed.
///
/// # Errors
/// Where that cannot be told.
pub fn is_unsettled(machine: &Machine, places: &Places) -> Result<bool, Refusal> {
    let has_begun = journals(places).is_ok_and(|journals| journals.try_exists().unwrap_or(true));
    if !has_begun {
        return Ok(false);
    }
    let mut is_unsettled = false;
    for site in sites(machine, places) {
        is_unsettled |= site.is_unsettled().map_err(failure::of_site)?;
    }
    Ok(is_unsettled)
}

/// Carries through what a killed process had begun to install, here and in the home directory, and lets the registry follow.
///
/// # Errors
/// Where that cannot be done; it is tried again the next time.
pub async fn recover(machine: &Machine, places: &Places, registrar: &Registrar<'_>) -> Result<(), Refusal> {
    let store = places.store()?;
    for site in sites(machine, places) {
        if site.is_unsettled().map_err(failure::of_site)? {
            let held = site.hold().map_err(failure::of_site)?;
            let lock = site.read_lock().map_err(failure::of_site)?;
            follow(Some(registrar), &store, &held, &lock).await?;
        }
    }
    Ok(())
}

/// The sites that there can be; where nothing can be installed nothing was begun.
fn sites(machine: &Machine, places: &Places) -> Vec<Site> {
    let scopes = [Scope::Project, Scope::User].into_iter();
    scopes.filter_map(|scope| site(machine, places, scope).ok()).collect()
}

/// Everything that the registry knows.
pub async fn known(registrar: &Registrar<'_>) -> Result<Vec<Registration>, Refusal> {
    let books = registrar.books;
    books.ledger.registrations().await.map_err(|error| books.refusal(error))
}

impl Registrar<'_> {
    async fn settle(
        &self,
        come: Vec<(Subject, Arrival)>,
        gone: &[String],
    ) -> Result<Vec<Registration>, Refusal> {
        if come.is_empty() && gone.is_empty() {
            return Ok(Vec::new());
        }
        let settled = self.books.ledger.settle_registry(self.now, come, gone, &self.by).await;
        settled.map_err(|error| self.books.registry_refusal(error))
    }
}

/// Whether a row is of something that was installed here; what was only found has no digest.
pub fn was_installed(site: &Site, known: &Registration) -> bool {
    let place = Path::new(&known.subject.place);
    known.subject.digest.is_some() && [Kind::Skill, Kind::Plugin].iter().any(|kind| site.holds(*kind, place))
}

/// Whether a row says what the lock says.
fn says(subject: &Subject, site: &Site, entry: &Entry) -> bool {
    let (source_type, source) = source(site, entry);
    subject.digest == Some(entry.digest)
        && subject.source_type == source_type
        && subject.source == source
        && subject.resolved == entry.origin.resolved
}

/// The place of an entry, as the registry calls it.
fn place(site: &Site, entry: &Entry) -> String {
    site.place(entry.kind, &entry.name).to_string_lossy().into_owned()
}

/// What the registry is told of something that has come.
fn arrival(store: &Store, site: &Site, entry: &Entry) -> (Subject, Arrival) {
    let (kind, status) = match entry.kind {
        Kind::Skill => (SubjectKind::Skill, Status::Enabled),
        Kind::Plugin => (SubjectKind::Plugin, Status::Disabled),
    };
    let (source_type, source) = source(site, entry);
    let mut subject = Subject {
        kind,
        name: entry.name.clone(),
        description: None,
        version: None,
        source_type,
        source,
        resolved: entry.origin.resolved.clone(),
        digest: Some(entry.digest),
        place: place(site, entry),
        capabilities: Vec::new(),
        required_env: Vec::new(),
    };
    // What cannot be read of it any more is not said of it.
    if let Some(plugin) = manifest(store, entry) {
        subject.description = plugin.description;
        subject.version = plugin.version;
        subject.capabilities = plugin.capabilities.iter().map(|word| word.as_str().to_owned()).collect();
        subject.required_env = plugin.required_env;
    } else if let Some(skill) = skill(store, entry) {
        subject.description = Some(skill.description);
        subject.required_env = skill.requirements.map(|asked| asked.env).unwrap_or_default();
    }
    subject.description = subject.description.map(|text| text.chars().take(DESCRIPTION).collect());
    (subject, Arrival::Decided(status))
}

/// By what way an entry came, and from where, so that no two sources are one: a path of this machine is whole.
fn source(site: &Site, entry: &Entry) -> (SourceType, String) {
    let source = &entry.origin.source;
    if let Some(Offer { marketplace, plugin, .. }) = &entry.origin.offer {
        let directory = site.lock_file().parent().unwrap_or(Path::new("/"));
        let here: PathBuf = directory.join(marketplace).components().collect();
        let market =
            if marketplace.contains(':') { marketplace.clone() } else { here.to_string_lossy().into_owned() };
        // One that has no manifest came as several skills.
        let part = if entry.kind == Kind::Skill { format!("/{}", entry.name) } else { String::new() };
        return (SourceType::Marketplace, format!("{market}/{plugin}{part}"));
    }
    let (source_type, source) = match entry.origin.source_type {
        lock::SourceType::Git => match source.strip_prefix(FORGE) {
            Some(repository) => (SourceType::Skills, repository.to_owned()),
            None => (SourceType::Git, source.clone()),
        },
        lock::SourceType::Skills => (SourceType::Skills, source.clone()),
        lock::SourceType::WellKnown => (SourceType::WellKnown, source.clone()),
        lock::SourceType::Npm => (SourceType::Npm, source.clone()),
        lock::SourceType::Oci => (SourceType::Oci, source.clone()),
        // The kind says already that it is a server.
        lock::SourceType::Mcp => (SourceType::Mcp, source.strip_prefix("mcp:").unwrap_or(source).to_owned()),
        lock::SourceType::Archive if source.contains("://") => (SourceType::Archive, source.clone()),
        lock::SourceType::Archive => {
            (SourceType::Archive, source_path(site, entry).to_string_lossy().into_owned())
        }
        lock::SourceType::Local => {
            (SourceType::Local, source_path(site, entry).to_string_lossy().into_owned())
        }
    };
    let path = entry.origin.path.as_deref().map(|path| format!("/{path}")).unwrap_or_default();
    (source_type, format!("{source}{path}"))
}
