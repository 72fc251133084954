//! Other installers' locks: what they say is installed is fetched, held to their hashes and installed here; and the same written for them.

use super::candidate::{self, Candidate, Selection};
use super::fetch::{Fetched, fetch, forge};
use super::place::{Scope, site};
use super::ready::{Placing, Ready, admit, install, read_all};
use super::refetch::Refetch;
use super::staging::main_file;
use super::{Installer, failure, vetting};
use crate::reply::{Export, ExportLine, Import, SkippedLine};
use crate::{Code, Refusal, counted};
use guild_ledger::Timestamp;
use guild_source::foreign::{self, ForeignEntry, Form, From, Wish};
use guild_source::lock::{Entry, Kind, SourceType};
use guild_source::spec::{self, Spec};
use std::collections::BTreeMap;
use std::path::Path;

/// What to bring in.
pub struct ImportRequest<'a> {
    /// The file.
    pub path: &'a Path,
    /// Where to.
    pub scope: Scope,
    /// Whether what has moved at its source is taken as it is now.
    pub latest: bool,
    /// Whether what is installed under the same name is replaced.
    pub replace: bool,
    /// Whether what the vet denies is left out, instead of refusing everything.
    pub skip_denied: bool,
}

/// Where from and at which ref: what is fetched once for all that come from it.
type Source = (String, Option<String>);

/// Installs what another installer's lock says.
///
/// # Errors
/// Where something of it cannot be had, is not what it was, or is denied; then nothing is installed.
pub async fn import_lock(
    desk: &Installer<'_>,
    request: &ImportRequest<'_>,
    bytes: &[u8],
    reply: &mut Import,
) -> Result<String, Refusal> {
    let path = request.path.to_string_lossy();
    let foreign = foreign::parse(bytes, &path)
        .map_err(|error| Refusal::new(Code::LockInvalid, format!("{path} cannot be read: {error}")))?;
    reply.form = foreign.form.word();
    let skipped = |(name, reason): (String, &str)| SkippedLine { name, reason: reason.to_owned() };
    reply.skipped = foreign.skipped.into_iter().map(skipped).collect();
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let mut groups: BTreeMap<Source, Vec<Wish>> = BTreeMap::new();
    for wish in foreign.wishes {
        groups.entry((source_text(request.path, &wish.from), wish.reference.clone())).or_default().push(wish);
    }
    let mut ready = Vec::new();
    for ((source, reference), wishes) in &groups {
        let spec = understand(desk, source, reference.as_deref(), wishes)?;
        let names: Vec<String> = wishes.iter().map(|wish| wish.name.clone()).collect();
        let fetched = fetch(desk, &spec, &names).await?;
        ready.extend(granted(desk, &fetched, wishes, request.latest)?);
    }
    let count = ready.len();
    reply.vetted = admit(desk, &mut ready);
    if !request.skip_denied {
        let remedy = if count == 1 { "" } else { "; `--skip-denied` installs the others" };
        vetting::refuse_denied(&reply.vetted, remedy)?;
    }
    let placed = install(desk, &site, Placing { link: false, replace: request.replace }, &ready).await?;
    (reply.installed, reply.previews, reply.lock) = (placed.changes, placed.previews, Some(placed.lock));
    let left = match reply.skipped.len() {
        0 => String::new(),
        count => format!(", {} left out", counted(count, "skill")),
    };
    Ok(format!("{}{left}", placed.message))
}

/// What a person would have typed; a path is relative to the lock.
fn source_text(lock: &Path, from: &From) -> String {
    match from {
        From::Source(source) => source.clone(),
        From::Path(path) => {
            let directory = lock.parent().unwrap_or(Path::new("/"));
            directory.join(path).to_string_lossy().into_owned()
        }
    }
}

/// A lock's source is read as strictly as what a person types; but it never means a directory unless it says so.
fn understand(
    desk: &Installer<'_>,
    source: &str,
    reference: Option<&str>,
    wishes: &[Wish],
) -> Result<Spec, Refusal> {
    let mut spec =
        spec::parse(source, &forge(&desk.hall.config)?).map_err(|error| failure::of_spec(&error))?;
    let is_path = wishes.iter().all(|wish| matches!(wish.from, From::Path(_)));
    let refused = |what: &str| {
        let message = format!("the lock's source `{source}` {what}");
        Refusal::new(Code::SourceInvalid, message)
    };
    match (&mut spec, reference) {
        (Spec::Path(_), _) if !is_path => return Err(refused("is a path, and says that it is none")),
        (Spec::Server(_), _) => return Err(refused("is a server, which is asked by `guild add` alone")),
        (Spec::Git(git), Some(reference)) if spec::is_reference(reference) => {
            git.reference = Some(reference.to_owned());
        }
        (_, None) => {}
        _ => return Err(refused("has no such ref")),
    }
    Ok(spec)
}

