//! Writing, changing and removing skills of one's own, for an admin wherever they are.
//!
//! One's own is what lies in the project or the home directory as plain files and was neither installed nor shipped by a plugin:
//! what came from elsewhere is changed by what installs it. Content is held to what `new` holds it to.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use guild_catalog::create::Layout;
use guild_catalog::{Entry, Scope};
use guild_ledger::{Principal, Role};
use guild_manifest::Digest;

use crate::create::{Content, NewRequest, Owner, create, judged, refuse};
use crate::hall::Hall;
use crate::install::is_installed;
use crate::reply::{New, ProblemLine, SkillRemoved};
use crate::resolve::resolve;
use crate::vet::policy;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal};

/// What a skill is to become.
#[derive(Debug, Clone, Copy)]
pub struct EditRequest<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// The whole of its file.
    pub content: &'a str,
    /// The digest of the file that the change is meant for; with another one nothing is written.
    pub expected: &'a str,
}

/// Writes a new skill, as [`create`](crate::create()) does, if whoever asks may.
pub async fn skill_create(
    workshop: &Workshop<'_>,
    by: &Principal,
    request: &NewRequest<'_>,
) -> Envelope<New<'static>> {
    if let Err(refusal) = workshop.books.authorise(workshop.now(), by, Role::Admin).await {
        let scope = if request.owner == Owner::User { Scope::User } else { Scope::Project };
        return refuse(request, scope, refusal.code, refusal.message, Vec::new());
    }
    create(&workshop.hall.machine, &policy(&workshop.hall.config), request)
}

/// Replaces the file of a skill of one's own, whole or not at all.
pub async fn skill_update(
    workshop: &Workshop<'_>,
    by: &Principal,
    request: &EditRequest<'_>,
) -> Envelope<New<'static>> {
    let found = async {
        workshop.books.authorise(workshop.now(), by, Role::Admin).await?;
        own(workshop, request.name)
    };
    let draft = NewRequest {
        name: request.name,
        owner: Owner::Project,
        layout: Layout::Directory,
        content: Content::Whole(request.content.as_bytes()),
    };
    let refused = |scope, refusal: Refusal| refuse(&draft, scope, refusal.code, refusal.message, Vec::new());
    let entry = match found.await {
        Ok(entry) => entry,
        Err(refusal) => return refused(Scope::Project, refusal),
    };
    let (scope, path) = (entry.place.scope, entry.place.path());
    let draft = NewRequest {
        name: &entry.skill.name,
        layout: if entry.place.flat { Layout::Flat } else { Layout::Directory },
        ..draft
    };
    let (content, remarks) = match judged(scope, &policy(&workshop.hall.config), &draft) {
        Ok(judged) => judged,
        Err(refused) => return *refused,
    };
    match expect(&path, request.expected).and_then(|()| replace(&path, &content)) {
        Ok(()) => Envelope::ok(New {
            name: entry.skill.name.clone(),
            path: Some(path.to_string_lossy().into_owned()),
            scope: scope.as_str(),
            problems: remarks.into_iter().map(ProblemLine::owned).collect(),
            findings: Vec::new(),
        }),
        Err(refusal) => refused(scope, refusal),
    }
}

/// Removes a skill of one's own, with everything in its directory. `expected` is the digest of its file, where whoever asks says so.
pub async fn skill_remove(
    workshop: &Workshop<'_>,
    by: &Principal,
    name: &str,
    expected: Option<&str>,
) -> Envelope<SkillRemoved> {
    let removed = async {
        workshop.books.authorise(workshop.now(), by, Role::Admin).await?;
        let entry = own(workshop, name)?;
        expected.map_or(Ok(()), |expected| expect(&entry.place.path(), expected))?;
        let path = alone(workshop.hall, entry)?;
        discard(&path)?;
        Ok((entry.qualified_name().into_owned(), path))
    };
    match removed.await {
        Ok((name, path)) => {
            let path = Some(path.to_string_lossy().into_owned());
            Envelope::ok(SkillRemoved { name, path, done: true })
        }
        Err(Refusal { code, message }) => {
            Envelope::error(code, message, SkillRemoved { name: name.to_owned(), ..SkillRemoved::default() })
        }
    }
}

