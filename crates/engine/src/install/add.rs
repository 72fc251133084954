//! `add`: from what a person typed to files in their place and a lock that says so.

use super::candidate::{self, Candidate, Selection};
use super::fetch::{Fetched, fetch, understand};
use super::place::{Scope, site};
use super::preview::{previews, waiting};
use super::settled::{Fate, settle};
use super::staging::stage_all;
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::reply::{Add, CandidateLine, InstalledChange, SourceLine};
use crate::{Code, Envelope, Refusal, counted};
use guild_source::lock::{Entry, Lock, Origin, Previous, SourceType};
use guild_source::site::{Change, Held, Site};
use guild_source::store::Stored;
use std::path::{Path, PathBuf};

/// Which of the skills in a source are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The only one that there is; where there are more, whoever can be asked says which.
    Only,
    /// All of them.
    All,
    /// These, by name.
    Named(Vec<String>),
    /// None: they are only listed.
    List,
}

/// Asks a person which of several they mean.
pub type Ask<'a> = &'a (dyn Fn(&[CandidateLine]) -> Option<Vec<String>> + Sync);

/// What to install.
pub struct AddRequest<'a> {
    /// Where it comes from, as it was typed.
    pub source: &'a str,
    /// The branch, tag or commit that is meant, whatever the source says.
    pub reference: Option<&'a str>,
    /// Which of the skills in it.
    pub choice: Choice,
    /// Where to.
    pub scope: Scope,
    /// Whether a link to the directory is made instead of a copy.
    pub link: bool,
    /// Whether what is installed under the same name is replaced.
    pub replace: bool,
    /// Whether what the vet denies is left out, instead of refusing everything.
    pub skip_denied: bool,
    /// Whom to ask where a choice is missing.
    pub ask: Option<Ask<'a>>,
}

/// One thing that is ready to be installed.
struct Ready {
    candidate: Candidate,
    stored: Stored,
}

/// Installs skills and plugins from a source.
pub async fn add(desk: &Installer<'_>, request: &AddRequest<'_>) -> Envelope<Add> {
    let mut reply = Add { scope: request.scope.word(), ..Add::default() };
    match run(desk, request, &mut reply).await {
        Ok(message) => Envelope::ok(reply).with_message(message),
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

async fn run(desk: &Installer<'_>, request: &AddRequest<'_>, reply: &mut Add) -> Result<String, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let spec = understand(desk, request.source, request.reference)?;
    let wanted: &[String] = if let Choice::Named(names) = &request.choice { names } else { &[] };
    let fetched = fetch(desk, &spec, wanted).await?;
    if request.link && fetched.origin.source_type != SourceType::Local {
        let message = "only a directory of this machine can be linked to; leave out `--link`";
        return Err(Refusal::new(Code::SourceInvalid, message));
    }
    reply.source = Some(source_line(&fetched.origin));
    let found = candidate::find(&fetched, &desk.hall.config);
    if request.choice == Choice::List {
        reply.candidates = found.iter().map(Candidate::line).collect();
        let count = |kind| reply.candidates.iter().filter(|line| line.kind == kind).count();
        return Ok(format!("{}, {}", counted(count("skill"), "skill"), counted(count("plugin"), "plugin")));
    }
    let chosen = choose(request, &fetched, &found, reply)?;
    reply.candidates = chosen.iter().map(Candidate::line).collect();
    let mut ready = read_all(desk, &chosen)?;
    let looks: Vec<Look<'_>> = ready.iter().map(Ready::look).collect();
    reply.vetted = vetting::vet(desk, &looks);
    if request.skip_denied {
        ready.retain(|ready| vetting::denied(&reply.vetted).all(|name| name != ready.candidate.name));
    } else {
        let is_only = ready.len() == 1;
        let remedy = if is_only { "" } else { "; `--skip-denied` installs the others" };
        vetting::refuse_denied(&reply.vetted, remedy)?;
    }
    install(desk, request, &site, (&fetched, &ready), reply).await
}

fn source_line(origin: &Origin) -> SourceLine {
    SourceLine {
        source: origin.source.clone(),
        source_type: origin.source_type.word(),
        r#ref: origin.reference.clone(),
        resolved: origin.resolved.clone(),
    }
}

/// The candidates that are meant; where that is not clear, a person is asked, and else everything is listed.
fn choose(
    request: &AddRequest<'_>,
    fetched: &Fetched,
    found: &[Candidate],
    reply: &mut Add,
) -> Result<Vec<Candidate>, Refusal> {
    let selection = match (&request.choice, &fetched.skill) {
        (Choice::Named(names), skill) => Selection::Named(names.iter().chain(skill).cloned().collect()),
        (_, Some(skill)) => Selection::Named(vec![skill.clone()]),
        (Choice::All, None) => Selection::All,
        (Choice::Only | Choice::List, None) => Selection::Only,
    };
    let chosen = match candidate::choose(found, &selection) {
        Err(refusal) if refusal.code == Code::ChoiceRequired => {
            reply.candidates = found.iter().map(Candidate::line).collect();
            let names = request.ask.and_then(|ask| ask(&reply.candidates)).ok_or(refusal)?;
            candidate::choose(found, &Selection::Named(names))?
        }
        chosen => chosen?,
    };
    chosen.iter().try_for_each(Candidate::usable)?;
    Ok(chosen)
}

/// Reads the files of what was chosen, once, into the store.
fn read_all(desk: &Installer<'_>, chosen: &[Candidate]) -> Result<Vec<Ready>, Refusal> {
    (desk.progress)(&format!("reading {}", counted(chosen.len(), "skill")));
    let wanted: Vec<(&str, &Path)> =
        chosen.iter().map(|candidate| (candidate.name.as_str(), candidate.place.as_path())).collect();
    let stored = stage_all(desk, &wanted)?;
    let ready = |(candidate, stored): (&Candidate, Stored)| Ready { candidate: candidate.clone(), stored };
    Ok(chosen.iter().zip(stored).map(ready).collect())
}

impl Ready {
    fn look(&self) -> Look<'_> {
        let Candidate { kind, name, main, .. } = &self.candidate;
        Look { kind: *kind, name, main, stored: &self.stored }
    }
}