/// The skills that are wished for, in what was fetched, each held to its hash.
fn granted(
    desk: &Installer<'_>,
    fetched: &Fetched,
    wishes: &[Wish],
    latest: bool,
) -> Result<Vec<Ready>, Refusal> {
    let found = fetched.candidates(&desk.hall.config);
    let mut chosen: Vec<Candidate> = Vec::new();
    for wish in wishes {
        let candidate = chosen_for(&found, wish)?;
        candidate.usable()?;
        chosen.push(candidate);
    }
    let ready = read_all(desk, &chosen, &fetched.origin)?;
    for (ready, wish) in ready.iter().zip(wishes) {
        let Some(hash) = wish.hash.as_ref().filter(|_| !latest) else { continue };
        if !hash.is_of(desk.store, &ready.stored.tree)? {
            let message = format!(
                "`{}` from {} is not what it was when it was locked; nothing was installed: `--latest` takes it as it is now",
                wish.name, fetched.origin.source
            );
            return Err(Refusal::new(Code::SourceChanged, message));
        }
    }
    Ok(ready)
}

/// By its directory where the lock has one, else by its name.
fn chosen_for(found: &[Candidate], wish: &Wish) -> Result<Candidate, Refusal> {
    let is_there = |candidate: &&Candidate| {
        candidate.kind == Kind::Skill && wish.path.as_ref().is_some_and(|path| candidate.path == *path)
    };
    if let Some(candidate) = found.iter().find(is_there) {
        return Ok(candidate.alone());
    }
    let mut chosen = candidate::choose(found, &Selection::Named(vec![wish.name.clone()]))?;
    chosen.pop().ok_or_else(|| Refusal::new(Code::NoSkills, "there is no skill in it"))
}

/// What is installed, as another installer's lock says it.
///
/// # Errors
/// Where the lock cannot be read, or files of it are not in the store.
pub async fn export_lock(
    desk: &Installer<'_>,
    scope: Scope,
    form: ForeignForm,
    now: Timestamp,
    reply: &mut Export,
) -> Result<String, Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    let (mut entries, mut refetch) = (Vec::new(), Refetch::new(desk, &site));
    for entry in lock.entries() {
        refetch.ensure(entry).await?;
        match foreign_entry(desk, entry)? {
            Ok(written) => {
                entries.push(written);
                reply.exported.push(ExportLine::of(entry));
            }
            Err(why) => {
                reply.skipped.push(SkippedLine { name: entry.name.clone(), reason: why.to_owned() });
            }
        }
    }
    reply.form = form.form().word();
    Ok(match form {
        ForeignForm::SkillsLock => foreign::skills_lock(&entries),
        ForeignForm::SkillLock => foreign::skill_lock(&entries, &now.to_string()),
    })
}

/// The forms that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignForm {
    /// `skills-lock.json`, version 1.
    SkillsLock,
    /// `.skill-lock.json`, version 3.
    SkillLock,
}

impl ForeignForm {
    const fn form(self) -> Form {
        match self {
            Self::SkillsLock => Form::Skills,
            Self::SkillLock => Form::Skill,
        }
    }
}

/// An entry for another installer, or why it has no way to say it.
fn foreign_entry(desk: &Installer<'_>, entry: &Entry) -> Result<Result<ForeignEntry, &'static str>, Refusal> {
    if entry.kind == Kind::Plugin {
        return Ok(Err("it is a plugin"));
    }
    let source = &entry.origin.source;
    let bare = |forge: &str| source.strip_prefix(forge).map(|rest| rest.trim_end_matches(".git").to_owned());
    let (source_type, short) = match entry.origin.source_type {
        SourceType::Git => match (bare("https://github.com/"), bare("https://gitlab.com/")) {
            (Some(short), _) => ("github", short),
            (None, Some(short)) => ("gitlab", short),
            (None, None) => ("git", source.clone()),
        },
        SourceType::Local => ("local", source.clone()),
        SourceType::WellKnown => ("well-known", source.clone()),
        SourceType::Archive | SourceType::Skills | SourceType::Npm | SourceType::Oci => {
            return Ok(Err("it came as a file, not from a repository"));
        }
        SourceType::Mcp => return Ok(Err("it came from one of your MCP servers")),
    };
    let main = main_file(entry).unwrap_or("SKILL.md");
    let path = entry.origin.path.as_deref();
    Ok(Ok(ForeignEntry {
        name: entry.name.clone(),
        source: short,
        source_type,
        source_url: source.clone(),
        reference: entry.origin.reference.clone(),
        skill_path: Some(path.map_or_else(|| main.to_owned(), |path| format!("{path}/{main}"))),
        computed_hash: foreign::computed_hash(desk.store, &entry.tree)?.to_hex(),
        folder_hash: foreign::git_tree(desk.store, &entry.tree)?,
    }))
}