/// The skill of this name, if it is one's own.
pub(crate) fn own<'h>(workshop: &Workshop<'h>, name: &str) -> Result<&'h Entry, Refusal> {
    let hall = workshop.hall;
    let entry = resolve(hall, name).map_err(|found| Refusal::new(found.code, found.message))?;
    let top = match entry.place.scope {
        _ if entry.place.plugin.is_some() => return Err(foreign(entry, "its plugin ships it")),
        Scope::Project => Some(hall.machine.workspace()),
        Scope::User => hall.machine.home.as_deref(),
        _ => return Err(foreign(entry, "it lies neither in the project nor in your home directory")),
    };
    let real = |path: &Path| path.canonicalize().ok();
    let path = entry.place.path();
    let is_inside = top.and_then(real).zip(real(&path)).is_some_and(|(top, path)| path.starts_with(top));
    let is_plain = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink());
    if !is_inside || !is_plain(&path) || !is_plain(&entry.place.own()) {
        return Err(foreign(entry, "a link leads to it"));
    }
    if is_installed(&hall.machine, workshop.places, &entry.place.own()) {
        return Err(foreign(entry, "it was installed; `guild update` and `guild remove` change it"));
    }
    Ok(entry)
}

fn foreign(entry: &Entry, why: &str) -> Refusal {
    let message = format!("skill `{}` is not one of your own: {why}", entry.qualified_name());
    Refusal::new(Code::SkillReadOnly, message)
}

/// What goes with a skill, where nothing else would.
fn alone(hall: &Hall, entry: &Entry) -> Result<PathBuf, Refusal> {
    let path = entry.place.own();
    if hall.snapshot.roots.iter().any(|root| root.path.starts_with(&path)) {
        return Err(foreign(entry, "it is a whole directory of skills; remove its `SKILL.md` by hand"));
    }
    let is_within = |other: &Path| other != path && other.starts_with(&path);
    let skills = hall.snapshot.skills.iter().map(|other| other.place.own());
    let mut all = skills.chain(hall.snapshot.broken.iter().map(|other| other.place.own()));
    if all.any(|other| is_within(&other)) {
        return Err(foreign(entry, "other skills lie in its directory"));
    }
    Ok(path)
}

/// Refuses a change that is meant for another state of the file.
fn expect(path: &Path, expected: &str) -> Result<(), Refusal> {
    let bytes = fs::read(path).map_err(|error| {
        Refusal::new(Code::ReadFailed, format!("cannot read {}: {error}", path.display()))
    })?;
    let found = Digest::of(&bytes).to_string();
    if found == expected {
        return Ok(());
    }
    let message = format!("the file is {found} now; look at it again, and change that");
    Err(Refusal::new(Code::PreconditionFailed, message))
}

/// Puts a whole file in place of another, with its permissions.
fn replace(path: &Path, content: &str) -> Result<(), Refusal> {
    let failed = |error: std::io::Error| unwritten(path, &error);
    let directory = path.parent().unwrap_or(path);
    let mut file =
        tempfile::Builder::new().prefix(".guild-").suffix(".tmp").tempfile_in(directory).map_err(failed)?;
    file.write_all(content.as_bytes()).map_err(failed)?;
    let permissions = fs::metadata(path).map_err(failed)?.permissions();
    file.as_file().set_permissions(permissions).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map(drop).map_err(|error| failed(error.error))
}

/// Takes a file or directory away at once; what becomes of it then is nobody's business any more.
fn discard(path: &Path) -> Result<(), Refusal> {
    let failed = |error: std::io::Error| unwritten(path, &error);
    let parent = path.parent().unwrap_or(path);
    let aside =
        tempfile::Builder::new().prefix(".guild-").suffix(".gone").tempdir_in(parent).map_err(failed)?;
    fs::rename(path, aside.path().join("skill")).map_err(failed)
}

fn unwritten(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(Code::WriteFailed, format!("cannot write {}: {error}", path.display()))
}