/// Puts everything in its place, all at once.
async fn install(
    desk: &Installer<'_>,
    request: &AddRequest<'_>,
    site: &Site,
    (fetched, ready): (&Fetched, &[Ready]),
    reply: &mut Add,
) -> Result<String, Refusal> {
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    let mut fates: Vec<(Fate, Entry)> = Vec::new();
    for ready in ready {
        let entry = entry(request, site, fetched, ready);
        fates.push((fate(request, site, &lock, &entry)?, entry));
    }
    for (fate, entry) in &mut fates {
        let old = lock.get(entry.kind, &entry.name);
        entry.pinned = old.is_some_and(|old| old.pinned);
        entry.previous = match (&fate, old) {
            (Fate::Updated, Some(old)) => Some(previous(old)),
            (_, old) => old.and_then(|old| old.previous.clone()),
        };
        lock.put(entry.clone());
    }
    reply.installed = apply(desk, &held, ready, &fates, &lock).await?;
    reply.lock = Some(site.lock_file().to_string_lossy().into_owned());
    reply.previews = previews(desk.store, &lock, &reply.installed);
    Ok(format!("{}{}", sentence(&fates), waiting(&reply.previews)))
}

/// What there was, to go back to.
pub fn previous(old: &Entry) -> Previous {
    Previous { resolved: old.origin.resolved.clone(), digest: old.digest }
}

async fn apply(
    desk: &Installer<'_>,
    held: &Held<'_>,
    ready: &[Ready],
    fates: &[(Fate, Entry)],
    lock: &Lock,
) -> Result<Vec<InstalledChange>, Refusal> {
    let changes = ready.iter().zip(fates).filter(|(_, (fate, _))| *fate != Fate::Unchanged);
    let changes: Vec<Change<'_>> = changes
        .map(|(ready, (_, entry))| {
            let (kind, name) = (entry.kind, entry.name.as_str());
            if entry.linked {
                Change::Link { kind, name, target: &ready.candidate.place }
            } else {
                Change::Place { kind, name, tree: &ready.stored.tree }
            }
        })
        .collect();
    settle(desk, held, &changes, lock, fates.iter().map(|(fate, entry)| (*fate, entry))).await
}

fn entry(request: &AddRequest<'_>, site: &Site, fetched: &Fetched, ready: &Ready) -> Entry {
    let Origin { source, path, .. } = &fetched.origin;
    let parts = [path.as_deref().unwrap_or_default(), &ready.candidate.path];
    let path = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    let source = match fetched.origin.source_type {
        SourceType::Git | SourceType::Skills | SourceType::WellKnown => source.clone(),
        SourceType::Local | SourceType::Archive => portable(site, source),
    };
    Entry {
        name: ready.candidate.name.clone(),
        kind: ready.candidate.kind,
        origin: Origin { source, path: Some(path).filter(|path| !path.is_empty()), ..fetched.origin.clone() },
        pinned: false,
        linked: request.link,
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
fn fate(request: &AddRequest<'_>, site: &Site, lock: &Lock, entry: &Entry) -> Result<Fate, Refusal> {
    let (kind, name) = (entry.kind, &entry.name);
    let place = site.place(kind, name);
    let is_there = place.symlink_metadata().is_ok();
    match lock.get(kind, name) {
        None if is_there || is_flat(&place) => {
            let message = format!(
                "{kind} `{name}` is at {} already, and Guildhall did not install it; move it away first",
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
        Some(_) if request.replace => Ok(Fate::Updated),
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
